# SPDX-License-Identifier: MIT
"""Run writers through the schedules of their requests, and find the shortest one that loses or doubles an update."""

from __future__ import annotations

import heapq
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, Final

from aks_etag.mock._core.records import cluster_body
from aks_etag.mock._mock import MockAks
from aks_etag.mock._schedule import NO_FAULT, Choice, Fault, Run, Stage, Writer, is_write

# No writer's doing: drawn anew in each run, or moved by every write; and the note of exactly_once.
_OWNED: Final = frozenset({"eTag", "provisioningState", "resourceUID", "systemData", "aks-etag"})
State = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exploration:
    """What was found. ``complete``: no schedule is left out; else ``runs`` were not enough for all."""

    runs: int
    complete: bool
    schedule: tuple[str, ...] = ()
    found: str = ""

    @property
    def clean(self) -> bool:
        """Whether each run came to what some order of its writers, one after the other, comes to."""
        return not self.found

    def __str__(self) -> str:
        ran = f"{self.runs} schedules" + ("" if self.complete else ", and there are more")
        if self.clean:
            return f"{ran}: nothing is lost or doubled"
        return "\n".join([f"{self.found} (the shortest of {ran})", *self.schedule])


def a_cluster() -> MockAks:
    """Return the AKS that a run begins with: a cluster ``rg/prod``, and operations that are over at once."""
    mock = MockAks(operation_polls=0)
    mock.add_cluster("rg", "prod")
    return mock


def explore(
    *writers: Writer,
    faults: Sequence[Fault] = (),
    most_faults: int = 1,
    setup: Callable[[], MockAks] = a_cluster,
    runs: int = 2000,
    requests: int = 60,
) -> Exploration:
    """Run writers through the schedules of their requests, those with the fewest changes of turn and faults first.

    A writer is called with a fresh mock, opens its doors by itself (``mock.client()``, ``mock.sdk_client()``, or
    ``mock.httpx_transport()`` for an httpx client), and does its work in the calling thread. Each of ``faults`` has
    the arguments of ``MockAks.inject`` that say what happens, such as ``{"phase": "after", "effect": "reset"}``; it is
    tried at every write, at most ``most_faults`` in a run. What is right is what the writers come to one after the
    other, in any order; one that raises may have written or not.

    Raises:
        ValueError: fewer than two writers and no fault: there is nothing to interleave.
        RuntimeError: a writer waits for something else than the mock.
    """
    if len(writers) < 2 and not faults:
        raise ValueError("explore() needs two writers, or one and a fault: there is nothing to interleave")
    return _Search(writers, tuple(faults), most_faults, setup, runs, requests).result()


class _Search:
    def __init__(
        self,
        writers: Sequence[Writer],
        faults: Sequence[Fault],
        most_faults: int,
        setup: Callable[[], MockAks],
        runs: int,
        requests: int,
    ) -> None:
        self._writers = writers
        self._faults = faults
        self._most_faults = most_faults
        self._setup = setup
        self._most_runs = runs
        self._most_requests = requests
        self._allowed: dict[tuple[int, ...], set[str]] = {}

    def result(self) -> Exploration:
        """Search until a schedule fails, and all that are as simple as it have been tried."""
        queue: list[tuple[int, int, tuple[Choice, ...]]] = [(0, 0, ())]
        failed: tuple[int, Run, str] | None = None
        tried = 0
        while queue and tried < self._most_runs and (failed is None or queue[0][0] == failed[0]):
            cost, _, schedule = heapq.heappop(queue)
            run = self._played(schedule)
            tried += 1
            wrong = self._wrong(run)
            if wrong and (failed is None or len(run.steps) < len(failed[1].steps)):
                failed = (cost, run, wrong)
            for more, longer in self._variants(run, len(schedule)):
                heapq.heappush(queue, (cost + more, len(longer), longer))
        if failed is None:
            return Exploration(runs=tried, complete=not queue)
        return Exploration(runs=tried, complete=not queue, schedule=self._told(failed[1]), found=failed[2])

    def _played(self, schedule: Sequence[Choice]) -> Run:
        run = Stage(self._setup(), self._writers, self._faults).run(schedule, self._most_requests)
        run.mock.drain()
        return run

    def _variants(self, run: Run, fixed: int) -> Iterator[tuple[int, tuple[Choice, ...]]]:
        """Yield the schedules that leave a run at one of its steps, and how much less simple each is."""
        made = tuple(step.choice for step in run.steps)
        faulty = sum(choice.fault != NO_FAULT for choice in made[:fixed])
        for n, step in enumerate(run.steps[fixed:], start=fixed):
            mine = made[n].writer
            if is_write(step.asking[mine]) and made[n].fault == NO_FAULT and faulty < self._most_faults:
                for fault in range(len(self._faults)):
                    yield 1, (*made[:n], Choice(mine, fault))
            free = n == 0 or made[n - 1].writer not in step.asking
            for other in step.asking.keys() - {mine}:
                yield (0 if free else 1), (*made[:n], Choice(other))

    def _wrong(self, run: Run) -> str:
        """Say in what a run came to something else than its writers one after the other."""
        if not run.whole:
            return ""
        done = {n for n, error in enumerate(run.errors) if error is None}
        came_to = _state(run.mock)
        others = [n for n in range(len(self._writers)) if n not in done]
        for several in range(len(others) + 1):
            for some in permutations(others, several):
                if json.dumps(came_to, sort_keys=True) in self._serial(tuple(sorted({*done, *some}))):
                    return ""
        nearest = json.loads(min(self._serial(tuple(sorted(done))), default="{}"))
        return _difference(nearest, came_to)

    def _serial(self, writers: tuple[int, ...]) -> set[str]:
        """Return what these writers come to, one after the other, in each order."""
        if writers not in self._allowed:
            self._allowed[writers] = {self._in_order(order) for order in permutations(writers)}
        return self._allowed[writers]

    def _in_order(self, order: Sequence[int]) -> str:
        mock = self._setup()
        for n in order:
            run = Stage(mock, [self._writers[n]], ()).run((), self._most_requests)
            if run.errors[0] is not None:
                # Alone it cannot even do its work here: then there is no such order.
                return ""
        return json.dumps(_state(mock), sort_keys=True)

    def _told(self, run: Run) -> tuple[str, ...]:
        names = [getattr(writer, "__name__", f"writer {n}") for n, writer in enumerate(self._writers)]
        width = max(map(len, names))
        pairs = zip(run.steps, run.lines, strict=True)
        moves = [f"{n:3} {names[step.choice.writer]:<{width}} {line}" for n, (step, line) in enumerate(pairs, start=1)]
        ends = [
            f"    {name:<{width}} {'is done' if error is None else f'raises {type(error).__name__}: {error}'}"
            for name, error in zip(names, run.errors, strict=True)
        ]
        return (*moves, *ends)


def _state(mock: MockAks) -> State:
    clusters, _ = mock.core.shown()
    return {f"{each.group}/{each.name}": _bare(cluster_body(each)) for each in clusters}


def _bare(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _bare(each) for name, each in value.items() if name not in _OWNED}
    return [_bare(each) for each in value] if isinstance(value, list) else value


def _difference(expected: Any, found: Any, path: str = "") -> str:
    """Name the first place at which two states differ."""
    if isinstance(expected, dict) and isinstance(found, dict):
        names = sorted({*expected, *found}, key=str)
        inner = ((name, expected.get(name, "nothing"), found.get(name, "nothing")) for name in names)
        return next((_difference(a, b, f"{path}.{name}" if path else str(name)) for name, a, b in inner if a != b), "")
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        pairs = enumerate(zip(expected, found, strict=True))
        return next((_difference(a, b, f"{path}[{n}]") for n, (a, b) in pairs if a != b), "")
    return f"{path} is {found!r}, and one after the other the writers come to {expected!r}"
