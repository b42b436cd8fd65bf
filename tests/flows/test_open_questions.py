# SPDX-License-Identifier: MIT
"""What the flows do not do yet: each is expected to fail until it is decided, and then moves to its own page."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag import ConflictRetry
from aks_etag._core.precondition import CREATE
from aks_etag.errors import AksEtagError

from .harness import (
    FIVE,
    GONE,
    LOST,
    NO_TOKEN,
    POOL,
    STALE,
    accepted,
    polled,
    pool,
    refused,
    traced,
    tried,
)

DONE = (accepted(), polled(), pool("t9", count=5))


@pytest.mark.xfail(reason="GO_ROUND clears the ledger, and later errors then claim applied=False")
@pytest.mark.parametrize(
    ("rest", "options"),
    [
        pytest.param([], {"pin": "t1"}, id="pinned"),
        pytest.param([STALE, pool("t3")], {"conflict_retry": ConflictRetry(attempts=1)}, id="exhausted"),
        pytest.param([refused(403)], {}, id="denied"),
        pytest.param([GONE, GONE], {}, id="gone"),
    ],
)
def test_a_write_that_was_gone_round_is_never_denied_to_have_landed(rest: Any, options: Any) -> None:
    # Somebody set 7 after our 5 had landed, or our 5 is dead: both fit.
    run = traced(FIVE, pool("t1"), LOST, pool("t2", count=7), *rest, on_doubt="reapply", **options)
    assert run.error.applied is not False


@pytest.mark.xfail(reason="a read without a tag counts as moved")
def test_a_read_without_a_tag_proves_no_move() -> None:
    run = tried("put", LOST, pool(None, count=5))
    assert (run.ended, run.error.pending) == ("WriteOutcomeUnknownError", True)


@pytest.mark.xfail(reason="fenced compares with None")
def test_a_read_without_a_tag_says_nothing_about_fencing() -> None:
    assert traced(FIVE, pool("t1"), accepted(), polled(), pool(None, count=5)).result.fenced is None
    assert tried("put", accepted(), polled(), pool(None, count=5)).result.fenced is None


@pytest.mark.xfail(reason="the pause after a 412 in doubt does not grow: a PUT a second until the deadline")
def test_a_412_beside_a_pending_write_backs_off_longer_each_time() -> None:
    script = [answer for _ in range(5) for answer in (pool("t1"), STALE)]
    run = traced(FIVE, pool("t1"), LOST, *script, pool("t2", count=5))
    slept = [float(step.split()[1]) for step in run.steps if step.startswith("SLEEP")]
    assert slept[-1] > slept[0]


@pytest.mark.xfail(reason="an error of the transport itself is raised bare")
@pytest.mark.parametrize("kind", ["update", "put"])
def test_a_final_read_that_cannot_be_sent_says_that_the_write_was_applied(kind: str) -> None:
    script = [accepted(), polled(), NO_TOKEN]
    run = traced(FIVE, pool("t1"), *script) if kind == "update" else tried("put", *script)
    assert isinstance(run.error, AksEtagError) or "carried out" in "".join(getattr(run.error, "__notes__", ()))


@pytest.mark.xfail(reason="a 404 while an accepted write is watched counts as unknown, and pending")
@pytest.mark.parametrize("kind", ["update", "put"])
def test_what_is_gone_after_an_accepted_write_says_gone(kind: str) -> None:
    script = [accepted(200, None), GONE]
    run = traced(FIVE, pool("t1"), *script) if kind == "update" else tried("put", *script)
    assert run.ended == "ResourceGoneError"


@pytest.mark.xfail(reason="a create that finds something there can land no more")
def test_a_create_in_doubt_is_not_pending_once_something_is_there() -> None:
    assert tried("put", LOST, pool("t7"), condition=CREATE).error.pending is False


@pytest.mark.xfail(reason="a create in doubt is not tried again where nothing is there")
def test_a_create_in_doubt_is_tried_again_where_nothing_is_there() -> None:
    assert tried("put", LOST, GONE, *DONE, condition=CREATE).ended == "created"


@pytest.mark.xfail(reason='update keeps on_busy="raise" while it resolves; once does not')
def test_our_own_running_operation_is_waited_for_in_doubt() -> None:
    run = traced(FIVE, pool("t1"), LOST, pool("t1", "Updating", count=5), pool("t2", count=5), on_busy="raise")
    assert run.ended == "updated"


@pytest.mark.xfail(reason="a throttled write of update does not say that it was not applied; once does")
def test_a_throttled_update_was_not_applied() -> None:
    run = traced(FIVE, pool("t1"), refused(429, retry_after="99"), deadline=9.0)
    assert run.error.applied is False


@pytest.mark.xfail(reason="the last look of a given-up update raises ResourceGoneError without applied")
def test_what_is_gone_at_the_last_look_was_not_written() -> None:
    run = traced(FIVE, pool("t1"), STALE, GONE, conflict_retry=ConflictRetry(attempts=1))
    assert (run.ended, run.error.applied) == ("ResourceGoneError", False)


@pytest.mark.xfail(reason="a poll that fails with a Retry-After is repeated at the usual pace")
def test_a_retry_after_of_a_failed_poll_is_kept() -> None:
    run = traced(FIVE, pool("t1"), accepted(), refused(503, retry_after="20"), polled(), pool("t2"))
    assert "SLEEP 20" in run.steps


@pytest.mark.xfail(reason="the message of a refused unconditional write names a version None")
def test_a_refused_forced_write_names_no_version() -> None:
    from aks_etag._core.precondition import Condition

    assert '"None"' not in str(tried("put", STALE, pool("t2"), condition=Condition()).error)


