# SPDX-License-Identifier: MIT
"""One pass over all objects of a definition, chunk by chunk, each noted in the journal before the next begins."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..._flows.effects import Flow, now, together
from ._definition import Definition
from ._job import Job
from ._journal import Sweep
from ._lists import chunk, count
from ._touch import PatchOf, Task, Touched, touch
from ._values import Phase, Problem, Progress


def sweep(job: Job, phase: Phase, number: int, definition: Definition, patch_of: PatchOf) -> Flow[Sweep]:
    """Touch every object once; an interrupted pass goes on where it was. Unfinished only if paused."""
    current = yield from _begun(job, phase, number, definition)
    started, before = (yield from now()), current.done
    while not current.finished and not job.pausing:
        items, token = yield from chunk(job, definition, current.token)
        if phase != "rewrite":
            job.journal.opening(current)
        results = yield from together(list(_touches(job, definition, items, patch_of)), job.concurrency)
        _note(job, current, results, token)
        elapsed = (yield from now()) - started
        job.tell(progress(current, current.done - before, elapsed))
    return current


def _touches(job: Job, definition: Definition, items: list[Any], patch_of: PatchOf) -> Iterator[Flow[Touched]]:
    # The list leaves no connection open but those of the last writes of a chunk: these close theirs themselves, so
    # that none stays with one replica all the time.
    closing = len(items) - job.concurrency if job.concurrency > 1 else len(items)
    for place, item in enumerate(items):
        task = Task(
            definition=definition,
            version=job.to,
            patch_of=patch_of,
            pace=job.pace,
            options=job.options,
            last=place >= closing,
        )
        yield touch(task, item["metadata"])


def progress(current: Sweep, done: int = 0, elapsed: float = 0.0) -> Progress:
    """Say how far a pass is; ``done`` and ``elapsed`` are of this run."""
    rate = done / elapsed if elapsed > 0 else 0.0
    left = None if current.total is None else max(0, current.total - current.done)
    return Progress(
        phase=current.phase,
        done=current.done,
        total=current.total,
        moved=current.moved,
        conflicts=current.conflicts,
        problems=current.problems,
        rate=rate,
        eta=0.0 if current.finished else left / rate if left is not None and rate else None,
        finished=current.finished,
    )


def _begun(job: Job, phase: Phase, number: int, definition: Definition) -> Flow[Sweep]:
    known = job.journal.sweep(phase)
    same = known is not None and known.number == number
    # A pass that proves something speaks of one state of the definition; a mere rewrite does not.
    if known is not None and same and (phase == "rewrite" or known.resource_version == definition.resource_version):
        # Whatever a chunk that was not noted has moved, nobody knows: such a pass is none that moved nothing.
        known.moved += known.torn
        known.torn = False
        return known
    fresh = Sweep(
        phase=phase,
        number=number,
        resource_version=definition.resource_version,
        generation=definition.generation,
        total=(yield from count(job, definition)),
    )
    job.journal.begin(fresh)
    return fresh


def _note(job: Job, current: Sweep, results: list[Touched], token: str | None) -> None:
    problems: list[Problem] = [each.problem for each in results if each.problem is not None]
    moved, conflicts = sum(each.moved for each in results), sum(each.conflicts for each in results)
    current.done += len(results)
    current.moved += moved
    current.conflicts += conflicts
    current.problems += len(problems)
    current.token, current.finished = token or "", token is None
    job.journal.advance(current, problems, moved, conflicts)
