# SPDX-License-Identifier: MIT
"""Refused for now: somebody's operation is running, or the request budget is spent."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

import pytest

from aks_etag import merge_patch
from aks_etag._core.events import Busy, Doubt, Throttled

from .harness import (
    BUSY,
    CLUSTER,
    EPOCH,
    FIVE,
    GONE,
    LOST,
    POOL,
    RACED,
    STALE,
    UNSENT,
    accepted,
    cluster,
    polled,
    pool,
    recorded,
    refused,
    traced,
)

READ, WRITE = "GET pool", ["UNDECIDED r1", "PUT pool If-Match=t1 r1"]
DONE = (accepted(), polled(), pool("t9", count=5))
WRITTEN = ["UNDECIDED r2", "PUT pool If-Match=t2 r2", "SLEEP 1", "GET op1", "OperationProgress", "UNDECIDED -", READ]
AGAIN = [READ, "Retrying", *WRITTEN]

NOT_ALLOWED = "OperationNotAllowed"
ID = "e375d315-218c-4dff-b806-7ab63b0bb63a"
NAMED = (
    f"Operation is not allowed because there's an in progress update managed cluster operation (operation ID: {ID}) on "
    "the managed cluster started on UTC 2026-05-22T07:19:23Z. Please wait for it to finish."
)
IN_PROGRESS = [
    pytest.param(recorded("error_409_operation_not_allowed_pool"), {"kind": "Creating", "pool": "np2"}, id="recorded"),
    pytest.param(
        recorded("error_409_operation_not_allowed_deleting"),
        {"kind": "Deleting", "pool": "np2", "since": "2024-01-09T04:29:12Z"},
        id="recorded-deleting",
    ),
    pytest.param(
        refused(409, NOT_ALLOWED, NAMED),
        {"kind": "update managed cluster", "operation": ID, "since": "2026-05-22T07:19:23Z"},
        id="operation-id",
    ),
    pytest.param(refused(409, NOT_ALLOWED, "There is an in-progress upgrade"), {"kind": "upgrade"}, id="with-a-hyphen"),
    pytest.param(refused(409, NOT_ALLOWED, "Provisioning State(Updating)"), {"kind": "Updating"}, id="state"),
    pytest.param(refused(409, NOT_ALLOWED, "in progress, in words of tomorrow"), {}, id="unknown-words"),
    pytest.param(refused(409, "ConflictingConcurrentWriteNotAllowed"), {}, id="arm-concurrent"),
    pytest.param(refused(409, "AnotherOperationInProgress"), {}, id="arm-another"),
    pytest.param(refused(409, "CanceledAndSupersededDueToAnotherOperation"), {}, id="arm-superseded"),
]


@pytest.mark.parametrize(("busy", "facts"), IN_PROGRESS)
def test_a_busy_pool_waits_for_who_blocks_it(busy: Any, facts: dict[str, str]) -> None:
    other = pool("x", "Updating", name="np2") if "pool" in facts else cluster("c1", "Updating")
    blocks = "GET pool" if "pool" in facts else "GET cluster"
    run = traced(FIVE, pool("t1"), busy, other, cluster("c2"), pool("t1"), pool("t2"), *DONE)
    waited = ["UNDECIDED -", "Busy", "SLEEP 1", blocks, "SLEEP 1", blocks, READ, "SLEEP 20"]
    assert run.steps == [READ, *WRITE, *waited, *AGAIN]
    assert run.told(Busy) == [Busy(resource_id=POOL.id, code=busy.body["code"], **facts)]
    who = "np2" if "pool" in facts else "aks1"
    assert run.waits[1] == f"{who} to settle (it is Updating), which blocks np1"
    assert all(fact in run.waits[0] for fact in facts.values())
    assert (run.ended, run.result.conflicts, run.result.attempts) == ("updated", 0, 2)


def test_a_blocker_that_is_the_pool_itself_is_waited_for_by_the_loop() -> None:
    busy = refused(409, NOT_ALLOWED, "Another agentpool operation (np1 - Updating) is in progress")
    run = traced(FIVE, pool("t1"), busy, pool("t1", "Updating"), pool("t1"), pool("t2"), *DONE)
    assert run.wire[:6] == [READ, "PUT pool If-Match=t1 r1", READ, READ, READ, "PUT pool If-Match=t2 r2"]


def test_an_operation_of_our_own_is_told_from_those_of_others() -> None:
    said = NAMED.replace(ID, "OP1")
    script = [
        pool("t1"),
        accepted(),
        polled("Failed", code="AKSOperationPreempted"),
        pool("t1"),
        refused(409, NOT_ALLOWED, said),
    ]
    run = traced(FIVE, *script, cluster(), pool("t2"), *DONE)
    assert [each.ours for each in run.told(Busy)] == [True]
    run = traced(FIVE, pool("t1"), refused(409, NOT_ALLOWED, said), cluster(), pool("t2"), *DONE)
    assert [each.ours for each in run.told(Busy)] == [False]


def test_a_busy_cluster_is_its_own_blocker() -> None:
    tagged = merge_patch({"tags": {"a": "1"}})
    run = traced(tagged, cluster("t1"), BUSY, cluster("t2"), accepted(), polled(), cluster("t3"), on=CLUSTER)
    assert run.wire[:4] == ["GET cluster", "PUT cluster If-Match=t1 r1", "GET cluster", "PUT cluster If-Match=t2 r2"]


def test_busy_backs_off_longer_each_time() -> None:
    rounds = [answer for _ in range(3) for answer in (pool("t1"), BUSY, cluster())]
    run = traced(FIVE, *rounds, pool("t1"), *DONE)
    assert [step for step in run.steps if step.startswith("SLEEP")] == ["SLEEP 1", "SLEEP 2", "SLEEP 4", "SLEEP 1"]


def test_a_409_that_asks_for_a_pause_gets_it() -> None:
    busy = refused(409, NOT_ALLOWED, "in progress", retry_after="12")
    assert "SLEEP 12" in traced(FIVE, pool("t1"), busy, cluster(), pool("t2"), *DONE).steps


def test_a_blocker_that_may_not_be_read_is_waited_for_by_time() -> None:
    run = traced(FIVE, pool("t1"), recorded("error_409_operation_not_allowed_pool"), refused(403), pool("t2"), *DONE)
    assert (run.ended, run.result.attempts) == ("updated", 2)


def test_a_blocker_that_is_gone_blocks_no_more() -> None:
    run = traced(FIVE, pool("t1"), BUSY, GONE, GONE)
    assert run.wire == [READ, "PUT pool If-Match=t1 r1", "GET cluster", READ]
    assert run.ended == "ResourceGoneError"


@pytest.mark.parametrize(("busy", "facts"), IN_PROGRESS)
def test_a_caller_who_does_not_wait_is_told_at_once(busy: Any, facts: dict[str, str]) -> None:
    run = traced(FIVE, pool("t1"), busy, on_busy="raise")
    assert run.steps == [READ, *WRITE, "UNDECIDED -", "Busy"]
    error = run.error
    assert (run.ended, error.applied) == ("OperationInProgressError", False)
    assert {
        name: getattr(error, name) for name in ("kind", "pool", "operation", "since") if getattr(error, name)
    } == facts
    assert all(fact in str(error) for fact in facts.values())
    assert (error.status_code, error.code) == (409, busy.body["code"])


def test_a_caller_who_does_not_wait_sends_nothing_to_a_busy_resource() -> None:
    run = traced(FIVE, pool("t1", "Updating"), on_busy="raise")
    assert (run.steps, run.ended) == ([READ], "OperationInProgressError")
    assert "Updating" in str(run.error)


def test_an_etag_mismatch_is_doubt_and_found_to_have_moved_nothing() -> None:
    run = traced(
        FIVE, pool("t1"), recorded("error_409_etag_mismatch"), cluster(), pool("t1"), accepted(), polled(), pool("t2")
    )
    assert run.steps[:10] == [
        READ, *WRITE, "Doubt", "Busy", "SLEEP 1", "GET cluster", READ, "UNDECIDED r1", "Retrying",
    ]  # fmt: skip
    assert run.steps[10:12] == ["UNDECIDED r1 r2", "PUT pool If-Match=t1 r2"]
    assert (run.ended, run.told(Doubt)[0].request_id) == ("updated", "r1")


@pytest.mark.parametrize("on_busy", ["wait", "raise"])
@pytest.mark.parametrize("looks", [[cluster()], [cluster("c1", "Updating"), cluster()]], ids=["settled", "settles"])
def test_an_etag_mismatch_may_have_been_saved_and_is_looked_into(looks: Any, on_busy: Any) -> None:
    run = traced(FIVE, pool("t1"), RACED, *looks, pool("t2", count=5), on_busy=on_busy)
    assert run.steps[3:6] == ["Doubt", "Busy", "SLEEP 1"]
    assert (run.ended, run.result.recovered, run.result.attempts) == ("updated", "equivalent", 1)


def test_a_caller_who_does_not_wait_does_so_again_once_the_doubt_is_over() -> None:
    script = [pool("t1"), RACED, cluster(), pool("t2", mode="User"), BUSY]
    run = traced(FIVE, *script, on_busy="raise")
    assert (run.ended, run.error.pending, run.error.request_ids) == ("WriteOutcomeUnknownError", False, ("r1",))
    assert type(run.error.__cause__).__name__ == "OperationInProgressError"


@pytest.mark.parametrize(
    ("answer", "seconds"),
    [
        pytest.param(recorded("error_429_throttled"), 36, id="recorded"),
        pytest.param(refused(429, "SubscriptionRequestsThrottled"), 60, id="no-hint"),
        pytest.param(refused(429, "TooManyRequestsReceived", retry_after="0"), 1, id="zero-is-a-second"),
        pytest.param(refused(429, retry_after="soon"), 60, id="unreadable"),
        pytest.param(
            refused(429, retry_after=format_datetime(datetime.fromtimestamp(EPOCH + 90, UTC), usegmt=True)),
            90,
            id="a-date",
        ),
    ],
)
def test_a_throttled_write_waits_as_long_as_asked(answer: Any, seconds: int) -> None:
    run = traced(FIVE, pool("t1"), answer, pool("t2"), *DONE)
    assert run.steps == [READ, *WRITE, "UNDECIDED -", "Throttled", f"SLEEP {seconds}", *AGAIN]
    assert run.told(Throttled) == [Throttled(resource_id=POOL.id, retry_after=seconds)]


@pytest.mark.parametrize("script", [[refused(429, retry_after="36")], [pool("t1"), refused(429, retry_after="36")]])
def test_a_silence_longer_than_the_deadline_is_said_at_once(script: Any) -> None:
    run = traced(FIVE, *script, deadline=35.0)
    assert (run.ended, run.error.retry_after, run.slept) == ("ThrottledError", 36.0, 0.0)
    assert "in 36 s" in str(run.error)


def test_a_write_that_never_left_is_no_doubt() -> None:
    run = traced(FIVE, pool("t1"), UNSENT, pool("t2"), *DONE)
    assert run.steps == [READ, *WRITE, "UNDECIDED -", "SLEEP 1", *AGAIN]


def test_reads_are_tried_again_and_never_become_a_write() -> None:
    script = [LOST, refused(503, retry_after="5"), refused(429, retry_after="2"), UNSENT, refused(200), pool("t1")]
    run = traced(FIVE, *script, *DONE)
    assert run.steps[:12] == [
        READ, "SLEEP 1", READ, "SLEEP 5", READ, "Throttled", "SLEEP 2", READ, "SLEEP 4", READ, "SLEEP 8", READ,
    ]  # fmt: skip


@pytest.mark.parametrize("status", [401, 403])
def test_a_denied_read_is_raised_at_once(status: int) -> None:
    run = traced(FIVE, pool("t1"), STALE, refused(status, "AuthorizationFailed"))
    assert (run.ended, run.error.status_code) == ("AccessDeniedError", status)
