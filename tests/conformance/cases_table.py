# SPDX-License-Identifier: MIT
"""The status table of the eTag article, cell by cell, for clusters and for agent pools; and what stands beside it."""

from __future__ import annotations

from typing import Any, Final

from aks_etag._status_table import PREFLIGHT, ROWS, Kind, Row

from .case import Case, Step, case, delete, get, moves, patch, put, switch

NAMES: Final[dict[Kind, dict[bool, str]]] = {
    "cluster": {True: "cluster", False: "new"},
    "pool": {True: "np1", False: "np9"},
}
# What has moved when a write is accepted: a cluster's tags move with the end of its operation.
AT_ACCEPT: Final = {
    ("PUT", "cluster", 201): "new new/np1",
    ("PATCH", "cluster", 200): "cluster",
    ("PUT", "np1", 200): "np1",
    ("PUT", "np9", 201): "np9",
}
CODES: Final = {400: "BadRequest", 404: "ResourceNotFound", 405: "MethodNotAllowed", 412: "PreconditionFailed"}
CONDITIONS: Final = {"": "no header", "*": "If-Match *", "current": "If-Match tag", "stale": "If-Match tag"}
STALE: Final = "11111111-1111-4111-8111-111111111111"


def _of_the_table(row: Row, kind: Kind) -> Case:
    name, status = NAMES[kind][row.exists], row.status(kind)
    headers = row.headers(f"<{name}>" if row.exists else STALE)
    make = {"PUT": put, "PATCH": patch, "DELETE": delete}[row.method]
    moved = AT_ACCEPT.get((row.method, "cluster" if kind == "cluster" else name, status), "")
    error = {"code": CODES.get(status, ""), "wrapped": status in (404, 405)}
    step = make(name, status, headers=headers, moved=moves(moved), row=_rule(row, status), **error)
    return case(f"table: {kind} {row.name} -> {status}", step)


def _rule(row: Row, status: int) -> str | None:
    """Spell the rule that decides a cell, as the journal shows it."""
    if status in (400, 405):
        return None
    condition = "If-None-Match *" if row.if_none_match else CONDITIONS[row.if_match]
    compared = {"current": ", matches", "stale": ", stale"}.get(row.if_match, "")
    return f"{row.method} {condition}, {f'exists{compared}' if row.exists else 'missing'} -> {status}"


def _left_out(header: dict[str, str]) -> Step:
    return put("np1", headers=header, moved=moves("np1"), row="PUT no header, exists -> 200")


TABLE: Final = [_of_the_table(row, kind) for kind in ("cluster", "pool") for row in (*ROWS, *PREFLIGHT)]
_REFUSED: Final[dict[str, Any]] = {"status": 412, "code": "PreconditionFailed"}
BESIDE: Final = [
    case("an empty If-Match is none", _left_out({"If-Match": ""})),
    case("an empty If-None-Match is none", _left_out({"If-None-Match": ""})),
    case("If-Match is compared with case", put("np1", headers={"If-Match": STALE.upper()}, **_REFUSED)),
    case("a quoted tag", put("np1", headers={"If-Match": '"<np1>"'}, moved=moves("np1"))),
    case("a weak tag", put("np1", headers={"If-Match": 'W/"<np1>"'}, moved=moves("np1"))),
    case("a list of tags is no tag", put("np1", headers={"If-Match": '"<np1>", "x"'}, **_REFUSED)),
    case("quotes around nothing are a tag", put("np1", headers={"If-Match": '""'}, **_REFUSED)),
    case(
        "quotes may be part of a tag",
        switch(accept_quotes=False),
        put("np1", headers={"If-Match": '"<np1>"'}, **_REFUSED),
        put("np1", headers={"If-Match": 'W/"<np1>"'}, **_REFUSED),
        put("np1", headers={"If-Match": "<np1>"}, moved=moves("np1")),
    ),
    case(
        "both 400s come before a look at what is there",
        put("np9", 400, headers={"If-None-Match": "xyz"}, code="BadRequest"),
        put("np9", 400, headers={"If-Match": "*", "If-None-Match": "*"}, code="BadRequest"),
    ),
    case(
        "PUT with a tag on what is not there says so",
        put("np9", headers={"If-Match": STALE}, says="Resource not found but ETag header is provided", **_REFUSED),
    ),
    case(
        "a stale tag does not keep a DELETE of nothing from success",
        delete("np9", 204, headers={"If-Match": STALE}),
        get("np9", 404, code="NotFound"),
    ),
    case(
        "If-None-Match with PATCH and DELETE is ignored, refused or honoured",
        switch(none_match_elsewhere="refused"),
        patch("cluster", 400, headers={"If-None-Match": "*"}, code="BadRequest"),
        delete("np9", 400, headers={"If-None-Match": "*"}, code="BadRequest"),
        delete("np1", 400, headers={"If-None-Match": "*"}, code="BadRequest"),
        switch(none_match_elsewhere="honoured"),
        patch("cluster", headers={"If-None-Match": "*"}, **_REFUSED),
        delete("np9", 204, headers={"If-None-Match": "*"}),
        delete("np1", headers={"If-None-Match": "*"}, **_REFUSED),
        switch(none_match_elsewhere="ignored"),
        patch("cluster", headers={"If-None-Match": "*"}, moved=moves("cluster")),
        delete("np1", headers={"If-None-Match": "*"}),
    ),
    case(
        "a tag is used up by the write that it guarded",
        put("np1", headers={"If-Match": "<np1>"}, moved=moves("np1")),
        get("operation", shows={"status": "Succeeded"}, moved=moves("np1")),
        put("np1", headers={"If-Match": "<np1>"}, moved=moves("np1")),
    ),
]
CASES: Final = [*TABLE, *BESIDE]
