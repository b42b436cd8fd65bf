# SPDX-License-Identifier: MIT
"""One write under one condition, and its operation: put, patch, create, delete. A 409 is not waited for.

In doubt, a put or patch is never sent again. A create and a delete of one version are, under the same condition, since
two of them cannot both be carried out; and only after a read that shows that nothing has changed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from .._core.evidence import Attempt
from .._core.messages import Outcome as Answer
from .._core.messages import Request, Response
from .._core.operation import Progress
from .._core.precondition import Condition
from .._core.snapshot import Outcome, Snapshot, WriteResult
from .._core.verdict import Verdict, service_error
from .._resources import Resource
from ..errors import AlreadyExistsError, NotFoundError
from . import failures
from .aftermath import after_success, failed, glance
from .budget import Budget
from .doubtful import in_doubt, recovered, refused_in_doubt
from .effects import Accepted, Flow, new_request_id, send
from .ledger import Ledger
from .marks import Marks
from .options import WAITING, Options
from .settle import conclude, unblock
from .single import Once, Verb


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
    run = Once(
        resource=resource,
        verb=verb,
        request=request,
        condition=condition,
        options=options,
        budget=budget,
        ledger=Ledger(resource.id),
        marks=Marks.of(resource, options if condition.create else WAITING),
        seen=seen,
        adopt=adopt,
        patient=patient,
    )
    try:
        while True:
            result = yield from _attempted(run)
            if result is not None:
                run.marks.release(decided=True)
                return result
    except Exception as error:
        run.marks.release(decided=not run.ledger.open)
        closed = yield from run.ledger.closing(error)
        if closed is error:
            raise
        raise closed from error


def _attempted(run: Once) -> Flow[WriteResult | None]:
    run.request = yield from run.budget.allowed(run.request, "a chance to write")
    run.attempts += 1
    request_id = yield from new_request_id()
    # With no version to be made from, there is nothing noted yet.
    wanted = run.marks.bare(run.request.body or {})
    body, mark = run.marks.signed({}, wanted, request_id)
    tag = run.condition.version or ""
    attempt = Attempt(request_id=request_id, tag=tag, before={}, after=wanted, paths=(), mark=mark)
    yield from run.ledger.sending(attempt, {})
    sent = run.request if mark is None else replace(run.request, body=body)
    outcome = yield from send(replace(sent, request_id=request_id))
    attempt = yield from run.ledger.answered(attempt, outcome)
    run.request = replace(run.request, request_id=attempt.request_id)
    verdict = run.resource.judge(outcome)
    if isinstance(outcome, Response):
        run.status = outcome.status
    if verdict is Verdict.ACCEPTED:
        assert isinstance(outcome, Response)
        return (yield from _accepted(run, attempt, outcome))
    if verdict in (Verdict.UNSURE, Verdict.RACED):
        return (yield from in_doubt(run, failures.explained(outcome), outcome))
    yield from run.ledger.drop(attempt)
    if run.ledger.open:
        return (yield from refused_in_doubt(run, verdict, outcome))
    if run.patient and (yield from _waited(run, verdict, outcome)):
        return None
    if verdict is Verdict.STALE:
        assert isinstance(outcome, Response)
        return (yield from _overtaken(run, outcome))
    raise failures.refusal(run.resource.id, verdict, outcome)


def _accepted(run: Once, attempt: Attempt, answer: Response) -> Flow[WriteResult | None]:
    if run.verb == "delete" and run.resource.operation(answer) is None and answer.status != 202:
        return (yield from _deleted(run, "absent" if answer.status == 204 else "deleted"))
    link = run.resource.operation(answer)
    run.ledger.started(link)
    run.was_accepted = True
    older = run.ledger.older(attempt)
    yield from run.budget.handed_over(Accepted(run.resource, _wanted(run, answer), link, attempt, older))
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
            return run.result(_wanted(run, answer), snapshot)
        case Progress.SUCCEEDED | Progress.LOST:
            run.ledger.accepted = False
            return (yield from in_doubt(run, "its operation could not be followed to its end", None))
        case Progress.PREEMPTED if run.repeatable:
            run.ledger.preempted(attempt)
            return (yield from in_doubt(run, f"its operation was preempted ({conclusion.poll.error.code})", None))
        case _:
            error, run.ledger.seen = yield from failed(run.resource, conclusion, run.landed)
            raise error


def _wanted(run: Once, answer: Response) -> Outcome:
    if run.verb == "delete":
        return "deleted"
    return "created" if run.condition.create or answer.status == 201 else "updated"


def _deleted(run: Once, outcome: Literal["deleted", "absent"]) -> Flow[WriteResult]:
    if outcome == "absent" and len(run.ledger.attempts) > 1:
        # Nothing was left to delete because an older attempt, in doubt until now, had done it, or somebody had.
        return (yield from recovered(run, "deleted", None, "absent"))
    yield from run.ledger.clear()
    return run.result(outcome, None)


def _overtaken(run: Once, answer: Response) -> Flow[WriteResult]:
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


def _waited(run: Once, verdict: Verdict, outcome: Answer) -> Flow[bool]:
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
