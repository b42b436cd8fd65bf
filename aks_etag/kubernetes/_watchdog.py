# SPDX-License-Identifier: MIT
"""What one client notices of quarrels: fields taken by force again and again, values that go to and fro.

Decisions only, from what the client sends anyway: no request is made for them, and no value is kept.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from .._core import document
from .._core.events import Fighting, Flapping
from .._core.messages import Body, Request
from .._core.precondition import Condition
from .._core.snapshot import WriteResult
from .._flows.effects import Answer, Emit, Flow, emit
from ._object import KubernetesObject

V = TypeVar("V")
Key = tuple[str, ...]

# An update of more fields than this replaces the object: what goes to and fro there is not one value.
MOST_PATHS: Final = 16
_FLIP: Final = 4  # A, B, A, B: the first three could be a correction.


class _Recent(Generic[V]):
    """A map that forgets what was not touched for longest."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Key, V] = OrderedDict()

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: Key, default: V) -> V:
        return self._values.get(key, default)

    def put(self, key: Key, value: V) -> None:
        self._values[key] = value
        self._values.move_to_end(key)
        if len(self._values) > self._most:
            self._values.popitem(last=False)


@dataclass(frozen=True, slots=True)
class _Course:
    """The last values at a path, as hashes, each other than the one before; and how often they were seen to flip."""

    last: tuple[int, ...] = ()
    flips: int = 0


class Watchdog:
    """Counts quarrels of one client; thread-safe, and bounded: of ``most`` fields and of ``most`` values it knows."""

    def __init__(self, *, times: int = 3, most: int = 1024) -> None:
        self._times = times
        self._forced: _Recent[int] = _Recent(most)
        self._courses: _Recent[_Course] = _Recent(most)
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._forced) + len(self._courses)

    def forced(self, resource_id: str, taken: Iterable[tuple[str, str]]) -> tuple[Fighting, ...]:
        """Note fields, with their managers, that were taken by force; return the quarrels among them."""
        with self._lock:
            counted = [(name, manager, self._counted((resource_id, name, manager))) for name, manager in taken]
        return tuple(
            Fighting(resource_id=resource_id, field=name, manager=manager, times=times)
            for name, manager, times in counted
            if times % self._times == 0
        )

    def updated(self, resource_id: str, before: Body, after: Body) -> tuple[Flapping, ...]:
        """Note what an update found and what it made of it; return what goes to and fro."""
        paths = document.differing(before, after)
        if len(paths) > MOST_PATHS:
            return ()
        with self._lock:
            flips = [(path, self._flipped(resource_id, path, before, after)) for path in paths]
        return tuple(
            Flapping(resource_id=resource_id, path="." + ".".join(path), values=2, flips=count)
            for path, count in flips
            if count
        )

    def _counted(self, key: Key) -> int:
        times = self._forced.get(key, 0) + 1
        self._forced.put(key, times)
        return times

    def _flipped(self, resource_id: str, path: Key, before: Body, after: Body) -> int:
        """Go on with the course of one value; the number of its flips where it went to and fro, else 0."""
        key = (resource_id, *path)
        course = self._courses.get(key, _Course())
        seen = _followed(course.last, (_mark(document.at(before, path)), _mark(document.at(after, path))))
        to_and_fro = len(seen) == _FLIP and seen[:2] == seen[2:]
        # Told once for each full turn: what was told is forgotten up to the last value.
        flips = course.flips + _FLIP - 1 if to_and_fro else course.flips
        self._courses.put(key, _Course(seen[-1:] if to_and_fro else seen, flips))
        return flips if to_and_fro else 0


def _followed(last: tuple[int, ...], seen: tuple[int, ...]) -> tuple[int, ...]:
    for mark in seen:
        last = last if last[-1:] == (mark,) else (*last, mark)
    return last[-_FLIP:]


def _mark(value: Any) -> int:
    # A hash with the seed of this process: what may be a secret is not kept.
    return hash("absent") if value is document.MISSING else hash(json.dumps(value, sort_keys=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched(KubernetesObject):
    """An object whose last write is remembered for the watchdog, as it was built: what was there, what is wanted."""

    written: list[tuple[Body, Body]] = field(default_factory=list, compare=False, repr=False)

    def replace(self, desired: Body, condition: Condition, *, base: Body | None = None) -> Request:
        """Build the write, and remember it."""
        self.written[:] = [] if base is None else [(base, desired)]
        return KubernetesObject.replace(self, desired, condition, base=base)


def noticed_by_all(flow: Flow[None], target: Watched, watchdog: Watchdog) -> Flow[None]:
    """Carry out a shared write, and tell everybody in it what goes to and fro by it."""
    reply: Any = None
    while True:
        try:
            effect = flow.send(reply)
        except StopIteration:
            return
        if isinstance(effect, Answer) and effect.ended.result is not None and effect.ended.result.outcome == "updated":
            for before, after in () if target.dry_run else target.written:
                for event in watchdog.updated(target.id, before, after):
                    yield Emit(event)
            target.written.clear()
        reply = yield effect


def noticed(flow: Flow[WriteResult], target: Watched, watchdog: Watchdog) -> Flow[WriteResult]:
    """Carry out an update, and tell what goes to and fro by it."""
    result = yield from flow
    if result.outcome == "updated" and not target.dry_run:
        for before, after in target.written:
            for event in watchdog.updated(target.id, before, after):
                yield from emit(event)
    return result
