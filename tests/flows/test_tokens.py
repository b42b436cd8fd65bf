# SPDX-License-Identifier: MIT
"""What a 429 has taught is held to: no request is spent on a refusal that is known, and polls leave some to writes."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag._core.events import Throttled
from aks_etag._core.messages import Request, Response
from aks_etag._flows.options import Options
from aks_etag._flows.read import get, wait
from aks_etag._tokens import Tokens

from .company import member, shared
from .harness import (
    CLUSTER,
    ENDPOINT,
    FIVE,
    LOST,
    POOL,
    T1,
    UNSENT,
    Trace,
    accepted,
    attempt,
    cluster,
    more,
    polled,
    pool,
    refused,
    trace,
    traced,
)
from .test_markers import BEFORE, ME, Ids, marked, tags_sent

READ = "GET pool"
DONE = (accepted(), polled(), pool("t9", count=5))
PUT = POOL.replace(pool().body, T1)
SUBSCRIPTION = CLUSTER.id.partition("/resourceGroups")[0]
POLL = Request(
    method="GET", url=f"{ENDPOINT}{SUBSCRIPTION}/providers/Microsoft.ContainerService/locations/r/operations/op1?t=S"
)


def taught(request: Request = PUT, seconds: Any = 36, code: str = "Throttled") -> Tokens:
    """Return what a process knows after one 429."""
    tokens = Tokens()
    hint = {} if seconds is None else {"retry_after": str(seconds)}
    tokens.answered(request, refused(429, code, **hint), 0.0)
    return tokens


def followed(request: Request) -> Response:
    """Answer a write: accepted, with an operation whose reads are paid for."""
    return Response(status=200, headers={"azure-asyncoperation": request.url}, body={})


def put(*script: Any, tokens: Tokens, deadline: float | None = None) -> Trace:
    request = POOL.replace({"properties": {"count": 5}}, T1)
    return trace(attempt(POOL, "put", request, T1, Options(), deadline), *script, tokens=tokens)


def test_an_update_waits_for_a_token_and_then_reads_again() -> None:
    run = traced(FIVE, pool("t1"), pool("t2"), *DONE, tokens=taught())
    assert run.steps[:5] == [READ, "SLEEP 36", READ, "UNDECIDED r2", "PUT pool If-Match=t2 r2"]
    assert (run.ended, run.result.attempts, run.result.conflicts) == ("updated", 1, 0)
    assert run.waits[0] == "the service's request budget"
    assert run.told(Throttled) == []


def test_an_update_without_the_time_to_wait_sends_no_write() -> None:
    run = traced(FIVE, pool("t1"), tokens=taught(), deadline=35.0)
    assert (run.wire, run.slept, run.ended) == ([READ], 0.0, "ThrottledError")
    assert (run.error.retry_after, run.error.status_code, run.error.applied) == (36.0, 429, False)
    assert "try again in 36 s" in str(run.error)


def test_who_asks_for_nothing_needs_no_token() -> None:
    run = traced(FIVE, pool("t1", count=5), tokens=taught(), deadline=5.0)
    assert (run.wire, run.ended) == ([READ], "unchanged")


def test_a_put_waits_before_it_is_sent() -> None:
    run = put(*DONE, tokens=taught())
    assert run.steps[:3] == ["SLEEP 36", "UNDECIDED r1", "PUT pool If-Match=t1 r1"]


def test_a_put_without_the_time_to_wait_is_refused_at_once_and_sends_nothing() -> None:
    run = put(tokens=taught(), deadline=30.0)
    assert (run.steps, run.ended, run.error.retry_after, run.error.applied) == ([], "ThrottledError", 36.0, False)


def test_nothing_is_held_back_before_the_first_429() -> None:
    tokens = Tokens()
    for _ in range(128):
        assert traced(FIVE, pool("t1"), *DONE, tokens=tokens).wire.count("PUT pool If-Match=t1 r1") == 1
    assert traced(FIVE, pool("t1"), *DONE, tokens=tokens).steps[1] == "UNDECIDED r1"


def test_the_budget_of_another_resource_or_of_arm_holds_nothing_back() -> None:
    for tokens in (taught(CLUSTER.replace(cluster().body, T1)), taught(PUT, 36, "SubscriptionRequestsThrottled")):
        assert put(*DONE, tokens=tokens).steps[0] == "UNDECIDED r1"


def test_after_the_first_token_the_next_is_a_minute_off() -> None:
    tokens = taught()
    assert tokens.take(PUT, 35.0) == pytest.approx(1.0)
    assert tokens.take(PUT, 36.0) == 0.0
    assert tokens.take(PUT, 36.0) == pytest.approx(60.0)


def test_what_never_left_gives_its_token_back() -> None:
    run = traced(FIVE, pool("t1"), pool("t1"), UNSENT, pool("t2"), *DONE, tokens=taught(PUT, 1))
    assert [step for step in run.steps if step.startswith(("SLEEP", "PUT"))] == [
        "SLEEP 1", "PUT pool If-Match=t1 r2", "SLEEP 1", "PUT pool If-Match=t2 r3", "SLEEP 1"
    ]  # fmt: skip


def test_reads_are_held_back_too_once_they_were_refused() -> None:
    run = trace(get(POOL, Options()), pool(), tokens=taught(POOL.read(), 9))
    assert run.steps == ["SLEEP 9", READ]
    short = trace(get(POOL, Options(), deadline=8.0), tokens=taught(POOL.read(), 9))
    assert (short.steps, short.ended) == ([], "ThrottledError")


def test_a_poll_leaves_tokens_to_the_reads_of_others() -> None:
    # A second gives two tokens, and the first answer has left minus one.
    run = traced(FIVE, pool("t1"), followed(POLL), polled(), pool("t9", count=5), tokens=taught(POLL, 1))
    assert run.steps[3:7] == ["SLEEP 1", "SLEEP 2.5", "GET op1", "OperationProgress"]


def test_looking_whether_it_is_settled_leaves_tokens_but_the_first_look_does_not() -> None:
    busy = pool("t1", "Updating")
    run = trace(wait(POOL, Options()), busy, busy, pool("t2"), tokens=taught(POOL.read(), 1))
    assert run.steps == ["SLEEP 1", READ, "SLEEP 6", "SLEEP 1", READ, "SLEEP 1.5", READ]


def test_near_the_deadline_a_last_poll_takes_what_is_reserved() -> None:
    busy = pool("t1", "Updating")
    run = trace(wait(POOL, Options(), deadline=3.0), busy, pool("t2"), tokens=taught(POOL.read(), 1))
    assert (run.steps, run.ended) == (["SLEEP 1", READ, "SLEEP 1", "SLEEP 1", READ], "returned")


def test_while_a_write_is_in_doubt_a_last_look_is_worth_more_than_silence() -> None:
    tokens = Tokens()
    throttled = refused(429, retry_after="9999")
    run = traced(FIVE, pool("t1"), LOST, throttled, throttled, tokens=tokens, deadline=8.0)
    assert (run.wire[2:], run.slept, run.ended) == ([READ, READ], 8.0, "WriteOutcomeUnknownError")


def test_a_second_write_in_doubt_is_not_sent_without_a_token() -> None:
    tokens = taught(PUT, 1)
    tokens.take(PUT, 0.0)
    run = traced(more, pool("t1"), pool("t1"), LOST, pool("t1"), pool("t1"), *DONE, tokens=tokens)
    puts = [step for step in run.steps if step.startswith(("PUT", "SLEEP"))]
    assert puts[:5] == ["SLEEP 1", "PUT pool If-Match=t1 r2", "SLEEP 1", "SLEEP 59", "PUT pool If-Match=t1 r4"]


def test_an_id_that_a_stranger_has_taken_meanwhile_is_not_used() -> None:
    met = BEFORE.noted(ME, "eeeeee")
    run = traced(
        more, marked("t1"), marked("t2", met), accepted(), polled(), marked("t9", count=4),
        tokens=taught(), exactly_once=Ids("nobody"),
    )  # fmt: skip
    assert [f"{ME}=eeeeee" in sent and "cccccc=" in sent for sent in tags_sent(run)] == [True]


def test_who_comes_while_a_shared_write_waits_for_a_token_goes_along() -> None:
    a, b = member(more, "a"), member(more, "b")
    done = shared(pool("t1"), pool("t2"), *DONE, comes={1: [a], 6: [b]}, tokens=taught())
    assert done.trace.wire[:3] == [READ, READ, "PUT pool If-Match=t2 r2"]
    assert done.told == ["a updated", "b updated"]
    assert done.trace.requests[2].body["properties"]["count"] == 5


def test_who_waits_for_a_token_with_others_may_leave() -> None:
    a, b = member(more, "a"), member(more, "b")
    done = shared(pool("t1"), pool("t2"), *DONE, comes={1: [a, b]}, goes={6: [b]}, tokens=taught())
    assert done.told == ["a updated"]
    assert done.trace.requests[2].body["properties"]["count"] == 4


def test_a_shared_write_for_which_nobody_has_the_time_is_refused_for_all() -> None:
    a, b = member(more, "a", until=20.0), member(more, "b", until=30.0)
    done = shared(pool("t1"), comes={1: [a, b]}, tokens=taught())
    assert (done.trace.wire, done.told) == ([READ], ["a ThrottledError", "b ThrottledError"])
    assert [done.ended[each].error.applied for each in (a, b)] == [False, False]  # type: ignore[union-attr]
