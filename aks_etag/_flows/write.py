# SPDX-License-Identifier: MIT
"""One write under one condition, and its operation: put, patch, create, delete. A 409 is not waited for.

In doubt, a put or patch is never sent again. A create and a delete of one version are, under the same condition, since
two of them cannot both be carried out; and only after a read that shows that nothing has changed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from .._core import document
from .._core.events import Doubt, Recovered
from .._core.evidence import Attempt
from .._core.messages import Body, Request, Response
from .._core.messages import Outcome as Answer
from .._core.operation import ENDED_BADLY, Poll, Progress
from .._core.precondition import Condition
from .._core.snapshot import Outcome, Snapshot, WriteResult
from .._core.verdict import Verdict, service_error
from .._resources import Resource
from ..errors import AlreadyExistsError, NotFoundError, ResourceGoneError, ResourceReplacedError
from . import failures
from .aftermath import after_success, failed, glance
from .budget import Budget
from .effects import Flow, emit, new_request_id, send
from .ledger import Ledger
from .options import WAITING, Options
from .read import read, settled
from .settle import conclude, unblock

Verb: TypeAlias = Literal["put", "patch", "delete"]


@dataclass(slots=True, kw_only=True)
class _Once:
    resource: Resource
    verb: Verb
    request: Request
    condition: Condition
    options: Options
    budget: Budget
    ledger: Ledger
    seen: Snapshot | None
    adopt: bool
    patient: bool
    attempts: int = 0
    status: int | None = None
    was_accepted: bool = False

    @property
    def repeatable(self) -> bool:
        """Whether it can be sent again in doubt, since its condition lets only one of them through."""
        exclusive = self.condition.create or (self.verb == "delete" and self.condition.version is not None)
        return exclusive and self.options.on_doubt != "raise"

    def landed(self, body: Body) -> bool:
        """Whether everything that was sent, secrets aside, is in a body."""
        wanted = self.resource.shown(self.request.body or {})
        return self.verb != "delete" and document.contains(body, wanted)

    def result(self, outcome: Outcome, snapshot: Snapshot | None, *, recovered: str | None = None) -> WriteResult:
        tag = self.condition.version
        return WriteResult(
            outcome=outcome,
            snapshot=snapshot,
            status=self.status,
            attempts=self.attempts,
            waited=self.budget.waited,
            condition=self.resource.spelled(self.condition),
            fenced=None if snapshot is None else snapshot.moved_from(tag),
            recovered=recovered,
            request_id=self.request.request_id,
        )


def once(
    resource: Resource,
    verb: Verb,
    request: Request,
    condition: Condition,
    options: Options,
    budget: Budget,
    *,
    seen: Snapshot | None = None,
    adopt: bool = False,
    patient: bool = False,
) -> Flow[WriteResult]:
    """Send one conditional write, follow its operation, and read the result.

    ``seen`` is the snapshot that the condition came from, if any: it tells a resource from its namesake. ``adopt``: a
    create that finds what it wanted to create takes it for its own. ``patient``: wait while it is refused as busy or
    throttled, instead of raising.

    Raises:
        PreconditionFailedError, AlreadyExistsError, NotFoundError: the condition did not hold.
        OperationInProgressError, ThrottledError: refused for now.
        WriteOutcomeUnknownError: sent, and it could not be found out what became of it.
    """
    run = _Once(
        resource=resource,
        verb=verb,
        request=request,
        condition=condition,
        options=options,
        budget=budget,
        ledger=Ledger(resource.id),
        seen=seen,
        adopt=adopt,
        patient=patient,
    )
    try:
        while True:
            result = yield from _attempted(run)
            if result is not None:
                return result
    except Exception as error:
        closed = yield from run.ledger.closing(error)
        if closed is error:
            raise
        raise closed from error


def _attempted(run: _Once) -> Flow[WriteResult | None]:
    run.request = yield from run.budget.allowed(run.request, "a chance to write")
    run.attempts += 1
    run.request = replace(run.request, request_id=(yield from new_request_id()))
    tag, body = run.condition.version or "", run.request.body or {}
    attempt = Attempt(request_id=run.request.request_id, tag=tag, before={}, after=body, paths=())
    yield from run.ledger.sending(attempt, {})
    outcome = yield from send(run.request)
    attempt = yield from run.ledger.answered(attempt, outcome)
    run.request = replace(run.request, request_id=attempt.request_id)
    verdict = run.resource.judge(outcome)
    if isinstance(outcome, Response):
        run.status = outcome.status
    if verdict is Verdict.ACCEPTED:
        assert isinstance(outcome, Response)
        return (yield from _accepted(run, attempt, outcome))
    if verdict in (Verdict.UNSURE, Verdict.RACED):
        return (yield from _in_doubt(run, failures.explained(outcome), outcome))
    yield from run.ledger.drop(attempt)
    if run.ledger.open:
        return (yield from _refused_in_doubt(run, verdict, outcome))
    if run.patient and (yield from _waited(run, verdict, outcome)):
        return None
    if verdict is Verdict.STALE:
        assert isinstance(outcome, Response)
        return (yield from _overtaken(run, outcome))
    raise failures.refusal(run.resource.id, verdict, outcome)


def _accepted(run: _Once, attempt: Attempt, answer: Response) -> Flow[WriteResult | None]:
    if run.verb == "delete" and run.resource.operation(answer) is None and answer.status != 202:
        return (yield from _deleted(run, "absent" if answer.status == 204 else "deleted"))
    run.ledger.accepted = run.was_accepted = True
    try:
        conclusion = yield from conclude(run.resource, answer, run.budget)
    except NotFoundError:
        if run.verb != "delete":
            raise
        return (yield from _deleted(run, "deleted"))
    match conclusion.poll.progress:
        case Progress.SUCCEEDED if run.verb == "delete" and conclusion.snapshot is None:
            return (yield from _deleted(run, "deleted"))
        case Progress.SUCCEEDED if run.verb != "delete":
            yield from run.ledger.clear()
            snapshot = yield from after_success(run.resource, conclusion, run.budget, run.condition.version)
            created = run.condition.create or answer.status == 201
            return run.result("created" if created else "updated", snapshot)
        case Progress.SUCCEEDED | Progress.LOST:
            run.ledger.accepted = False
            return (yield from _in_doubt(run, "its operation could not be followed to its end", None))
        case Progress.PREEMPTED if run.repeatable:
            run.ledger.preempted(attempt)
            return (yield from _in_doubt(run, f"its operation was preempted ({conclusion.poll.error.code})", None))
        case _:
            raise (yield from failed(run.resource, conclusion, run.landed))


def _deleted(run: _Once, outcome: Literal["deleted", "absent"]) -> Flow[WriteResult]:
    if outcome == "absent" and len(run.ledger.attempts) > 1:
        # Nothing was left to delete because an older attempt, in doubt until now, had done it, or somebody had.
        return (yield from _recovered(run, "deleted", None, "absent"))
    yield from run.ledger.clear()
    return run.result(outcome, None)


def _overtaken(run: _Once, answer: Response) -> Flow[WriteResult]:
    """The condition did not hold: look once at what is there, for the error to show."""
    found = yield from glance(run.resource)
    current = found if isinstance(found, Snapshot) else None
    if run.condition.create:
        if run.adopt and current is not None and run.landed(run.resource.writable(current.body)):
            return run.result("satisfied", current)
        raise AlreadyExistsError(
            f"{run.resource.id} exists already: {failures.explained(answer)}; update it, or choose another name",
            answer=answer,
            code=service_error(answer.body).code,
            resource_id=run.resource.id,
            current=current,
        )
    if isinstance(found, Response):
        raise failures.not_found(run.resource.id, answer)
    raise failures.stale(run.resource.id, run.condition.tag, answer, current)


def _waited(run: _Once, verdict: Verdict, outcome: Answer) -> Flow[bool]:
    """Wait for what a refusal asks to wait for; false where waiting would not help."""
    match verdict:
        case Verdict.BUSY if isinstance(outcome, Response):
            yield from unblock(run.resource, outcome, run.attempts, run.budget, run.options)
        case Verdict.THROTTLED:
            yield from run.budget.throttled(outcome)
        case Verdict.NOT_SENT:
            yield from run.budget.back_off(run.attempts, "a connection", cause=outcome)
        case _:
            return False
    return True


def _refused_in_doubt(run: _Once, verdict: Verdict, outcome: Answer) -> Flow[WriteResult | None]:
    """Go on after a clean refusal of a repeated write, whose older fellow may be what it was refused for."""
    match verdict:
        case Verdict.STALE | Verdict.BUSY | Verdict.NOT_SENT | Verdict.ABSENT:
            return (yield from _in_doubt(run, failures.explained(outcome), outcome))
        case Verdict.THROTTLED:
            yield from run.budget.throttled(outcome)
            return None
        case _:
            raise failures.refusal(run.resource.id, verdict, outcome)


def _in_doubt(run: _Once, reason: str, outcome: Answer | None) -> Flow[WriteResult | None]:
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
    equivalent = run.landed(run.resource.writable(seen.body))
    if equivalent and moved and (seen.provisioning_state or "").casefold() in ENDED_BADLY:
        poll = Poll(Progress.FAILED, seen.provisioning_state or "")
        raise failures.operation_failed(run.resource.id, poll, None, None, applied=None)
    if equivalent and moved:
        return (yield from _recovered(run, "updated", seen, "equivalent"))
    if equivalent and run.condition.create and run.adopt:
        return (yield from _recovered(run, "satisfied", seen, "equivalent"))
    raise (yield from run.ledger.unknown(pending=not moved, why=reason, equivalent=equivalent))


def _nothing_there(run: _Once, reason: str, error: NotFoundError) -> Flow[WriteResult | None]:
    if run.verb == "delete":
        return (yield from _recovered(run, "deleted", None, "absent"))
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


def _still_there(run: _Once, seen: Snapshot, reason: str) -> Flow[WriteResult | None]:
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


def _recovered(run: _Once, outcome: Outcome, seen: Snapshot | None, how: str) -> Flow[WriteResult]:
    ids = tuple(attempt.request_id for attempt in run.ledger.attempts) or (run.request.request_id,)
    yield from run.ledger.clear()
    yield from emit(Recovered(resource_id=run.resource.id, how=how, request_ids=ids))
    return run.result(outcome, seen, recovered=how)
