# SPDX-License-Identifier: MIT
"""Both drivers do the same, and an interruption is never swallowed nor left without a word."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from aks_etag import Stats
from aks_etag._core.events import Event, OutcomeUnknown
from aks_etag._core.messages import Outcome, Request
from aks_etag._core.precondition import CREATE, Condition
from aks_etag._drivers import arun, run
from aks_etag._flows.options import Options
from aks_etag._flows.read import get
from aks_etag._surroundings import Surroundings

from .harness import (
    BUSY,
    FIVE,
    GONE,
    LOST,
    POOL,
    STALE,
    accepted,
    attempt,
    cluster,
    looped,
    more,
    polled,
    pool,
    refused,
)


@dataclass
class Clock:
    """A clock that moves only when somebody sleeps."""

    at: float = 0.0

    def monotonic(self) -> float:
        return self.at

    def time(self) -> float:
        return self.at

    def sleep(self, seconds: float) -> None:
        self.at += seconds

    async def asleep(self, seconds: float) -> None:
        self.at += seconds


@dataclass
class Transport:
    """Answers from a script; what is an exception there is raised."""

    script: Iterator[Outcome | BaseException]
    sent: list[Request] = field(default_factory=list)

    def send(self, request: Request) -> Outcome:
        self.sent.append(request)
        answer = next(self.script)
        if isinstance(answer, BaseException):
            raise answer
        return answer


class AsyncTransport(Transport):
    """The same for asyncio."""

    async def send(self, request: Request) -> Outcome:  # type: ignore[override]
        await asyncio.sleep(0)
        return Transport.send(self, request)


@dataclass
class Ran:
    """What one run left behind; request ids are numbered, since they are drawn."""

    result: Any
    error: BaseException | None
    events: list[Event]
    stats: Stats
    sent: list[Request]
    elapsed: float


def perform(flow: Any, script: Any, asynchronous: bool, listener: Callable[[Event], object] | None = None) -> Ran:
    events: list[Event] = []
    clock = Clock()
    around = Surroundings(clock=clock, stats=Stats(), on_event=listener or events.append, rng=random.Random(1))
    transport: Any = (AsyncTransport if asynchronous else Transport)(iter(script))
    result: Any = None
    raised: BaseException | None = None
    try:
        result = asyncio.run(arun(flow, transport, around)) if asynchronous else run(flow, transport, around)
    except BaseException as error:
        raised = error
    return Ran(result, raised, events, around.stats, transport.sent, clock.at)


def comparable(ran: Ran) -> list[Any]:
    """Leave out what is drawn: the request ids."""
    ids = {request.request_id: f"r{n}" for n, request in enumerate(ran.sent) if request.request_id}

    def named(value: Any) -> str:
        text = repr(value)
        for drawn, number in ids.items():
            text = text.replace(drawn, number)
        return text

    sent = [named(replace(request)) for request in ran.sent]
    error = [type(ran.error).__name__, named(str(ran.error))]
    return [named(ran.result), error, [named(event) for event in ran.events], ran.stats, sent, ran.elapsed]


SCRIPTS = [
    pytest.param(FIVE, [pool("t1"), accepted(), polled("InProgress"), polled(), pool("t2")], "updated", id="updated"),
    pytest.param(FIVE, [pool("t1", count=5)], "unchanged", id="unchanged"),
    pytest.param(FIVE, [pool("t1"), STALE, pool("t2"), accepted(), polled(), pool("t3")], "updated", id="conflict"),
    pytest.param(FIVE, [pool("t1"), BUSY, cluster(), pool("t2", count=5)], "unchanged", id="busy"),
    pytest.param(FIVE, [pool("t1"), refused(429, retry_after="9"), pool("t2", count=5)], "unchanged", id="throttled"),
    pytest.param(FIVE, [pool("t1"), LOST, pool("t2", count=5)], "updated", id="recovered"),
    pytest.param(more, [pool("t1"), LOST, pool("t2")], "WriteOutcomeUnknownError", id="unknown"),
    pytest.param(FIVE, [GONE], "NotFoundError", id="absent"),
]


@pytest.mark.parametrize(("change", "script", "ended"), SCRIPTS)
def test_both_drivers_do_the_same(change: Any, script: Any, ended: str) -> None:
    runs = [perform(looped(POOL, change, Options()), script, asynchronous) for asynchronous in (False, True)]
    assert comparable(runs[0]) == comparable(runs[1])
    assert ended in (getattr(runs[0].result, "outcome", None), type(runs[0].error).__name__)


OTHERS: list[Any] = [
    pytest.param(lambda: get(POOL, Options()), [LOST, pool("t1")], id="get"),
    pytest.param(lambda: put(Condition(tag="t1")), [accepted(), polled(), pool("t2")], id="put"),
    pytest.param(lambda: put(Condition(tag="t1")), [STALE, pool("t2")], id="put-refused"),
    pytest.param(lambda: put(CREATE), [LOST, pool("t2")], id="create-in-doubt"),
    pytest.param(lambda: delete(Condition(tag="t1")), [accepted(202), polled()], id="delete"),
]


def put(condition: Condition) -> Any:
    request = POOL.replace({"properties": {"count": 5}}, condition)
    return attempt(POOL, "put", request, condition, Options())


def delete(condition: Condition) -> Any:
    return attempt(POOL, "delete", POOL.remove(condition), condition, Options())


@pytest.mark.parametrize(("flow", "script"), OTHERS)
def test_both_drivers_do_the_same_with_the_other_flows(flow: Any, script: Any) -> None:
    runs = [comparable(perform(flow(), script, asynchronous)) for asynchronous in (False, True)]
    assert runs[0] == runs[1]


def test_what_happens_is_counted() -> None:
    throttled = refused(429, retry_after="1")
    script = [
        pool("t1"),
        STALE,
        pool("t2"),
        BUSY,
        cluster(),
        pool("t3"),
        throttled,
        pool("t4"),
        LOST,
        pool("t5", count=5),
    ]
    stats = perform(looped(POOL, FIVE, Options()), script, asynchronous=False).stats
    assert (stats.writes, stats.conflicts, stats.busy, stats.throttled, stats.doubts) == (4, 1, 1, 1, 1)
    assert (stats.conflict_rate, Stats().conflict_rate) == (0.25, 0.0)


def test_request_ids_are_never_used_twice() -> None:
    sent = perform(
        looped(POOL, FIVE, Options()), [pool("t1"), STALE, pool("t2"), accepted(), polled(), pool("t3")], False
    ).sent
    ids = [request.request_id for request in sent if request.is_write]
    assert (len(set(ids)), all(len(one) == 36 for one in ids)) == (2, True)


INTERRUPTIONS = [KeyboardInterrupt, SystemExit, asyncio.CancelledError]


@pytest.mark.parametrize("asynchronous", [False, True], ids=["run", "arun"])
@pytest.mark.parametrize("kind", INTERRUPTIONS)
@pytest.mark.parametrize(
    "before",
    [
        pytest.param([pool("t1")], id="the-write-in-flight"),
        pytest.param([pool("t1"), LOST], id="while-in-doubt"),
        pytest.param([pool("t1"), accepted()], id="while-its-operation-runs"),
    ],
)
def test_an_interrupted_write_is_named(before: Any, kind: type[BaseException], asynchronous: bool) -> None:
    reason = kind()
    ran = perform(looped(POOL, FIVE, Options()), [*before, reason], asynchronous)
    write = next(request.request_id for request in ran.sent if request.is_write)
    assert isinstance(ran.error, kind)
    assert [write in note and POOL.id in note for note in ran.error.__notes__] == [True]
    assert ran.events[-1] == OutcomeUnknown(resource_id=POOL.id, request_ids=(write,), pending=True)


@pytest.mark.parametrize("asynchronous", [False, True], ids=["run", "arun"])
@pytest.mark.parametrize("kind", INTERRUPTIONS)
@pytest.mark.parametrize(
    ("flow", "before"),
    [
        pytest.param(lambda: get(POOL, Options()), [], id="a-read"),
        pytest.param(lambda: looped(POOL, FIVE, Options()), [], id="before-the-write"),
        pytest.param(lambda: looped(POOL, FIVE, Options()), [pool("t1"), STALE], id="after-a-refusal"),
        pytest.param(lambda: looped(POOL, FIVE, Options()), [pool("t1"), accepted(), polled()], id="after-success"),
        pytest.param(lambda: delete(Condition()), [STALE], id="once-refused"),
    ],
)
def test_an_interruption_with_nothing_under_way_is_left_alone(
    flow: Any, before: Any, kind: type[BaseException], asynchronous: bool
) -> None:
    ran = perform(flow(), [*before, kind()], asynchronous)
    assert isinstance(ran.error, kind)
    assert getattr(ran.error, "__notes__", []) == []
    assert OutcomeUnknown not in {type(event) for event in ran.events}


def test_a_cancelled_task_says_which_write_it_left_behind() -> None:
    events: list[Event] = []

    class Hanging(AsyncTransport):
        async def send(self, request: Request) -> Outcome:  # type: ignore[override]
            if request.is_write:
                hangs.set()
                await asyncio.Event().wait()
            return await AsyncTransport.send(self, request)

    async def main() -> list[str]:
        around = Surroundings(clock=Clock(), stats=Stats(), on_event=events.append)
        task = asyncio.ensure_future(arun(looped(POOL, FIVE, Options()), Hanging(iter([pool("t1")])), around))
        await hangs.wait()
        task.cancel()
        try:
            await task
        except asyncio.CancelledError as error:
            return error.__notes__
        raise AssertionError("not cancelled")

    hangs = asyncio.Event()
    notes = asyncio.run(main())
    unknown = events[-1]
    assert isinstance(unknown, OutcomeUnknown)
    assert [unknown.request_ids[0] in note for note in notes] == [True]


def test_an_error_that_tells_by_itself_gets_no_note() -> None:
    ran = perform(looped(POOL, more, Options()), [pool("t1"), LOST, pool("t2")], asynchronous=False)
    assert (type(ran.error).__name__, getattr(ran.error, "__notes__", [])) == ("WriteOutcomeUnknownError", [])
    assert [type(event).__name__ for event in ran.events].count("OutcomeUnknown") == 1


@pytest.mark.parametrize("asynchronous", [False, True], ids=["run", "arun"])
def test_a_listener_that_raises_is_logged_and_breaks_nothing(asynchronous: bool, caplog: Any) -> None:
    def listener(event: Event) -> None:
        raise LookupError("mine")

    script = [pool("t1"), accepted(), polled(), pool("t2")]
    with caplog.at_level(logging.ERROR, logger="aks_etag"):
        ran = perform(looped(POOL, FIVE, Options()), script, asynchronous, listener)
    assert ran.result.outcome == "updated"
    assert [record.exc_info[0] for record in caplog.records] == [LookupError] * 2


def test_events_are_logged_without_bodies(caplog: Any) -> None:
    with caplog.at_level(logging.INFO, logger="aks_etag"):
        around = Surroundings(clock=Clock(), stats=Stats())
        run(looped(POOL, FIVE, Options()), Transport(iter([pool("t1"), accepted(), polled(), pool("t1")])), around)
    assert [(record.levelname, record.aks_event) for record in caplog.records] == [
        ("INFO", "Waiting"), ("INFO", "OperationProgress"), ("WARNING", "NotFenced"),
    ]  # fmt: skip
    assert "SIGNED" not in caplog.text
