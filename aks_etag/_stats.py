# SPDX-License-Identifier: MIT
"""Counters, so that a rising rate of conflicts can be alerted on: a single conflict is normal."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from ._core.events import Busy, Conflict, Doubt, Event, Throttled
from ._core.messages import Request

_COUNTED: dict[type[Event], str] = {Conflict: "conflicts", Busy: "busy", Throttled: "throttled", Doubt: "doubts"}


@dataclass(slots=True)
class Stats:
    """What one client has done so far: writes sent, and how many met a conflict, a 409, a 429, or no clear answer."""

    writes: int = 0
    conflicts: int = 0
    busy: int = 0
    throttled: int = 0
    doubts: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    @property
    def conflict_rate(self) -> float:
        """Conflicts per write sent, 0 before the first."""
        return self.conflicts / self.writes if self.writes else 0.0

    def sent(self, request: Request) -> None:
        """Count a request that is about to be sent."""
        if request.is_write:
            self._add("writes")

    def count(self, event: Event) -> None:
        """Count an event."""
        name = _COUNTED.get(type(event))
        if name is not None:
            self._add(name)

    def _add(self, name: str) -> None:
        with self._lock:
            setattr(self, name, getattr(self, name) + 1)
