# SPDX-License-Identifier: MIT
"""Virtual time: nobody really sleeps, and parallel waits are never added up."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final

EPOCH: Final = 1735689600.0  # 2025-01-01, as in the recorded operations.


@dataclass(slots=True, kw_only=True)
class _Waiter:
    wake: Callable[[], object]
    owner: object
    awake: bool = False


class VirtualClock:
    """A clock that jumps to the earliest waiter once every participant waits; without any, each sleep is a jump."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._now = 0.0
        self._order = itertools.count()
        self._waiters: list[tuple[float, int, _Waiter]] = []
        self._running: set[object] = set()
        self._participants: set[object] = set()

    def monotonic(self) -> float:
        """Return the seconds since the clock was made."""
        return self._now

    def time(self) -> float:
        """Return the seconds since 1970."""
        return EPOCH + self._now

    def sleep(self, seconds: float) -> None:
        """Wait for the virtual seconds in a thread."""
        event = threading.Event()
        waiter = self._enroll(seconds, event.set)
        if waiter is None:
            return
        try:
            event.wait()
        finally:
            self._withdraw(waiter)

    async def asleep(self, seconds: float) -> None:
        """Wait for the virtual seconds in a task."""
        loop = asyncio.get_running_loop()
        event = asyncio.Event()
        waiter = self._enroll(seconds, lambda: loop.call_soon_threadsafe(event.set))
        if waiter is None:
            # Other tasks get their turn, as they would in a real sleep.
            await asyncio.sleep(0)
            return
        try:
            await event.wait()
        finally:
            self._withdraw(waiter)

    @contextmanager
    def participant(self) -> Iterator[None]:
        """Let time stand still while this thread or task runs."""
        me = _identity()
        with self._lock:
            nested = me in self._participants
            self._participants.add(me)
            self._running.add(me)
        try:
            yield
        finally:
            if not nested:
                self._leave(me)

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Let time go on while this participant waits for something else than the clock."""
        me = _identity()
        with self._lock:
            self._running.discard(me)
            self._advance()
        try:
            yield
        finally:
            with self._lock:
                self._running |= {me} & self._participants

    def _leave(self, me: object) -> None:
        with self._lock:
            self._participants.discard(me)
            self._running.discard(me)
            self._advance()

    def _enroll(self, seconds: float, wake: Callable[[], object]) -> _Waiter | None:
        with self._lock:
            due = self._now + max(0.0, seconds)
            if not self._participants:
                self._now = due
                return None
            waiter = _Waiter(wake=wake, owner=_identity())
            heapq.heappush(self._waiters, (due, next(self._order), waiter))
            self._running.discard(waiter.owner)
            self._advance()
            return waiter

    def _withdraw(self, waiter: _Waiter) -> None:
        with self._lock:
            if waiter.awake:
                return
            self._waiters = [entry for entry in self._waiters if entry[2] is not waiter]
            heapq.heapify(self._waiters)
            self._running |= {waiter.owner} & self._participants

    def _advance(self) -> None:
        while self._waiters and not self._running:
            self._now = max(self._now, self._waiters[0][0])
            while self._waiters and self._waiters[0][0] <= self._now:
                self._wake(heapq.heappop(self._waiters)[2])

    def _wake(self, waiter: _Waiter) -> None:
        waiter.awake = True
        # Counted as running from here on: the clock must not go further before its turn came.
        self._running |= {waiter.owner} & self._participants
        # A task whose loop is closed waits no longer.
        with suppress(RuntimeError):
            waiter.wake()


def _identity() -> object:
    try:
        task = asyncio.current_task()
    except RuntimeError:
        task = None
    return task or threading.get_ident()
