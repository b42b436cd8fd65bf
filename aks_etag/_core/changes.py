# SPDX-License-Identifier: MIT
"""Changes: functions from a body to a body, and how they are applied."""

from __future__ import annotations

import marshal
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias, TypeVar

from .document import same
from .messages import Body

M = TypeVar("M")
Change: TypeAlias = Callable[[dict[str, Any]], Body | None]


@dataclass(frozen=True, slots=True)
class MergePatch:
    """A JSON Merge Patch (RFC 7396), which is a change, too: a null removes, maps merge, all else replaces."""

    patch: Mapping[str, Any] = field(repr=False)
    content_type = "application/merge-patch+json"

    def __call__(self, body: dict[str, Any]) -> dict[str, Any]:
        merged: dict[str, Any] = _merged(body, self.patch)
        return merged


def merge_patch(patch: Mapping[str, Any]) -> MergePatch:
    """Build a change from a JSON Merge Patch (RFC 7396): a null removes, maps merge, all else replaces.

    Raises:
        TypeError: the patch is not an object; one that is not would replace the whole resource.
    """
    return MergePatch(plain_body(patch))


def _merged(target: object, patch: object) -> Any:
    if not isinstance(patch, dict):
        return plain(patch)
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = _merged(result.get(name), value)
    return result


def typed(model: Callable[[dict[str, Any]], M], edit: Callable[[M], M | None]) -> Change:
    """Build a change from an edit of one of the SDK's models, such as ``azure.mgmt.containerservice.models.AgentPool``.

    From azure-mgmt-containerservice 41 on, models are mappings over the JSON: an edit changes only what it touches, and
    fields that the model does not know survive.
    """

    def change(body: dict[str, Any]) -> Body:
        value = model(body)
        returned = edit(value)
        result: object = value if returned is None else returned
        if not isinstance(result, Mapping):
            _close(result)
            raise TypeError(f"typed() needs a model that is a mapping over its JSON, not a {type(result).__name__}")
        return result

    return change


def applied(change: Change, body: Body) -> dict[str, Any]:
    """Give a change a fresh deep copy and return what it made of it, as plain JSON of its own.

    Raises:
        TypeError: it returned something else than ``None`` or a body, or the body is not JSON.
    """
    copy = _copied(body)
    returned: object = change(copy)
    if returned is not None and not isinstance(returned, Mapping):
        _close(returned)
        raise TypeError(
            "a change edits the body in place and returns None, or returns a new body; "
            f"this one returned a {type(returned).__name__}"
        )
    return plain_body(copy if returned is None else returned)


def _copied(body: Body) -> dict[str, Any]:
    """Copy what was parsed from JSON, at the speed of C; anything else the careful way."""
    try:
        # Our own bytes of a moment ago, never anybody else's.
        copy: dict[str, Any] = marshal.loads(marshal.dumps(dict(body)))  # noqa: S302
    except ValueError:
        return plain_body(body)
    return copy


def _close(value: object) -> None:
    # A coroutine that nobody awaits would add a warning to the error.
    close = getattr(value, "close", None)
    if callable(close):
        close()


def is_idempotent_at(change: Change, body: Body) -> bool:
    """Whether a change, applied to its own result, changes nothing; one that is not deterministic is not idempotent."""
    once = applied(change, body)
    return same(applied(change, body), once) and same(applied(change, once), once)


def plain_body(body: object) -> dict[str, Any]:
    """Return a deep copy of a body as plain JSON, key order kept.

    Raises:
        TypeError: it is not an object, or has a value that JSON has no word for.
    """
    if not isinstance(body, Mapping):
        raise TypeError(f"a body is a mapping, not a {type(body).__name__}")
    copy: dict[str, Any] = plain(body)
    return copy


def plain(value: object) -> Any:
    """Return a deep copy of a value as plain JSON: dict, list, str, int, float, bool, None."""
    if isinstance(value, dict):
        copy = {}
        for name, item in value.items():
            # Most of a document is text and numbers: they are kept here, without a call for each.
            copy[name if type(name) is str else _name(name)] = item if type(item) in _ATOMS else plain(item)
        return copy
    if isinstance(value, list | tuple):
        return [item if type(item) in _ATOMS else plain(item) for item in value]
    if isinstance(value, Mapping):
        return plain(dict(value))
    return value if type(value) in _ATOMS else _scalar(value)


_ATOMS: Final = frozenset({str, int, bool, type(None)})


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"not JSON: a key is a {type(name).__name__}, not text")
    return str.__str__(name)


def _scalar(value: object) -> str | int | float:
    # Enumerations of the SDK are str subclasses: their value is what goes on the wire.
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    # The value itself stays out of the message: it may be a secret.
    what = "a number that is not finite" if isinstance(value, float) else f"a {type(value).__name__}"
    raise TypeError(f"not JSON: the body has {what} in it")
