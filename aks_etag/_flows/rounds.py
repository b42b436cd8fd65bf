# SPDX-License-Identifier: MIT
"""The parts of one round of the loop: look, change, and write under the tag of that look."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from .._core import document
from .._core.changes import Change, applied
from .._core.document import Path
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
from .crowd import free
from .effects import MOVED, Flow, afford, emit, new_request_id, send
from .judge import judged, resolve
from .read import settled
from .run import Run

_NO_CONFLICT = (
    "the service refuses the very version that it shows, twice, so this is no conflict: look for a proxy that changes "
    'headers, or try etag_format="quoted"'
)


Resolve: TypeAlias = Callable[[Run, Snapshot], Flow[WriteResult | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What is to be written: what it was made from, what it is, and where the two differ."""

    origin: Body
    desired: Body
    before: Body
    after: Body
    paths: tuple[Path, ...]
    parts: tuple[tuple[object, tuple[Path, ...]], ...] = ()


def looked(run: Run, resolve: Resolve = resolve) -> Flow[tuple[Snapshot, WriteResult | None]]:
    """Read until settled, and judge what is in doubt by it; with a result, nothing is left to do.

    Where the last round had no token for its write, that is waited for first: a minute later a read is not fresh.
    """
    if run.unaffordable:
        yield from run.budget.saved_up(run.unaffordable)
        run.unaffordable = 0.0
    seen = yield from _read(run)
    if run.ledger.open:
        found = yield from resolve(run, seen)
        if found is not None:
            return seen, found
        run.budget.lenient = run.ledger.open
    _check_version(run, seen)
    return seen, None


def changed(run: Run, change: Change, origin: Body, tag: str) -> Body:
    """Return what a change makes of a body, or refuse what must not be written."""
    desired = run.marks.bare(applied(change, origin))
    check_age(run.resource, desired, tag)
    run.resource.check_edit(origin, desired)
    return desired


def drafted(run: Run, origin: Body, desired: Body) -> Draft:
    """Compare what was read with what is asked for."""
    before, after = run.resource.writable(origin), run.resource.writable(desired)
    paths = document.differing(before, after)
    return Draft(origin=origin, desired=desired, before=before, after=after, paths=paths)


def written(run: Run, seen: Snapshot, draft: Draft) -> Flow[WriteResult | None]:
    """Write a draft under the tag of the read that it was made from; ``None`` means: go round."""
    request_id = yield from new_request_id()
    noted = run.marks.noted
    signed, mark = run.marks.signed(seen.body, draft.desired, request_id)
    replaced = run.resource.replace(signed, Condition(tag=seen.etag), base=seen.body)
    request = yield from run.budget.timed(replace(replaced, request_id=request_id), "a chance to write")
    run.unaffordable = yield from afford(request)
    if run.unaffordable:
        # Nothing has left under this id yet: that it is nobody else's is checked again.
        run.marks.noted = noted
        return None
    if run.attempts:
        yield from emit(Retrying(resource_id=run.resource.id, attempt=run.attempts + 1, reason="read again"))
    run.attempts += 1
    attempt = Attempt(
        request_id=request_id,
        tag=seen.etag,
        before=draft.before,
        after=draft.after,
        paths=draft.paths,
        mark=mark,
        parts=draft.parts,
    )
    yield from run.ledger.sending(attempt, draft.origin)
    outcome = yield from send(request, in_turn=True)
    if outcome is MOVED:
        # Pools that block each other share a lane by now, and others are in it.
        run.attempts -= 1
        yield from run.ledger.drop(attempt)
        yield from run.budget.turn()
        return None
    attempt = yield from run.ledger.answered(attempt, outcome)
    return (yield from judged(run, attempt, outcome))


def check_effect(run: Run, origin: Body, desired: Body) -> None:
    """Refuse a change that asks for something, but only for what it cannot have."""
    touched = run.resource.read_only_edits(origin, desired)
    if touched:
        names = ", ".join(".".join(path) for path in touched)
        raise ReadOnlyEditError(
            f"the change of {run.resource.id} touches only what the service owns ({names}): it could never be applied",
            resource_id=run.resource.id,
        )


def check_age(resource: Resource, body: Body, tag: str) -> None:
    """Refuse a body that says itself that it is of another version than the one the write is bound to."""
    carried = resource.version_of(body)
    if carried is not None and carried != tag:
        raise InvalidPreconditionError(
            f'{resource.id}: the body is of version "{carried}", but the write would go out under "{tag}": an older '
            "body under a newer eTag undoes what others wrote; make the change on the body that belongs to it",
            resource_id=resource.id,
        )


def _read(run: Run) -> Flow[Snapshot]:
    """Read until settled; what was there once and is not any more is gone or replaced, never a reason to create."""
    run.budget.lenient = run.ledger.open
    try:
        seen = yield from _seen(run)
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


def _seen(run: Run) -> Flow[Snapshot]:
    if not run.ledger.open:
        return (yield from free(run.resource, run.crowd, run.budget, run.options))
    # Our own operation may be what it is busy with: in doubt it is waited for, whatever on_busy says.
    return (yield from settled(run.resource, run.budget, replace(run.options, on_busy="wait")))


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
