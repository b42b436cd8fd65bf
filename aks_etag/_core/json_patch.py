# SPDX-License-Identifier: MIT
"""JSON Patch (RFC 6902): operations in order, as a change and as a value to send."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import JsonPatchError
from .changes import plain


@dataclass(frozen=True, slots=True)
class JsonPatch:
    """A JSON Patch (RFC 6902), which is a change, too: operations in order; lists by index."""

    operations: tuple[Mapping[str, Any], ...] = field(repr=False)
    content_type = "application/json-patch+json"

    def __call__(self, body: dict[str, Any]) -> dict[str, Any]:
        result: object = body
        for index, operation in enumerate(self.operations):
            result, why = _performed(result, operation)
            if why is not None:
                raise _failure(index, operation, why)
        if not isinstance(result, dict):
            raise JsonPatchError(f"the JSON Patch leaves a {type(result).__name__} instead of a body; nothing was sent")
        return result


def json_patch(operations: Sequence[Mapping[str, Any]]) -> JsonPatch:
    """Build a change from the operations of a JSON Patch (RFC 6902).

    An operation that cannot be performed, as a ``test`` that fails, raises ``JsonPatchError`` and nothing is sent. An
    index means another element once somebody has added one: give it a ``test`` before it, or use ``rebase``.

    Raises:
        TypeError: it is not a list of operations.
    """
    if isinstance(operations, Mapping | str) or not all(isinstance(each, Mapping) for each in operations):
        raise TypeError("a JSON Patch is a list of operations")
    return JsonPatch(tuple(plain(dict(each)) for each in operations))


def _performed(body: object, operation: Mapping[str, Any]) -> tuple[object, str | None]:
    """Perform one operation; return the result, and why it cannot be."""
    # Loaded here, so that ``import aks_etag`` stays light.
    from jsonpatch import InvalidJsonPatch, JsonPatchException, JsonPatchTestFailed, apply_patch
    from jsonpointer import JsonPointerException

    try:
        return apply_patch(body, [plain(operation)], in_place=True), None
    except JsonPatchTestFailed:
        return body, "what is there is not what it tests for"
    except InvalidJsonPatch:
        return body, "it is not an operation of RFC 6902"
    except (JsonPatchException, JsonPointerException, TypeError):
        # A TypeError is what version 1.33 has to say about "/list/-".
        return body, "its path is not there"


def _failure(index: int, operation: Mapping[str, Any], why: str) -> JsonPatchError:
    # The library's own words have the values in them, which may be secrets: they are not chained.
    path = operation.get("path")
    where = path if isinstance(path, str) else "no path"
    return JsonPatchError(
        f"operation {index} of the JSON Patch ({operation.get('op')} {where}): {why}; nothing was sent",
        index=index,
        path=path if isinstance(path, str) else None,
    )
