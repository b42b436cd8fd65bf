# SPDX-License-Identifier: MIT
"""Follow a write that was accepted somewhere else to its end; nothing is ever written here."""

from __future__ import annotations

from .._core.continuation import Continuation, digests, leaves
from .._core.operation import Progress
from .._core.precondition import CREATE, Condition
from .._core.snapshot import Snapshot, WriteResult
from .._resources import Resource
from ..errors import NotFoundError, WriteOutcomeUnknownError
from .aftermath import after_success, failed
from .budget import Budget
from .effects import Accepted, Flow
from .read import read
from .settle import Conclusion, followed, watched


def begun(accepted: Accepted) -> Continuation:
    """Return what another process has to know of an accepted write; of what was sent, only what a read will show."""
    attempt, link = accepted.attempt, accepted.link
    sent = accepted.resource.shown(attempt.after)
    return Continuation(
        resource_id=accepted.resource.id,
        outcome=accepted.outcome,
        url=None if link is None else link.url,
        is_location=link is not None and link.is_location,
        tag=attempt.tag or None,
        request_id=attempt.request_id,
        older=tuple(other.request_id for other in accepted.older),
        digests=digests(attempt.request_id, sent, attempt.paths or leaves(sent)) if accepted.telling() else (),
    )


def over(resource_id: str, result: WriteResult) -> Continuation:
    """Return the same of a write that is over, or that there was no need of."""
    return Continuation(resource_id=resource_id, outcome=result.outcome, over=True, request_id=result.request_id or "")


def resume(resource: Resource, begun: Continuation, budget: Budget) -> Flow[WriteResult]:
    """Return what the write came to, as the process that sent it would have.

    Raises:
        OperationFailedError, OperationPreemptedError: its operation failed, or lost a race; it is not sent again.
        WriteOutcomeUnknownError: its operation cannot be followed any more.
    """
    if begun.over:
        return _result(resource, begun, (yield from _there(resource, begun, budget)))
    try:
        conclusion = yield from _concluded(resource, begun, budget)
    except NotFoundError:
        if begun.outcome != "deleted":
            raise
        return _result(resource, begun, None)
    match conclusion.poll.progress:
        case Progress.SUCCEEDED:
            return (yield from _succeeded(resource, begun, conclusion, budget))
        case Progress.LOST:
            raise _unknown(resource, begun, "cannot be followed any more")
        case _:
            raise (yield from _failed(resource, begun, conclusion))


def _succeeded(resource: Resource, begun: Continuation, conclusion: Conclusion, budget: Budget) -> Flow[WriteResult]:
    if begun.outcome == "deleted":
        if conclusion.snapshot is not None:
            raise _unknown(resource, begun, "succeeded, and what it deleted is there")
        return _result(resource, begun, None)
    snapshot = yield from after_success(resource, conclusion, budget, begun.tag)
    if begun.older and snapshot.moved_from(begun.tag) is False:
        raise _unknown(resource, begun, "did not move the eTag, so that an older write may still come")
    return _result(resource, begun, snapshot)


def _failed(resource: Resource, begun: Continuation, conclusion: Conclusion) -> Flow[Exception]:
    error, seen = yield from failed(resource, conclusion, begun.landed)
    if begun.older and not (seen is not None and seen.moved_from(begun.tag)):
        unknown = _unknown(resource, begun, "failed, and an older write under the same version may still come")
        unknown.__cause__ = error
        return unknown
    return error


def _concluded(resource: Resource, begun: Continuation, budget: Budget) -> Flow[Conclusion]:
    if begun.link is None:
        return (yield from watched(resource, budget))
    return (yield from followed(begun.link, None, budget))


def _there(resource: Resource, begun: Continuation, budget: Budget) -> Flow[Snapshot | None]:
    return None if begun.outcome in ("deleted", "absent") else (yield from read(resource, budget))


def _result(resource: Resource, begun: Continuation, snapshot: Snapshot | None) -> WriteResult:
    sent = CREATE if begun.outcome == "created" else Condition(tag=begun.tag)
    return WriteResult(
        outcome=begun.outcome,
        snapshot=snapshot,
        condition=resource.spelled(sent) if begun.request_id else None,
        fenced=None if snapshot is None else snapshot.moved_from(begun.tag),
        request_id=begun.request_id or None,
    )


def _unknown(resource: Resource, begun: Continuation, why: str) -> WriteOutcomeUnknownError:
    ids = (*begun.older, begun.request_id)
    return WriteOutcomeUnknownError(
        f"{resource.id}: a write was accepted, and its operation {why}; read the resource before writing again "
        f"(x-ms-client-request-id {', '.join(ids)})",
        resource_id=resource.id,
        pending=True,
        sent=begun.tag,
        request_ids=ids,
    )
