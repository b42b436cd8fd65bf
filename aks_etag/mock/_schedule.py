# SPDX-License-Identifier: MIT
"""One run of some writers, each in a thread of its own, of which only one moves at a time: from request to request."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from aks_etag.mock._assertions import line
from aks_etag.mock._mock import MockAks

Writer = Callable[[MockAks], object]
Fault = Mapping[str, Any]

PATIENCE: Final = 30.0
NO_FAULT: Final = -1
_WRITES: Final = frozenset({"PUT", "PATCH", "DELETE", "POST"})


class Choice(NamedTuple):
    """Who moves, and which of the faults hits his request, if any."""

    writer: int
    fault: int = NO_FAULT


class _Stopped(BaseException):
    """Ends a writer whose run is over; no handler of his own for errors catches it."""


@dataclass(slots=True)
class _Turn:
    """One writer: what he is about to ask, how he has ended, and the two bells that keep him and the run in step."""

    asks: str | None = None
    ended: bool = False
    error: BaseException | None = None
    go: threading.Event = field(default_factory=threading.Event)
    fault: Fault | None = None


@dataclass(slots=True)
class Step:
    """One request of a run: who could have moved, whose move it was, and what they were about to ask."""

    choice: Choice
    asking: Mapping[int, str]


@dataclass(slots=True)
class Run:
    """What came of a schedule; ``errors`` has what a writer raised, and ``None`` for one who has done his work."""

    mock: MockAks
    steps: list[Step]
    lines: list[str]
    errors: list[BaseException | None]
    whole: bool


class Stage:
    """Lets writers move as a schedule says, and after its end each as far as he gets."""

    def __init__(self, mock: MockAks, writers: Sequence[Writer], faults: Sequence[Fault]) -> None:
        self._mock = mock
        self._faults = faults
        self._turns = [_Turn() for _ in writers]
        self._mine = threading.local()
        self._told = threading.Semaphore(0)
        self._closing = False
        mock.core.gate = self.wait_for_turn
        self._threads = [
            threading.Thread(target=self._work, args=(turn, writer), daemon=True, name=f"aks-etag-writer-{n}")
            for n, (turn, writer) in enumerate(zip(self._turns, writers, strict=True))
        ]

    def run(self, schedule: Sequence[Choice], most: int) -> Run:
        """Play a schedule to its end, at most so many requests."""
        steps: list[Step] = []
        lines: list[str] = []
        for thread in self._threads:
            thread.start()
            self._hear(thread.name)
        while len(steps) < most:
            asking = {n: turn.asks for n, turn in enumerate(self._turns) if turn.asks is not None}
            if not asking:
                break
            choice = schedule[len(steps)] if len(steps) < len(schedule) else _onwards(steps, asking)
            steps.append(Step(choice, asking))
            lines.append(self._move(choice))
        whole = all(turn.ended for turn in self._turns)
        self._close()
        return Run(self._mock, steps, lines, [turn.error for turn in self._turns], whole)

    def wait_for_turn(self, method: str) -> None:
        """Stop a writer at his request until he may make it."""
        turn = getattr(self._mine, "turn", None)
        if turn is None:
            return
        turn.asks = method
        self._told.release()
        turn.go.wait()
        turn.go.clear()
        if self._closing:
            raise _Stopped
        if turn.fault is not None:
            self._mock.inject(**turn.fault)

    def _move(self, choice: Choice) -> str:
        turn, before = self._turns[choice.writer], len(self._mock.journal)
        turn.fault = None if choice.fault == NO_FAULT else self._faults[choice.fault]
        turn.asks = None
        turn.go.set()
        self._hear(self._threads[choice.writer].name)
        return "; ".join(line(entry) for entry in self._mock.journal[before:])

    def _hear(self, who: str) -> None:
        if not self._told.acquire(timeout=PATIENCE):
            raise RuntimeError(f"{who} neither makes a request nor ends: it waits for something else than this mock")

    def _work(self, turn: _Turn, writer: Writer) -> None:
        self._mine.turn = turn
        try:
            writer(self._mock)
        except _Stopped:
            return
        except BaseException as error:  # noqa: BLE001  # how a writer ends is what is looked at
            turn.error = error
        turn.ended = True
        self._told.release()

    def _close(self) -> None:
        self._closing = True
        for turn, thread in zip(self._turns, self._threads, strict=True):
            turn.go.set()
            thread.join(PATIENCE)


def is_write(method: str) -> bool:
    """Whether a request can change something."""
    return method in _WRITES


def _onwards(steps: Sequence[Step], asking: Mapping[int, str]) -> Choice:
    """Stay with whoever moved last, as long as he has something to ask."""
    last = steps[-1].choice.writer if steps else -1
    return Choice(last if last in asking else min(asking))
