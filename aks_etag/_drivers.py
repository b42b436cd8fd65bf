# SPDX-License-Identifier: MIT
"""The only place where effects become I/O, time and chance: one driver for threads, one for asyncio."""

from __future__ import annotations

import asyncio
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Any, TypeVar

from ._flows.effects import Effect, Flow, Join, Send, Sleep, Together, Turn, Undecided
from ._joining import ajoined, joined
from ._lanes import Turns
from ._polling import apolled, polled
from ._sending import AsyncTransport, Transport, asent, sent
from ._surroundings import Surroundings

T = TypeVar("T")


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
            undecided = effect if isinstance(effect, Undecided) else undecided
            reply = _answered(effect, turns, transport, around)
    except BaseException as reason:
        around.interrupted(undecided, reason)
        _abandoned(flow, reason)
        raise
    finally:
        turns.give_back()


def _answered(effect: Effect, turns: Turns, transport: Transport, around: Surroundings) -> Any:
    match effect:
        case Send(request, after=float() as seconds):
            return polled(request, seconds, transport, around)
        case Send():
            return sent(effect.request, transport, around, turns if effect.in_turn else None)
        case Sleep():
            return around.clock.sleep(effect.seconds)
        case Turn():
            return turns.take(effect.resource_id, effect.until, around.clock, around.queued(effect))
        case Together():
            return _together(effect, transport, around)
        case Join():
            return joined(effect, around, lambda shared, inside: run(shared, transport, inside))
        case _:
            return around.answer(effect)


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
            undecided = effect if isinstance(effect, Undecided) else undecided
            reply = await _aanswered(effect, turns, transport, around)
    except BaseException as reason:
        around.interrupted(undecided, reason)
        _abandoned(flow, reason)
        raise
    finally:
        turns.give_back()


async def _aanswered(effect: Effect, turns: Turns, transport: AsyncTransport, around: Surroundings) -> Any:
    match effect:
        case Send(request, after=float() as seconds):
            return await apolled(request, seconds, transport, around)
        case Send():
            return await asent(effect.request, transport, around, turns if effect.in_turn else None)
        case Sleep():
            return await around.clock.asleep(effect.seconds)
        case Turn():
            return await turns.atake(effect.resource_id, effect.until, around.clock, around.queued(effect))
        case Together():
            return await _atogether(effect, transport, around)
        case Join():
            return await ajoined(effect, around, lambda shared, inside: arun(shared, transport, inside))
        case _:
            return around.answer(effect)


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
