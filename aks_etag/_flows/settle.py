# SPDX-License-Identifier: MIT
"""Follow an accepted write to the end of its operation; wait for what blocks a refused one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from .._core.blocker import blocker
from .._core.events import Busy, OperationProgress
from .._core.messages import Outcome, Request, Response
from .._core.operation import Link, Poll, Progress, read_poll
from .._core.snapshot import Snapshot
from .._core.verdict import Verdict, judge_read, service_error
from .._resources import Resource
from ..errors import AccessDeniedError, NotFoundError, ResourceGoneError
from . import failures
from .budget import Budget
from .effects import Flow, emit, now, send
from .options import WAITING, Options
from .read import read, settled


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """How an accepted write ended; ``snapshot`` where the way to find out showed the resource after it."""

    poll: Poll
    operation: str | None = None
    answer: Response | None = None
    snapshot: Snapshot | None = None


def conclude(resource: Resource, accepted: Response, budget: Budget) -> Flow[Conclusion]:
    """Follow an accepted write to its end: whenever the answer says where, on a 200, too."""
    link = resource.operation(accepted)
    if link is not None:
        return (yield from followed(link, accepted, budget))
    shown = resource.result(accepted)
    if shown is not None:
        return Conclusion(poll=Poll(Progress.SUCCEEDED), snapshot=shown)
    return (yield from watched(resource, budget))


def watched(resource: Resource, budget: Budget) -> Flow[Conclusion]:
    """Judge a write without an operation by the state of the resource: only a state seen to change can be its own."""
    try:
        first = yield from read(resource, budget)
        snapshot = yield from settled(resource, budget, WAITING, seen=first)
    except NotFoundError as error:
        raise ResourceGoneError(
            f"{resource.id} is gone, and a write to it was accepted just before", resource_id=resource.id
        ) from error
    state = (snapshot.provisioning_state or "").casefold()
    ends = {"failed": Progress.FAILED, "canceled": Progress.CANCELED}
    progress = Progress.SUCCEEDED if first.settled else ends.get(state, Progress.SUCCEEDED)
    return Conclusion(poll=Poll(progress, snapshot.provisioning_state or ""), snapshot=snapshot)


def followed(link: Link, accepted: Response | None, budget: Budget) -> Flow[Conclusion]:
    """Poll an operation to its end, at the pace that the answers ask for."""
    if not link.url:
        return Conclusion(poll=Poll(Progress.LOST))
    started = yield from now()
    polls = 0
    answer = accepted
    while True:
        what = f"operation {link.name}"
        yield from budget.poll(polls, what, operation=link.name, answer=answer)
        polls += 1
        outcome = yield from send((yield from budget.allowed(Request(method="GET", url=link.url), what, polling=True)))
        poll = yield from _polled(link, outcome, budget)
        # What a 429 asked for was waited for already.
        answer = outcome if isinstance(outcome, Response) and outcome.status != 429 else None
        if poll is None:
            continue
        elapsed = (yield from now()) - started
        progress = OperationProgress(
            resource_id=budget.resource_id, operation=link.name, status=poll.status, elapsed=elapsed
        )
        yield from emit(progress)
        if poll.progress is not Progress.RUNNING:
            return Conclusion(poll=poll, operation=link.name, answer=answer)


def _polled(link: Link, outcome: Outcome, budget: Budget) -> Flow[Poll | None]:
    """Read one poll; ``None`` where it failed and is to be repeated."""
    verdict = judge_read(outcome)
    if (
        isinstance(outcome, Response)
        and (200 <= outcome.status < 300)
        and (link.is_location or verdict is Verdict.ACCEPTED)
    ):
        return read_poll(outcome, is_location=link.is_location)
    match verdict:
        case Verdict.THROTTLED:
            yield from budget.throttled(outcome)
            return None
        case Verdict.UNSURE | Verdict.NOT_SENT:
            return None
        case _:
            return Poll(Progress.LOST, failures.explained(outcome))


def unblock(
    resource: Resource,
    answer: Response,
    tries: int,
    budget: Budget,
    options: Options,
    *,
    in_doubt: bool = False,
    own: Collection[str] = (),
) -> Flow[bool]:
    """After a 409: say who blocks, back off, then wait until whatever else can block the resource is settled.

    Returns whether any of that was seen at work. ``in_doubt``: what blocks may be a write of our own, so that it is
    waited for whatever ``on_busy`` says. ``own`` has the ids of operations that this call has started. Nobody's
    operation is ever aborted.

    Raises:
        OperationInProgressError: ``on_busy="raise"``.
    """
    error = service_error(answer.body)
    blocking = blocker(error.message)
    yield from emit(
        Busy(
            resource_id=resource.id,
            code=error.code,
            since=blocking.since,
            kind=blocking.kind,
            pool=blocking.pool,
            operation=blocking.operation,
            ours=blocking.operation is not None and blocking.operation.casefold() in own,
        )
    )
    if options.on_busy == "raise" and not in_doubt:
        raise failures.in_progress(resource.id, answer)
    # Where that has shown that pools block each other, the turn to write is another one now.
    yield from budget.turn()
    yield from budget.back_off(tries, str(blocking), cause=answer, firm=not in_doubt)
    busy = False
    for other in resource.blockers(blocking.pool):
        try:
            first = yield from read(other, budget)
            busy = busy or not first.settled
            yield from settled(other, budget, WAITING, seen=first, why=f"which blocks {resource.id.rsplit('/', 1)[-1]}")
        except (NotFoundError, AccessDeniedError):
            # The resource itself is read next, and that read decides what is gone.
            break
    return busy
