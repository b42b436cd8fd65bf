# SPDX-License-Identifier: MIT
"""A write that was accepted says nothing of an older one of the same call, which can land while the version stays."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag._core.continuation import continuation
from aks_etag._core.precondition import CREATE
from aks_etag._flows.budget import Budget
from aks_etag._flows.options import Options
from aks_etag._flows.resume import begun, resume

from .harness import (
    GONE,
    LOST,
    POOL,
    accepted,
    looped,
    more,
    polled,
    pool,
    refused,
    trace,
    traced,
    tried,
)

SEEN = pool("t1", count=3)
FAILED = polled("Failed", code="QuotaExceeded")
# The first write gets no answer, the version stays, the second one is accepted.
SECOND = (SEEN, LOST, SEEN, accepted())


@pytest.mark.parametrize(
    "glance", [pytest.param(SEEN, id="unmoved"), pytest.param(LOST, id="not seen"), pytest.param(GONE, id="gone")]
)
def test_a_failed_operation_does_not_hide_an_older_write_that_can_still_land(glance: Any) -> None:
    done = traced(more, *SECOND, FAILED, glance)
    assert (done.ended, done.error.pending, done.error.applied) == ("WriteOutcomeUnknownError", True, None)
    assert done.error.request_ids == ("r1", "r2")
    assert type(done.error.__cause__).__name__ == "OperationFailedError"


def test_under_a_version_that_has_moved_the_older_one_can_land_no_more() -> None:
    done = traced(more, *SECOND, FAILED, pool("t2", "Failed", count=3))
    assert (done.ended, done.error.applied) == ("OperationFailedError", None)


def test_a_failed_operation_of_the_only_write_stays_what_it_is() -> None:
    done = traced(more, SEEN, accepted(), FAILED, SEEN)
    assert done.ended == "OperationFailedError"


@pytest.mark.parametrize("poll", [polled("InProgress", retry_after="9999"), refused(429, retry_after="9999")])
def test_an_operation_that_nobody_waits_for_any_more_does_not_hide_it_either(poll: Any) -> None:
    done = traced(more, *SECOND, poll)
    assert (done.ended, done.error.pending) == ("WriteOutcomeUnknownError", True)
    assert type(done.error.__cause__).__name__ == "DeadlineExceededError"
    alone = traced(more, SEEN, accepted(), poll)
    assert alone.ended in ("DeadlineExceededError", "ThrottledError")
    assert alone.error.applied is None


def test_of_two_creates_one_fails_and_the_other_can_still_come() -> None:
    # Whatever is there: it may be deleted, and then the other one comes.
    for found in (GONE, pool("t1", "Failed")):
        done = tried("put", LOST, GONE, accepted(201), FAILED, found, condition=CREATE)
        assert (done.ended, done.error.pending) == ("WriteOutcomeUnknownError", True)


def test_of_two_deletes_one_fails_and_the_other_can_still_come() -> None:
    done = tried("delete", LOST, SEEN, accepted(202), FAILED, SEEN)
    assert (done.ended, done.error.pending) == ("WriteOutcomeUnknownError", True)
    moved = tried("delete", LOST, SEEN, accepted(202), FAILED, pool("t2"))
    assert moved.ended == "OperationFailedError"


@pytest.mark.parametrize(
    ("script", "ended"),
    [
        pytest.param((FAILED, SEEN), "WriteOutcomeUnknownError", id="failed, unmoved"),
        pytest.param((FAILED, LOST), "WriteOutcomeUnknownError", id="failed, not seen"),
        pytest.param((FAILED, pool("t2")), "OperationFailedError", id="failed, moved"),
        pytest.param((polled(), SEEN), "WriteOutcomeUnknownError", id="succeeded, unmoved"),
        pytest.param((polled(), pool("t2")), "updated", id="succeeded, moved"),
        pytest.param((refused(404),), "WriteOutcomeUnknownError", id="lost"),
    ],
)
def test_a_token_remembers_it_too(script: Any, ended: str) -> None:
    first = trace(looped(POOL, more, Options()), *SECOND, polled(), pool("t2", count=4))
    token = begun(first.accepted[0]).token()

    def flow() -> Any:
        budget = yield from Budget.start(POOL.id, Options())
        return (yield from resume(POOL, continuation(token), budget))

    done = trace(flow(), *script)
    assert done.ended == ended
    if ended == "WriteOutcomeUnknownError":
        assert (done.error.request_ids, done.error.pending) == (("r1", "r2"), True)
