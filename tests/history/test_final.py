# SPDX-License-Identifier: MIT
"""Judged by the state before and after alone."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag.history import check

from .story import CLUSTER, POOL, answer, attempt, call, done, failed, history, kinds, pool, unknown, update


def scaled(op: str, before: int, after: int) -> list[dict[str, Any]]:
    return update(op, f"r-{op}", f"t{before}", pool(before), pool(after))


def labelled(op: str, before: str, after: str) -> list[dict[str, Any]]:
    return update(op, f"r-{op}", f"t{before}", pool(3, a=before), pool(3, a=after))


def perhaps(op: str, before: Any, after: Any, end: Any = None) -> list[dict[str, Any]]:
    sent = attempt(op, f"r-{op}", "t1", before, after)
    return [call(op), sent, answer(op, f"r-{op}", "lost"), end or unknown(op)]


@pytest.mark.parametrize(
    ("lines", "initial", "final", "clean"),
    [
        ((), pool(3), pool(3), True),
        ((), pool(3), pool(4), False),
        ((scaled("a", 3, 4), scaled("b", 4, 9)), pool(3), pool(9), True),
        ((scaled("a", 3, 4), scaled("b", 3, 4)), pool(3), pool(4), False),
        ((scaled("a", 3, 4), perhaps("b", pool(4), pool(5))), pool(3), pool(5), True),
        ((scaled("a", 3, 4), perhaps("b", pool(4), pool(5))), pool(3), pool(4), True),
        ((scaled("a", 3, 4), perhaps("b", pool(4), pool(5))), pool(3), pool(6), False),
        ((perhaps("a", pool(3), pool(5), failed("a", "PreconditionFailedError")),), pool(3), pool(5), False),
        ((perhaps("a", pool(3), pool(5), done("a", "updated", recovered="equivalent")),), pool(3), pool(5), True),
        ((labelled("a", "x", "y"), labelled("b", "y", "z")), pool(3, a="x"), pool(3, a="z"), True),
        ((labelled("b", "y", "z"), labelled("a", "x", "y")), pool(3, a="x"), pool(3, a="z"), True),
        ((labelled("a", "x", "y"), labelled("b", "y", "x")), pool(3, a="x"), pool(3, a="x"), True),
        ((labelled("a", "x", "y"), labelled("b", "x", "y")), pool(3, a="x"), pool(3, a="y"), False),
        ((labelled("a", "x", "y"), labelled("b", "x", "z")), pool(3, a="x"), pool(3, a="z"), False),
        ((labelled("a", "y", "z"), labelled("b", "z", "y")), pool(3, a="x"), pool(3, a="x"), False),
        ((labelled("a", "x", "y"), perhaps("b", pool(3, a="y"), pool(3, a="z"))), pool(3, a="x"), pool(3, a="z"), True),
        ((labelled("a", "x", "y"), perhaps("b", pool(3, a="y"), pool(3, a="z"))), pool(3, a="x"), pool(3, a="y"), True),
        (
            (labelled("a", "x", "y"), perhaps("b", pool(3, a="y"), pool(3, a="x"))),
            pool(3, a="x"),
            pool(3, a="w"),
            False,
        ),
        (
            (labelled("a", "x", "y"), labelled("c", "x", "w"), perhaps("b", pool(3, a="y"), pool(3, a="x"))),
            pool(3, a="x"),
            pool(3, a="w"),
            True,
        ),
    ],
)
def test_the_acknowledged_explain_the_final_state(lines: Any, initial: Any, final: Any, clean: bool) -> None:
    report = check(history(*lines), initial={POOL: initial}, final={POOL: final})
    assert kinds(report) == ([] if clean else ["unexplained"])


def test_what_was_created_and_deleted_is_explained() -> None:
    created = [
        call("a", "create"),
        attempt("a", "r1", None, None, pool(3)),
        answer("a", "r1", 201),
        done("a", "created"),
    ]
    assert check(history(created), initial={POOL: None}, final={POOL: pool(3)}).clean
    assert not check(history(created), initial={POOL: None}, final={POOL: None}).clean


def test_a_resource_that_was_deleted_is_left_alone() -> None:
    gone = [call("a", "delete"), attempt("a", "r1", "t1", pool(3), None, "DELETE"), answer("a", "r1", 202)]
    for end in (done("a", "deleted"), unknown("a")):
        assert check(history(gone, end), initial={POOL: pool(3)}, final={POOL: None}).clean
    refused = failed("a", "PreconditionFailedError")
    assert not check(history(gone, refused), initial={POOL: pool(3)}, final={POOL: None}).clean


def test_what_was_accepted_and_then_failed_may_or_may_not_be_there() -> None:
    ended = {"line": "operation", "op": "a", "request": "r1", "status": "Failed"}
    lines = [call("a"), attempt("a", "r1", "t1", pool(3), pool(5)), answer("a", "r1"), ended, done("a")]
    assert check(history(lines), initial={POOL: pool(3)}, final={POOL: pool(3)}).clean
    assert check(history(lines), initial={POOL: pool(3)}, final={POOL: pool(5)}).clean
    assert not check(history(lines), initial={POOL: pool(3)}, final={POOL: pool(4)}).clean


def test_an_error_that_claims_success_counts_as_one() -> None:
    lines = [call("a"), attempt("a", "r1", "t1", pool(3), pool(5)), answer("a", "r1")]
    claims = failed("a", "ThrottledError", applied=True)
    assert not check(history(lines, claims), initial={POOL: pool(3)}, final={POOL: pool(3)}).clean


def test_a_recovered_write_may_have_been_somebody_elses() -> None:
    lines = [call("a"), attempt("a", "r1", "t1", pool(3), pool(5)), answer("a", "r1")]
    recovered = done("a", "updated", recovered="equivalent")
    assert check(history(lines, recovered), initial={POOL: pool(3)}, final={POOL: pool(3)}).clean


def test_what_replaces_something_unread_is_left_alone() -> None:
    sent = {**attempt("a", "r1", "t1", pool(3), pool(4)), "read": None, "changes": {"/properties/count": ["?", 4]}}
    states: Any = {"initial": {POOL: pool(3, a="x")}, "final": {POOL: pool(4)}}
    assert check(history(call("a", "put"), sent, answer("a", "r1"), done("a")), **states).clean
    created = {**sent, "condition": "If-None-Match: *"}
    report = check(history(call("a", "put"), created, answer("a", "r1"), done("a")), **states)
    assert [anomaly.lines[0].split()[0] for anomaly in report.anomalies] == ["/properties/nodeLabels/a"]


def test_a_patch_may_leave_what_it_does_not_name() -> None:
    sent = attempt("a", "r1", "t1", pool(3, a="x"), pool(3), "PATCH")
    lines = [call("a", "update_tags"), sent, answer("a", "r1"), done("a")]
    for final in (pool(3), pool(3, a="x")):
        assert check(history(lines), initial={POOL: pool(3, a="x")}, final={POOL: final}).clean


def test_what_the_service_rewrites_and_what_pools_show_in_their_cluster_is_left_alone() -> None:
    states: Any = {"initial": {POOL: pool(3)}, "final": {POOL: pool(4)}}
    assert not check(history(), **states).clean
    assert check(history(), **states, normalised=["/properties/count"]).clean
    inline = [{CLUSTER: {"properties": {"agentPoolProfiles": [{"name": "np1", "count": n}]}}} for n in (3, 4)]
    assert check(history(), initial=inline[0], final=inline[1]).clean


def test_only_what_both_states_show_is_judged() -> None:
    states: Any = {"initial": {POOL.upper(): pool(3)}, "final": {POOL: pool(4)}}
    elsewhere = [{**line, "id": f"{POOL}2"} if "id" in line else line for line in scaled("b", 1, 2)]
    assert check(history(scaled("a", 3, 4), elsewhere), **states).clean


def test_where_too_many_sums_are_possible_everything_is_explained() -> None:
    for unsure, clean in ((17, True), (8, False)):
        lines = [perhaps(f"u{n}", pool(0), pool(2**n)) for n in range(unsure)]
        assert check(history(*lines), initial={POOL: pool(0)}, final={POOL: pool(-1)}).clean is clean


def test_where_too_much_is_unknown_everything_is_explained() -> None:
    unsure = [perhaps(f"u{n}", pool(3, a=f"v{n}"), pool(3, a=f"v{n + 1}")) for n in range(11)]
    assert check(history(*unsure), initial={POOL: pool(3, a="v0")}, final={POOL: pool(3, a="far")}).clean


def test_one_state_alone_is_refused() -> None:
    with pytest.raises(ValueError, match="belong together"):
        check(history(), initial={})
    with pytest.raises(ValueError, match="no first line"):
        check([], initial={}, final={})


def test_an_older_attempt_that_was_preempted_is_no_reason_to_forget_the_newer_one() -> None:
    """The first was accepted and lost a race; the second got no answer, and a note proves that it is stored."""
    lines = [
        call("a"),
        attempt("a", "r1", "t1", pool(3, a="x"), pool(3, a="y")),
        answer("a", "r1"),
        {"line": "operation", "op": "a", "request": "r1", "status": "Failed", "code": "AKSOperationPreempted"},
        attempt("a", "r2", "t2", pool(3, a="x"), pool(3, a="z")),
        answer("a", "r2", 503),
        failed("a", "OperationFailedError", True),
    ]
    assert check(history(lines), initial={POOL: pool(3, a="x")}, final={POOL: pool(3, a="z")}).clean
    assert not check(history(lines), initial={POOL: pool(3, a="x")}, final={POOL: pool(3, a="w")}).clean
