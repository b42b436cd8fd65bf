# SPDX-License-Identifier: MIT
"""From ``if_match``, ``if_none_match`` and ``force`` to the header that goes on the wire, or a local refusal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..errors import InvalidPreconditionError, PreconditionRequiredError
from . import etag
from .snapshot import Snapshot
from .unset import UNSET, Unset


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What must hold for a write to be carried out: a version, ``*`` (exists), ``create`` (does not), or nothing."""

    tag: str | None = None
    create: bool = False

    @property
    def version(self) -> str | None:
        """The one version that the write is bound to, if it is bound to one."""
        return None if self.tag == etag.ANY else self.tag

    def headers(self, style: etag.ETagFormat) -> Mapping[str, str]:
        """Return the one header that carries the condition, or none where it was waived by ``force``."""
        if self.create:
            return {"If-None-Match": etag.ANY}
        return {} if self.tag is None else {"If-Match": etag.header(self.tag, style)}


CREATE = Condition(create=True)


def condition(
    *,
    if_match: str | Snapshot | Unset = UNSET,
    if_none_match: str | Unset = UNSET,
    force: bool = False,
    target: str,
) -> Condition:
    """Check a combination of arguments as the service would, and fail where it would write unguarded.

    Raises:
        InvalidPreconditionError: a combination or value that the service answers with 400, or would ignore.
        PreconditionRequiredError: no condition, and no ``force=True``.
        MissingETagError: a snapshot that has no eTag.
    """
    _check_combination(if_match, if_none_match, force)
    if if_none_match is not UNSET:
        if if_none_match != etag.ANY:
            raise InvalidPreconditionError(
                f"if_none_match={if_none_match!r} is not understood: only * (create, never overwrite) has a meaning"
            )
        return CREATE
    if force:
        return Condition()
    if if_match is UNSET:
        raise PreconditionRequiredError(
            f"a write to {target} needs a condition: if_match= with the eTag or snapshot you saw, "
            'if_none_match="*" to create, or force=True to overwrite whatever is there'
        )
    return Condition(tag=tag_of(if_match, target=target))


def tag_of(value: object, *, target: str) -> str:
    """Return the bare tag of an eTag as text, or of a snapshot of the same resource."""
    if not isinstance(value, Snapshot):
        return etag.clean(value)
    if value.id.casefold() != target.casefold():
        raise InvalidPreconditionError(f"if_match is a snapshot of {value.id}, but the write goes to {target}")
    return value.etag


def pinned(value: object, *, target: str) -> str | None:
    """Return the tag that an update is pinned to, ``None`` where it is not."""
    if value is UNSET:
        return None
    tag = tag_of(value, target=target)
    if tag == etag.ANY:
        raise InvalidPreconditionError('an update cannot be pinned to "*": it guards by itself; leave if_match out')
    return tag


def _check_combination(if_match: object, if_none_match: object, force: object) -> None:
    if not isinstance(force, bool):
        raise InvalidPreconditionError(f"force takes True or False, not {force!r}")
    if if_match is not UNSET and if_none_match is not UNSET:
        raise InvalidPreconditionError("if_match and if_none_match cannot be used together: the service answers 400")
    if force and not (if_match is UNSET and if_none_match is UNSET):
        raise InvalidPreconditionError(
            "force=True means no condition: it cannot be combined with if_match or if_none_match"
        )
