# SPDX-License-Identifier: MIT
"""One of all who wait for a resource polls for them: threads, tasks, and clients of one credential."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from aks_etag import AksClient, AsyncAksClient, Snapshot, SystemClock
from aks_etag._core.messages import Request, Response
from aks_etag._polling import polled
from aks_etag._polls import Polls
from aks_etag._stats import Stats
from aks_etag._surroundings import Surroundings
from aks_etag.mock import FakeCredential, MockAks

from .test_lanes import PATIENCE, started, until

MANY = 32


@pytest.fixture
def mock() -> MockAks:
    mock = MockAks()
    mock.add_cluster("rg", "prod", pools={"np1": {"count": 1}})
    mock.set_state("rg", "prod", state="Updating")
    return mock


class Turnstile(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Counts reads, and holds those that are polls until they are let go, one after the other."""

    sends_once = True

    def __init__(self, mock: MockAks) -> None:
        self.inner, self.firsts = mock.httpx_transport(), MANY
        self.reads, self.held = 0, threading.Semaphore(0)
        self.waiting = 0

    def _counted(self) -> bool:
        self.reads += 1
        return self.reads > self.firsts

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self._counted():
            self.waiting += 1
            assert self.held.acquire(timeout=PATIENCE)
            self.waiting -= 1
        return self.inner.handle_request(request)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self._counted():
            self.waiting += 1
            while not self.held.acquire(blocking=False):
                await asyncio.sleep(0.001)
            self.waiting -= 1
        return await self.inner.handle_async_request(request)


def asking(polls: Polls) -> int:
    """Count those who wait for a poll of somebody else."""
    return sum(len(ask.bells) for ask in polls._asks.values())


def client(mock: MockAks, transport: Any, kind: Any = AksClient, interval: float = 0.3) -> Any:
    return kind(FakeCredential(), mock.subscription_id, transport=transport, polling_interval=interval)


def test_as_many_threads_as_there_are_send_few_reads(mock: MockAks) -> None:
    gate, seen = Turnstile(mock), list[Snapshot]()
    with client(mock, gate) as aks:
        cluster = aks.cluster("rg", "prod")
        with started(*[lambda: seen.append(cluster.wait())] * MANY):
            until(lambda: gate.reads == MANY + 1)
            gate.held.release()  # still busy
            until(lambda: gate.reads == MANY + 2 and asking(aks._parts.tokens.polls) == 0)
            mock.set_state("rg", "prod", state="Succeeded")
            gate.held.release(MANY)
    assert {each.settled for each in seen} == {True}
    assert gate.reads <= MANY + 5
    # What one does with his copy is nobody else's affair.
    assert len({id(each.body) for each in seen}) == MANY


@pytest.mark.anyio
async def test_and_as_many_tasks_also_if_the_one_who_asks_is_cancelled(mock: MockAks) -> None:
    gate = Turnstile(mock)
    async with client(mock, gate, AsyncAksClient) as aks:
        cluster = aks.cluster("rg", "prod")
        tasks = [asyncio.create_task(cluster.wait(), name=str(number)) for number in range(MANY)]
        while gate.waiting == 0 or len(tasks) < MANY:
            await asyncio.sleep(0.001)
        # The one whose poll is out, whoever that is: cancelled, while all others wait for it.
        asked = gate.reads
        for task in tasks[: MANY // 2]:
            task.cancel()
        mock.set_state("rg", "prod", state="Succeeded")
        gate.held.release(MANY)
        ended = await asyncio.gather(*tasks, return_exceptions=True)
    done = [each for each in ended if isinstance(each, Snapshot)]
    assert len(done) == MANY // 2
    assert asked <= MANY + 2
    assert gate.reads <= MANY + 5


def test_clients_of_one_credential_poll_for_each_other(mock: MockAks) -> None:
    credential = FakeCredential()
    clients = [AksClient(credential, mock.subscription_id, transport=mock.httpx_transport()) for _ in range(2)]
    with clients[0], clients[1], client(mock, mock.httpx_transport()) as other:
        one, two, three = (each._parts.around(None).polls for each in (*clients, other))
    assert one is two
    assert one is not three


class Script:
    """A transport whose answers are given one by one."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.sent = list(answers), 0

    def send(self, request: Request) -> Response:
        self.sent += 1
        answer = self.answers.pop(0)
        if callable(answer):
            answer = answer()
        if isinstance(answer, BaseException):
            raise answer
        return answer


GET = Request(method="GET", url="/x?api-version=1", timeout=60.0)
DONE = Response(status=200, body={"a": {"b": 1}})


def in_thread(work: Callable[[], Any]) -> tuple[threading.Thread, list[Any]]:
    results: list[Any] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            results.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, results


def around() -> Surroundings:
    return Surroundings(clock=SystemClock(), stats=Stats())


def test_who_comes_after_the_request_has_left_waits_for_the_next_one() -> None:
    shared, out, go = around(), threading.Event(), threading.Event()

    def slow() -> Response:
        out.set()
        assert go.wait(PATIENCE)
        return DONE

    transport = Script(slow, Response(status=200, body={"newer": True}))
    first, one = in_thread(lambda: polled(GET, 0.0, transport, shared))
    assert out.wait(PATIENCE)
    second, two = in_thread(lambda: polled(GET, 0.0, transport, shared))
    second.join(PATIENCE)
    go.set()
    first.join(PATIENCE)
    assert (one[0].body, two[0].body) == (DONE.body, {"newer": True})


def test_if_the_one_who_asks_is_interrupted_another_one_asks() -> None:
    shared = around()

    class Stop(BaseException):
        pass

    transport = Script(Stop(), DONE, DONE, DONE)
    first, one = in_thread(lambda: polled(GET, 0.2, transport, shared))
    until(lambda: shared.polls._asks)
    others = [in_thread(lambda: polled(GET, 0.0, transport, shared)) for _ in range(3)]
    until(lambda: asking(shared.polls) == 3)
    for thread, _ in [(first, one), *others]:
        thread.join(PATIENCE)
    assert isinstance(one[0], Stop)
    assert [results[0].body for _, results in others] == [DONE.body] * 3
    assert 2 <= transport.sent <= 4


def test_nobody_waits_much_longer_for_another_than_he_would_for_himself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aks_etag._polling.GRACE", 10_000.0)
    shared, out, go = around(), threading.Event(), threading.Event()

    def never() -> Response:
        out.set()
        assert go.wait(PATIENCE)
        return DONE

    slow, quick = Script(never), Script(DONE)
    hasty = Request(method="GET", url=GET.url, timeout=0.1)
    ask, mine = shared.polls.joined(GET.url, print)
    assert mine
    assert polled(hasty, 0.0, quick, shared) is DONE
    shared.polls.over(GET.url, ask, None)
    first, _ = in_thread(lambda: polled(GET, 0.0, slow, shared))
    assert out.wait(PATIENCE)
    go.set()
    first.join(PATIENCE)
    assert quick.sent == 1


def test_each_is_told_of_a_copy_of_his_own() -> None:
    shared = around()
    ask, _ = shared.polls.joined(GET.url, print)
    thread, results = in_thread(lambda: polled(GET, 0.0, Script(), shared))
    until(lambda: ask.bells)
    shared.polls.over(GET.url, ask, DONE)
    thread.join(PATIENCE)
    assert results[0] == DONE
    assert results[0].body["a"] is not DONE.body["a"]


def test_a_closed_loop_keeps_nobody_from_hearing() -> None:
    heard: list[int] = []

    def closed() -> None:
        raise RuntimeError("Event loop is closed")

    polls = Polls()
    ask, _ = polls.joined("u", print)
    polls.joined("u", closed)
    polls.joined("u", lambda: heard.append(1))
    polls.over("u", ask, DONE)
    assert heard == [1]


def test_a_child_process_waits_for_no_poll_of_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    polls = Polls()
    assert polls.joined("u", print)[1]
    monkeypatch.setattr("os.getpid", lambda: -1)
    assert polls.joined("u", print)[1]
