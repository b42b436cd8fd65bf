# SPDX-License-Identifier: MIT
"""Others who want to write, too: after a refusal, wait for a random time, look again, and write only if it is free."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .._core.pacing import spread
from .._core.snapshot import Snapshot
from .._resources import Resource
from .budget import Budget
from .effects import Flow, chance, now
from .options import Options
from .read import read, settled

OTHERS: Final = "other writers, which are given a chance to be first"


@dataclass(slots=True)
class Crowd:
    """What a call knows of the others: how often they were faster, and how long operations take there, in seconds.

    ``since``: when the last refusal came. ``length`` is of the longest operation waited for, 0 where there was none.
    """

    losses: int = 0
    since: float | None = None
    length: float = 0.0

    def refused(self) -> Flow[None]:
        """Note that a write was refused because others were faster."""
        self.losses += 1
        self.since = yield from now()

    def waited(self, began: float) -> Flow[None]:
        """Note that an operation was waited for; at the latest it began then, or when it was the reason to refuse."""
        ended = yield from now()
        self.length = max(self.length, ended - (began if self.since is None else self.since))
        self.since = None


def free(resource: Resource, crowd: Crowd, budget: Budget, options: Options) -> Flow[Snapshot]:
    """Read until settled; where others were faster, and operations take time, only a look after a pause counts.

    The first write of a call does not pause, nor does one where operations are over at once.
    """
    paused = False
    while True:
        began = yield from now()
        first = yield from read(resource, budget)
        seen = yield from settled(resource, budget, options, seen=first)
        if first.settled and paused:
            return seen
        if not first.settled:
            yield from crowd.waited(began)
            crowd.losses += paused
        if not crowd.losses or not crowd.length:
            return seen
        left = yield from budget.left()
        seconds = spread(crowd.length, crowd.losses, ceiling=budget.ceiling, left=left, jitter=(yield from chance()))
        yield from budget.pause(seconds, OTHERS)
        paused = True
