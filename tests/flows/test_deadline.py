# SPDX-License-Identifier: MIT
"""No wait outlasts the deadline, and its end says what was awaited."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag import ConflictRetry

from .harness import BUSY, FIVE, LOST, STALE, UNSENT, accepted, cluster, polled, pool, refused, traced

RUNNING = polled("InProgress")


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
            [pool("t1"), STALE, pool("t2"), STALE, pool("t3"), STALE, pool("t4"), STALE],
            "other writers",
            "RequestRefusedError",
            id="conflicts",
        ),
        pytest.param(
            [pool("t1"), BUSY, cluster()] * 3 + [pool("t1"), BUSY],
            "the operation in progress",
            "OperationInProgressError",
            id="busy",
        ),
        pytest.param(
            [pool("t1"), refused(409, "AnotherOperationInProgress", retry_after="60")],
            "the operation in progress (the service asks for 60 s)",
            "OperationInProgressError",
            id="busy-that-asks-for-too-much",
        ),
        pytest.param(
            [pool("t1"), BUSY, *[cluster("c1", "Updating")] * 5], "aks1 to settle (it is Updating)", None, id="blocker"
        ),
        pytest.param([pool("t1"), UNSENT] * 4, "a connection", "ConnectionRefusedError", id="never-sent"),
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
    run = traced(FIVE, pool("t1"), LOST, deadline=0.0)
    assert (run.ended, run.error.pending, run.slept) == ("WriteOutcomeUnknownError", True, 0.0)
    assert run.error.__cause__.waiting_for == "the fate of a write"


def test_the_deadline_of_the_client_holds_where_the_call_names_none() -> None:
    run = traced(FIVE, *[pool("t1", "Updating")] * 3, conflict_retry=ConflictRetry(deadline=2.0))
    assert (run.ended, run.slept) == ("DeadlineExceededError", 2.0)
    assert "2 s passed" in str(run.error)


def test_no_time_at_all_is_enough_where_nothing_is_waited_for() -> None:
    assert traced(FIVE, pool("t1", count=5), deadline=0.0).ended == "unchanged"


def test_a_polling_interval_of_zero_waits_for_nothing() -> None:
    run = traced(FIVE, pool("t1"), accepted(), RUNNING, polled(), pool("t2"), polling_interval=0.0)
    assert (run.slept, run.ended, run.waits) == (0.0, "updated", [])
