# SPDX-License-Identifier: MIT
"""Who may go on with an operation just now: one thread or task at a time, and nobody whom it calls itself."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from typing import Any, Final

# How often whoever waits looks whether the holder is still at work, in seconds.
LOOK: Final = 0.05


class ThreadTurn:
    """A lock that knows its holder, that nobody waits for longer than he wants to, and that Ctrl-C cannot leave held.

    Ctrl-C may strike between any two steps, also right before a lock is given back. So the holder is noted in one step,
    and counts only as long as its thread is inside of the method of the owner that took it.
    """

    def __init__(self, owner: object, method: str) -> None:
        self._owner = owner
        self._method = method
        self._holder: dict[str, int] = {}
        self._given_up = threading.Event()

    @property
    def mine(self) -> bool:
        """Whether this thread has it."""
        return self._holder.get("thread") == threading.get_ident() and self._is_at_work(threading.get_ident())

    def enter(self, patience: float) -> bool:
        """Wait for it, at most so many seconds; say whether it came. To be called by the method only."""
        until = time.monotonic() + patience
        while True:
            self._given_up.clear()
            holder = self._holder.setdefault("thread", threading.get_ident())
            if holder == threading.get_ident():
                return True
            left = until - time.monotonic()
            if not self._is_at_work(holder):
                self._holder.pop("thread", None)
            elif left <= 0:
                return False
            else:
                self._given_up.wait(min(left, LOOK))

    def leave(self) -> None:
        """Let the next one have it, if this thread has it."""
        if self._holder.get("thread") == threading.get_ident():
            self._holder.pop("thread", None)
            self._given_up.set()

    def _is_at_work(self, thread: int) -> bool:
        frame = sys._current_frames().get(thread)
        while frame is not None:
            if frame.f_code.co_name == self._method and frame.f_locals.get("self") is self._owner:
                return True
            frame = frame.f_back
        return False


class TaskTurn:
    """The same for tasks, which are interrupted only where they wait."""

    def __init__(self, owner: object, method: str) -> None:  # noqa: ARG002  # as its twin
        self._lock = asyncio.Lock()
        self._holder: asyncio.Task[Any] | None = None

    @property
    def mine(self) -> bool:
        """Whether this task has it."""
        return self._holder is not None and self._holder is asyncio.current_task()

    async def enter(self, patience: float) -> bool:
        """Wait for it, at most so many seconds; say whether it came."""
        if patience <= 0 and self._lock.locked():
            return False
        try:
            await asyncio.wait_for(self._lock.acquire(), None if patience in (float("inf"), 0) else max(patience, 0))
        except TimeoutError:
            return False
        self._holder = asyncio.current_task()
        return True

    def leave(self) -> None:
        """Let the next one have it, if this task has it."""
        if self.mine:
            self._holder = None
            self._lock.release()
