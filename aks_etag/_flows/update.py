# SPDX-License-Identifier: MIT
"""The loop: settle, read, change, compare, write under the tag of that read, judge, and resolve what is in doubt."""

from __future__ import annotations

from .._core.changes import Change
from .._core.snapshot import Snapshot, WriteResult
from .._resources import Resource
from .budget import Budget
from .effects import Flow
from .ledger import Ledger
from .marks import Marks
from .options import Options
from .rounds import changed, check_effect, drafted, looked, written
from .run import Run


def update(
    resource: Resource,
    change: Change,
    options: Options,
    budget: Budget,
    *,
    pin: str | None = None,
) -> Flow[WriteResult]:
    """Change a resource so that no other writer's update is lost, and say truly what came of it."""
    run = Run(
        resource=resource,
        change=change,
        pin=pin,
        options=options,
        budget=budget,
        ledger=Ledger(resource.id),
        marks=Marks.of(resource, options),
    )
    try:
        while True:
            result = yield from _round(run)
            if result is not None:
                run.marks.release(decided=True)
                return result
    except Exception as error:
        run.marks.release(decided=not run.ledger.open)
        closed = yield from run.ledger.closing(error)
        if closed is error:
            raise
        raise closed from error


def _round(run: Run) -> Flow[WriteResult | None]:
    seen, found = yield from looked(run)
    if found is not None:
        return found
    tag, origin = seen.etag, run.marks.origin(seen.body)
    draft = drafted(run, origin, changed(run, run.change, origin, tag))
    if draft.paths:
        return (yield from written(run, seen, draft))
    check_effect(run, origin, draft.desired)
    return (yield from nothing_to_do(run, seen))


def nothing_to_do(run: Run, seen: Snapshot) -> Flow[WriteResult]:
    """End where a change asks for nothing; while a write is in doubt, that is no success."""
    if run.ledger.open:
        raise (yield from run.ledger.unknown(pending=True, why="the change asks for nothing any more"))
    # What was given up for dead may have landed after all: then it is not for nothing that nothing is left to do.
    return run.result("satisfied" if run.ledger.residual else "unchanged", seen)
