# SPDX-License-Identifier: MIT
"""No error claims more than is known about what was written, and none less."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag import ConflictRetry
from aks_etag._core.precondition import CREATE, Condition

from .harness import (
    BUSY,
    FIVE,
    GONE,
    LOST,
    NO_TOKEN,
    STALE,
    UNSENT,
    accepted,
    cluster,
    more,
    polled,
    pool,
    refused,
    traced,
    tried,
)

ONCE = {"conflict_retry": ConflictRetry(attempts=1)}


@pytest.mark.parametrize(
    ("script", "options", "ended"),
    [
        pytest.param([GONE], {}, "NotFoundError", id="absent-at-first"),
        pytest.param([refused(403)], {}, "AccessDeniedError", id="read-denied"),
        pytest.param([pool(None)], {}, "MissingETagError", id="no-tag"),
        pytest.param([pool("t2")], {"pin": "t1"}, "PreconditionFailedError", id="pinned"),
        pytest.param([pool("t1", "Updating")], {"on_busy": "raise"}, "OperationInProgressError", id="unsettled"),
        pytest.param([pool("t1"), BUSY], {"on_busy": "raise"}, "OperationInProgressError", id="busy"),
        pytest.param([pool("t1"), refused(400)], {}, "RequestRefusedError", id="refused"),
        pytest.param([pool("t1"), refused(429, retry_after="99")], {"deadline": 9.0}, "ThrottledError", id="throttled"),
        pytest.param([pool("t1"), STALE, GONE], {}, "ResourceGoneError", id="gone"),
        pytest.param([pool("t1"), STALE, GONE], ONCE, "ResourceGoneError", id="gone-at-the-last-look"),
        pytest.param([pool("t1"), STALE, pool("t2")], ONCE, "ConflictRetriesExhaustedError", id="exhausted"),
        pytest.param(
            [pool("t1"), BUSY, cluster(), pool("t1")], {"deadline": 1.0}, "DeadlineExceededError", id="deadline"
        ),
        pytest.param([pool("t1"), UNSENT, pool("t1")], {"deadline": 1.0}, "DeadlineExceededError", id="never-sent"),
        pytest.param([pool("t1")], {"deadline": 0.0}, "DeadlineExceededError", id="no-time-to-write"),
    ],
)
def test_what_was_certainly_not_applied_is_said_not_to_be(script: Any, options: Any, ended: str) -> None:
    run = traced(FIVE, *script, **options)
    assert (run.ended, run.error.applied) == (ended, False)


def test_a_dead_write_leaves_no_doubt_behind() -> None:
    preempted = polled("Failed", code="OperationPreempted")
    run = traced(FIVE, pool("t1"), accepted(), preempted, pool("t1"), refused(403))
    assert (run.ended, run.error.applied) == ("AccessDeniedError", False)


@pytest.mark.parametrize("kind", ["update", "put"])
@pytest.mark.parametrize(
    ("script", "ended", "applied"),
    [
        pytest.param([accepted(), polled(), NO_TOKEN], "PermissionError", None, id="final-read-not-sent"),
        pytest.param([accepted(), polled(), refused(403)], "AccessDeniedError", True, id="final-read-denied"),
        pytest.param([accepted(), polled(), GONE], "ResourceGoneError", True, id="final-read-absent"),
        pytest.param([accepted(200, None), GONE], "ResourceGoneError", None, id="absent-while-watched"),
        pytest.param(
            [accepted(200, None), pool("t1", "Updating"), GONE], "ResourceGoneError", None, id="goes-while-watched"
        ),
    ],
)
def test_after_an_accepted_write_no_error_denies_it(kind: str, script: Any, ended: str, applied: bool | None) -> None:
    run = traced(FIVE, pool("t1"), *script) if kind == "update" else tried("put", *script)
    assert (run.ended, getattr(run.error, "applied", None)) == (ended, applied)
    notes = "".join(getattr(run.error, "__notes__", ()))
    assert any(word in notes + str(run.error) for word in ("carried out", "was written", "was accepted"))


def test_a_read_without_a_tag_proves_no_move() -> None:
    run = tried("put", LOST, pool(None, count=5))
    assert (run.ended, run.error.pending, run.error.equivalent) == ("WriteOutcomeUnknownError", True, True)


@pytest.mark.parametrize("kind", ["update", "put"])
def test_a_read_without_a_tag_says_nothing_about_fencing(kind: str) -> None:
    script = [accepted(), polled(), pool(None, count=5)]
    run = traced(FIVE, pool("t1"), *script) if kind == "update" else tried("put", *script)
    assert (run.ended, run.result.fenced) == ("updated", None)


@pytest.mark.parametrize("count", [3, 5])
def test_a_create_in_doubt_can_land_as_long_as_the_name_may_become_free(count: int) -> None:
    run = tried("put", LOST, pool("t7", count=count), condition=CREATE)
    assert (run.ended, run.error.pending, run.error.equivalent) == ("WriteOutcomeUnknownError", True, count == 5)


def test_our_own_running_operation_is_waited_for_in_doubt_whatever_the_caller_chose() -> None:
    script = [pool("t1"), LOST, pool("t1", "Updating", count=5), pool("t2", count=5)]
    assert traced(FIVE, *script, on_busy="raise").result.recovered == "equivalent"


def test_a_refused_forced_write_names_no_version() -> None:
    run = tried("put", STALE, pool("t2"), condition=Condition())
    assert (run.error.sent, '"None"' in str(run.error)) == (None, False)


def test_a_write_whose_tag_has_not_moved_is_pending() -> None:
    run = traced(more, pool("t1"), LOST, pool("t1", mode="User"))
    assert (run.ended, run.error.pending) == ("WriteOutcomeUnknownError", True)
