# SPDX-License-Identifier: MIT
"""Entity tags: opaque text that is cleaned, compared and formatted, never interpreted (RFC 9110 section 8.8.3)."""

from __future__ import annotations

import re
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
    match = _SPELLED.fullmatch(text.strip(" "))
    opaque = None if match is None else match["quoted"] or match["bare"] or ""
    reason = _refusal(text, opaque)
    if reason or opaque is None:
        raise InvalidPreconditionError(f"{name}={text!r} {reason}; {_HINT}")
    return opaque


_SPELLED: Final = re.compile(r'(?:[Ww]/)?(?:"(?P<quoted>[^"]*)"|(?P<bare>[^"]*))')
_HINT: Final = "pass the snapshot or eTag of a read, or leave the argument out"


def _kind(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def _refusal(text: str, opaque: str | None) -> str | None:
    if any(not " " <= character <= "~" for character in text):
        return "has a control or non-ASCII character, which no header may carry"
    if opaque is not None and not opaque.strip():
        return "is empty, which the service would take as no condition at all"
    if opaque == ANY:
        return None if text.strip(" ") == ANY else "is a quoted star: only a bare * means any version"
    # What begins with W/ inside its quotes would be another tag without them.
    if opaque is None or opaque[:2] in ("W/", "w/") or "," in opaque or " " in opaque:
        return 'is not one eTag: it is spelled abc, "abc" or W/"abc", without blanks, commas or further quotes'
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
