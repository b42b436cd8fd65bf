# SPDX-License-Identifier: MIT
"""The only place where effects become I/O, time and chance: one driver for threads, one for asyncio."""

from __future__ import annotations

import asyncio
import logging
import random
import uuid
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeVar, assert_never

from ._clock import Clock
from ._core.events import Event, Fighting, Flapping, NotFenced, OutcomeUnknown, Warned
from ._core.messages import NoResponse, Outcome, Request
from ._flows.effects import Accepted, Chance, Effect, Emit, Flow, NewRequestId, Now, Send, Sleep, Together, Undecided
from ._stats import Stats

T = TypeVar("T")
OnEvent = Callable[[Event], object]

_LOG: Final = logging.getLogger("aks_etag")
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

    def tell(self, event: Event) -> None:
        """Count, log and pass on an event; what a listener raises is logged, since a write must not die of it."""
        self.stats.count(event)
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
                    around.stats.sent(effect.request)
                    try:
                        reply = transport.send(effect.request)
                    except Exception as error:  # noqa: BLE001  # whatever a transport raises leaves doubt
                        reply = NoResponse(error=error, final=True)
                case Sleep():
                    around.clock.sleep(effect.seconds)
                case Together():
                    reply = _together(effect, transport, around)
                case _:
                    undecided = effect if isinstance(effect, Undecided) else undecided
                    reply = around.answer(effect)
    except BaseException as reason:
        around.interrupted(undecided, reason)
        _abandoned(flow, reason)
        raise


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
                    around.stats.sent(effect.request)
                    try:
                        reply = await transport.send(effect.request)
                    except Exception as error:  # noqa: BLE001  # whatever a transport raises leaves doubt
                        reply = NoResponse(error=error, final=True)
                case Sleep():
                    await around.clock.asleep(effect.seconds)
                case Together():
                    reply = await _atogether(effect, transport, around)
                case _:
                    undecided = effect if isinstance(effect, Undecided) else undecided
                    reply = around.answer(effect)
    except BaseException as reason:
        around.interrupted(undecided, reason)
        _abandoned(flow, reason)
        raise


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
