# SPDX-License-Identifier: MIT
"""The only place where effects become I/O, time and chance: one driver for threads, one for asyncio."""

from __future__ import annotations

import asyncio
import logging
import math
import random
import uuid
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeVar, assert_never

from ._clock import Clock
from ._core.events import Busy, Event, Fighting, Flapping, NotFenced, OutcomeUnknown, Warned
from ._core.messages import NoResponse, Outcome, Request
from ._flows.effects import (
    Accepted,
    Chance,
    Effect,
    Emit,
    Flow,
    NewRequestId,
    Now,
    Send,
    Sleep,
    Together,
    Turn,
    Undecided,
)
from ._lanes import Lanes
from ._stats import Stats

T = TypeVar("T")
OnEvent = Callable[[Event], object]

_LOG: Final = logging.getLogger("aks_etag")
_GATE: Final = "another PUT of this client to the same cluster has no answer yet"
_SERIOUS: Final = (OutcomeUnknown, NotFenced, Fighting, Flapping, Warned)


class Transport(Protocol):
    """Sends one request, once. No answer is a value; what it raises is taken for "may have been sent"."""

    def send(self, request: Request) -> Outcome:
        """Send it."""
        ...


class AsyncTransport(Protocol):
    """The same for asyncio."""

    async def send(self, request: Request) -> Outcome:
        """Send it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What both drivers need besides a transport: time, chance, and who is told."""

    clock: Clock
    stats: Stats
    on_event: OnEvent | None = None
    rng: random.Random = field(default_factory=random.Random)
    lanes: Lanes = field(default_factory=Lanes)

    def tell(self, event: Event) -> None:
        """Count, log and pass on an event; what a listener raises is logged, since a write must not die of it."""
        self.stats.count(event)
        if isinstance(event, Busy) and event.pool is not None and not event.ours:
            self._learn(event.resource_id, event.pool)
        name = type(event).__name__
        facts = {f"aks_{key}": getattr(event, key) for key in event.__dataclass_fields__}
        level = logging.WARNING if isinstance(event, _SERIOUS) else logging.INFO
        _LOG.log(level, "%s %s", name, event.resource_id, extra={"aks_event": name, **facts})
        if self.on_event is None:
            return
        try:
            self.on_event(event)
        except Exception:  # noqa: BLE001  # a listener is no part of the write
            _LOG.exception("on_event raised for %s", name)

    def _learn(self, resource_id: str, pool: str) -> None:
        """Take note of pools that block each other."""
        if not resource_id.casefold().endswith(f"/{pool.casefold()}"):
            self.lanes.share(resource_id)

    def patience(self, request: Request) -> float:
        """Return until when a request may wait for its gate: as long as for its answer."""
        return math.inf if request.timeout is None else self.clock.monotonic() + request.timeout

    def answer(self, effect: Now | Chance | NewRequestId | Emit | Undecided | Accepted) -> Any:
        """Answer an effect that takes no time."""
        match effect:
            case Now():
                return self.clock.monotonic()
            case Chance():
                return self.rng.random()
            case NewRequestId():
                return str(uuid.uuid4())
            case Emit():
                return self.tell(effect.event)
            case Undecided() | Accepted():
                return None
            case _:
                assert_never(effect)

    def interrupted(self, undecided: Undecided | None, reason: BaseException) -> None:
        """Say which writes an interruption left undecided."""
        if undecided is None or not undecided.request_ids or isinstance(reason, Exception):
            return
        ids = ", ".join(undecided.request_ids)
        reason.add_note(
            f"A write to {undecided.resource_id} was under way and may be, or may yet be, applied "
            f"(x-ms-client-request-id {ids}): read the resource before writing again."
        )
        self.tell(OutcomeUnknown(resource_id=undecided.resource_id, request_ids=undecided.request_ids, pending=True))


def run(flow: Flow[T], transport: Transport, around: Surroundings) -> T:
    """Run a flow to its end in this thread."""
    undecided: Undecided | None = None
    turns = around.lanes.turns()
    reply: Any = None
    try:
        while True:
            try:
                effect: Effect = flow.send(reply)
            except StopIteration as end:
                result: T = end.value
                return result
            reply = None
            match effect:
                case Send():
                    reply = sent(effect.request, transport, around)
                case Sleep():
                    around.clock.sleep(effect.seconds)
                case Turn():
                    reply = turns.take(effect.resource_id, effect.until, around.clock)
                case Together():
                    reply = _together(effect, transport, around)
                case _:
                    undecided = effect if isinstance(effect, Undecided) else undecided
                    reply = around.answer(effect)
    except BaseException as reason:
        around.interrupted(undecided, reason)
        _abandoned(flow, reason)
        raise
    finally:
        turns.give_back()


def sent(request: Request, transport: Transport, around: Surroundings) -> Outcome:
    """Send a request, once, as soon as its gate is open."""
    turns, clock = around.lanes.turns(), around.clock
    try:
        if request.gate and not turns.take(request.gate, around.patience(request), clock):
            return NoResponse(error=TimeoutError(_GATE), sent=False)
        around.stats.sent(request)
        return transport.send(request)
    except Exception as error:  # noqa: BLE001  # whatever a transport raises leaves doubt
        return NoResponse(error=error, final=True)
    finally:
        turns.give_back()


def _abandoned(flow: Flow[Any], reason: BaseException) -> None:
    """Let a flow hear of what interrupted it, while it is still known; it has nothing more to ask for."""
    if isinstance(reason, Exception) or getattr(flow, "gi_frame", None) is None:
        return
    with suppress(BaseException):
        flow.throw(reason)


def _together(effect: Together, transport: Transport, around: Surroundings) -> list[Any]:
    if effect.limit == 1:
        return [run(flow, transport, around) for flow in effect.flows]
    pool = ThreadPoolExecutor(effect.limit, "aks-etag")
    try:
        running = [pool.submit(run, flow, transport, around) for flow in effect.flows]
        done, _ = wait(running, return_when=FIRST_EXCEPTION)
        failed = next((each for each in running if each in done and each.exception() is not None), None)
        return [failed.result()] if failed is not None else [each.result() for each in running]
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


async def arun(flow: Flow[T], transport: AsyncTransport, around: Surroundings) -> T:
    """Run a flow to its end in this task."""
    undecided: Undecided | None = None
    turns = around.lanes.turns()
    reply: Any = None
    try:
        while True:
            try:
                effect: Effect = flow.send(reply)
            except StopIteration as end:
                result: T = end.value
                return result
            reply = None
            match effect:
                case Send():
                    reply = await asent(effect.request, transport, around)
                case Sleep():
                    await around.clock.asleep(effect.seconds)
                case Turn():
                    reply = await turns.atake(effect.resource_id, effect.until, around.clock)
                case Together():
                    reply = await _atogether(effect, transport, around)
                case _:
                    undecided = effect if isinstance(effect, Undecided) else undecided
                    reply = around.answer(effect)
    except BaseException as reason:
        around.interrupted(undecided, reason)
        _abandoned(flow, reason)
        raise
    finally:
        turns.give_back()


async def asent(request: Request, transport: AsyncTransport, around: Surroundings) -> Outcome:
    """Send a request, once, as soon as its gate is open."""
    turns, clock = around.lanes.turns(), around.clock
    try:
        if request.gate and not await turns.atake(request.gate, around.patience(request), clock):
            return NoResponse(error=TimeoutError(_GATE), sent=False)
        around.stats.sent(request)
        return await transport.send(request)
    except Exception as error:  # noqa: BLE001  # whatever a transport raises leaves doubt
        return NoResponse(error=error, final=True)
    finally:
        turns.give_back()


async def _atogether(effect: Together, transport: AsyncTransport, around: Surroundings) -> list[Any]:
    gate = asyncio.Semaphore(effect.limit)

    async def one(flow: Flow[Any]) -> Any:
        async with gate:
            return await arun(flow, transport, around)

    tasks = [asyncio.ensure_future(one(flow)) for flow in effect.flows]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
