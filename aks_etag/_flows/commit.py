# SPDX-License-Identifier: MIT
"""Group commit: the changes of all who wait, made in order on one fresh body, and sent as one write."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from functools import partial
from typing import Final, cast

from .._core.changes import Change
from .._core.document import differing
from .._core.events import OutcomeUnknown
from .._core.messages import Body
from .._core.snapshot import Snapshot, WriteResult
from .._resources import Resource
from ..errors import AksEtagError, InvalidPreconditionError, WriteOutcomeUnknownError
from .budget import Budget
from .effects import Answer, Flow, Gather, Join, Seal, emit
from .group import Ended, Group, Late, Member, Part
from .ledger import Ledger
from .marks import Marks
from .options import Options
from .rounds import Draft, changed, check_effect, drafted, looked, written
from .run import Run
from .share import answer_recovered, answer_unchanged, answer_written, fail_all, failed_alone, tell_all, told_apart
from .update import nothing_to_do, update

# A refusal of the caller as such, whatever is in the body: to split it would be to hear it again.
_OF_THE_CALLER: Final = frozenset({"authorizationfailed", "expiredauthenticationtoken", "invalidauthenticationtoken"})

_AWAITED: Final = {
    False: "its turn in a shared write",
    None: "the end of a shared write",
    True: "the result of a shared write, which was carried out",
}


def commit(resource: Resource, options: Options, group: Group, *, lane: str = "") -> Flow[None]:
    """Write once for a group; what is definitely refused is split, until the change that it is refused for is found.

    Whatever happens, each member of the group is answered, and what one change raises fails its caller only. ``lane``
    is where it waits for its turn, if that is not called as the resource is.
    """
    budget = yield from Budget.start(lane or resource.id, options, 0.0)
    try:
        yield from _gathered(group, budget)
        if options.linger:
            yield from budget.pause(options.linger, "company for a shared write")
            yield from _gathered(group, budget)
        yield from budget.turn()
    except Exception as error:  # noqa: BLE001  # it is theirs, not the lane's
        yield from tell_all(group, error)
        return
    parts, splits = [group], 1 + math.ceil(math.log2(max(len(group.members), 1)))
    while parts:
        group = parts.pop()
        refused = yield from _written(resource, options, group, budget, last=not splits)
        if refused:
            splits -= 1
            half = len(group.members) // 2
            left, right = group.members[:half], group.members[half:]
            parts += [Group(members=right, closed=True), Group(members=left, closed=True)]


def _written(resource: Resource, options: Options, group: Group, budget: Budget, *, last: bool) -> Flow[bool]:
    """Go round until every member is answered; whether the write was refused, and is to be split, instead."""
    run = Run(
        resource=resource,
        change=group,
        pin=None,
        options=options,
        budget=budget,
        ledger=Ledger(resource.id),
        marks=Marks(resource=resource, writers=None),
    )
    try:
        run.marks = Marks.of(resource, options)
        while group.members:
            yield from _round(run, group)
        run.marks.release(decided=not run.ledger.open)
    except Exception as error:  # noqa: BLE001  # it is theirs, not the lane's
        run.marks.release(decided=not run.ledger.open)
        closed = yield from run.ledger.closing(error)
        if not last and len(group.members) > 1 and _divisible(run, closed):
            return True
        yield from fail_all(run, group, error, closed)
    return False


def _divisible(run: Run, error: Exception) -> bool:
    """Whether a part of the group may fare better: a definite refusal, not of the caller but of what it sent."""
    if not isinstance(error, AksEtagError) or error.applied is not False:
        return False
    if isinstance(error, InvalidPreconditionError):
        return True
    return run.turned_down and error.status_code != 401 and (error.code or "").casefold() not in _OF_THE_CALLER


def _round(run: Run, group: Group) -> Flow[None]:
    if not run.ledger.open:
        yield from _gathered(group, run.budget)
    # Who comes while the read is under way cannot be told by it that there is nothing to do.
    early = tuple(group.members)
    if not early:
        return
    group.failing.clear()
    doubtful = tuple(run.ledger.attempts)
    seen, found = yield from looked(run, partial(told_apart, group))
    if found is not None:
        yield from answer_recovered(run, group, found, doubtful)
        return
    draft = yield from _sealed(run, group, seen)
    if not group.members:
        return
    # Two changes that undo each other are written all the same: each of them has asked for something.
    if draft.parts:
        group.given_up = run.ledger.residual
        result = yield from written(run, seen, draft)
        # While there is no token for it, more may come: the next token is a minute off.
        group.closed = group.closed or not run.unaffordable
        if result is not None:
            yield from answer_written(run, group, result)
        return
    yield from answer_unchanged(run, group, early, (yield from nothing_to_do(run, seen)))


def _gathered(group: Group, budget: Budget) -> Flow[None]:
    yield Gather(group)
    budget.deadline = max(budget.deadline, group.latest() - budget.started)


def _sealed(run: Run, group: Group, seen: Snapshot) -> Flow[Draft]:
    """Make the changes of all who are there; again, if one of them has gone meanwhile."""
    if not run.ledger.open:
        yield from _gathered(group, run.budget)
    draft = yield from _drafted(run, group, seen)
    while group.members and not (yield Seal(group)):
        draft = yield from _drafted(run, group, seen)
    return draft


def _drafted(run: Run, group: Group, seen: Snapshot) -> Flow[Draft]:
    """Make all changes in order; one that raises fails its caller, and is left out."""
    origin = body = run.marks.origin(seen.body)
    make = partial(_made, run, seen.etag)
    for member in tuple(group.members):
        made = group.tried(member, body, make)
        if made is None:
            group.members.remove(member)
            doubtful = (*run.ledger.residual, *run.ledger.attempts)
            error = yield from failed_alone(run, member, group.failing.pop(member), doubtful)
            yield Answer(member, Ended(error=error))
            continue
        before, after = run.resource.writable(body), run.resource.writable(made)
        paths = differing(before, after)
        member.part = Part(before=body, after=made, paths=paths) if paths else None
        body = made
    draft = drafted(run, origin, body)
    parts = tuple((member, member.part.paths) for member in group.members if member.part is not None)
    return Draft(origin=origin, desired=body, before=draft.before, after=draft.after, paths=draft.paths, parts=parts)


def _made(run: Run, tag: str, change: Change, body: Body) -> Body:
    desired = changed(run, change, body, tag)
    if not differing(run.resource.writable(body), run.resource.writable(desired)):
        check_effect(run, body, desired)
    return desired


def in_company(
    resource: Resource,
    change: Change,
    options: Options,
    budget: Budget,
    key: Hashable,
    begin: Callable[[Group], Flow[None]],
) -> Flow[WriteResult]:
    """Let a change go out with those of others who wait, and return what came of it for this call.

    Raises:
        DeadlineExceededError: the time was up; ``applied`` is false where nothing had left.
        WriteOutcomeUnknownError: the time was up while a write that holds this change was in doubt.
    """
    member = Member(change=change, since=budget.started, until=budget.started + budget.deadline)
    ended = yield Join(member, key, begin)
    match ended:
        case Ended(error=Exception() as error):
            raise error
        case Ended(result=result):
            return cast("WriteResult", result)
        case Late():
            raise (yield from _late(resource, budget, ended))
    yield from budget.turn()
    return (yield from update(resource, change, options, budget))


def _late(resource: Resource, budget: Budget, late: Late) -> Flow[Exception]:
    if not late.pending:
        what = _AWAITED[late.applied] + ("" if late.operation is None else f" (operation {late.operation})")
        error = budget.expired(what, late.operation)
        error.applied = late.applied
        return error
    yield from emit(OutcomeUnknown(resource_id=resource.id, request_ids=late.pending, pending=True))
    return WriteOutcomeUnknownError(
        f"{resource.id}: the time was up while a write that this call shares may still be applied; read the resource "
        f"before writing again (x-ms-client-request-id {', '.join(late.pending)})",
        resource_id=resource.id,
        pending=True,
        request_ids=late.pending,
    )
