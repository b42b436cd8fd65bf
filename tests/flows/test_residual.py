# SPDX-License-Identifier: MIT
"""A write that was given up for dead on good evidence stays a reason to claim neither success nor failure."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag import ConflictRetry, merge_patch
from aks_etag._core.events import OutcomeUnknown

from .harness import (
    BUSY,
    CLUSTER,
    FIVE,
    GONE,
    LOST,
    NO_TOKEN,
    POOL,
    STALE,
    accepted,
    cluster,
    polled,
    pool,
    refused,
    traced,
)

ONCE = {"conflict_retry": ConflictRetry(attempts=1)}
# Our write may have landed before somebody set this count: both fit.
GONE_ROUND = pytest.mark.parametrize(
    ("doubt", "count"), [("reapply", 7), ("untouched", 3)], ids=["reapplied-over-another", "perhaps-reverted"]
)


def gone_round(doubt: Any, count: int, *rest: Any, **options: Any) -> Any:
    return traced(FIVE, pool("t1"), LOST, pool("t2", count=count), *rest, on_doubt=doubt, **options)


@pytest.mark.parametrize(
    ("rest", "options", "cause"),
    [
        pytest.param([], {"pin": "t1"}, "PreconditionFailedError", id="pinned"),
        pytest.param([], {"deadline": 1.0}, "DeadlineExceededError", id="deadline"),
        pytest.param([STALE, pool("t3")], ONCE, "ConflictRetriesExhaustedError", id="exhausted"),
        pytest.param([refused(403)], {}, "AccessDeniedError", id="denied"),
        pytest.param([refused(400, "BadRequest")], {}, "RequestRefusedError", id="refused"),
        pytest.param([refused(429, retry_after="99")], {"deadline": 9.0}, "ThrottledError", id="throttled"),
        pytest.param([NO_TOKEN], {}, "PermissionError", id="no-token"),
        pytest.param([BUSY], {"on_busy": "raise"}, "OperationInProgressError", id="busy"),
        pytest.param([STALE, pool(None)], {}, "MissingETagError", id="no-tag"),
        pytest.param([GONE, pool("t3"), GONE], {}, "NotFoundError", id="404-twice"),
    ],
)
@GONE_ROUND
def test_no_later_error_says_what_became_of_it(doubt: Any, count: int, rest: Any, options: Any, cause: str) -> None:
    run = gone_round(doubt, count, *rest, **options)
    error = run.error
    assert (run.ended, error.pending, error.request_ids) == ("WriteOutcomeUnknownError", False, ("r1",))
    assert (error.applied, error.sent, type(error.__cause__).__name__) == (None, "t1", cause)
    assert run.told(OutcomeUnknown) == [OutcomeUnknown(resource_id=POOL.id, request_ids=("r1",), pending=False)]


@pytest.mark.parametrize(
    ("rest", "ended", "applied"),
    [
        pytest.param([GONE, GONE], "ResourceGoneError", None, id="gone"),
        pytest.param([accepted(), polled("Failed"), pool("t3")], "OperationFailedError", None, id="failed"),
        pytest.param([accepted(), polled("Failed"), pool("t3", count=5)], "OperationFailedError", True, id="stored"),
        pytest.param([accepted(), polled(), GONE], "ResourceGoneError", True, id="written-and-gone"),
    ],
)
@GONE_ROUND
def test_what_decides_by_itself_is_raised_as_it_is(
    doubt: Any, count: int, rest: Any, ended: str, applied: bool | None
) -> None:
    run = gone_round(doubt, count, *rest)
    assert (run.ended, run.error.applied) == (ended, applied)


def test_what_was_replaced_since_says_that_nobody_knows() -> None:
    tagged = merge_patch({"tags": {"a": "1"}})
    script = [cluster("t1"), LOST, cluster("t2"), STALE, cluster("t3", uid="u2")]
    run = traced(tagged, *script, on=CLUSTER)
    assert (run.ended, run.error.applied) == ("ResourceReplacedError", None)


@GONE_ROUND
def test_what_holds_in_the_end_is_satisfied_and_not_unchanged(doubt: Any, count: int) -> None:
    run = gone_round(doubt, count, STALE, pool("t3", count=5))
    assert (run.ended, run.result.snapshot.etag, run.result.recovered) == ("satisfied", "t3", None)
    assert (run.result.attempts, run.result.conflicts) == (2, 1)


@GONE_ROUND
def test_a_second_write_that_succeeds_is_a_success(doubt: Any, count: int) -> None:
    run = gone_round(doubt, count, accepted(), polled(), pool("t3", count=5))
    assert (run.ended, run.result.attempts, run.result.request_id) == ("updated", 2, "r2")


def test_several_that_were_given_up_for_dead_are_all_named() -> None:
    script = [
        pool("t1"),
        LOST,
        pool("t1"),
        LOST,
        pool("t2", mode="User"),
        LOST,
        pool("t3", mode="System"),
        refused(403),
    ]
    run = traced(FIVE, *script)
    assert (run.ended, run.error.pending, run.error.request_ids) == (
        "WriteOutcomeUnknownError", False, ("r1", "r2", "r3"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("script", "ended"),
    [
        pytest.param([STALE, pool("t2"), refused(403)], "AccessDeniedError", id="overtaken"),
        pytest.param([STALE, pool("t2", count=5)], "unchanged", id="overtaken-by-the-same"),
        pytest.param([LOST, pool("t1"), STALE, pool("t2", count=5)], "updated", id="still-open"),
    ],
)
def test_what_was_never_given_up_for_dead_leaves_nothing_behind(script: Any, ended: str) -> None:
    run = traced(FIVE, pool("t1"), *script)
    assert (run.ended, getattr(run.error, "applied", False)) == (ended, False)


def test_a_later_success_makes_what_was_in_doubt_no_matter() -> None:
    run = gone_round("reapply", 7, accepted(), polled(), refused(403))
    assert (run.ended, run.error.applied) == ("AccessDeniedError", True)


def test_all_that_were_ever_in_doubt_are_named() -> None:
    run = gone_round("reapply", 7, LOST, pool("t3", count=9), LOST, NO_TOKEN)
    assert run.ended == "WriteOutcomeUnknownError"
    assert run.error.request_ids == ("r1", "r2", "r3")


def test_a_long_silence_in_doubt_is_cut_to_the_deadline_and_looked_into() -> None:
    busy = refused(409, "EtagMismatch", retry_after="60")
    run = traced(FIVE, pool("t1"), busy, cluster(), pool("t2", count=5), deadline=6.0)
    assert (run.ended, run.slept) == ("updated", 6.0)
