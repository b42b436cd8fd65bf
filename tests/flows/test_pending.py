# SPDX-License-Identifier: MIT
"""While a write may still land, the only exit is success: every other end is "unknown"."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag import ConflictRetry
from aks_etag._core.events import OutcomeUnknown

from .harness import (
    BUSY,
    FIVE,
    LOST,
    NO_TOKEN,
    POOL,
    STALE,
    accepted,
    cluster,
    more,
    polled,
    pool,
    refused,
    traced,
)


def raising_at_the_second_look() -> Any:
    looks = iter([False, True, True])

    def change(body: dict[str, Any]) -> None:
        if next(looks):
            raise LookupError("mine")
        body["properties"]["count"] = 5

    return change


def satisfied_at_the_third_look() -> Any:
    looks = iter([5, 5, 3])

    def change(body: dict[str, Any]) -> None:
        body["properties"]["count"] = next(looks)

    return change


def read_only_at_the_third_look() -> Any:
    looks = iter([5, 5, None])

    def change(body: dict[str, Any]) -> None:
        count = next(looks)
        body["properties"].update({"count": count} if count else {"provisioningState": "Odd"})

    return change


ENDS = [
    pytest.param(FIVE, [refused(401)], "AccessDeniedError", id="denied"),
    pytest.param(FIVE, [refused(400, "BadRequest")], "RequestRefusedError", id="refused"),
    pytest.param(FIVE, [NO_TOKEN], "PermissionError", id="no-token"),
    pytest.param(FIVE, [pool(None)], "MissingETagError", id="no-tag"),
    pytest.param(FIVE, [refused(429, retry_after="9999")] * 2, "ThrottledError", id="throttled"),
    pytest.param(FIVE, [refused(503, retry_after="9999")], "DeadlineExceededError", id="deadline"),
    pytest.param(FIVE, [pool("t1", "Updating")] * 5, "DeadlineExceededError", id="never-settles"),
    pytest.param(raising_at_the_second_look, [pool("t1")], "LookupError", id="change-raises"),
    pytest.param(read_only_at_the_third_look, [pool("t1")], "ReadOnlyEditError", id="read-only-edit"),
    pytest.param(satisfied_at_the_third_look, [pool("t1")], None, id="unchanged"),
    pytest.param(FIVE, [pool("t1"), refused(400, "BadRequest")], "RequestRefusedError", id="second-write-refused"),
    pytest.param(FIVE, [pool("t1"), refused(403)], "AccessDeniedError", id="second-write-denied"),
    pytest.param(FIVE, [pool("t1"), NO_TOKEN], "PermissionError", id="second-write-not-sent"),
    pytest.param(
        FIVE,
        [pool("t1"), refused(429, retry_after="9999"), pool("t1")],
        "DeadlineExceededError",
        id="second-write-throttled",
    ),
]


@pytest.mark.parametrize(("change", "script", "cause"), ENDS)
def test_nothing_else_is_said_while_a_write_is_pending(change: Any, script: Any, cause: str | None) -> None:
    change = change() if change is not FIVE else FIVE
    run = traced(change, pool("t1"), LOST, *script, deadline=8.0)
    error = run.error
    assert (run.ended, error.pending, error.request_ids) == ("WriteOutcomeUnknownError", True, ("r1",))
    assert run.told(OutcomeUnknown) == [OutcomeUnknown(resource_id=POOL.id, request_ids=("r1",), pending=True)]
    assert (error.sent, error.applied) == ("t1", None)
    assert (type(error.__cause__).__name__ if error.__cause__ else None) == cause


# What holds, and what is raised, at a version that excludes that the write lands any more.
FENCED = [
    pytest.param(raising_at_the_second_look, [pool("t2")], "LookupError", id="change-raises"),
    pytest.param(more, [pool("t2", count=4)], None, id="evidence-does-not-tell"),
]


@pytest.mark.parametrize(("change", "script", "cause"), FENCED)
def test_behind_another_version_nothing_is_pending(change: Any, script: Any, cause: str | None) -> None:
    run = traced(change() if change is not more else more, pool("t1"), LOST, *script)
    assert (run.ended, run.error.pending, run.error.request_ids) == ("WriteOutcomeUnknownError", False, ("r1",))
    assert (type(run.error.__cause__).__name__ if run.error.__cause__ else None) == cause
    assert run.told(OutcomeUnknown)[0].pending is False


def test_the_version_that_was_pinned_is_kept_while_in_doubt() -> None:
    run = traced(FIVE, pool("t1"), LOST, pool("t1"), accepted(), polled(), pool("t2"), pin="t1")
    assert run.wire.count("PUT pool If-Match=t1 r2") == 1
    assert run.ended == "updated"


def test_conflicts_are_not_counted_while_in_doubt() -> None:
    script = [pool("t1"), LOST, pool("t1"), STALE, pool("t1"), STALE, pool("t1"), STALE, pool("t2", count=5)]
    run = traced(FIVE, *script, conflict_retry=ConflictRetry(attempts=1))
    assert (run.ended, run.result.recovered, run.result.conflicts) == ("updated", "equivalent", 0)


@pytest.mark.parametrize("on_busy", ["wait", "raise"])
@pytest.mark.parametrize("looks", [[cluster()], [cluster("c1", "Updating"), cluster()]], ids=["settled", "settles"])
def test_a_busy_answer_beside_a_pending_write_is_waited_for(looks: Any, on_busy: Any) -> None:
    run = traced(FIVE, pool("t1"), LOST, pool("t1"), BUSY, *looks, pool("t2", count=5), on_busy=on_busy)
    assert (run.ended, run.result.recovered, run.result.attempts) == ("updated", "equivalent", 2)


@pytest.mark.parametrize("poll", [refused(429, retry_after="9999"), polled("InProgress", retry_after="9999")])
def test_a_write_that_was_accepted_and_still_runs_is_not_in_doubt(poll: Any) -> None:
    run = traced(FIVE, pool("t1"), accepted(), poll, deadline=9.0)
    assert (run.error.applied, run.told(OutcomeUnknown)) == (None, [])
    assert run.ended in ("ThrottledError", "DeadlineExceededError")


def test_an_answer_that_decides_ends_the_doubt_about_all() -> None:
    run = traced(more, pool("t1"), LOST, pool("t1"), accepted(), polled(), refused(403))
    assert (run.ended, run.error.applied) == ("AccessDeniedError", True)


def test_a_failed_operation_says_what_became_of_it_by_itself() -> None:
    run = traced(FIVE, pool("t1"), LOST, pool("t1"), accepted(), polled("Failed", code="Quota"), pool("t2", count=3))
    assert (run.ended, run.error.applied) == ("OperationFailedError", None)


def test_a_412_beside_a_pending_write_backs_off_longer_each_time() -> None:
    script = [answer for _ in range(4) for answer in (pool("t1"), STALE)]
    run = traced(FIVE, pool("t1"), LOST, *script, pool("t2", count=5))
    slept = [step for step in run.steps if step.startswith("SLEEP")]
    assert slept == ["SLEEP 1", "SLEEP 2", "SLEEP 4", "SLEEP 8", "SLEEP 16"]


def test_a_success_that_moved_no_tag_leaves_an_older_copy_able_to_land() -> None:
    run = traced(FIVE, pool("t1"), LOST, pool("t1"), accepted(), polled(), pool("t1", count=5))
    assert (run.ended, run.error.pending, run.error.request_ids) == ("WriteOutcomeUnknownError", True, ("r1",))
