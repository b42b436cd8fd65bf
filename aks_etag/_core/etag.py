# SPDX-License-Identifier: MIT
"""Entity tags: opaque text that is cleaned, compared and formatted, never interpreted (RFC 9110 section 8.8.3)."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from ..errors import InvalidPreconditionError

ETagFormat: TypeAlias = Literal["raw", "quoted"]
ANY: Final = "*"


def clean(text: object, *, name: str = "if_match") -> str:
    """Return the bare tag of ``abc``, ``"abc"`` or ``W/"abc"``, or ``*`` for a bare star.

    Raises:
        InvalidPreconditionError: empty, a list, a quoted star, or text that could end the header line.
    """
    if not isinstance(text, str):
        raise InvalidPreconditionError(f"{name} takes one eTag as text or a Snapshot, not {_kind(text)}; {_HINT}")
    tag = text.strip(" ")
    if tag[:2] in ("W/", "w/"):
        tag = tag[2:]
    quoted = len(tag) >= 2 and tag[0] == tag[-1] == '"'
    bare = tag[1:-1] if quoted else tag
    reason = _refusal(text, bare)
    if reason:
        raise InvalidPreconditionError(f"{name}={text!r} {reason}; {_HINT}")
    return bare


_HINT: Final = "pass the snapshot or eTag of a read, or leave the argument out"


def _kind(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def _refusal(text: str, bare: str) -> str | None:
    if any(not " " <= character <= "~" for character in text):
        return "has a control or non-ASCII character, which no header may carry"
    if not bare.strip():
        return "is empty, which the service would take as no condition at all"
    if bare == ANY:
        return None if text.strip(" ") == ANY else "is a quoted star: only a bare * means any version"
    if '"' in bare or "," in bare or " " in bare:
        return "is not one eTag: quotes, commas and blanks cannot be part of it, and lists are not understood"
    return None


def of(value: object) -> str | None:
    """Return the bare tag that a response body carries, or ``None`` where there is none to use.

    A tag the client could not send back is no tag: the caller must end in an error, not in a guess.
    """
    try:
        tag = clean(value)
    except InvalidPreconditionError:
        return None
    return None if tag == ANY else tag


def same(left: str, right: str) -> bool:
    """Whether both are the same tag, quotes and ``W/`` aside."""
    return clean(left) == clean(right)


def header(tag: str, style: ETagFormat) -> str:
    """Format a bare tag for ``If-Match``; a star is never quoted."""
    return tag if style == "raw" or tag == ANY else f'"{tag}"'
