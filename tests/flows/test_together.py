# SPDX-License-Identifier: MIT
"""Flows side by side: really at the same time, never more than allowed, and over at the first that fails."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from aks_etag import Stats
from aks_etag._clock import SystemClock
from aks_etag._core.messages import Outcome, Request, Response
from aks_etag._drivers import arun, run
from aks_etag._flows.effects import Flow, send, together
from aks_etag._surroundings import Surroundings

AROUND = Surroundings(clock=SystemClock(), stats=Stats())


def asking(name: str) -> Flow[str]:
    """Ask for something, and return what came back."""
    outcome = yield from send(Request(method="GET", url=name))
    assert isinstance(outcome, Response)
    if outcome.status != 200:
        raise LookupError(name)
    return str(outcome.body)


def side_by_side(names: str, limit: int) -> Flow[list[str]]:
    return (yield from together([asking(name) for name in names], limit))


class Meeting:
    """Answers only when as many requests are there as are expected; counts how many there are at most."""

    def __init__(self, meet: int, failing: str = "") -> None:
        self.barrier = threading.Barrier(meet, timeout=10)
        self.lock = threading.Lock()
        self.failing = failing
        self.asked: list[str] = []
        self.inside = self.most = 0

    def send(self, request: Request) -> Outcome:
        with self.lock:
            self.asked.append(request.url)
            self.inside += 1
            self.most = max(self.most, self.inside)
        self.barrier.wait()
        with self.lock:
            self.inside -= 1
        return Response(status=404 if request.url == self.failing else 200, body=request.url.upper())


class AsyncMeeting:
    """The same for tasks."""

    def __init__(self, meet: int, failing: str = "") -> None:
        self.barrier = asyncio.Barrier(meet)
        self.failing = failing
        self.asked: list[str] = []
        self.cancelled: list[str] = []
        self.inside = self.most = 0

    async def send(self, request: Request) -> Outcome:
        self.asked.append(request.url)
        self.inside += 1
        self.most = max(self.most, self.inside)
        try:
            if request.url != self.failing:
                await asyncio.wait_for(self.barrier.wait(), 10)
        except asyncio.CancelledError:
            self.cancelled.append(request.url)
            raise
        finally:
            self.inside -= 1
        return Response(status=404 if request.url == self.failing else 200, body=request.url.upper())


def test_threads_run_as_many_as_allowed_and_keep_the_order() -> None:
    meeting = Meeting(3)
    assert run(side_by_side("abcdef", 3), meeting, AROUND) == list("ABCDEF")
    assert meeting.most == 3


def test_tasks_run_as_many_as_allowed_and_keep_the_order() -> None:
    async def main() -> None:
        meeting = AsyncMeeting(3)
        assert await arun(side_by_side("abcdef", 3), meeting, AROUND) == list("ABCDEF")
        assert meeting.most == 3

    asyncio.run(main())


def test_one_at_a_time_stays_in_its_thread() -> None:
    class Here(Meeting):
        def send(self, request: Request) -> Outcome:
            assert threading.current_thread() is threading.main_thread()
            return super().send(request)

    meeting = Here(1)
    assert run(side_by_side("abc", 1), meeting, AROUND) == list("ABC")
    assert meeting.asked == list("abc")


def test_the_first_that_fails_ends_it_in_threads() -> None:
    meeting = Meeting(1, failing="a")
    with pytest.raises(LookupError, match="a"):
        run(side_by_side("abcdefghijklmnopqrstuvwxyz" * 40, 2), meeting, AROUND)
    assert len(meeting.asked) < 26 * 40


def test_the_first_that_fails_ends_it_in_tasks() -> None:
    async def main() -> None:
        meeting = AsyncMeeting(9, failing="b")
        with pytest.raises(LookupError, match="b"):
            await arun(side_by_side("abcdef", 3), meeting, AROUND)
        assert set(meeting.asked) <= set("abcd")
        assert set(meeting.cancelled) >= {"a", "c"}

    asyncio.run(main())


@pytest.mark.parametrize("limit", [1, 4])
def test_nothing_to_do_is_done(limit: int) -> None:
    assert run(side_by_side("", limit), Meeting(1), AROUND) == []
    assert asyncio.run(_done(limit)) == []


async def _done(limit: int) -> Any:
    return await arun(side_by_side("", limit), AsyncMeeting(1), AROUND)
