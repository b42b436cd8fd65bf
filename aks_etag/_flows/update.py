# SPDX-License-Identifier: MIT
"""The loop: settle, read, change, compare, write under the tag of that read, judge, and resolve what is in doubt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from .._core import document
from .._core.changes import Change, applied, is_idempotent_at
from .._core.events import Conflict, Doubt, Recovered, Retrying
from .._core.evidence import Attempt, Finding, weigh
from .._core.messages import Outcome, Response
from .._core.operation import Progress
from .._core.precondition import Condition
from .._core.snapshot import Snapshot, WriteResult
from .._core.verdict import Verdict
from .._resources import Resource
from ..errors import (
    ConflictRetriesExhaustedError,
    NotFoundError,
    ReadOnlyEditError,
    ResourceGoneError,
    ResourceReplacedError,
)
from . import failures
from .budget import Budget
from .effects import Flow, emit, new_request_id, send
from .ledger import Ledger
from .options import Options
from .read import settled
from .settle import conclude, unblock
from .write import after_success, failed, glance


@dataclass(slots=True, kw_only=True)
class _Run:
    resource: Resource
    change: Change
    pin: str | None
    options: Options
    budget: Budget
    ledger: Ledger
    first: Snapshot | None = None
    attempts: int = 0
    conflicts: int = 0
    busy: int = 0
    doubts: int = 0
    missing: int = 0
    refused: str | None = None
    refused_unmoved: int = 0

    def result(
        self,
        outcome: Literal["updated", "unchanged", "satisfied"],
        snapshot: Snapshot,
        *,
        tag: str | None = None,
        status: int | None = None,
        recovered: str | None = None,
        request_id: str | None = None,
    ) -> WriteResult:
        return WriteResult(
            outcome=outcome,
            snapshot=snapshot,
            status=status,
            attempts=self.attempts,
            conflicts=self.conflicts,
            waited=self.budget.waited,
            condition=None if tag is None else self.resource.spelled(Condition(tag=tag)),
            fenced=snapshot.moved_from(tag),
            recovered=recovered,
            request_id=request_id,
        )


def update(
    resource: Resource,
    change: Change,
    options: Options,
    *,
    pin: str | None = None,
    deadline: float | None = None,
) -> Flow[WriteResult]:
    """Change a resource so that no other writer's update is lost, and say truly what came of it."""
    run = _Run(
        resource=resource,
        change=change,
        pin=pin,
        options=options,
        budget=(yield from Budget.start(resource.id, options, deadline)),
        ledger=Ledger(resource.id),
    )
    try:
        while True:
            result = yield from _round(run)
            if result is not None:
                return result
    except Exception as error:
        closed = yield from run.ledger.closing(error)
        if closed is error:
            raise
        raise closed from error


def _round(run: _Run) -> Flow[WriteResult | None]:
    seen = yield from _read(run)
    if run.ledger.open:
        found = yield from _resolve(run, seen)
        if found is not None:
            return found
    _check_version(run, seen)
    tag = seen.etag
    desired = applied(run.change, seen.body)
    run.resource.check_edit(seen.body, desired)
    before, after = run.resource.writable(seen.body), run.resource.writable(desired)
    paths = document.differing(before, after)
    if not paths:
        _check_effect(run, seen, desired)
        if run.ledger.open:
            raise (yield from run.ledger.unknown(pending=True, why="the change asks for nothing any more"))
        return run.result("unchanged", seen)
    request = run.resource.replace(desired, Condition(tag=tag), base=seen.body)
    if run.attempts:
        yield from emit(Retrying(resource_id=run.resource.id, attempt=run.attempts + 1, reason="read again"))
    run.attempts += 1
    request = replace(request, request_id=(yield from new_request_id()))
    attempt = Attempt(request_id=request.request_id, tag=tag, before=before, after=after, paths=paths)
    yield from run.ledger.sending(attempt, seen.body)
    outcome = yield from send(request)
    return (yield from _judged(run, attempt, outcome))


def _read(run: _Run) -> Flow[Snapshot]:
    """Read until settled; what was there once and is not any more is gone or replaced, never a reason to create."""
    # Our own operation may be what it is busy with: in doubt it is waited for, whatever on_busy says.
    options = replace(run.options, on_busy="wait") if run.ledger.open else run.options
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


def _check_version(run: _Run, seen: Snapshot) -> None:
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


def _check_effect(run: _Run, seen: Snapshot, desired: dict[str, object]) -> None:
    touched = run.resource.read_only_edits(seen.body, desired)
    if touched:
        names = ", ".join(".".join(path) for path in touched)
        raise ReadOnlyEditError(
            f"the change of {run.resource.id} touches only what the service owns ({names}): it could never be applied",
            resource_id=run.resource.id,
        )


def _judged(run: _Run, attempt: Attempt, outcome: Outcome) -> Flow[WriteResult | None]:
    """Decide what an answer to the write means; ``None`` means: go round, from a fresh read."""
    verdict = run.resource.judge(outcome)
    if verdict is Verdict.UNSURE:
        yield from _doubt(run, attempt, failures.explained(outcome), outcome)
        return None
    if verdict is Verdict.NOT_SENT:
        yield from run.ledger.drop(attempt)
        run.doubts += 1
        yield from run.budget.back_off(run.doubts, "a connection", cause=outcome)
        return None
    if not isinstance(outcome, Response):
        yield from run.ledger.drop(attempt)
        raise failures.refusal(run.resource.id, verdict, outcome)
    if verdict is Verdict.ACCEPTED:
        return (yield from _accepted(run, attempt, outcome))
    yield from _refused(run, attempt, verdict, outcome)
    return None


def _refused(run: _Run, attempt: Attempt, verdict: Verdict, answer: Response) -> Flow[None]:
    """Wait for what a refusal asks to wait for, or raise it."""
    if verdict is Verdict.RACED:
        reason = failures.explained(answer)
        yield from emit(Doubt(resource_id=run.resource.id, request_id=attempt.request_id, reason=reason))
    else:
        yield from run.ledger.drop(attempt)
    match verdict:
        case Verdict.STALE:
            yield from _overtaken(run, attempt.tag, answer)
        case Verdict.BUSY | Verdict.RACED:
            run.busy += 1
            yield from unblock(run.resource, answer, run.busy, run.budget, run.options)
        case Verdict.THROTTLED:
            yield from run.budget.throttled(answer)
        case Verdict.ABSENT if run.missing == 0:
            # Not the text of a 404 but the next read decides whether it is gone.
            run.missing += 1
        case _:
            raise failures.refusal(run.resource.id, verdict, answer)


def _accepted(run: _Run, attempt: Attempt, answer: Response) -> Flow[WriteResult | None]:
    run.ledger.accepted = True
    conclusion = yield from conclude(run.resource, answer, run.budget)
    match conclusion.poll.progress:
        case Progress.SUCCEEDED:
            yield from run.ledger.clear()
            snapshot = yield from after_success(run.resource, conclusion, run.budget, attempt.tag)
            return run.result("updated", snapshot, tag=attempt.tag, status=answer.status, request_id=attempt.request_id)
        case Progress.PREEMPTED:
            run.ledger.preempted(attempt)
            yield from _doubt(run, attempt, f"its operation was preempted ({conclusion.poll.error.code})", None)
            return None
        case Progress.LOST:
            run.ledger.accepted = False
            yield from _doubt(run, attempt, "its operation could not be followed to its end", None)
            return None
        case _:
            landed = partial(document.agree, attempt.after, paths=attempt.paths)
            raise (yield from failed(run.resource, conclusion, landed))


def _doubt(run: _Run, attempt: Attempt, reason: str, outcome: Outcome | None) -> Flow[None]:
    run.doubts += 1
    yield from emit(Doubt(resource_id=run.resource.id, request_id=attempt.request_id, reason=reason))
    yield from run.budget.back_off(run.doubts, "the fate of a write", cause=outcome)


def _overtaken(run: _Run, tag: str, answer: Response) -> Flow[None]:
    """Count a clean 412, or give up; while another attempt is in doubt, it may have been our own that was faster."""
    if run.ledger.open:
        run.doubts += 1
        yield from run.budget.back_off(run.doubts, "the fate of a write", cause=answer)
        return
    run.conflicts += 1
    run.refused = tag
    yield from emit(Conflict(resource_id=run.resource.id, attempt=run.attempts, sent=tag))
    if run.pin is not None or run.conflicts >= run.options.conflict_retry.attempts:
        raise (yield from _given_up(run, tag, answer))
    yield from run.budget.back_off(run.conflicts, "other writers", cause=answer)


def _given_up(run: _Run, tag: str, answer: Response) -> Flow[Exception]:
    seen = yield from glance(run.resource)
    if isinstance(seen, Response):
        return failures.not_found(run.resource.id, seen, ResourceGoneError)
    if run.pin is not None:
        return failures.stale(run.resource.id, tag, answer, seen)
    error = failures.stale(
        run.resource.id,
        tag,
        answer,
        seen,
        kind=ConflictRetriesExhaustedError,
        why=f"somebody else was faster {run.conflicts} times; allow more with conflict_retry=ConflictRetry(attempts=…)",
    )
    assert isinstance(error, ConflictRetriesExhaustedError)
    error.attempts, error.last_seen = run.attempts, seen
    return error


def _resolve(run: _Run, seen: Snapshot) -> Flow[WriteResult | None]:
    """Judge what is in doubt by what is there now; ``None`` means: go round from this read."""
    ledger, origin = run.ledger, run.ledger.origin or {}
    now = run.resource.writable(seen.body)
    desired = run.resource.writable(applied(run.change, seen.body))
    finding = weigh(
        ledger.attempts,
        tag=seen.etag,
        now=now,
        holds=document.same(now, desired),
        idempotent=lambda: is_idempotent_at(run.change, origin) and is_idempotent_at(run.change, seen.body),
        on_doubt=run.options.on_doubt,
    )
    match finding:
        case Finding.UNMOVED:
            yield from ledger.bury()
            return None
        case Finding.UNKNOWN:
            raise (yield from ledger.unknown(pending=False, why="what is there now does not tell whether it is in it"))
        case Finding.GO_ROUND:
            # Under the same tag they can still land, and only the next read may say that they did not.
            if seen.etag != ledger.attempts[0].tag:
                yield from ledger.go_round()
            return None
        case _:
            tag, ids = ledger.attempts[0].tag, tuple(attempt.request_id for attempt in ledger.attempts)
            yield from ledger.clear()
            how = "equivalent" if finding is Finding.APPLIED else "satisfied"
            yield from emit(Recovered(resource_id=run.resource.id, how=how, request_ids=ids))
            outcome: Literal["updated", "satisfied"] = "updated" if finding is Finding.APPLIED else "satisfied"
            return run.result(outcome, seen, tag=tag, recovered="equivalent" if outcome == "updated" else None)
