# SPDX-License-Identifier: MIT
"""One conditional attempt and its operation: put, patch, create, delete. Never sent twice, never waiting on a 409."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from .._core import document
from .._core.events import Doubt, NotFenced, Recovered
from .._core.evidence import Attempt
from .._core.messages import Body, Request, Response
from .._core.messages import Outcome as Answer
from .._core.operation import Progress
from .._core.precondition import Condition
from .._core.snapshot import Outcome, Snapshot, WriteResult
from .._core.verdict import Verdict, judge_read, service_error
from .._resources import Resource
from ..errors import AksEtagError, AlreadyExistsError, NotFoundError, ResourceGoneError
from . import failures
from .budget import Budget
from .effects import Flow, emit, new_request_id, send
from .ledger import Ledger
from .options import Options
from .read import read, settled
from .settle import Conclusion, conclude

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
    status: int | None = None

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
            attempts=1,
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
    *,
    deadline: float | None = None,
) -> Flow[WriteResult]:
    """Send one conditional write, follow its operation, and read the result.

    Raises:
        PreconditionFailedError, AlreadyExistsError, NotFoundError: the condition did not hold.
        OperationInProgressError, ThrottledError: refused for now.
        WriteOutcomeUnknownError: sent, and it could not be found out what became of it.
    """
    budget = yield from Budget.start(resource.id, options, deadline)
    request = replace(request, request_id=(yield from new_request_id()))
    ledger = Ledger(resource.id)
    run = _Once(
        resource=resource,
        verb=verb,
        request=request,
        condition=condition,
        options=options,
        budget=budget,
        ledger=ledger,
    )
    attempt = Attempt(
        request_id=request.request_id, tag=condition.version or "", before={}, after=request.body or {}, paths=()
    )
    try:
        yield from ledger.sending(attempt, {})
        outcome = yield from send(request)
        return (yield from _judged(run, attempt, outcome))
    except Exception as error:
        closed = yield from ledger.closing(error)
        if closed is error:
            raise
        raise closed from error


def _judged(run: _Once, attempt: Attempt, outcome: Answer) -> Flow[WriteResult]:
    verdict = run.resource.judge(outcome)
    if isinstance(outcome, Response):
        run.status = outcome.status
    match verdict:
        case Verdict.ACCEPTED:
            assert isinstance(outcome, Response)
            return (yield from _accepted(run, outcome))
        case Verdict.UNSURE | Verdict.RACED:
            return (yield from _in_doubt(run, failures.explained(outcome)))
        case Verdict.STALE:
            assert isinstance(outcome, Response)
            yield from run.ledger.drop(attempt)
            raise (yield from _overtaken(run, outcome))
        case _:
            yield from run.ledger.drop(attempt)
            raise failures.refusal(run.resource.id, verdict, outcome)


def _accepted(run: _Once, answer: Response) -> Flow[WriteResult]:
    if run.verb == "delete" and run.resource.operation(answer) is None and answer.status != 202:
        yield from run.ledger.clear()
        return run.result("absent" if answer.status == 204 else "deleted", None)
    run.ledger.accepted = True
    try:
        conclusion = yield from conclude(run.resource, answer, run.budget)
    except NotFoundError:
        if run.verb != "delete":
            raise
        yield from run.ledger.clear()
        return run.result("deleted", None)
    match conclusion.poll.progress:
        case Progress.SUCCEEDED if run.verb == "delete" and conclusion.snapshot is None:
            yield from run.ledger.clear()
            return run.result("deleted", None)
        case Progress.SUCCEEDED if run.verb != "delete":
            yield from run.ledger.clear()
            snapshot = yield from after_success(run.resource, conclusion, run.budget, run.condition.version)
            created = run.condition.create or answer.status == 201
            return run.result("created" if created else "updated", snapshot)
        case Progress.SUCCEEDED | Progress.LOST:
            run.ledger.accepted = False
            return (yield from _in_doubt(run, "its operation could not be followed to its end"))
        case _:
            raise (yield from failed(run.resource, conclusion, run.landed))


def after_success(resource: Resource, conclusion: Conclusion, budget: Budget, tag: str | None) -> Flow[Snapshot]:
    """Read the resource after its write succeeded; an error of this read says ``applied=True``."""
    snapshot = conclusion.snapshot
    if snapshot is None:
        try:
            snapshot = yield from read(resource, budget)
        except NotFoundError as error:
            raise ResourceGoneError(
                f"{resource.id} was written, and is gone now: somebody deleted it",
                resource_id=resource.id,
                applied=True,
            ) from error
        except Exception as error:
            if isinstance(error, AksEtagError):
                error.applied = True
            error.add_note("The write itself was carried out; only the read after it failed.")
            raise
    if tag is not None and snapshot.version == tag:
        yield from emit(NotFenced(resource_id=resource.id, etag=tag))
    return snapshot


def failed(resource: Resource, conclusion: Conclusion, landed: Callable[[Body], bool]) -> Flow[AksEtagError]:
    """Return the error for a failed operation, after one look at what is stored."""
    seen = yield from glance(resource)
    stored = isinstance(seen, Snapshot) and landed(resource.writable(seen.body))
    return failures.operation_failed(
        resource.id, conclusion.poll, conclusion.operation, conclusion.answer, True if stored else None
    )


def glance(resource: Resource) -> Flow[Snapshot | Response | None]:
    """Read once, without trying again: a snapshot, the 404, or ``None`` where it failed."""
    outcome = yield from send(resource.read())
    match judge_read(outcome):
        case Verdict.ACCEPTED if isinstance(outcome, Response):
            return resource.snapshot(outcome)
        case Verdict.ABSENT if isinstance(outcome, Response):
            return outcome
        case _:
            return None


def _overtaken(run: _Once, answer: Response) -> Flow[AksEtagError]:
    seen = yield from glance(run.resource)
    current = seen if isinstance(seen, Snapshot) else None
    if run.condition.create:
        return AlreadyExistsError(
            f"{run.resource.id} exists already: {failures.explained(answer)}; update it, or choose another name",
            answer=answer,
            code=service_error(answer.body).code,
            resource_id=run.resource.id,
            current=current,
        )
    if isinstance(seen, Response):
        return failures.not_found(run.resource.id, answer)
    return failures.stale(run.resource.id, run.condition.tag, answer, current)


def _in_doubt(run: _Once, reason: str) -> Flow[WriteResult]:
    """Find out by reading, never by sending again."""
    doubt = Doubt(resource_id=run.resource.id, request_id=run.request.request_id, reason=reason)
    yield from emit(doubt)
    try:
        seen = yield from settled(run.resource, run.budget, replace(run.options, on_busy="wait"))
    except NotFoundError as error:
        return (yield from _nothing_there(run, reason, error))
    run.ledger.seen = seen
    # What exists cannot be created any more; what has moved on cannot be written under its old version.
    moved = seen.moved_from(run.condition.version) is True
    equivalent = run.landed(run.resource.writable(seen.body))
    if moved and equivalent:
        return (yield from _recovered(run, "updated", seen, "equivalent"))
    pending = not (moved or run.condition.create)
    raise (yield from run.ledger.unknown(pending=pending, why=reason, equivalent=equivalent))


def _nothing_there(run: _Once, reason: str, error: NotFoundError) -> Flow[WriteResult]:
    if run.verb == "delete":
        return (yield from _recovered(run, "deleted", None, "absent"))
    if run.condition.tag is not None:
        raise ResourceGoneError(
            f"{run.resource.id} is gone, and a write to it got no clear answer ({reason})",
            resource_id=run.resource.id,
            applied=None,
        ) from error
    raise (yield from run.ledger.unknown(pending=True, why=reason))


def _recovered(run: _Once, outcome: Outcome, seen: Snapshot | None, how: str) -> Flow[WriteResult]:
    yield from run.ledger.clear()
    yield from emit(Recovered(resource_id=run.resource.id, how=how, request_ids=(run.request.request_id,)))
    return run.result(outcome, seen, recovered=how)
