# SPDX-License-Identifier: MIT
"""Lanes: one write at a time for each resource and client, first come, first served, across threads and tasks.

A turn lasts until the flow that took it ends. Whoever waits for one and goes away leaves no gap behind.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Final

from ._clock import Clock

# How often whoever waits looks whether his time is up, in seconds; his turn itself comes without delay.
LOOK: Final = 0.05
_POOLS: Final = "/agentpools/"


@dataclass(slots=True, eq=False)
class _Ticket:
    """One place in a queue."""

    owner: object
    wake: Callable[[], object]
    called: bool = False


@dataclass(slots=True)
class _Lane:
    owner: object
    depth: int = 1
    waiting: deque[_Ticket] = field(default_factory=deque)


class Lanes:
    """The lanes of one client; thread-safe."""

    def __init__(self) -> None:
        self._begin()

    def turns(self) -> Turns:
        """Return what one flow holds, nothing yet."""
        if os.getpid() != self._process:
            # Whoever had a turn in the process that this one was forked from is not here, and never gives it back.
            self._begin()
        return Turns(self)

    def share(self, resource_id: str) -> None:
        """Let the pools of a cluster share one lane from now on, since they block each other."""
        cluster, pools, _ = resource_id.casefold().partition(_POOLS)
        if pools:
            with self._lock:
                self._shared.add(cluster)

    def of(self, resource_id: str) -> str:
        """Return the name of the lane in which a resource is written."""
        key = resource_id.casefold()
        cluster, pools, _ = key.partition(_POOLS)
        with self._lock:
            return f"{cluster}{pools}" if pools and cluster in self._shared else key

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._lanes: dict[str, _Lane] = {}
        self._shared: set[str] = set()

    @property
    def sharing(self) -> bool:
        """Whether any resources share a lane."""
        return bool(self._shared)

    def _entered(self, key: str, owner: object) -> bool:
        """Take the turn where nobody has it, without a place in the queue; false where somebody has."""
        with self._lock:
            if key in self._lanes:
                return False
            self._lanes[key] = _Lane(owner)
            return True

    def _joined(self, key: str, owner: object, wake: Callable[[], object]) -> _Ticket | None:
        """Take the turn, or a place in the queue; who has the turn has it twice."""
        with self._lock:
            lane = self._lanes.get(key)
            if lane is None:
                self._lanes[key] = _Lane(owner)
                return None
            if lane.owner == owner:
                lane.depth += 1
                return None
            ticket = _Ticket(owner, wake)
            lane.waiting.append(ticket)
            return ticket

    def _gone(self, key: str, ticket: _Ticket) -> bool:
        """Leave the queue; false where the turn has come meanwhile."""
        with self._lock:
            if ticket.called:
                return False
            self._lanes[key].waiting.remove(ticket)
            return True

    def _left(self, key: str) -> None:
        """End a turn, and call whoever is next."""
        with self._lock:
            lane = self._lanes[key]
            lane.depth -= 1
            if lane.depth:
                return
            if not lane.waiting:
                del self._lanes[key]
                return
            following = lane.waiting.popleft()
            following.called = True
            lane.owner, lane.depth = following.owner, 1
        following.wake()


class Turns:
    """What one flow holds: given back together, however it ends."""

    def __init__(self, lanes: Lanes) -> None:
        self._lanes = lanes
        self._held: list[str] = []
        self._resources: set[str] = set()

    @property
    def valid(self) -> bool:
        """Whether what was taken is still the lane to write in: resources may have come to share one meanwhile."""
        return not self._lanes.sharing or all(
            self._lanes.of(resource_id) in self._held for resource_id in self._resources
        )

    def take(self, resource_id: str, until: float, clock: Clock, queued: Callable[[], object]) -> bool:
        """Wait for the turn in this thread, after ``queued`` is called; false where ``until`` comes first."""
        key = self._lanes.of(resource_id)
        if self._lanes._entered(key, threading.get_ident()):
            return self._taken(key, resource_id)
        bell = threading.Event()
        ticket = self._lanes._joined(key, threading.get_ident(), bell.set)
        if ticket is None:
            return self._taken(key, resource_id)
        try:
            queued()
            with standing_aside(clock):
                while not bell.wait(LOOK):
                    if clock.monotonic() >= until and self._lanes._gone(key, ticket):
                        return False
        except BaseException:
            self._abandoned(key, ticket)
            raise
        return self._taken(key, resource_id)

    async def atake(self, resource_id: str, until: float, clock: Clock, queued: Callable[[], object]) -> bool:
        """Wait for the turn in this task, after ``queued`` is called; false where ``until`` comes first."""
        loop, bell = asyncio.get_running_loop(), asyncio.Event()
        key = self._lanes.of(resource_id)
        ticket = self._lanes._joined(key, asyncio.current_task(), lambda: loop.call_soon_threadsafe(bell.set))
        if ticket is None:
            return self._taken(key, resource_id)
        try:
            queued()
            with standing_aside(clock):
                while not await within(bell, LOOK):
                    if clock.monotonic() >= until and self._lanes._gone(key, ticket):
                        return False
        except BaseException:
            self._abandoned(key, ticket)
            raise
        return self._taken(key, resource_id)

    def give_back(self) -> None:
        """End all turns."""
        self._resources.clear()
        while self._held:
            self._lanes._left(self._held.pop())

    def _taken(self, key: str, resource_id: str) -> bool:
        self._held.append(key)
        self._resources.add(resource_id)
        return True

    def _abandoned(self, key: str, ticket: _Ticket) -> None:
        if not self._lanes._gone(key, ticket):
            self._lanes._left(key)


async def within(bell: asyncio.Event, seconds: float) -> bool:
    """Wait for a bell, at most so long; whether it rang."""
    try:
        return await asyncio.wait_for(bell.wait(), seconds)
    except TimeoutError:
        return bell.is_set()


def standing_aside(clock: Any) -> AbstractContextManager[object]:
    """Let a virtual clock go on while somebody waits for something else."""
    aside: AbstractContextManager[object] = getattr(clock, "suspended", nullcontext)()
    return aside
