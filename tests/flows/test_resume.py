# SPDX-License-Identifier: MIT
"""Going on with an accepted write in another process: it only reads, and says the same as the first would have."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag._core.continuation import Continuation, continuation
from aks_etag._core.evidence import Attempt
from aks_etag._core.operation import Link
from aks_etag._core.precondition import CREATE
from aks_etag._core.snapshot import WriteResult
from aks_etag._flows.budget import Budget
from aks_etag._flows.effects import Accepted
from aks_etag._flows.options import Options
from aks_etag._flows.resume import begun, over, resume

from .harness import (
    CLUSTER,
    ENDPOINT,
    FIVE,
    GONE,
    LOST,
    POOL,
    Trace,
    accepted,
    polled,
    pool,
    refused,
    trace,
    traced,
    tried,
)

SENT = {"properties": {"count": 5}}
URL = f"{ENDPOINT}/operations/op1?t=SIGNED"


def waited(
    outcome: Any = "updated",
    url: str | None = URL,
    *,
    after: Any = SENT,
    tag: str = "t1",
    older: tuple[Attempt, ...] = (),
) -> Continuation:
    attempt = Attempt(request_id="r1", tag=tag, before={}, after=after, paths=())
    link = None if url is None else Link(url, is_location=False)
    # Through its token, as it comes out at the other end.
    return continuation(begun(Accepted(POOL, outcome, link, attempt, ())).token())


def resumed(one: Continuation, *script: Any, deadline: float | None = None) -> Trace:
    def flow() -> Any:
        budget = yield from Budget.start(POOL.id, Options(), deadline)
        return (yield from resume(POOL, one, budget))

    done = trace(flow(), *script)
    assert all(request.method == "GET" for request in done.requests)
    return done


@pytest.mark.parametrize("outcome", ["updated", "created"])
def test_it_is_followed_to_its_end_and_read(outcome: str) -> None:
    run = resumed(waited(outcome), polled("InProgress"), polled(), pool("t2", count=5))
    assert run.wire == ["GET op1", "GET op1", "GET pool"]
    assert (run.ended, run.result.fenced, run.result.request_id) == (outcome, True, "r1")
    assert run.result.condition == ("If-None-Match: *" if outcome == "created" else "If-Match: t1")


def test_without_an_operation_the_state_of_the_resource_tells() -> None:
    run = resumed(waited(url=None), pool("t1", "Updating"), pool("t2"))
    assert (run.ended, run.wire) == ("updated", ["GET pool", "GET pool"])


@pytest.mark.parametrize(
    ("script", "ended"),
    [
        pytest.param([polled()], "deleted", id="its operation says so"),
        pytest.param([refused(404)], "WriteOutcomeUnknownError", id="its operation is gone"),
        pytest.param([polled("Failed", code="X"), pool("t1")], "OperationFailedError", id="failed"),
    ],
)
def test_a_delete(script: Any, ended: str) -> None:
    assert resumed(waited("deleted", after={}), *script).ended == ended


@pytest.mark.parametrize(
    ("script", "ended"), [([GONE], "deleted"), ([pool("t2")], "WriteOutcomeUnknownError")], ids=["gone", "there"]
)
def test_a_delete_without_an_operation(script: Any, ended: str) -> None:
    assert resumed(waited("deleted", None, after={}), *script).ended == ended


def test_a_write_that_is_gone_was_deleted_by_somebody() -> None:
    run = resumed(waited(url=None), GONE)
    assert (run.ended, run.error.applied) == ("ResourceGoneError", None)
    run = resumed(waited(), polled(), GONE)
    assert (run.ended, run.error.applied) == ("ResourceGoneError", True)


@pytest.mark.parametrize(("count", "applied"), [(5, True), (3, None)])
@pytest.mark.parametrize(
    ("code", "ended"), [("Quota", "OperationFailedError"), ("OperationPreempted", "OperationPreemptedError")]
)
def test_a_failure_is_raised_after_a_look_and_never_written_again(
    count: int, applied: bool | None, code: str, ended: str
) -> None:
    run = resumed(waited(), polled("Failed", code=code), pool("t2", count=count))
    assert (run.ended, run.error.applied, run.error.operation) == (ended, applied, "op1")


def test_an_operation_that_cannot_be_followed_leaves_it_open() -> None:
    run = resumed(waited(), refused(403, "AuthorizationFailed"))
    assert (run.ended, run.error.request_ids, run.error.sent) == ("WriteOutcomeUnknownError", ("r1",), "t1")


def test_polls_that_fail_are_made_again() -> None:
    run = resumed(waited(), LOST, refused(503), polled(), pool("t2"))
    assert (run.ended, run.wire[:3]) == ("updated", ["GET op1"] * 3)


@pytest.mark.parametrize("outcome", ["unchanged", "updated", "satisfied"])
def test_what_was_over_is_read(outcome: Any) -> None:
    one = continuation(over(POOL.id, WriteResult(outcome=outcome, snapshot=None, request_id="r1")).token())
    run = resumed(one, pool("t2"))
    assert (run.ended, run.result.snapshot.etag, run.wire) == (outcome, "t2", ["GET pool"])


@pytest.mark.parametrize("outcome", ["deleted", "absent"])
def test_what_was_over_and_gone_is_not_even_read(outcome: Any) -> None:
    one = over(POOL.id, WriteResult(outcome=outcome, snapshot=None))
    run = resumed(one)
    assert (run.ended, run.result.condition, run.result.request_id) == (outcome, None, None)


# What is told at the moment of acceptance.
def told(run: Trace) -> list[str]:
    return [each.outcome for each in run.accepted]


def test_each_acceptance_is_told_before_it_is_followed() -> None:
    run = traced(
        FIVE,
        pool("t1"),
        accepted(),
        polled("Failed", code="OperationPreempted"),
        pool("t1"),
        accepted(),
        polled(),
        pool("t2"),
    )
    assert told(run) == ["updated", "updated"]
    assert [each.attempt.request_id for each in run.accepted] == ["r1", "r2"]
    assert begun(run.accepted[0]).url == URL


@pytest.mark.parametrize(("status", "outcome"), [(200, "updated"), (201, "created")])
def test_a_put_is_told_by_what_it_will_come_to(status: int, outcome: str) -> None:
    run = tried("put", accepted(status), polled(), pool("t2"))
    assert told(run) == [outcome]
    run = tried("put", accepted(200), polled(), pool("t2"), condition=CREATE)
    assert told(run) == ["created"]
    run = tried("delete", accepted(202), polled())
    assert told(run) == ["deleted"]


@pytest.mark.parametrize(("handed", "ended"), [(True, "updated"), (False, "DeadlineExceededError")])
def test_once_handed_over_it_has_no_deadline_of_its_own(handed: bool, ended: str) -> None:
    script = [pool("t1"), accepted(), *[polled("InProgress")] * 9, *([polled(), pool("t2")] if handed else [])]
    run = traced(FIVE, *script[: None if handed else 8], deadline=20.0, handed_over=handed)
    assert run.ended == ended
    assert (run.slept > 20) is handed


def test_of_secrets_nothing_is_kept() -> None:
    sent = {"properties": {"windowsProfile": {"adminUsername": "a", "adminPassword": "s3cret"}}}
    attempt = Attempt(request_id="r1", tag="t", before={}, after=sent, paths=())
    one = begun(Accepted(CLUSTER, "updated", None, attempt, ()))
    assert [path for path, _ in one.digests] == [("properties", "windowsProfile", "adminUsername")]
