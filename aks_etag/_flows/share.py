# SPDX-License-Identifier: MIT
"""Tell each caller of a shared write what came of it for him."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace

from .._core.document import Path
from .._core.events import Recovered
from .._core.evidence import Attempt, Finding
from .._core.snapshot import Batch, Outcome, Snapshot, WriteResult
from ..errors import AksEtagError, WriteOutcomeUnknownError
from .effects import Answer, Flow, emit
from .group import Ended, Group, Member
from .judge import concluded, ended_badly, stored_but_failed, undecidable, weighed
from .run import Run


def answer_written(run: Run, group: Group, result: WriteResult) -> Flow[None]:
    """Answer all members of a write that was carried out: who asked for nothing has written nothing."""
    yield from _answered(run, group, result, [member for member in group.members if member.part is not None])


def answer_recovered(run: Run, group: Group, result: WriteResult, doubtful: Sequence[Attempt]) -> Flow[None]:
    """Answer all members after a doubt that was resolved for all at once; ``doubtful`` are the writes it was about."""
    for member, error in group.failing.items():
        # What it would make of what is there now is not known, so that nothing tells whether it has been made.
        group.members.remove(member)
        yield Answer(member, Ended(error=(yield from failed_alone(run, member, error, doubtful))))
    yield from _answered(run, group, result, [member for member in group.members if _touched(doubtful, member)])


def answer_unchanged(run: Run, group: Group, early: Sequence[Member], nothing: WriteResult) -> Flow[None]:
    """Answer those who were there before the read that shows that there is nothing to do."""
    for member in [each for each in group.members if each in early]:
        group.members.remove(member)
        # What was given up for dead may be why there is nothing to do, for those whose it was.
        mine = nothing if _touched(run.ledger.residual, member) else replace(nothing, outcome="unchanged")
        yield Answer(member, Ended(result=mine))


def fail_all(run: Run, group: Group, error: Exception, closed: Exception) -> Flow[None]:
    """Tell all members how it failed: those of whom something may be stored, and those of whom nothing is.

    ``closed`` is what the error comes to for a write that is undecided.
    """
    doubtful = (*run.ledger.residual, *run.ledger.attempts)
    spared = [member for member in group.members if doubtful and not _touched(doubtful, member)]
    group.members = [member for member in group.members if member not in spared]
    yield from tell_all(Group(members=spared), _untouched(run, error))
    yield from tell_all(group, closed, doubtful)


def tell_all(group: Group, error: Exception, doubtful: Sequence[Attempt] = ()) -> Flow[None]:
    """Tell all members of a group of an error, each of one of his own, which names only writes of his."""
    members, group.members = group.members, []
    for member in members:
        mine = error if len(members) == 1 else _own(error)
        if member.part is None and isinstance(mine, AksEtagError) and mine.applied:
            # Nothing of it was in what was carried out just now.
            mine.applied = None if _touched(group.given_up, member) else False
        if isinstance(mine, WriteOutcomeUnknownError):
            mine.request_ids = tuple(attempt.request_id for attempt in doubtful if _paths(attempt, member))
        yield Answer(member, Ended(error=mine))


def _untouched(run: Run, error: Exception) -> Exception:
    """Return the error for those of whom nothing is in the writes in doubt."""
    if isinstance(error, WriteOutcomeUnknownError):
        error = AksEtagError(
            f"{run.resource.id}: nothing of this call was written; it shared its turn with others whose write is in "
            "doubt, so that what is there is not known: try again",
            resource_id=run.resource.id,
        )
    error = _own(error)
    if isinstance(error, AksEtagError):
        error.applied = None if run.ledger.unproved else False
    return error


def told_apart(group: Group, run: Run, seen: Snapshot) -> Flow[WriteResult | None]:
    """Judge a shared write in doubt as a whole; where that does not tell, by what each caller asked for.

    No write can land any more then, and one that has landed did so for all of them.
    """
    attempts = run.ledger.attempts
    # Set to four and add one come to five however often they are made together, and only together.
    repeated = [member.change for member in group.members if _touched(attempts, member)]
    finding = weighed(run, seen, run.change, attempts, repeated)
    if finding is not Finding.UNKNOWN or not run.ledger.fenced:
        return (yield from concluded(run, seen, finding))
    for member in tuple(group.members):
        ended = yield from _judged(run, member, seen)
        if ended is not None:
            group.members.remove(member)
            yield Answer(member, ended)
    yield from run.ledger.go_round()
    return None


def _judged(run: Run, member: Member, seen: Snapshot) -> Flow[Ended | None]:
    """Judge what one caller asked for; ``None`` means: it is to be written again."""
    mine = [replace(attempt, paths=paths) for attempt in run.ledger.attempts if (paths := _paths(attempt, member))]
    if not mine:
        return None
    try:
        finding = weighed(run, seen, member.change, mine)
    except Exception as error:  # noqa: BLE001  # it fails its caller, and nobody else
        return Ended(error=(yield from failed_alone(run, member, error, run.ledger.attempts)))
    match finding:
        case Finding.APPLIED if ended_badly(run, seen):
            return Ended(error=stored_but_failed(run, seen, noted=False))
        case Finding.APPLIED | Finding.SATISFIED:
            ids = tuple(attempt.request_id for attempt in mine)
            how = "equivalent" if finding is Finding.APPLIED else "satisfied"
            yield from emit(Recovered(resource_id=run.resource.id, how=how, request_ids=ids))
            tag = mine[0].tag
            if finding is Finding.SATISFIED:
                return Ended(result=run.result("satisfied", seen, tag=tag))
            return Ended(result=run.result("updated", seen, tag=tag, recovered=how))
        case Finding.GO_ROUND:
            return None
        case _:
            return Ended(error=(yield from undecidable(run, seen, mine)))


def failed_alone(run: Run, member: Member, cause: Exception, doubtful: Sequence[Attempt]) -> Flow[Exception]:
    """Return the error for a change that raised: its own, unless a write that it has a part in is in doubt."""
    mine = [attempt for attempt in doubtful if _paths(attempt, member)]
    if not mine:
        if isinstance(cause, AksEtagError):
            cause.applied = None if run.ledger.unproved else False
        return cause
    why, pending = f"the change raised {type(cause).__name__}", run.ledger.open and not run.ledger.fenced
    error = yield from run.ledger.unknown(pending=pending, why=why, about=mine)
    error.__cause__ = cause
    return error


def _answered(run: Run, group: Group, result: WriteResult, sharers: Sequence[Member]) -> Flow[None]:
    members, group.members = group.members, []
    calls = tuple(member.name for member in sharers)
    places = {id(member): place for place, member in enumerate(sharers)}
    for member in members:
        waited = max(0.0, run.budget.started - member.since) + result.waited
        place = places.get(id(member))
        if place is None:
            # An older write that went for dead may be why it asked for nothing any more.
            outcome: Outcome = "satisfied" if _touched(group.given_up, member) else "unchanged"
            mine = WriteResult(outcome=outcome, snapshot=result.snapshot, waited=waited)
        else:
            mine = replace(result, waited=waited, batch=Batch(calls=calls, place=place))
        yield Answer(member, Ended(result=mine))


def _touched(doubtful: Sequence[Attempt], member: Member) -> bool:
    return any(_paths(attempt, member) for attempt in doubtful)


def _paths(attempt: Attempt, member: Member) -> tuple[Path, ...]:
    return next((paths for sharer, paths in attempt.parts if sharer is member), ())


def _own(error: Exception) -> Exception:
    """Copy an error, so that nobody adds to somebody else's."""
    try:
        mine = copy.copy(error)
    except Exception:  # noqa: BLE001  # made by others, in a way that cannot be copied
        return error
    mine.__cause__ = error.__cause__
    if isinstance(mine, AksEtagError):
        mine.joint = True
    return mine
