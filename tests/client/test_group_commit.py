# SPDX-License-Identifier: MIT
"""Group commit through the clients: threads and tasks whose updates go out as one write."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from aks_etag import AksClient, AsyncAksClient, Event
from aks_etag.history import check
from aks_etag.history._file import lines
from aks_etag.mock import FakeCredential, MockAks

from .company import Gate, count, on_real_time, puts, queued, rooms
from .test_lanes import PATIENCE, Held, more, pool, started, until

MANY = 128


@pytest.fixture
def mock() -> MockAks:
    mock = MockAks(operation_polls=0)
    mock.add_cluster("rg", "prod", pools={"np1": {"count": 1}, "np2": {"count": 1}})
    return mock


@pytest.mark.anyio
async def test_a_crowd_of_tasks_needs_three_requests() -> None:
    mock = MockAks()
    mock.add_cluster("rg", "prod")
    with mock.serve() as url:
        async with AsyncAksClient(FakeCredential(), mock.subscription_id, base_url=url, group_commit=True) as aks:
            tags = (aks.cluster("rg", "prod").update_tags({f"t{number % 40}": f"{number}"}) for number in range(MANY))
            done = await asyncio.gather(*tags)
    assert [entry.method for entry in mock.journal] == ["GET", "PATCH", "GET"]
    assert {result.outcome for result in done} == {"updated"}
    assert {result.batch.place for result in done if result.batch} == set(range(MANY))
    assert mock.body("rg", "prod")["tags"] == {f"t{number % 40}": f"{number}" for number in range(88, 128)}


def test_so_does_a_crowd_of_threads() -> None:
    mock = MockAks()
    mock.add_cluster("rg", "prod")
    outcomes = []
    with (
        mock.serve() as url,
        AksClient(FakeCredential(), mock.subscription_id, base_url=url, group_commit=True, linger=1.0) as aks,
    ):

        def tag(number: int) -> None:
            outcomes.append(aks.cluster("rg", "prod").update_tags({f"t{number % 40}": "x"}).outcome)

        with started(*(lambda number=number: tag(number) for number in range(MANY))):
            pass
    assert [entry.method for entry in mock.journal] == ["GET", "PATCH", "GET"]
    assert (outcomes.count("updated"), outcomes.count("unchanged")) == (40, MANY - 40)


def test_everybody_is_told_who_shared_the_write(mock: MockAks) -> None:
    results: dict[str, Any] = {}
    with mock.client(group_commit=True, linger=5.0) as aks:

        def work() -> None:
            results[threading.current_thread().name] = pool(aks).update(more)

        threads = [threading.Thread(target=work, name=f"job-{number}") for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
    assert count(mock) == 5
    for name, result in results.items():
        assert result.batch.calls[result.batch.place] == name
    assert sum(len(result.batch.calls) for result in results.values()) >= 4


def test_nothing_is_left_behind(mock: MockAks) -> None:
    before = threading.active_count()
    with mock.client(group_commit=True) as aks:
        with started(*[lambda: pool(aks).update(more)] * 8):
            pass
        until(lambda: threading.active_count() == before)
        assert rooms(aks) == 0
        assert aks._parts.lanes._lanes == {}
    assert count(mock) == 9


def test_who_comes_while_a_write_is_out_goes_with_the_next_one(mock: MockAks) -> None:
    gate = Gate(mock)
    with on_real_time(mock, transport=gate) as aks, started(lambda: pool(aks).update(more)):
        assert gate.inside.wait(PATIENCE)
        with started(*[lambda: pool(aks).update(more)] * 5):
            until(lambda: queued(aks) == 6)
            gate.go.set()
    assert puts(mock) == [200, 200]
    assert count(mock) == 7


def test_a_change_that_raises_is_its_callers_only(mock: MockAks) -> None:
    errors: list[Exception] = []

    def bad(body: dict[str, Any]) -> None:
        raise ZeroDivisionError

    def wrong() -> None:
        try:
            pool(aks).update(bad)
        except ZeroDivisionError as error:
            errors.append(error)

    with mock.client(group_commit=True, linger=2.0) as aks, started(wrong, *[lambda: pool(aks).update(more)] * 3):
        pass
    assert len(errors) == 1
    assert count(mock) == 4


def test_events_reach_each_caller_in_a_thread_of_his_own(mock: MockAks) -> None:
    mock.switches.operation_polls = 2
    heard: dict[str, set[str]] = {}

    def work(name: str) -> None:
        def listen(event: Event) -> None:
            heard.setdefault(name, set()).add(threading.current_thread().name)
            raise LookupError("a listener is no part of the write")

        pool(aks).with_options(on_event=listen).update(more)

    with mock.client(group_commit=True, linger=1.0) as aks:
        threads = [threading.Thread(target=work, args=(name,), name=name) for name in ("a", "b", "c")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
    assert heard == {"a": {"a"}, "b": {"b"}, "c": {"c"}}
    assert count(mock) == 4


def test_who_pins_a_version_is_merged_with_nobody(mock: MockAks) -> None:
    with mock.client(group_commit=True) as aks:
        result = pool(aks).update(more, if_match=pool(aks).get())
    assert (result.outcome, result.batch) == ("updated", None)


def test_nor_is_an_operation_that_somebody_follows_by_himself(mock: MockAks) -> None:
    with mock.client(group_commit=True) as aks:
        result = pool(aks).begin_update(more).result()
        assert rooms(aks) == 0
    assert (result.outcome, result.batch) == ("updated", None)


def test_a_change_that_writes_to_the_same_resource_does_not_wait_for_itself(mock: MockAks) -> None:
    once = iter([True])

    def change(body: dict[str, Any]) -> None:
        if next(once, False):
            inner = pool(aks).update(lambda body: body["properties"].update(nodeLabels={"inner": "1"}))
            assert inner.batch is None
        more(body)

    with mock.client(group_commit=True) as aks:
        assert pool(aks).update(change).conflicts == 1
    assert mock.body("rg", "prod", "np1")["properties"]["nodeLabels"] == {"inner": "1"}


def test_calls_with_other_options_write_one_after_the_other(mock: MockAks) -> None:
    held = Held()
    with mock.client(group_commit=True) as aks, started(lambda: pool(aks).update(held)):
        assert held.inside.wait(PATIENCE)
        other = pool(aks).with_options(on_doubt="raise")
        with started(lambda: other.update(more), lambda: other.update(more)):
            until(lambda: rooms(aks) == 2)
            held.go.set()
        assert aks.stats.conflicts == 0
    assert count(mock) == 4


@pytest.mark.parametrize("exactly_once", [False, True])
def test_its_history_is_clean(exactly_once: bool, mock: MockAks, tmp_path: Any) -> None:
    path = tmp_path / "history.jsonl"
    with mock.client(group_commit=True, linger=0.5, history=path, exactly_once=exactly_once) as aks:
        work: list[Callable[[], object]] = [lambda: pool(aks).update(more)] * 6
        work += [lambda: pool(aks).update(lambda body: body["properties"].update(maxPods=50))] * 3
        work += [lambda: aks.cluster("rg", "prod").update_tags({"a": "1"})] * 2
        with started(*work):
            pass
    whole = list(lines(path))
    report = check(whole, mock.commits)
    assert report.clean, str(report)
    sent, answered = (sorted((line["op"], line["request"]) for line in whole if line["line"] == kind)
                      for kind in ("attempt", "answer"))  # fmt: skip
    assert sent == answered
    assert (report.operations, report.unknown, report.strays) == (11, 0, 0)
    assert report.attempts == len([entry for entry in mock.journal if entry.method in ("PUT", "PATCH")]) < 11


def test_a_history_in_which_the_last_change_is_missing_is_not(mock: MockAks, tmp_path: Any) -> None:
    path = tmp_path / "history.jsonl"
    with on_real_time(mock, linger=0.3, history=path) as aks, started(*[lambda: pool(aks).update(more)] * 6):
        pass
    whole = list(lines(path))
    last = max(line.get("place", 0) for line in whole)
    some = [line for line in whole if line.get("place") != last]
    assert 0 < len(some) < len(whole)
    report = check(some, mock.commits)
    assert report.count("lost") > 0, str(report)
