# SPDX-License-Identifier: MIT
"""Wait for a shared write, in a thread or in a task; the first who comes starts the worker that writes."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any, TypeAlias, cast

from ._core.events import Event
from ._flows.effects import Flow, Join
from ._flows.group import Ended, Group, Late
from ._groups import Room
from ._lanes import LOOK, standing_aside
from ._surroundings import Surroundings

Serve: TypeAlias = Callable[[Flow[None], Surroundings], None]
AsyncServe: TypeAlias = Callable[[Flow[None], Surroundings], Awaitable[None]]


def joined(join: Join, around: Surroundings, serve: Serve) -> Ended | Late | None:
    """Wait until a shared write is over for this call, or its time; ``None`` where it has to write alone."""
    if around.groups.serving(join, threading.get_ident()):
        return None
    inbox: queue.SimpleQueue[Event | Ended] = queue.SimpleQueue()
    join.member.name = threading.current_thread().name
    room, first = around.groups.entered(join, inbox.put)
    try:
        if first:
            ready = threading.Event()
            threading.Thread(target=_work, args=(room, around, serve, ready), name="aks-etag", daemon=True).start()
            ready.wait()
        with standing_aside(around.clock):
            return _heard(join, room, inbox, around)
    except BaseException as reason:
        around.interrupted(room.leave(join.member), reason)
        raise


def _heard(join: Join, room: Room, inbox: queue.SimpleQueue[Event | Ended], around: Surroundings) -> Ended | Late:
    while True:
        try:
            message = inbox.get(timeout=LOOK)
        except queue.Empty:
            late = room.late(join.member, around.clock.monotonic())
            if late is not None:
                return late
            continue
        if isinstance(message, Ended):
            return message
        around.pass_on(message)


def _work(room: Room, around: Surroundings, serve: Serve, ready: threading.Event) -> None:
    """Write for all who come, until nobody is left."""
    room.worker = threading.get_ident()
    inside = replace(around, on_event=room.tell, room=room)
    with _taking_part(around.clock):
        ready.set()
        try:
            while room.more():
                serve(room.begin(Group()), inside)
        except BaseException as reason:  # noqa: BLE001  # nobody else would tell those who wait
            room.stop(reason)


async def ajoined(join: Join, around: Surroundings, serve: AsyncServe) -> Ended | Late | None:
    """Wait until a shared write is over for this call, or its time; ``None`` where it has to write alone."""
    task = cast("asyncio.Task[Any]", asyncio.current_task())
    if around.groups.serving(join, task):
        return None
    inbox: asyncio.Queue[Event | Ended] = asyncio.Queue()
    join.member.name = task.get_name()
    room, first = around.groups.entered(join, inbox.put_nowait)
    try:
        if first:
            ready = asyncio.Event()
            room.worker = asyncio.create_task(_awork(room, around, serve, ready), name="aks-etag")
            await ready.wait()
        with standing_aside(around.clock):
            return await _aheard(join, room, inbox, around)
    except BaseException as reason:
        around.interrupted(room.leave(join.member), reason)
        raise


async def _aheard(join: Join, room: Room, inbox: asyncio.Queue[Event | Ended], around: Surroundings) -> Ended | Late:
    while True:
        try:
            message = await asyncio.wait_for(inbox.get(), LOOK)
        except TimeoutError:
            late = room.late(join.member, around.clock.monotonic())
            if late is not None:
                return late
            continue
        if isinstance(message, Ended):
            return message
        around.pass_on(message)


async def _awork(room: Room, around: Surroundings, serve: AsyncServe, ready: asyncio.Event) -> None:
    """Write for all who come, until nobody is left."""
    inside = replace(around, on_event=room.tell, room=room)
    with _taking_part(around.clock):
        ready.set()
        try:
            while room.more():
                await serve(room.begin(Group()), inside)
        except BaseException as reason:
            room.stop(reason)
            if not isinstance(reason, Exception):
                raise


def _taking_part(clock: Any) -> AbstractContextManager[object]:
    """Let a virtual clock stand still while the worker works."""
    part: AbstractContextManager[object] = getattr(clock, "participant", nullcontext)()
    return part
