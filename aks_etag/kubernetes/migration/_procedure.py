# SPDX-License-Identifier: MIT
"""The whole procedure, in the one order that works (facts page, section 4)."""

from __future__ import annotations

import json

from ..._flows.effects import Flow
from . import _steps
from ._defaults import proofs
from ._definition import Definition, refuse
from ._job import Job
from ._values import MigrationRefusedError, Phase, Progress, Report


def migrate(job: Job) -> Flow[Report]:
    """Do what is left to do; stop where problems keep the old version, or where it is paused."""
    definition = yield from job.definition()
    old = job.old(definition)
    if not _trimmed(job, definition):
        stopped = yield from _emptied(job)
        if stopped is not None:
            return stopped
    if not job.remove_old or not any(each in definition.versions for each in old):
        return (yield from report(job, "remove" if job.remove_old else "trim", finished=True))
    return (yield from _removed(job))


def _emptied(job: Job) -> Flow[Report | None]:
    """Bring all objects into the new version, and say so in the definition."""
    yield from _steps.deprecate(job)
    _tell(job, "deprecate")
    yield from _steps.flip(job)
    _tell(job, "flip")
    yield from _steps.settle(job)
    _tell(job, "settle")
    if not (yield from _steps.rewrite(job)).finished:
        return (yield from report(job, "rewrite", finished=False))
    for _ in range(_steps.MOST_PASSES):
        verified = yield from _steps.verify(job)
        if not verified.finished or verified.problems:
            return (yield from report(job, "verify", finished=False))
        try:
            yield from _steps.trim(job)
        except MigrationRefusedError as error:
            if error.code != "changed":
                raise
        else:
            _tell(job, "trim")
            return None
    raise refuse(job.name, "moving", "the definition changes all the time, so that no verification holds")


def _removed(job: Job) -> Flow[Report]:
    """Close and remove the old versions."""
    yield from _steps.unserve(job)
    _tell(job, "unserve")
    yield from _steps.settle(job)
    _tell(job, "settle")
    cleaned = yield from _steps.clean_managers(job)
    if not cleaned.finished or cleaned.problems:
        return (yield from report(job, "clean_managers", finished=False))
    yield from _steps.remove(job)
    _tell(job, "remove")
    return (yield from report(job, "remove", finished=True))


def summary(job: Job) -> Flow[Report]:
    """Report without doing anything."""
    removed = job.journal.fact("removed") is not None
    phase: Phase = "remove" if removed else "rewrite" if job.journal.sweep("verify") is None else "verify"
    return (yield from report(job, phase, finished=removed))


def report(job: Job, phase: Phase, *, finished: bool) -> Flow[Report]:
    """Sum up what the journal knows, and what the definition says now."""
    definition = yield from job.definition()
    journal = job.journal
    rewrite, verify = journal.sweep("rewrite"), journal.sweep("verify")
    last = verify or rewrite
    found = {
        (each.namespace, each.name): each
        for kind in ("rewrite" if verify is None else "verify", "clean_managers")
        for each in journal.problems(kind)
    }
    return Report(
        definition=job.name,
        to=job.to,
        phase=phase,
        finished=finished,
        objects=0 if last is None else last.done,
        moved=journal.count("moved"),
        conflicts=journal.count("conflicts"),
        passes=(0 if rewrite is None else 1) + (0 if verify is None else verify.number),
        left=None if verify is None else verify.moved + verify.problems,
        stored_versions=definition.stored,
        removed=tuple(json.loads(journal.fact("removed") or "[]")),
        problems=tuple(found.values()),
        defaults=(yield from proofs(job, definition)),
    )


def _trimmed(job: Job, definition: Definition) -> bool:
    """Whether our own guarded trim is behind us; what others trimmed proves nothing."""
    verify = job.journal.sweep("verify")
    clean = verify is not None and verify.finished and not verify.moved and not verify.problems
    return clean and definition.stored == (job.to,) and definition.storage == job.to


def _tell(job: Job, phase: Phase) -> None:
    job.tell(Progress(phase=phase, finished=True))
