# SPDX-License-Identifier: MIT
"""Every request is given the time that is left, and a write begins only while there is some."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag import ConflictRetry
from aks_etag._core.messages import Request
from aks_etag._flows.budget import Budget
from aks_etag._flows.effects import Flow
from aks_etag._flows.options import Options
from aks_etag._flows.read import get

from .harness import BUSY, FIVE, LOST, POOL, Trace, accepted, cluster, polled, pool, refused, trace, traced, tried


def allowed(method: str, passed: float, deadline: float = 40.0) -> Trace:
    """Ask for leave to send a request after some seconds of the deadline have passed."""

    def flow() -> Flow[Request]:
        budget = yield from Budget.start(POOL.id, Options(), deadline)
        yield from budget.pause(passed, "time to pass")
        return (yield from budget.allowed(Request(method=method, url="/x", body={"a": 1}), "an answer"))

    return trace(flow())


WRITES = ["PUT", "PATCH", "DELETE"]


@pytest.mark.parametrize(
    ("methods", "passed", "timeout"),
    [
        pytest.param(["GET"], 0.0, 40.0, id="read-at-first"),
        pytest.param(["GET"], 38.5, 1.5, id="read-later"),
        pytest.param(["GET"], 39.5, 1.0, id="read-near-the-end"),
        pytest.param(["GET"], 40.0, 1.0, id="read-at-the-end"),
        pytest.param(WRITES, 0.0, 40.0, id="write-at-first"),
        pytest.param(WRITES, 5.0, 35.0, id="write-later"),
        pytest.param(WRITES, 20.0, 30.0, id="write-with-patience"),
        pytest.param(WRITES, 39.99, 30.0, id="write-near-the-end"),
    ],
)
def test_a_request_waits_as_long_as_there_is_time_and_a_write_never_too_short(
    methods: Any, passed: float, timeout: float
) -> None:
    for method in methods:
        request = allowed(method, passed).result
        assert (request.method, request.url, request.body) == (method, "/x", {"a": 1})
        assert request.timeout == pytest.approx(timeout)


@pytest.mark.parametrize("method", WRITES)
def test_a_write_does_not_begin_when_the_time_is_up(method: str) -> None:
    run = allowed(method, 40.0)
    assert (run.ended, run.error.waiting_for, run.error.operation) == ("DeadlineExceededError", "an answer", None)
    assert "40 s passed while waiting for an answer" in str(run.error)


@pytest.mark.parametrize(
    ("run", "timeouts"),
    [
        pytest.param(lambda: trace(get(POOL, Options(), deadline=2.0), LOST, pool()), [2.0, 1.0], id="get"),
        pytest.param(
            lambda: traced(FIVE, pool(), accepted(), polled("InProgress"), polled(), pool("t2"), deadline=3.0),
            [3.0, 30.0, 2.0, 1.0, 1.0],
            id="update",
        ),
        pytest.param(
            lambda: traced(FIVE, pool(), BUSY, cluster(), pool(count=5), deadline=60.0), [60.0, 60.0, 59.0, 59.0],
            id="busy",
        ),
        pytest.param(lambda: tried("put", LOST, pool("t2", count=5), deadline=9.0), [30.0, 9.0], id="put"),
        pytest.param(
            lambda: tried("delete", refused(503), pool("t1"), accepted(204, None), deadline=90.0), [90.0, 89.0, 89.0],
            id="delete-again",
        ),
        pytest.param(
            lambda: traced(FIVE, pool(count=5), conflict_retry=ConflictRetry(deadline=7.0)), [7.0], id="of-the-client"
        ),
    ],
)  # fmt: skip
def test_what_is_sent_carries_the_time_it_may_take(run: Any, timeouts: list[float]) -> None:
    assert [request.timeout for request in run().requests] == timeouts


def test_when_the_time_is_up_a_look_is_not_put_off() -> None:
    spent = Budget(resource_id="r", started=0.0, deadline=0.0, ceiling=1.0)
    assert trace(spent.back_off(1, "the fate of a write", firm=False)).steps == []
