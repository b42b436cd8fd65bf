# SPDX-License-Identifier: MIT
"""One process spends the service's write budget once, however many of its clients and threads want to write."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import threading
from types import SimpleNamespace
from typing import Any
from unittest.mock import ANY

import pytest

from aks_etag import (
    AksClient,
    AsyncAksClient,
    Budgets,
    InvalidResourceIdError,
    SystemClock,
    ThrottledError,
    Waiting,
    WriteBudget,
)
from aks_etag._core.buckets import account_of
from aks_etag._core.messages import Request, Response
from aks_etag._flows.effects import MOVED
from aks_etag._lanes import Lanes
from aks_etag._sending import sent
from aks_etag._stats import Stats
from aks_etag._surroundings import Surroundings
from aks_etag._tokens import _OTHERS, PROCESS, Tokens, tokens_of
from aks_etag.mock import FakeCredential, MockAks

from ..flows.harness import POOL

PATIENCE = 60.0


@pytest.fixture
def strict() -> MockAks:
    """An AKS with its documented budgets, where operations are over at once."""
    mock = MockAks(operation_polls=0, throttle=True)
    mock.add_cluster("rg", "prod", pools={"np1": {"count": 1}, "np2": {"count": 1}})
    return mock


def pool(aks: Any, name: str = "np1") -> Any:
    return aks.cluster("rg", "prod").agent_pool(name)


def more(body: dict[str, Any]) -> None:
    body["properties"]["count"] += 1


def puts(mock: MockAks, status: int) -> int:
    return sum((entry.method, entry.status) == ("PUT", status) for entry in mock.journal)


def count(mock: MockAks, name: str = "np1") -> int:
    return int(mock.body("rg", "prod", name)["properties"]["count"])


def spent(aks: AksClient) -> None:
    """Write until the service has refused one for its budget."""
    for _ in range(21):
        pool(aks).update(more)
    assert aks.stats.throttled == 1


def test_forty_updates_learn_from_one_refusal_and_another_client_needs_none(strict: MockAks) -> None:
    with strict.client() as first, strict.client() as second:
        for _ in range(40):
            pool(first).update(more)
        assert (count(strict), puts(strict, 429)) == (41, 1)
        for _ in range(3):
            pool(second).update(more)
    assert (count(strict), puts(strict, 429), puts(strict, 412)) == (44, 1, 0)


def test_the_same_in_tasks(strict: MockAks) -> None:
    async def main() -> None:
        async with strict.async_client() as first, strict.async_client() as second:
            for _ in range(40):
                await pool(first).update(more)
            await pool(second).update(more)

    asyncio.run(main())
    assert (count(strict), puts(strict, 429)) == (42, 1)


def test_threads_of_two_clients_share_what_one_has_learned(strict: MockAks) -> None:
    with strict.client() as first, strict.client() as second:
        spent(first)
        gate = threading.Barrier(8)

        def work(aks: AksClient) -> None:
            with strict.clock.participant():
                gate.wait(PATIENCE)
                pool(aks).update(more)

        threads = [threading.Thread(target=work, args=(aks,)) for aks in (first, second) * 4]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
            assert not thread.is_alive()
    assert (count(strict), puts(strict, 429)) == (30, 1)


def test_without_the_time_to_wait_nothing_is_written(strict: MockAks) -> None:
    with strict.client() as first, strict.client() as second:
        spent(first)
        seen = pool(second).get()
        sent, at = len(strict.journal), strict.clock.monotonic()
        with pytest.raises(ThrottledError) as raised:
            pool(second).put(seen.body, if_match=seen, deadline=30)
        assert (len(strict.journal), strict.clock.monotonic()) == (sent, at)
        with pytest.raises(ThrottledError):
            pool(second).update(more, deadline=30)
        assert puts(strict, 429) == 1
    error = raised.value
    assert (error.status_code, error.applied, error.retry_after) == (429, False, pytest.approx(59.0))


def test_who_waits_for_a_token_is_told(strict: MockAks) -> None:
    events: list[Any] = []
    with strict.client() as first, strict.client(on_event=events.append) as second:
        spent(first)
        result = pool(second).update(more)
    told = [(event.what, event.seconds) for event in events if isinstance(event, Waiting)]
    assert result.waited == pytest.approx(60.0)
    assert told[0] == ("the service's request budget", pytest.approx(59.0))


def test_a_begun_write_waits_for_its_token_too(strict: MockAks) -> None:
    with strict.client() as aks:
        spent(aks)
        assert pool(aks).begin_update(more).result().outcome == "updated"
    assert puts(strict, 429) == 1


def test_a_shared_write_waits_for_its_token_too(strict: MockAks) -> None:
    with strict.client() as first, strict.client(group_commit=True) as second:
        spent(first)
        assert pool(second).update(more).outcome == "updated"
    assert (count(strict), puts(strict, 429)) == (23, 1)


def test_the_budget_of_one_pool_is_not_that_of_another(strict: MockAks) -> None:
    with strict.client() as aks:
        spent(aks)
        assert pool(aks, "np2").update(more).waited == 1.0


def test_a_service_that_never_refuses_is_never_waited_for() -> None:
    mock = MockAks(operation_polls=0)
    mock.add_cluster("rg", "prod", pools={"np1": {"count": 1}})
    with mock.client() as aks:
        # A second each, for the one poll of its operation.
        assert [pool(aks).update(more).waited for _ in range(128)] == [1.0] * 128
        assert aks.budget.writes(pool(aks)).left == 0


def test_whoever_polls_leaves_reads_to_those_who_write() -> None:
    mock = MockAks(operation_seconds=60, throttle=True)
    mock.add_cluster("rg", "prod", pools={"np1": {"count": 1}})
    with mock.client(polling_interval=0.01) as aks, mock.client() as other:
        for _ in range(61):
            pool(other).get()
        assert mock.journal[-2].status == 429
        pool(aks).begin_update(more)
        pool(aks).wait()
        at = mock.clock.monotonic()
        for _ in range(5):
            pool(other).get()
        assert mock.clock.monotonic() == at
    assert sum(entry.status == 429 for entry in mock.journal) == 1


def test_what_is_left_is_told_of_handles_snapshots_and_ids(strict: MockAks) -> None:
    with strict.client() as aks:
        handle = pool(aks)
        full = aks.budget.writes(handle)
        handle.update(more)
        for of in (handle, handle.get(), handle.id, handle.id.upper().replace("NP1", "np1")):
            left = aks.budget.writes(of)
            assert (left.left, left.seconds, left.learned) == (19, 0.0, False)
        assert (full.left, aks.budget.writes(aks.cluster("rg", "prod")).left) == (20, 20)
        assert str(full) == "20 writes left, the next at once (as documented)"
        with pytest.raises(InvalidResourceIdError):
            aks.budget.writes("/subscriptions/s1")


def test_a_spent_budget_says_when_the_next_write_is_possible(strict: MockAks) -> None:
    with strict.client() as first, strict.client() as second:
        spent(first)
        strict.clock.sleep(20)
        left = second.budget.writes(pool(first))
    assert (left.left, left.learned) == (0, True)
    assert left.seconds == pytest.approx(39.0)
    assert left.next_at == pytest.approx(strict.clock.time() + 39.0)
    assert str(left) == "0 writes left, the next in 39 s (learned from a 429)"


def test_both_clients_tell_the_same(strict: MockAks) -> None:
    async def main(aks: AksClient) -> tuple[Budgets, WriteBudget]:
        other: AsyncAksClient
        async with strict.async_client() as other:
            await pool(other).update(more)
            return other.budget, other.budget.writes(pool(aks))

    with strict.client() as aks:
        budget, left = asyncio.run(main(aks))
        assert (type(budget), left) == (type(aks.budget), aks.budget.writes(pool(aks)))
        assert left.left == 19


def test_what_does_not_get_through_its_gate_costs_no_token(strict: MockAks) -> None:
    tokens, lanes = Tokens(), Lanes()
    around = Surroundings(clock=strict.clock, stats=Stats(), lanes=lanes, tokens=tokens)
    put = Request(method="PUT", url=f"{POOL.id}?api-version=2026-08-01", gate="the gate", timeout=0.0)
    account = account_of("PUT", put.url)
    assert account is not None
    for held in (None, SimpleNamespace(valid=False)):
        assert tokens.take(put, 0.0) == 0.0
        assert tokens.of(account, 0.0).left(0.0) == 19
        if held is None:
            lanes._joined("the gate", "somebody else", lambda: None)
        assert sent(put, None, around, held) == (MOVED if held else ANY)  # type: ignore[arg-type]
        assert tokens.of(account, 0.0).left(0.0) == 20
        lanes._lanes.clear()


def test_clients_of_one_credential_share_and_those_with_another_sense_of_time_do_not(strict: MockAks) -> None:
    url, one, other = "https://budget.test", FakeCredential(), FakeCredential()
    shared = tokens_of(url, SystemClock(), one)
    assert tokens_of(url + "/", SystemClock(), one) is shared
    assert tokens_of(url, SystemClock(), other) is not shared
    assert tokens_of(url, SystemClock(), None) is PROCESS.of(url)
    assert tokens_of("https://other.test", SystemClock(), one) is not shared
    assert tokens_of(url, strict.clock, one) is not shared
    assert tokens_of(url, strict.clock, one) is tokens_of(url, strict.clock, other)
    assert tokens_of(url, MockAks().clock, one) is not tokens_of(url, strict.clock, one)


def test_a_credential_that_is_gone_leaves_nothing_behind() -> None:
    known = len(_OTHERS)
    credential = FakeCredential()
    tokens_of("https://budget.test", SystemClock(), credential)
    assert len(_OTHERS) == known + 1
    del credential
    gc.collect()
    assert len(_OTHERS) <= known


def test_a_clock_that_cannot_be_watched_has_its_buckets_for_itself() -> None:
    class Slotted(SystemClock):
        __slots__ = ()

    class Bare:
        __slots__ = ()
        monotonic = time = sleep = asleep = staticmethod(lambda *_: 0.0)

    clock: Any = Bare()
    assert tokens_of("https://budget.test", clock, None) is not tokens_of("https://budget.test", clock, None)
    assert tokens_of("https://budget.test", Slotted(), None) is not PROCESS.of("https://budget.test")


REQUEST = Request(
    method="PUT", url="/subscriptions/s/resourceGroups/g/providers/Microsoft.ContainerService/managedClusters/c"
)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_keeps_what_was_learned_and_waits_for_nobodys_lock() -> None:
    tokens = Tokens()
    tokens.answered(REQUEST, Response(status=429, headers={"retry-after": "30"}), 0.0)
    with tokens._lock:
        child = os.fork()
        if not child:
            signal.alarm(10)
            os._exit(int(tokens.take(REQUEST, 0.0)))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 30


def test_a_test_is_not_held_back_by_what_another_has_met(request: pytest.FixtureRequest) -> None:
    tokens = PROCESS.of("https://budget.test")
    tokens.answered(REQUEST, Response(status=429, headers={"retry-after": "30"}), 0.0)
    assert tokens.take(REQUEST, 0.0) == pytest.approx(30.0)
    request.getfixturevalue("aks_mock")
    assert tokens.take(REQUEST, 0.0) == 0.0
