# SPDX-License-Identifier: MIT
"""When a write may go out: so many a second, and only in a daily window."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta, tzinfo
from typing import TypeAlias

from ..._core.events import Waiting
from ..._flows.effects import Flow, Sleep, emit, now

Window: TypeAlias = tuple[time, time]


@dataclass(slots=True, kw_only=True)
class Pace:
    """Spaces writes evenly. ``window`` is in UTC unless its times have a zone; it may span midnight.

    ``wall`` gives the seconds since the epoch.
    """

    wall: Callable[[], float]
    rate: float | None = None
    window: Window | None = None
    due: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __post_init__(self) -> None:
        if self.rate is not None and not self.rate > 0:
            raise ValueError(f"rate={self.rate!r}: a number of writes per second, more than zero, is needed")
        if self.window is not None and self.window[0] == self.window[1]:
            raise ValueError("window: it begins when it ends, so nothing could ever be written")

    def turn(self, what: str) -> Flow[float]:
        """Wait until the next write may go out; return the seconds that it took."""
        began = moment = yield from now()
        while True:
            ahead = self._place(moment) - moment
            if ahead > 0:
                yield Sleep(ahead)
            # The window is looked at last: waiting for the turn may have outlasted it.
            closed = 0.0 if self.window is None else until_open(self.window, self.wall())
            if closed <= 0:
                return (yield from now()) - began
            yield from emit(Waiting(resource_id=what, what="the daily window", seconds=closed))
            yield Sleep(closed)
            # All who have waited for the window wake at once: each takes a place again.
            moment = yield from now()

    def _place(self, moment: float) -> float:
        """Take the next free place, and return its time."""
        if self.rate is None:
            return moment
        with self.lock:
            mine = max(moment, self.due)
            self.due = mine + 1 / self.rate
            return mine


def until_open(window: Window, wall: float) -> float:
    """Return the seconds until a daily window opens; zero while it is open."""
    start, end = window
    zone: tzinfo = start.tzinfo or UTC
    moment = datetime.fromtimestamp(wall, zone)
    clock = moment.time()
    first, last = start.replace(tzinfo=None), end.replace(tzinfo=None)
    is_open = first <= clock < last if first < last else clock >= first or clock < last
    if is_open:
        return 0.0
    opens = datetime.combine(moment.date(), first, zone)
    if opens <= moment:
        opens += timedelta(days=1)
    # In UTC: between two times of one zone, Python counts the hours of its clocks, and a night may be shorter.
    return (opens.astimezone(UTC) - moment.astimezone(UTC)).total_seconds()
