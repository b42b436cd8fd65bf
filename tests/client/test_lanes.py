# SPDX-License-Identifier: MIT
"""One write at a time for each resource and client, first come, first served, in threads and in tasks."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from aks_etag import AksClient, AsyncAksClient, ConflictRetry, DeadlineExceededError, Event, Waiting
from aks_etag._lanes import Lanes
from aks_etag.mock import FakeCredential, MockAks

PATIENCE = 30.0
MANY = 12


@pytest.fixture
def mock() -> MockAks:
    mock = MockAks(operation_polls=0)
    mock.add_cluster("rg", "prod", pools={"np1": {"count": 1}, "np2": {"count": 1}})
    return mock


def pool(aks: Any, name: str = "np1") -> Any:
    return aks.cluster("rg", "prod").agent_pool(name)


def more(body: dict[str, Any]) -> None:
    body["properties"]["count"] += 1


def until(true: Callable[[], Any]) -> None:
    limit = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < limit, "never true"
        time.sleep(0.002)


def waiting(aks: AksClient | AsyncAksClient) -> int:
    return sum(len(lane.waiting) for lane in aks._parts.lanes._lanes.values())


@contextmanager
def started(*works: Callable[[], object]) -> Iterator[list[threading.Thread]]:
    """Run each in a thread of its own, and wait for all in the end."""
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    yield threads
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()


class Held:
    """A change that holds its writer in the middle of the loop until it is let go."""

    def __init__(self) -> None:
        self.inside, self.go = threading.Event(), threading.Event()

    def __call__(self, body: dict[str, Any]) -> None:
        self.inside.set()
        assert self.go.wait(PATIENCE)
        more(body)


def test_threads_of_one_client_never_meet_a_conflict(mock: MockAks) -> None:
    with mock.client() as aks:
        with started(*[lambda: pool(aks).update(more)] * MANY):
            pass
        assert aks.stats.conflicts == 0
    assert mock.body("rg", "prod", "np1")["properties"]["count"] == 1 + MANY
    assert [entry.status for entry in mock.journal if entry.method == "PUT"] == [200] * MANY


@pytest.mark.anyio
async def test_nor_do_tasks(mock: MockAks) -> None:
    async with mock.async_client() as aks:
        await asyncio.gather(*(pool(aks).update(more) for _ in range(MANY)))
        assert aks.stats.conflicts == 0
    assert mock.body("rg", "prod", "np1")["properties"]["count"] == 1 + MANY


def test_first_come_first_served(mock: MockAks) -> None:
    order: list[int] = []
    held = Held()

    def noted(number: int) -> Callable[[dict[str, Any]], None]:
        def change(body: dict[str, Any]) -> None:
            order.append(number)
            more(body)

        return change

    with mock.client() as aks, started(lambda: pool(aks).update(held)):
        assert held.inside.wait(PATIENCE)
        threads = []
        for number in range(6):
            thread = threading.Thread(target=lambda number=number: pool(aks).update(noted(number)))
            threads.append(thread)
            thread.start()
            until(lambda number=number: waiting(aks) == number + 1)
        held.go.set()
        for thread in threads:
            thread.join(PATIENCE)
    assert list(dict.fromkeys(order)) == list(range(6))


@pytest.mark.anyio
async def test_first_come_first_served_in_tasks_as_well(mock: MockAks) -> None:
    order: list[int] = []
    async with mock.async_client() as aks:

        def noted(number: int) -> Callable[[dict[str, Any]], None]:
            return lambda body: (order.append(number), more(body))[1]

        await asyncio.gather(*(pool(aks).update(noted(number)) for number in range(6)))
    assert list(dict.fromkeys(order)) == list(range(6))


def test_a_turn_that_does_not_come_in_time_is_said_and_nothing_is_sent(mock: MockAks) -> None:
    held = Held()
    heard: list[Event] = []
    with on_real_time(mock) as aks, started(lambda: pool(aks).update(held)):
        assert held.inside.wait(PATIENCE)
        before = len(mock.journal)
        with pytest.raises(DeadlineExceededError, match="its turn") as late:
            pool(aks).with_options(on_event=heard.append).update(more, deadline=0.1)
        assert (late.value.applied, len(mock.journal), waiting(aks)) == (False, before, 0)
        [told] = [event for event in heard if isinstance(event, Waiting)]
        assert ("its turn" in told.what, 0 < told.seconds <= 0.1) == (True, True)
        held.go.set()
    assert mock.body("rg", "prod", "np1")["properties"]["count"] == 2


def on_real_time(mock: MockAks) -> AksClient:
    """Return a client on real time, since somebody is really waited for."""
    return AksClient(
        FakeCredential(), mock.subscription_id, transport=mock.httpx_transport(), polling_interval=0.01,
        conflict_retry=ConflictRetry(deadline=60),
    )  # fmt: skip


@pytest.mark.anyio
async def test_a_task_that_is_cancelled_while_it_waits_leaves_no_gap(mock: MockAks) -> None:
    inside, go = asyncio.Event(), asyncio.Event()

    class Slow(httpx.AsyncBaseTransport):
        inner = mock.httpx_transport()
        sends_once = True

        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            if request.method == "PUT":
                inside.set()
                await go.wait()
            return await self.inner.handle_async_request(request)

    async with mock.async_client(transport=Slow()) as aks:
        first = asyncio.ensure_future(pool(aks).update(more))
        await inside.wait()
        others = [asyncio.ensure_future(pool(aks).update(more)) for _ in range(3)]
        while waiting(aks) < 3:
            await asyncio.sleep(0)
        others[0].cancel()
        others[1].cancel()
        go.set()
        ended = await asyncio.gather(first, *others, return_exceptions=True)
        assert aks._parts.lanes._lanes == {}
    assert [type(each).__name__ for each in ended] == [
        "WriteResult", "CancelledError", "CancelledError", "WriteResult"
    ]  # fmt: skip
    assert mock.body("rg", "prod", "np1")["properties"]["count"] == 3


@pytest.mark.parametrize("error", [LookupError, KeyboardInterrupt])
def test_whoever_ends_badly_gives_his_turn_back(error: type[BaseException], mock: MockAks) -> None:
    def bad(body: dict[str, Any]) -> None:
        raise error

    with mock.client() as aks:
        with pytest.raises(error):
            pool(aks).update(bad)
        assert aks._parts.lanes._lanes == {}
        assert pool(aks).update(more).outcome == "updated"


def test_a_change_that_writes_to_the_same_resource_does_not_wait_for_itself(mock: MockAks) -> None:
    with mock.client() as aks:
        once = iter([True])

        def change(body: dict[str, Any]) -> None:
            if next(once, False):
                pool(aks).update(lambda inner: inner["properties"].update(nodeLabels={"inner": "1"}))
            more(body)

        done = pool(aks).update(change)
    assert (done.outcome, done.conflicts) == ("updated", 1)
    assert mock.body("rg", "prod", "np1")["properties"]["nodeLabels"] == {"inner": "1"}


def test_other_resources_and_other_clients_do_not_wait(mock: MockAks) -> None:
    held = Held()
    with mock.client() as aks, mock.client() as other, started(lambda: pool(aks).update(held)):
        assert held.inside.wait(PATIENCE)
        assert pool(aks, "np2").update(more).outcome == "updated"
        assert pool(other).update(more).outcome == "updated"
        held.go.set()


def test_an_accepted_operation_holds_nobody_up(mock: MockAks) -> None:
    mock.switches.operation_polls = 3
    with mock.client() as aks:
        begun = pool(aks).begin_update(more)
        assert aks._parts.lanes._lanes == {}
        assert pool(aks).update(more).outcome == "updated"
        assert begun.result().outcome == "updated"
    assert mock.body("rg", "prod", "np1")["properties"]["count"] == 3


def test_every_writing_verb_waits(mock: MockAks) -> None:
    held = Held()
    body = mock.body("rg", "prod", "np1")
    with mock.client() as aks:
        one = pool(aks)
        seen = one.get()
        verbs: list[Callable[[], object]] = [
            lambda: one.put(body, if_match=seen),
            lambda: one.create(body),
            lambda: one.create_or_update(body, more),
            lambda: one.delete(only_if=lambda _: False),
            lambda: one.delete(if_match="stale"),
            lambda: one.begin_update(more).result(),
        ]
        with started(lambda: one.update(held)):
            assert held.inside.wait(PATIENCE)
            with started(*(lambda verb=verb: _quietly(verb) for verb in verbs)):
                until(lambda: waiting(aks) == len(verbs))
                assert one.get().etag == seen.etag  # a read waits for nobody
                held.go.set()


def _quietly(verb: Callable[[], object]) -> None:
    try:
        verb()
    except Exception:
        return


def test_pools_that_block_each_other_share_a_lane_from_then_on(mock: MockAks) -> None:
    mock.switches.pools_block_each_other = True
    mock.switches.operation_polls = 2
    lanes = Lanes()
    with mock.client() as aks:
        rival = pool(aks, "np2").begin_update(more)
        assert pool(aks).update(more).outcome == "updated"
        rival.result()
        names = [aks._parts.lanes.of(pool(aks, name).id) for name in ("np1", "np2")]
        assert names[0] == names[1] != lanes.of(pool(aks).id)
        assert aks._parts.lanes.of(aks.cluster("rg", "prod").id) not in names
        busy = aks.stats.busy
        with started(*(lambda name=name: pool(aks, name).update(more) for name in ("np1", "np2") * 3)):
            pass
        assert (busy, aks.stats.busy) == (1, 1)


@pytest.mark.anyio
async def test_of_pools_that_block_each_other_one_is_refused_however_many_write_at_once(mock: MockAks) -> None:
    """All have read, and wait for the gate, when the first refusal says that they need a lane in common."""
    mock.switches.pools_block_each_other = True
    mock.switches.operation_polls = 20
    names = [f"np{number}" for number in range(1, 9)]
    for name in names[2:]:
        mock.add_pool("rg", "prod", name, {"count": 1})

    class Turning(httpx.AsyncBaseTransport):
        inner = mock.httpx_transport()
        sends_once = True

        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            await asyncio.sleep(0)
            return await self.inner.handle_async_request(request)

    async with mock.async_client(transport=Turning(), conflict_retry=ConflictRetry(deadline=1e6)) as aks:
        await asyncio.gather(*(pool(aks, name).update(more) for name in names))
        assert (aks.stats.writes, aks.stats.busy) == (len(names) + 1, 1)
    assert [mock.body("rg", "prod", name)["properties"]["count"] for name in names] == [2] * len(names)


def test_a_turn_is_valid_until_its_resource_gets_another_lane(mock: MockAks) -> None:
    lanes, held = Lanes(), []
    with mock.client() as aks:
        one, two, clock = pool(aks, "np1").id, pool(aks, "np2").id, aks._parts.clock
    turns, others = lanes.turns(), lanes.turns()
    for each, resource_id in ((turns, one), (others, two)):
        assert each.valid
        assert each.take(resource_id, PATIENCE, clock, lambda: held.append("waited"))
    lanes.share(one)
    assert (turns.valid, others.valid) == (False, False)
    assert turns.take(one, PATIENCE, clock, lambda: held.append("waited"))
    assert (turns.valid, others.valid, held) == (True, False, [])
    turns.give_back()
    assert turns.valid


class Counting(httpx.BaseTransport):
    """Says how many PUTs were without an answer at a time, at most."""

    sends_once = True

    def __init__(self, mock: MockAks) -> None:
        self._inner = mock.httpx_transport()
        self._lock = threading.Lock()
        self.now = self.most = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        put = request.method == "PUT"
        with self._lock:
            self.now += put
            self.most = max(self.most, self.now)
        time.sleep(0.01 * put)
        answer = self._inner.handle_request(request)
        with self._lock:
            self.now -= put
        return answer


def test_of_one_cluster_and_its_pools_one_put_is_unanswered_at_a_time(mock: MockAks) -> None:
    mock.add_cluster("rg", "other")
    counting = Counting(mock)
    with mock.client(transport=counting) as aks:
        writes = [lambda name=name: pool(aks, name).update(more) for name in ("np1", "np2") * 4]
        with started(*writes, *[lambda: aks.cluster("rg", "prod").update(tagged)] * 2):
            pass
        assert counting.most == 1
        with started(*[lambda name=name: aks.cluster("rg", name).update(tagged) for name in ("prod", "other")] * 8):
            pass
    assert counting.most == 2


def tagged(body: dict[str, Any]) -> None:
    tags = body.setdefault("tags", {})
    tags["n"] = str(int(tags.get("n", "0")) + 1)


def test_kubernetes_objects_have_lanes_as_well() -> None:
    from aks_etag.kubernetes import KubernetesClient
    from aks_etag.mock import MockKubernetes

    server = MockKubernetes()
    server.add({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cm", "namespace": "default"},
                "data": {"n": "0"}})  # fmt: skip

    def count(body: dict[str, Any]) -> None:
        body["data"]["n"] = str(int(body["data"]["n"]) + 1)

    with KubernetesClient(server.url, token="t", transport=server.httpx_transport(), clock=server.clock) as kube:
        one = kube.object("v1", "ConfigMap", "default", "cm")
        with started(*[lambda: one.update(count)] * MANY):
            pass
        assert kube.stats.conflicts == 0
    assert server.object("v1", "ConfigMap", "default", "cm")["data"]["n"] == str(MANY)
