# SPDX-License-Identifier: MIT
"""A put, patch, create or delete in doubt: find out by reading; send again only what can be carried out but once."""

from __future__ import annotations

from .._core.events import Doubt, Recovered
from .._core.messages import Outcome as Answer
from .._core.operation import ENDED_BADLY, Poll, Progress
from .._core.snapshot import Outcome, Snapshot, WriteResult
from .._core.verdict import Verdict
from ..errors import NotFoundError, ResourceGoneError, ResourceReplacedError
from . import failures
from .effects import Flow, emit
from .options import WAITING
from .read import read, settled
from .single import Once


def refused_in_doubt(run: Once, verdict: Verdict, outcome: Answer) -> Flow[WriteResult | None]:
    """Go on after a clean refusal of a repeated write, whose older fellow may be what it was refused for."""
    match verdict:
        case Verdict.STALE | Verdict.BUSY | Verdict.NOT_SENT | Verdict.ABSENT:
            return (yield from in_doubt(run, failures.explained(outcome), outcome))
        case Verdict.THROTTLED:
            yield from run.budget.throttled(outcome)
            return None
        case _:
            raise failures.refusal(run.resource.id, verdict, outcome)


def in_doubt(run: Once, reason: str, outcome: Answer | None) -> Flow[WriteResult | None]:
    """Find out by reading; ``None`` means: nothing has happened yet, and it may be sent again."""
    yield from emit(Doubt(resource_id=run.resource.id, request_id=run.request.request_id, reason=reason))
    if run.repeatable:
        yield from run.budget.back_off(run.attempts, "the fate of a write", cause=outcome, firm=False)
    run.budget.lenient = True
    try:
        first = yield from read(run.resource, run.budget)
        # Seen once, if only while it is being created, and gone later: somebody deleted it.
        run.was_accepted = run.was_accepted or run.condition.create
        seen = yield from settled(run.resource, run.budget, WAITING, seen=first)
    except NotFoundError as error:
        return (yield from _nothing_there(run, reason, error))
    run.ledger.seen = seen
    if run.verb == "delete":
        return (yield from _still_there(run, seen, reason))
    moved = seen.moved_from(run.condition.version) is True
    noted, equivalent = run.noted(seen.body), run.landed(run.resource.writable(seen.body))
    if (noted or (equivalent and moved)) and (seen.provisioning_state or "").casefold() in ENDED_BADLY:
        poll = Poll(Progress.FAILED, seen.provisioning_state or "")
        raise failures.operation_failed(run.resource.id, poll, applied=True if noted else None)
    if noted:
        return (yield from recovered(run, "created", seen, "marker"))
    if equivalent and moved:
        return (yield from recovered(run, "updated", seen, "equivalent"))
    if equivalent and run.condition.create and run.adopt:
        return (yield from recovered(run, "satisfied", seen, "equivalent"))
    raise (yield from run.ledger.unknown(pending=not moved, why=reason, equivalent=equivalent))


def _nothing_there(run: Once, reason: str, error: NotFoundError) -> Flow[WriteResult | None]:
    if run.verb == "delete":
        return (yield from recovered(run, "deleted", None, "absent"))
    if run.condition.create and run.repeatable and not run.was_accepted:
        yield from run.ledger.bury()
        return None
    # What was accepted and is not there was deleted by somebody: it is not for us to create it again.
    if run.condition.tag is not None or run.was_accepted:
        raise ResourceGoneError(
            f"{run.resource.id} is gone, and a write to it got no clear answer ({reason})",
            resource_id=run.resource.id,
            applied=None,
        ) from error
    raise (yield from run.ledger.unknown(pending=True, why=reason))


def _still_there(run: Once, seen: Snapshot, reason: str) -> Flow[WriteResult | None]:
    """Judge a delete in doubt by what is there: unmoved, it may be sent again; anything else is raised."""
    known = {} if run.seen is None else run.resource.identity(run.seen.body)
    shown = run.resource.identity(seen.body)
    common = known.keys() & shown.keys()
    if any(known[name] != shown[name] for name in common):
        raise ResourceReplacedError(
            f"{run.resource.id} was deleted and created again: what is there now is another one, and is kept",
            resource_id=run.resource.id,
            applied=None,
        )
    moved = seen.moved_from(run.condition.version)
    if moved is False and run.repeatable:
        yield from run.ledger.bury()
        return None
    if moved and common and not run.patient:
        # The same one under another version: a delete of the old version can be carried out no more.
        yield from run.ledger.clear()
        raise failures.stale(run.resource.id, run.condition.tag, None, seen)
    raise (yield from run.ledger.unknown(pending=moved is not True, why=reason))


def recovered(run: Once, outcome: Outcome, seen: Snapshot | None, how: str) -> Flow[WriteResult]:
    ids = tuple(attempt.request_id for attempt in run.ledger.attempts) or (run.request.request_id,)
    yield from run.ledger.clear()
    yield from emit(Recovered(resource_id=run.resource.id, how=how, request_ids=ids))
    return run.result(outcome, seen, recovered=how)
