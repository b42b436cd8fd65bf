# SPDX-License-Identifier: MIT
"""What is left to do once the fate of a write is known: read the result, or look once at what a failure left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from .._core.events import NotFenced
from .._core.messages import Body, Response
from .._core.pacing import WRITE_PATIENCE
from .._core.snapshot import Snapshot, WriteResult
from .._core.verdict import Verdict, judge_read
from .._resources import Resource
from ..errors import AksEtagError, NotFoundError, ResourceGoneError
from . import failures
from .budget import Budget
from .effects import Flow, emit, send
from .read import read
from .settle import Conclusion


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


def failed(
    resource: Resource, conclusion: Conclusion, landed: Callable[[Body], bool], *, noted: bool = False
) -> Flow[tuple[AksEtagError, Snapshot | None]]:
    """Return the error for a failed operation, after one look at what is stored, and what was seen.

    ``noted``: that ``landed`` goes by a marker, which nobody else can have written.
    """
    found = yield from glance(resource)
    seen = found if isinstance(found, Snapshot) else None
    stored = seen is not None and landed(resource.writable(seen.body))
    error = failures.operation_failed(
        resource.id,
        conclusion.poll,
        conclusion.operation,
        conclusion.answer,
        applied=True if stored else None,
        equivalent=stored and not noted,
    )
    return error, seen


def verified(flow: Flow[WriteResult], verify: Callable[[Snapshot], bool]) -> Flow[WriteResult]:
    """Ask a predicate of the snapshot that a write ends with.

    Raises:
        OperationFailedError: it says no: the service called it a success, and what was asked for is not there.
    """
    result = yield from flow
    if result.snapshot is not None and not verify(result.snapshot):
        raise failures.not_applied(result.snapshot, result.outcome)
    return result


def glance(resource: Resource) -> Flow[Snapshot | Response | None]:
    """Read once, without trying again: a snapshot, the 404, or ``None`` where it failed."""
    outcome = yield from send(replace(resource.read(), timeout=WRITE_PATIENCE))
    match judge_read(outcome):
        case Verdict.ACCEPTED if isinstance(outcome, Response):
            return resource.snapshot(outcome)
        case Verdict.ABSENT if isinstance(outcome, Response):
            return outcome
        case _:
            return None
