# SPDX-License-Identifier: MIT
"""The asynchronous client does what the synchronous one does, and both say what an interruption leaves undecided."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from aks_etag import (
    AgentPool,
    AksClient,
    AsyncAgentPool,
    AsyncAksClient,
    AsyncCluster,
    Cluster,
    Event,
    OutcomeUnknown,
    merge_patch,
)
from aks_etag.mock import FakeCredential, MockAks

FIVE = merge_patch({"properties": {"count": 5}})
TWINS = [(AksClient, AsyncAksClient), (Cluster, AsyncCluster), (AgentPool, AsyncAgentPool)]


def one_more(body: dict[str, Any]) -> None:
    body["properties"]["count"] += 1


def quiet(mock: MockAks) -> None:
    """Let nothing go wrong."""


def conflict(mock: MockAks) -> None:
    mock.before_write(lambda: mock.edit("rg", "prod", "np1", one_more), times=1)


def throttled(mock: MockAks) -> None:
    mock.inject(method="PUT", effect=429, headers={"Retry-After": "36"})


def lost(mock: MockAks) -> None:
    mock.inject(method="PUT", phase="after", effect="reset")


def unavailable(mock: MockAks) -> None:
    mock.inject(method="PUT", effect=503)


def staged(trouble: Callable[[MockAks], None]) -> MockAks:
    mock = MockAks(operation_polls=2)
    mock.add_cluster("rg", "prod", pools={"np1": {"count": 3}})
    trouble(mock)
    return mock


def facts(events: list[Event]) -> list[str]:
    return [type(event).__name__ for event in events]


@pytest.mark.anyio
@pytest.mark.parametrize("trouble", [quiet, conflict, throttled, lost, unavailable])
async def test_both_clients_do_the_same(trouble: Callable[[MockAks], None]) -> None:
    told: list[Event] = []
    mock = staged(trouble)
    with mock.client(on_event=told.append) as aks:
        result = aks.cluster("rg", "prod").agent_pool("np1").update(FIVE)
    told_again: list[Event] = []
    twin = staged(trouble)
    async with twin.async_client(on_event=told_again.append) as aio:
        again = await aio.cluster("rg", "prod").agent_pool("np1").update(FIVE)
    assert [(e.method, e.status, e.if_match) for e in mock.journal] == [
        (e.method, e.status, e.if_match) for e in twin.journal
    ]
    assert (result.outcome, result.conflicts, result.attempts, result.recovered) == (
        again.outcome, again.conflicts, again.attempts, again.recovered,
    )  # fmt: skip
    assert facts(told) == facts(told_again)
    assert aks.stats == aio.stats


@pytest.mark.parametrize(("sync", "aio"), TWINS, ids=lambda kind: kind.__name__)
def test_the_twins_have_the_same_verbs(sync: type, aio: type) -> None:
    dunder = {"__enter__", "__exit__", "__aenter__", "__aexit__"}
    names = {name for name in dir(sync) if not name.startswith("_")}
    assert names == {name for name in dir(aio) if not name.startswith("_")}
    for name in names - dunder:
        ours, theirs = getattr(sync, name), getattr(aio, name)
        if callable(ours):
            assert list(inspect.signature(ours).parameters) == list(inspect.signature(theirs).parameters)


@pytest.mark.anyio
async def test_lists_are_streamed_page_by_page() -> None:
    mock = MockAks(page_size=2)
    for number in range(5):
        mock.add_cluster("rg", f"c{number}", pools={"np1": {"count": 1}, "np2": {"count": 1}, "np3": {"count": 1}})
    async with mock.async_client() as aio:
        assert [snapshot.name async for snapshot in aio.clusters()] == [f"c{number}" for number in range(5)]
        pools = [snapshot.name async for snapshot in aio.cluster("rg", "c0").agent_pools()]
    with mock.client() as aks:
        asked = len(mock.journal)
        first = next(iter(aks.clusters("rg")))
        assert len(mock.journal) == asked + 1
    assert (pools, first.name, first.has_etag) == (["np1", "np2", "np3"], "c0", True)


class Hanging(httpx.AsyncBaseTransport):
    """Answers reads from a mock, and never answers a write."""

    def __init__(self, mock: MockAks) -> None:
        self.inner = mock.httpx_transport()
        self.writing = asyncio.Event()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        answer = await self.inner.handle_async_request(request)
        if request.method == "PUT":
            self.writing.set()
            await asyncio.Event().wait()
        return answer


@pytest.mark.anyio
async def test_a_cancelled_write_says_which_it_was(mock: MockAks) -> None:
    events: list[Event] = []
    transport = Hanging(mock)
    async with mock.async_client(transport=transport, on_event=events.append) as aio:
        task = asyncio.create_task(aio.cluster("rg", "prod").agent_pool("np1").update(FIVE))
        await transport.writing.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as raised:
            await task
    (commit,) = mock.commits
    assert commit.request_id in raised.value.__notes__[0]
    assert [event for event in events if isinstance(event, OutcomeUnknown)] == [
        OutcomeUnknown(
            resource_id=aio.cluster("rg", "prod").agent_pool("np1").id, request_ids=(commit.request_id,), pending=True
        )
    ]


@pytest.mark.anyio
async def test_a_cancelled_read_leaves_nothing_undecided(mock: MockAks) -> None:
    mock.set_state("rg", "prod", "np1", "Updating")

    class Waiting(Hanging):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            self.writing.set()
            await asyncio.Event().wait()
            raise AssertionError

    transport = Waiting(mock)
    async with mock.async_client(transport=transport) as aio:
        task = asyncio.create_task(aio.cluster("rg", "prod").agent_pool("np1").update(FIVE))
        await transport.writing.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as raised:
            await task
    assert getattr(raised.value, "__notes__", []) == []


class Interrupting(httpx.BaseTransport):
    """Commits a write, and is interrupted before the answer comes, as Ctrl-C would."""

    def __init__(self, mock: MockAks) -> None:
        self.inner = mock.httpx_transport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = self.inner.handle_request(request)
        if request.method == "PUT":
            raise KeyboardInterrupt
        return answer


@pytest.mark.parametrize("verb", ["update", "put"])
def test_ctrl_c_while_a_write_is_in_flight_says_which_it_was(mock: MockAks, verb: str) -> None:
    events: list[Event] = []
    with mock.client(transport=Interrupting(mock), on_event=events.append) as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        with pytest.raises(KeyboardInterrupt) as raised:
            _ = pool.update(FIVE) if verb == "update" else pool.put({"properties": {"count": 5}}, if_match="*")
    assert mock.commits[0].request_id in raised.value.__notes__[0]
    assert facts(events) == ["OutcomeUnknown"]


def test_the_wrong_kind_of_transport_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="transport"):
        AsyncAksClient(FakeCredential(), "s1", transport=httpx.HTTPTransport())
    with pytest.raises(TypeError, match="transport"):
        AksClient(FakeCredential(), "s1", transport=httpx.AsyncHTTPTransport())
