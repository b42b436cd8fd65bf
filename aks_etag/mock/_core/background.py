# SPDX-License-Identifier: MIT
"""Writers in the background: when their turn comes, in virtual time or by the number of requests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from aks_etag.mock._core.answers import RefusalError
from aks_etag.mock._core.scene import AbsentError, Scene
from aks_etag.mock._core.store import Store

Writer: TypeAlias = Callable[[Scene], Any]
# Busy, overtaken, throttled: whoever works in the background tries again.
_LATER: Final = frozenset({409, 412, 429})


@dataclass(slots=True, kw_only=True)
class Background:
    """One writer and its timetable; ``due`` is the moment of its next turn, None while nothing calls for one."""

    name: str
    writer: Writer
    store: Store
    every: float | None
    after: float | None
    requests: int | None
    times: int | None
    due: float | None = None
    asked: int = 0
    seen: int = 0
    acted: int = 0

    def waits(self, now: float) -> bool:
        """Count a request; say whether its turn has come."""
        self.asked += 1
        if self.due is None:
            self.due = self._called(now)
        return self.due is not None and self.due <= now and self.times != 0

    def done(self, now: float) -> None:
        """Note that it had its turn."""
        if self.every is None:
            self.due = None
        elif self.due is not None:
            self.due += self.every * ((now - self.due) // self.every + 1)
        self.seen = len(self.store.commits)
        self.times = None if self.times is None else self.times - 1

    def request_id(self) -> str:
        """Name its next request."""
        self.acted += 1
        return f"{self.name}-{self.acted}"

    def _called(self, now: float) -> float | None:
        if self.requests is not None:
            return now if self.asked % self.requests == 0 else None
        # Its own writes are not among them: it has looked after each. A test may have cleared the list.
        commits = self.store.commits
        new, self.seen = commits[self.seen if self.seen <= len(commits) else 0 :], len(commits)
        return new[0].at + self.after if new and self.after is not None else None


class Backgrounds:
    """All writers of one mock, in the order in which they came; call it under the lock of the state."""

    def __init__(self) -> None:
        self._all: list[Background] = []
        self._inside = False

    def add(self, background: Background) -> None:
        """Let one more take part."""
        self._all.append(background)

    def clear(self) -> None:
        """Send all of them home."""
        self._all.clear()

    def names(self) -> list[str]:
        """List who takes part."""
        return [each.name for each in self._all]

    def run(self, now: float, scene_of: Callable[[Background], Scene]) -> None:
        """Give each whose turn has come its turn, once; who is refused because of others keeps it."""
        if self._inside:
            return
        self._inside = True
        try:
            for each in list(self._all):
                if each.waits(now) and _finished(each, scene_of(each)):
                    each.done(now)
        finally:
            self._inside = False


def _finished(background: Background, scene: Scene) -> bool:
    try:
        background.writer(scene)
    except RefusalError as refusal:
        return refusal.answer.status not in _LATER
    except AbsentError:
        return True
    return True
