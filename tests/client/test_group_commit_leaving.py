# SPDX-License-Identifier: MIT
"""Leaving a shared write: deadlines, cancelled tasks, Ctrl-C, slow changes, and workers that are stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from aks_etag import DeadlineExceededError, Event, WriteOutcomeUnknownError
from aks_etag._groups import Groups
from aks_etag._lanes import Lanes
from aks_etag.mock import MockAks

from .company import Gate, count, on_real_time, queued, rooms
from .test_lanes import PATIENCE, Held, more, pool, started, until


@pytest.fixture
def mock() -> MockAks:
    mock = MockAks(operation_polls=0)
    mock.add_cluster("rg", "prod", pools={"np1": {"count": 1}, "np2": {"count": 1}})
    return mock


def test_a_deadline_before_anything_was_sent_says_so(mock: MockAks) -> None:
    held = Held()
    with on_real_time(mock) as aks, started(lambda: pool(aks).update(held)):
        assert held.inside.wait(PATIENCE)
        with pytest.raises(DeadlineExceededError, match="shared write") as late:
            pool(aks).update(more, deadline=0.1)
        assert late.value.applied is False
        held.go.set()
    assert count(mock) == 2


def test_a_slow_change_keeps_nobody_longer_than_he_wants_to_wait(mock: MockAks) -> None:
    held = Held()
    errors: list[DeadlineExceededError] = []

    def hasty() -> None:
        try:
            pool(aks).update(more, deadline=0.5)
        except DeadlineExceededError as error:
            errors.append(error)

    with on_real_time(mock, linger=0.2) as aks, started(lambda: pool(aks).update(held)):
        with started(hasty):
            assert held.inside.wait(PATIENCE)
        held.go.set()
    assert [error.applied for error in errors] == [False]
    assert count(mock) == 2


def test_a_deadline_while_the_operation_runs_says_which(mock: MockAks) -> None:
    gate = Gate(mock, "/operations/")
    errors: list[DeadlineExceededError] = []

    def hasty() -> None:
        try:
            pool(aks).update(more, deadline=0.5)
        except DeadlineExceededError as error:
            errors.append(error)
            gate.go.set()

    with on_real_time(mock, transport=gate) as aks, started(hasty):
        pass
    [late] = errors
    assert (late.applied, count(mock)) == (None, 2)
    assert late.operation is not None
    assert late.operation in str(late)


def test_a_deadline_while_a_write_has_no_answer_leaves_it_in_doubt(
    mock: MockAks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aks_etag._groups.WRITE_PATIENCE", 0.1)
    gate = Gate(mock)
    with on_real_time(mock, transport=gate) as aks:
        with pytest.raises(WriteOutcomeUnknownError) as late:
            pool(aks).update(more, deadline=0.2)
        gate.go.set()
        until(lambda: rooms(aks) == 0)
    assert late.value.pending
    assert late.value.request_ids == (mock.commits[-1].request_id,)


def test_a_shared_write_that_breaks_off_is_told_with_its_request(mock: MockAks) -> None:
    """Ctrl-C in a thread whose change is out: the write goes on, and the others are told of it."""
    gate, heard = Gate(mock), []

    class Stop(BaseException):
        pass

    def interrupted() -> None:
        try:
            pool(aks).with_options(on_event=_raiser(Stop)).update(more)
        except Stop as reason:
            heard.append(reason)

    with on_real_time(mock, transport=gate, linger=0.2) as aks:
        with started(interrupted, lambda: pool(aks).update(more)):
            assert gate.inside.wait(PATIENCE)
            until(lambda: queued(aks) == 1 or heard)
            gate.go.set()
    assert len(heard) == 1
    assert count(mock) in (2, 3)


def _raiser(kind: type[BaseException]) -> Callable[[Event], None]:
    def listen(event: Event) -> None:
        raise kind

    return listen


@pytest.mark.anyio
async def test_whoever_is_cancelled_takes_nobody_along(mock: MockAks) -> None:
    """Also not the first one, and not while the write of all is out."""
    gate = Gate(mock)
    async with mock.async_client(transport=gate, group_commit=True) as aks:
        tasks = [asyncio.create_task(pool(aks).update(more)) for _ in range(4)]
        while not gate.inside.is_set():
            await asyncio.sleep(0.001)
        tasks[0].cancel()
        with pytest.raises(asyncio.CancelledError) as cancelled:
            await tasks[0]
        gate.go.set()
        done = await asyncio.gather(*tasks[1:])
        while rooms(aks):
            await asyncio.sleep(0)
    assert [result.outcome for result in done] == ["updated"] * 3
    assert count(mock) == 5
    assert done[0].request_id in cancelled.value.__notes__[0]


@pytest.mark.anyio
async def test_whoever_is_cancelled_before_it_is_not_in_it(mock: MockAks) -> None:
    async with mock.async_client(group_commit=True, linger=1.0) as aks:
        with mock.clock.participant():
            tasks = [asyncio.create_task(pool(aks).update(more)) for _ in range(4)]
            while queued(aks) < 4:
                await asyncio.sleep(0)
            tasks[0].cancel()
            with pytest.raises(asyncio.CancelledError) as cancelled:
                await tasks[0]
        done = await asyncio.gather(*tasks[1:])
    assert [result.outcome for result in done] == ["updated"] * 3
    assert count(mock) == 4
    assert not hasattr(cancelled.value, "__notes__")


def test_a_loop_that_is_closed_leaves_nobody_waiting(mock: MockAks) -> None:
    gate = Gate(mock)
    ends: list[BaseException] = []

    async def main() -> None:
        async def work() -> None:
            try:
                await pool(aks).update(more)
            except BaseException as error:
                ends.append(error)
                raise

        aks = mock.async_client(transport=gate, group_commit=True)
        tasks = [asyncio.create_task(work()) for _ in range(3)]
        while not gate.inside.is_set():
            await asyncio.sleep(0.001)
        assert len(tasks) == 3  # asyncio.run cancels them, and the worker

    asyncio.run(main())
    assert [type(each) for each in ends] == [asyncio.CancelledError] * 3


@pytest.mark.anyio
async def test_a_worker_that_is_cancelled_leaves_nobody_waiting(mock: MockAks) -> None:
    gate = Gate(mock)
    async with mock.async_client(transport=gate, group_commit=True) as aks:
        tasks = [asyncio.create_task(pool(aks).update(more)) for _ in range(3)]
        while not gate.inside.is_set():
            await asyncio.sleep(0.001)
        [worker] = [task for task in asyncio.all_tasks() if task.get_name() == "aks-etag"]
        worker.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(each) for each in ended] == [WriteOutcomeUnknownError] * 3
    assert {each.request_ids for each in ended} == {(mock.commits[-1].request_id,)}  # type: ignore[union-attr]


def test_a_worker_that_breaks_tells_everybody(mock: MockAks) -> None:
    class Exit(BaseException):
        pass

    def bad(body: dict[str, Any]) -> None:
        until(lambda: queued(aks) == 2)
        raise Exit

    errors: list[Exception] = []

    def work(change: Callable[[dict[str, Any]], None]) -> None:
        try:
            pool(aks).update(change)
        except Exception as error:
            errors.append(error)

    with mock.client(group_commit=True) as aks, started(lambda: work(bad), lambda: work(more)):
        pass
    assert {type(each).__name__ for each in errors} == {"AksEtagError"}
    assert {each.applied for each in errors} == {False}  # type: ignore[attr-defined]
    assert "Exit" in str(errors[0])
    assert count(mock) == 1


def test_a_worker_that_breaks_while_a_write_is_out_leaves_it_in_doubt(mock: MockAks) -> None:
    class Exit(BaseException):
        pass

    class Breaks(httpx.BaseTransport):
        inner = mock.httpx_transport()
        sends_once = True

        def handle_request(self, request: httpx.Request) -> httpx.Response:
            answer = self.inner.handle_request(request)
            if request.method == "PUT":
                raise Exit
            return answer

    with mock.client(group_commit=True, transport=Breaks()) as aks, pytest.raises(WriteOutcomeUnknownError) as caught:
        pool(aks).update(more)
    assert caught.value.pending
    assert caught.value.request_ids == (mock.commits[-1].request_id,)


def test_a_child_process_waits_for_nobody_of_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    lanes, groups = Lanes(), Groups()
    lanes._joined("a", "somebody", lambda: None)
    groups._rooms["x"] = object()  # type: ignore[assignment]
    monkeypatch.setattr("os.getpid", lambda: -1)
    lanes.turns()
    assert lanes._lanes == {}

    class Call:
        key, member, begin = "x", object(), None

    _, first = groups.entered(Call(), print)  # type: ignore[arg-type]
    assert first
