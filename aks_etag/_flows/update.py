# SPDX-License-Identifier: MIT
"""The loop: settle, read, change, compare, write under the tag of that read, judge, and resolve what is in doubt."""

from __future__ import annotations

from dataclasses import replace

from .._core import document
from .._core.changes import Change, applied
from .._core.events import Retrying
from .._core.evidence import Attempt
from .._core.messages import Body
from .._core.precondition import Condition
from .._core.snapshot import Snapshot, WriteResult
from .._resources import Resource
from ..errors import (
    InvalidPreconditionError,
    NotFoundError,
    ReadOnlyEditError,
    ResourceGoneError,
    ResourceReplacedError,
)
from . import failures
from .budget import Budget
from .effects import Flow, emit, new_request_id, send
from .judge import judged, resolve
from .ledger import Ledger
from .marks import Marks
from .options import Options
from .read import settled
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
    seen = yield from _read(run)
    if run.ledger.open:
        found = yield from resolve(run, seen)
        if found is not None:
            return found
        run.budget.lenient = run.ledger.open
    _check_version(run, seen)
    tag, origin = seen.etag, run.marks.origin(seen.body)
    desired = run.marks.bare(applied(run.change, origin))
    check_age(run.resource, desired, tag)
    run.resource.check_edit(origin, desired)
    before, after = run.resource.writable(origin), run.resource.writable(desired)
    paths = document.differing(before, after)
    if not paths:
        _check_effect(run, origin, desired)
        if run.ledger.open:
            raise (yield from run.ledger.unknown(pending=True, why="the change asks for nothing any more"))
        # What was given up for dead may have landed after all: then it is not for nothing that nothing is left to do.
        return run.result("satisfied" if run.ledger.residual else "unchanged", seen)
    request_id = yield from new_request_id()
    signed, mark = run.marks.signed(seen.body, desired, request_id)
    request = replace(run.resource.replace(signed, Condition(tag=tag), base=seen.body), request_id=request_id)
    request = yield from run.budget.allowed(request, "a chance to write")
    if run.attempts:
        yield from emit(Retrying(resource_id=run.resource.id, attempt=run.attempts + 1, reason="read again"))
    run.attempts += 1
    attempt = Attempt(request_id=request_id, tag=tag, before=before, after=after, paths=paths, mark=mark)
    yield from run.ledger.sending(attempt, origin)
    outcome = yield from send(request)
    attempt = yield from run.ledger.answered(attempt, outcome)
    return (yield from judged(run, attempt, outcome))


def _read(run: Run) -> Flow[Snapshot]:
    """Read until settled; what was there once and is not any more is gone or replaced, never a reason to create."""
    # Our own operation may be what it is busy with: in doubt it is waited for, whatever on_busy says.
    options = replace(run.options, on_busy="wait") if run.ledger.open else run.options
    run.budget.lenient = run.ledger.open
    try:
        seen = yield from settled(run.resource, run.budget, options)
    except NotFoundError as error:
        if run.first is None:
            raise
        raise ResourceGoneError(
            f"{run.resource.id} was deleted by somebody else while it was being changed; it is not created again",
            resource_id=run.resource.id,
            status_code=error.status_code,
            code=error.code,
        ) from error
    run.ledger.seen = seen
    if run.first is None:
        run.first = seen
    old, new = run.resource.identity(run.first.body), run.resource.identity(seen.body)
    if any(old[name] != new[name] for name in old.keys() & new.keys()):
        raise ResourceReplacedError(
            f"{run.resource.id} was deleted and created again while it was being changed: it is another one now",
            resource_id=run.resource.id,
        )
    return seen


def check_age(resource: Resource, body: Body, tag: str) -> None:
    """Refuse a body that says itself that it is of another version than the one the write is bound to."""
    carried = resource.version_of(body)
    if carried is not None and carried != tag:
        raise InvalidPreconditionError(
            f'{resource.id}: the body is of version "{carried}", but the write would go out under "{tag}": an older '
            "body under a newer eTag undoes what others wrote; make the change on the body that belongs to it",
            resource_id=resource.id,
        )


def _check_version(run: Run, seen: Snapshot) -> None:
    """Stop at a version that is not the pinned one, and at a 412 that is no conflict: the tag sent is there, twice."""
    if run.pin is not None and seen.etag != run.pin:
        raise failures.stale(run.resource.id, run.pin, None, seen)
    unmoved = run.refused is not None and seen.version == run.refused
    if run.refused is not None:
        run.refused_unmoved = run.refused_unmoved + 1 if unmoved else 0
    if run.refused_unmoved >= 2 and not run.ledger.open:
        raise failures.stale(run.resource.id, run.refused, None, seen, why=_NO_CONFLICT)
    run.refused = None


_NO_CONFLICT = (
    "the service refuses the very version that it shows, twice, so this is no conflict: look for a proxy that changes "
    'headers, or try etag_format="quoted"'
)


def _check_effect(run: Run, origin: Body, desired: Body) -> None:
    touched = run.resource.read_only_edits(origin, desired)
    if touched:
        names = ", ".join(".".join(path) for path in touched)
        raise ReadOnlyEditError(
            f"the change of {run.resource.id} touches only what the service owns ({names}): it could never be applied",
            resource_id=run.resource.id,
        )
