# SPDX-License-Identifier: MIT
"""The status table of the service: which precondition leads where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from aks_etag.mock._core import errors
from aks_etag.mock._core.answers import Answer
from aks_etag.mock._core.switches import Switches

Condition: TypeAlias = Literal["no header", "If-Match *", "If-Match tag", "If-None-Match *"]
Elsewhere: TypeAlias = Literal["ignored", "refused", "honoured"]
Found: TypeAlias = Literal["missing", "exists", "exists, matches", "exists, stale"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One cell of the table."""

    method: str
    condition: str
    found: str
    status: int

    @property
    def name(self) -> str:
        """The row in words, as the journal shows it."""
        return f"{self.method} {self.condition}, {self.found} -> {self.status}"


def _rows(method: str, condition: Condition, **statuses: int) -> list[Row]:
    return [
        Row(method=method, condition=condition, found=_FOUND[column], status=status)
        for column, status in statuses.items()
    ]


_FOUND: Final[dict[str, Found]] = {
    "missing": "missing",
    "exists": "exists",
    "matches": "exists, matches",
    "stale": "exists, stale",
}

# "Use eTags with AKS" and ARM's RPC contract agree on these cells; DELETE of what exists answers 202 in recordings.
ROWS: Final[tuple[Row, ...]] = (
    *_rows("PUT", "no header", missing=201, exists=200),
    *_rows("PUT", "If-Match *", missing=412, exists=200),
    *_rows("PUT", "If-Match tag", missing=412, matches=200, stale=412),
    *_rows("PUT", "If-None-Match *", missing=201, exists=412),
    *_rows("PATCH", "no header", missing=404, exists=200),
    *_rows("PATCH", "If-Match *", missing=404, exists=200),
    *_rows("PATCH", "If-Match tag", missing=404, matches=200, stale=412),
    *_rows("DELETE", "no header", missing=204, exists=202),
    *_rows("DELETE", "If-Match *", missing=204, exists=202),
    *_rows("DELETE", "If-Match tag", missing=204, matches=202, stale=412),
)
BAD_IF_NONE_MATCH: Final = Row(method="any", condition="If-None-Match other than *", found="any", status=400)
BOTH_HEADERS: Final = Row(method="any", condition="If-Match with If-None-Match *", found="any", status=400)
NOT_DECLARED: Final = Row(method="any but PUT", condition="If-None-Match *", found="any", status=400)

_TABLE: Final = {(row.method, row.condition, row.found): row for row in ROWS}


def evaluate(
    method: str,
    if_match: str | None,
    if_none_match: str | None,
    *,
    exists: bool,
    tag: str | None,
    accept_quotes: bool,
    elsewhere: Elsewhere = "ignored",
) -> Row:
    """Find the row that decides a write; ``elsewhere`` says what If-None-Match means where it is not declared."""
    if if_none_match not in (None, "*"):
        return BAD_IF_NONE_MATCH
    if if_match and if_none_match:
        return BOTH_HEADERS
    if if_none_match and method != "PUT" and elsewhere != "ignored":
        if elsewhere == "refused":
            return NOT_DECLARED
        if exists:
            return Row(method=method, condition="If-None-Match *", found="exists", status=412)
    condition = _condition(method, if_match, if_none_match)
    if not exists or condition != "If-Match tag":
        return _TABLE[method, condition, "exists" if exists else "missing"]
    matches = tag is not None and opaque(if_match or "", accept_quotes=accept_quotes) == tag
    return _TABLE[method, condition, "exists, matches" if matches else "exists, stale"]


def _condition(method: str, if_match: str | None, if_none_match: str | None) -> Condition:
    if if_match:
        return "If-Match *" if if_match == "*" else "If-Match tag"
    # Only PUT declares If-None-Match; elsewhere a lone asterisk changes nothing.
    return "If-None-Match *" if if_none_match and method == "PUT" else "no header"


def opaque(value: str, *, accept_quotes: bool) -> str:
    """Take the tag out of a header value: bare, quoted or weak."""
    strong = value[2:] if value.startswith("W/") else value
    quoted = len(strong) > 1 and strong.startswith('"') and strong.endswith('"')
    return strong[1:-1] if accept_quotes and quoted else value


def refusal(row: Row, switches: Switches) -> Answer:
    """Say no; the texts of a mismatch and of the 400s are not known, so that they may be given."""
    if row.status == 400:
        return errors.bad_request(switches.bad_condition_message or _MISUSES[row], row=row.name)
    known = _REASONS[row.found]
    message = (switches.stale_message or known) if row.found == "exists, stale" else known
    return errors.provider(412, switches.stale_code, message, row=row.name)


_MISUSES: Final = {
    BAD_IF_NONE_MATCH: 'If-None-Match must be empty or "*".',
    BOTH_HEADERS: "If-Match and If-None-Match cannot be used together.",
    NOT_DECLARED: "If-None-Match can be used with PUT only.",
}
_REASONS: Final = {
    "missing": "Resource not found but ETag header is provided. "
    "If this is a request to create, please do not provide ETag.",
    "exists": "If-None-Match is * but the resource exists.",
    "exists, stale": "The eTag provided in If-Match does not match the latest eTag of the resource.",
}
