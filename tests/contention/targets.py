# SPDX-License-Identifier: MIT
"""What many writers may cost, as data: scenario, and how many PUTs, how many of them refused, how much time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from aks_etag._core.pacing import poll_interval

from .scenarios import POLLING, Count, Scenario, one_process, pools, processes
from .stage import READ, WRITE


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One target. ``rounds``: how many times read, write, operation and poll it may take.

    ``longer``: fewer seeds where operations are long, and ``many`` where the mean of few does not tell.
    """

    name: str
    scenario: Scenario
    puts: float = math.inf
    wasted: float = 0.0
    rounds: float = math.inf
    many: int = 10
    longer: int = 10

    def seeds(self, operation: float) -> int:
        """Return how many runs the mean is taken of."""
        return self.many if operation < 60 else self.longer

    def missed(self, count: Count, operation: float) -> list[str]:
        """Say what is missed, if anything is."""
        return list(self._missed(count, operation))

    def _missed(self, count: Count, operation: float) -> Iterator[str]:
        longest = self.rounds * (READ[1] + WRITE[1] + operation + last_poll(operation))
        limits = {"puts": self.puts, "wasted": self.wasted, "makespan": longest}
        for name, limit in limits.items():
            if getattr(count, name) > limit:
                yield f"{name} {getattr(count, name):.1f} > {limit:g}"
        if count.success < 100:
            yield f"success {count.success:.1f} %"


def last_poll(operation: float) -> float:
    """Return the pause before the poll that sees the end of an operation."""
    passed, polls = 0.0, 0
    while True:
        pause = poll_interval(polls, ceiling=POLLING)
        passed += pause
        if passed >= operation:
            return pause
        polls += 1


def _crowd(**more: Any) -> Scenario:
    return partial(one_process, writers=128, group_commit=True, **more)


TARGETS: Final = (
    Target(name="128 writers, shared writes", scenario=_crowd(), puts=2, rounds=2.1),
    Target(name="  with a linger of 1 s", scenario=_crowd(linger=1.0), puts=1, rounds=2.1),
    Target(name="  within the buckets of the service", scenario=_crowd(throttle=True), puts=2, rounds=2.1),
    Target(name="128 writers, each for itself", scenario=partial(one_process, writers=128), puts=128, longer=3),
    Target(
        name="4 processes of 32 each, shared writes",
        scenario=partial(processes, clients=4, each=32, within=0.5, group_commit=True),
        puts=12,
        wasted=12,
    ),
    Target(
        name="32 processes alone, at the same instant",
        scenario=partial(processes, clients=32),
        wasted=32,
        many=40,
    ),
    Target(
        name="32 processes alone, within a minute",
        scenario=partial(processes, clients=32, within=60.0),
        wasted=32,
    ),
    Target(name="16 pools behind one lock, one process", scenario=partial(pools, count=16), puts=18, wasted=1),
)
