# SPDX-License-Identifier: MIT
"""No wait outlasts the deadline, and its end says what was awaited."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag import ConflictRetry
from aks_etag._core.precondition import Condition
from aks_etag._flows.options import Options

from .harness import (
    BUSY,
    FIVE,
    LOST,
    POOL,
    RACED,
    STALE,
    T1,
    UNSENT,
    Trace,
    accepted,
    attempt,
    cluster,
    polled,
    pool,
    refused,
    trace,
    traced,
    tried,
)

RUNNING = polled("InProgress")


def unwritten(verb: Any, condition: Condition = T1) -> Trace:
    """Trace a single write that has no time left."""
    request = POOL.remove(condition) if verb == "delete" else POOL.replace({"properties": {"count": 5}}, condition)
    return trace(attempt(POOL, verb, request, condition, Options(), 0.0))


@pytest.mark.parametrize(
    ("script", "waiting_for", "cause"),
    [
        pytest.param([LOST] * 4, "a usable answer to a read (no answer (TimeoutError))", "TimeoutError", id="read"),
        pytest.param([refused(503)] * 4, "a usable answer to a read (503)", "RequestRefusedError", id="read-503"),
        pytest.param(
            [refused(503, retry_after="60")],
            "a usable answer to a read (503) (the service asks for 60 s)",
            "RequestRefusedError",
            id="read-that-asks-for-too-much",
        ),
        pytest.param([pool("t1", "Updating")] * 5, "np1 to settle (it is Updating)", None, id="settle"),
        pytest.param(
            [pool("t1"), STALE, pool("t2"), STALE, pool("t3"), STALE, pool("t4")],
            "a chance to write",
            None,
            id="conflicts",
        ),
        pytest.param(
            [pool("t1"), refused(412, "PreconditionFailed", retry_after="60")],
            "other writers (the service asks for 60 s)",
            "RequestRefusedError",
            id="conflict-that-asks-for-too-much",
        ),
        pytest.param([pool("t1"), BUSY, cluster()] * 3 + [pool("t1")], "a chance to write", None, id="busy"),
        pytest.param(
            [pool("t1"), refused(409, "AnotherOperationInProgress", retry_after="60")],
            "the operation in progress (the service asks for 60 s)",
            "OperationInProgressError",
            id="busy-that-asks-for-too-much",
        ),
        pytest.param(
            [pool("t1"), BUSY, *[cluster("c1", "Updating")] * 5],
            "aks1 to settle (it is Updating), which blocks np1",
            None,
            id="blocker",
        ),
        pytest.param([pool("t1"), UNSENT] * 3 + [pool("t1")], "a chance to write", None, id="never-sent"),
    ],
)
def test_a_deadline_names_what_was_awaited(script: Any, waiting_for: str, cause: str | None) -> None:
    run = traced(FIVE, *script, deadline=6.0)
    assert (run.ended, run.error.waiting_for, run.error.operation) == ("DeadlineExceededError", waiting_for, None)
    assert (type(run.error.__cause__).__name__ if run.error.__cause__ else None) == cause
    assert run.slept <= 6.0
    assert (isinstance(run.error, TimeoutError), run.error.applied) == (True, False)


def test_an_accepted_write_that_is_still_running_is_no_doubt() -> None:
    run = traced(FIVE, pool("t1"), accepted(), *[RUNNING] * 4, deadline=6.0)
    assert (run.ended, run.error.operation, run.error.applied) == ("DeadlineExceededError", "op1", None)
    assert (run.error.waiting_for, run.slept) == ("operation op1", 6.0)


def test_an_operation_that_asks_for_more_time_than_there_is_is_not_waited_for() -> None:
    run = traced(FIVE, pool("t1"), accepted(retry_after="90"), deadline=6.0)
    assert (run.ended, run.error.operation, run.error.applied) == ("DeadlineExceededError", "op1", None)
    assert (run.error.waiting_for, run.slept) == ("operation op1 (the service asks for 90 s)", 0.0)


def test_an_accepted_write_without_an_operation_is_no_doubt_either() -> None:
    run = traced(FIVE, pool("t1"), accepted(200, None), *[pool("t2", "Updating")] * 5, deadline=6.0)
    assert (run.ended, run.error.waiting_for) == ("DeadlineExceededError", "np1 to settle (it is Updating)")


def test_a_write_in_doubt_at_the_deadline_is_unknown() -> None:
    run = traced(FIVE, pool("t1"), LOST, pool("t1"), deadline=1.0)
    assert (run.ended, run.error.pending, run.slept) == ("WriteOutcomeUnknownError", True, 1.0)
    assert (len(run.wire), run.error.__cause__.waiting_for) == (3, "a chance to write")


@pytest.mark.parametrize(
    ("unclear", "slept"),
    [
        pytest.param(refused(503), 1.0, id="asks-for-nothing"),
        pytest.param(refused(503, retry_after="4"), 4.0, id="asks-for-less"),
        pytest.param(refused(503, retry_after="60"), 6.0, id="asks-for-more"),
        pytest.param(refused(500, retry_after="0"), 1.0, id="asks-for-no-pause"),
    ],
)
def test_in_doubt_a_pause_is_cut_to_the_deadline_and_the_look_taken(unclear: Any, slept: float) -> None:
    run = traced(FIVE, pool("t1"), unclear, pool("t2", count=5), deadline=6.0)
    assert (run.ended, run.result.recovered, run.slept) == ("updated", "equivalent", slept)
    run = tried("delete", unclear, refused(404, "NotFound"), deadline=6.0)
    assert (run.ended, run.result.recovered, run.slept) == ("deleted", "absent", slept)


@pytest.mark.parametrize("verb", ["put", "delete"])
def test_no_time_is_no_time_to_write(verb: str) -> None:
    update = traced(FIVE, pool("t1"), deadline=0.0)
    assert (update.wire, update.ended, update.error.waiting_for) == (
        ["GET pool"], "DeadlineExceededError", "a chance to write",
    )  # fmt: skip
    once = unwritten(verb)
    assert (once.steps, once.ended, once.error.waiting_for) == ([], "DeadlineExceededError", "a chance to write")
    assert once.error.applied is False


def test_a_409_that_nobody_could_explain_in_time_is_unknown() -> None:
    run = traced(FIVE, pool("t1"), RACED, cluster(), pool("t1"), deadline=1.0)
    assert (run.ended, run.error.pending) == ("WriteOutcomeUnknownError", True)
    assert run.error.__cause__.waiting_for == "a chance to write"


def test_the_deadline_of_the_client_holds_where_the_call_names_none() -> None:
    run = traced(FIVE, *[pool("t1", "Updating")] * 3, conflict_retry=ConflictRetry(deadline=2.0))
    assert (run.ended, run.slept) == ("DeadlineExceededError", 2.0)
    assert "2 s passed" in str(run.error)


def test_no_time_at_all_is_enough_where_nothing_is_waited_for() -> None:
    assert traced(FIVE, pool("t1", count=5), deadline=0.0).ended == "unchanged"


def test_a_polling_interval_of_zero_hardly_waits() -> None:
    run = traced(FIVE, pool("t1"), accepted(), RUNNING, polled(), pool("t2"), polling_interval=0.0)
    assert (run.slept, run.ended, run.waits) == (0.02, "updated", ["operation op1"] * 2)


@pytest.mark.parametrize(
    "script",
    [
        pytest.param([LOST, refused(503), pool("t1", count=5)], id="reads"),
        pytest.param([pool("t1", "Updating")] * 2 + [pool("t1", count=5)], id="settles"),
        pytest.param([pool("t1"), STALE, pool("t2"), STALE, pool("t3", count=5)], id="conflicts"),
        pytest.param([pool("t1"), BUSY, cluster(), pool("t1"), BUSY, cluster(), pool("t1", count=5)], id="busy"),
        pytest.param([pool("t1"), UNSENT, pool("t1"), UNSENT, pool("t1", count=5)], id="never-sent"),
        pytest.param([pool("t1"), LOST, pool("t1"), LOST, pool("t2", count=5)], id="doubt"),
        pytest.param([pool("t1"), accepted(), RUNNING, polled(), pool("t2")], id="polls"),
    ],
)
def test_no_loop_goes_round_without_a_pause(script: Any) -> None:
    run = traced(FIVE, *script, polling_interval=0.0)
    assert [step for step in run.steps if step.startswith("SLEEP")] == ["SLEEP 0.01"] * 2


@pytest.mark.parametrize("asked", ["0", "-3", "0.2", "1"])
@pytest.mark.parametrize(
    "script",
    [
        pytest.param(lambda hint: [refused(503, **hint), pool("t1", count=5)], id="a-read"),
        pytest.param(lambda hint: [refused(429, **hint), pool("t1", count=5)], id="a-throttled-read"),
        pytest.param(lambda hint: [pool("t1"), refused(429, **hint), pool("t1", count=5)], id="a-throttled-write"),
        pytest.param(
            lambda hint: [pool("t1"), refused(412, "PreconditionFailed", **hint), pool("t2", count=5)], id="a-412"
        ),
        pytest.param(lambda hint: [pool("t1"), refused(503, **hint), pool("t2", count=5)], id="doubt"),
        pytest.param(lambda hint: [pool("t1"), accepted(**hint), polled(), pool("t2")], id="an-operation"),
    ],
)
def test_who_asks_for_less_than_a_second_gets_one(script: Any, asked: str) -> None:
    run = traced(FIVE, *script({"retry_after": asked}), polling_interval=0.0)
    assert run.slept == 1.0
