# SPDX-License-Identifier: MIT
"""Time, so that a test can bring its own."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """A source of time, in seconds."""

    def monotonic(self) -> float:
        """Return a time that never goes back."""
        ...

    def time(self) -> float:
        """Return the seconds since the epoch."""
        ...

    def sleep(self, seconds: float) -> None:
        """Let time pass in this thread."""
        ...

    async def asleep(self, seconds: float) -> None:
        """Let time pass in this task."""
        ...


class SystemClock:
    """The time of this machine."""

    def monotonic(self) -> float:
        return time.monotonic()

    def time(self) -> float:
        return time.time()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    async def asleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
