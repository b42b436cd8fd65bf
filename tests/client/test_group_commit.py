# SPDX-License-Identifier: MIT
"""Group commit through the clients: threads and tasks whose updates go out as one write."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from aks_etag import AksClient, AsyncAksClient, ConflictRetry, DeadlineExceededError, Event, WriteOutcomeUnknownError
from aks_etag._groups import Groups
from aks_etag._lanes import Lanes
from aks_etag.history import check
from aks_etag.history._file import lines
from aks_etag.mock import FakeCredential, MockAks

from .test_lanes import PATIENCE, Held, more, pool, started, until

MANY = 128


@pytest.fixture
def mock() -> MockAks:
    mock = MockAks(operation_polls=0)
    mock.add_cluster("rg", "prod", pools={"np1": {"count": 1}, "np2": {"count": 1}})
    return mock


def rooms(aks: AksClient | AsyncAksClient) -> int:
    return len(aks._parts.groups._rooms)


def queued(aks: AksClient | AsyncAksClient) -> int:
    return sum(len(room.posts) for room in aks._parts.groups._rooms.values())


def count(mock: MockAks) -> int:
    return int(mock.body("rg", "prod", "np1")["properties"]["count"])


def puts(mock: MockAks) -> list[int]:
    return [entry.status for entry in mock.journal if entry.method == "PUT"]


class Gate(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Holds the answer to every PUT, or whatever else is named, until it is let go."""

    sends_once = True

    def __init__(self, mock: MockAks, what: str = "PUT") -> None:
        self.what = what
        self.inner = mock.httpx_transport()
        self.inside, self.go = threading.Event(), threading.Event()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = self.inner.handle_request(request)
        if self.what in f"{request.method} {request.url}":
            self.inside.set()
            assert self.go.wait(PATIENCE)
        return answer

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        answer = await self.inner.handle_async_request(request)
        if self.what in f"{request.method} {request.url}":
            self.inside.set()
            while not self.go.is_set():
                await asyncio.sleep(0.001)
        return answer


def on_real_time(mock: MockAks, **settings: Any) -> AksClient:
    """Return a client on real time, since somebody is really waited for."""
    retry = ConflictRetry(deadline=60)
    return AksClient(
        FakeCredential(), mock.subscription_id, polling_interval=0.01, conflict_retry=retry, group_commit=True,
        **{"transport": mock.httpx_transport(), **settings},
    )  # fmt: skip


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
