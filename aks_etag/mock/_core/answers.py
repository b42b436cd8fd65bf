# SPDX-License-Identifier: MIT
"""What the service answers, and the two ways not to answer as asked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final


class _Missing:
    """The type of MISSING."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = _Missing()

# Recorded on every answer; there is no ETag header among them.
RECORDED_HEADERS: Final[Mapping[str, str]] = {
    "Cache-Control": "no-cache",
    "Expires": "-1",
    "Pragma": "no-cache",
    "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
    "X-Cache": "CONFIG_NOCACHE",
    "X-Content-Type-Options": "nosniff",
}
BODILESS: Final = frozenset({204, 304})
_written: Final = json.JSONEncoder(separators=(",", ":")).encode


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer, ready for any door, and the name of the rule that decided it.

    ``cut``: half of the body, and then the end of the connection. ``seconds``: the pause before its second half.
    """

    status: int
    row: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    cut: bool = False
    seconds: float = 0.0


class RefusalError(Exception):
    """Leave an evaluation early with this answer."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.row)
        self.answer = answer


class ConnectionLostError(Exception):
    """The client gets no answer, whatever the service decided; ``closed``: by a FIN instead of a reset."""

    def __init__(self, method: str, path: str, *, closed: bool = False) -> None:
        super().__init__(method, path)
        self.closed = closed


def answer(status: int, body: Any = MISSING, *, row: str, headers: Mapping[str, str] | None = None) -> Answer:
    """Build an answer of the AKS provider; without a body it has no content type."""
    if body is MISSING or status in BODILESS:
        return Answer(status=status, row=row, headers=merge_headers(RECORDED_HEADERS, headers))
    usual = {**RECORDED_HEADERS, "Content-Type": "application/json"}
    return Answer(status=status, row=row, headers=merge_headers(usual, headers), body=encode(body))


def merge_headers(usual: Mapping[str, str], special: Mapping[str, str] | None) -> dict[str, str]:
    """Lay special headers over the usual ones, their names compared without case."""
    if special is None:
        return dict(usual)
    replaced = {name.lower() for name in special}
    return {**{name: value for name, value in usual.items() if name.lower() not in replaced}, **special}


def encode(body: Any) -> bytes:
    """Turn bytes into themselves and anything else into JSON."""
    if isinstance(body, bytes):
        return body
    return _written(body).encode()
