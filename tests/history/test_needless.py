# SPDX-License-Identifier: MIT
"""An operation that says that it does not know, and could have known."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag import merge_patch
from aks_etag.history import check

from .story import answer, attempt, call, commit, failed, history, kinds, pool, unknown

FIVE = merge_patch({"properties": {"count": 5}})
SENT = attempt("a", "r1", "t1", pool(3), pool(5))
LOST = (SENT, answer("a", "r1", "lost"))
LANDED = commit("r1", "t1 t2", pool(3), pool(5))
LABELLED = commit("edit-1", "t1 t2", pool(3), pool(3, a="1"), background=True)
SCALED = commit("edit-1", "t1 t2", pool(3), pool(4), background=True)


def more(body: dict[str, Any]) -> None:
    body["properties"]["count"] += 2


@pytest.mark.parametrize(
    ("lines", "commits", "change", "found"),
    [
        pytest.param((call("a"), LOST, unknown("a", tag="t2")), [SCALED], FIVE, [], id="clean: its place was touched"),
        pytest.param((call("a"), LOST, unknown("a", tag="t2")), [LANDED], FIVE, ["needless unknown"], id="it holds"),
        pytest.param((call("a"), LOST, unknown("a", tag="t2")), [LANDED], more, [], id="clean: it can not be told"),
        pytest.param(
            (call("a"), LOST, unknown("a", tag="t2")),
            [LABELLED],
            FIVE,
            ["needless unknown"],
            id="untouched, repeatable",
        ),
        pytest.param(
            (call("a"), LOST, unknown("a", tag="t2")), [LABELLED], more, [], id="clean: untouched, no repeating"
        ),
        pytest.param(
            (call("a", on_doubt="raise"), LOST, unknown("a", tag="t2")), [LABELLED], FIVE, [], id="clean: told to raise"
        ),
        pytest.param(
            (call("a", on_doubt="reapply"), LOST, unknown("a", tag="t2")),
            [SCALED],
            FIVE,
            ["needless unknown"],
            id="told to reapply",
        ),
        pytest.param(
            (call("a"), LOST, unknown("a", tag="t2", cause="DeadlineExceededError")),
            [LANDED],
            FIVE,
            [],
            id="clean: the time was up",
        ),
        pytest.param(
            (call("a"), SENT, answer("a", "r1", 412), unknown("a", tag="t2")),
            [SCALED],
            None,
            ["needless unknown"],
            id="refused",
        ),
        pytest.param(
            (call("a"), SENT, answer("a", "r1", 409, code="EtagMismatch"), unknown("a", tag="t2")),
            [SCALED],
            None,
            [],
            id="clean: refused, and perhaps saved",
        ),
        pytest.param(
            (call("a", "put"), LOST, unknown("a", tag="t2", equivalent=True)),
            [LANDED],
            None,
            ["needless unknown"],
            id="put",
        ),
        pytest.param(
            (call("a", "put"), LOST, unknown("a", tag="t1", equivalent=True, pending=True)),
            [],
            None,
            [],
            id="clean put",
        ),
        pytest.param((call("a"), unknown("a", tag="t2")), [SCALED], None, [], id="clean: nothing was sent"),
        pytest.param((call("a", "put"), LOST, unknown("a", tag="t2")), [LANDED], FIVE, [], id="clean: no loop"),
        pytest.param(
            (call("a"), SENT, answer("a", "r1", 412, perhaps_twice=True), unknown("a", tag="t2")),
            [SCALED],
            None,
            [],
            id="clean: refused, and perhaps sent twice",
        ),
        pytest.param(
            (call("a"), LOST, failed("a", "OperationFailedError", None)), [LANDED], FIVE, [], id="clean: an error"
        ),
    ],
)
def test_what_the_evidence_decides_is_not_unknown(lines: Any, commits: Any, change: Any, found: list[str]) -> None:
    parts = [each for part in lines for each in (part if isinstance(part, tuple) else (part,))]
    report = check(history(parts), commits, changes={} if change is None else {"a": change})
    assert kinds(report) == found
