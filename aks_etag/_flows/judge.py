# SPDX-License-Identifier: MIT
"""What an answer to a write of ``update`` leads to, and what a read says about writes in doubt."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from .._core import document
from .._core.changes import Change, applied, is_idempotent_at
from .._core.events import Conflict, Doubt, Recovered
from .._core.evidence import Attempt, Finding, weigh
from .._core.marker import Trace, trace
from .._core.messages import Body, Outcome, Response
from .._core.operation import ENDED_BADLY, Poll, Progress
from .._core.snapshot import Snapshot, WriteResult
from .._core.verdict import Verdict
from ..errors import ConflictRetriesExhaustedError, ResourceGoneError, WriteOutcomeUnknownError
from . import failures
from .aftermath import after_success, failed, glance
from .effects import Accepted, Flow, emit, now
from .run import Run
from .settle import conclude, unblock


def judged(run: Run, attempt: Attempt, outcome: Outcome) -> Flow[WriteResult | None]:
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


def _refused(run: Run, attempt: Attempt, verdict: Verdict, answer: Response) -> Flow[None]:
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
            yield from _blocked(run, answer)
        case Verdict.THROTTLED:
            yield from run.budget.throttled(answer)
        case Verdict.ABSENT if run.missing == 0:
            # Not the text of a 404 but the next read decides whether it is gone.
            run.missing += 1
        case _:
            run.turned_down = True
            raise failures.refusal(run.resource.id, verdict, answer)


def _accepted(run: Run, attempt: Attempt, answer: Response) -> Flow[WriteResult | None]:
    link = run.resource.operation(answer)
    run.ledger.started(link)
    alike = partial(is_idempotent_at, run.change, run.ledger.origin or {})
    older = run.ledger.older(attempt)
    yield from run.budget.handed_over(Accepted(run.resource, "updated", link, attempt, older, alike))
    conclusion = yield from conclude(run.resource, answer, run.budget)
    match conclusion.poll.progress:
        case Progress.SUCCEEDED:
            yield from run.ledger.succeeded()
            snapshot = yield from after_success(run.resource, conclusion, run.budget, attempt.tag)
            if older and snapshot.moved_from(attempt.tag) is False:
                # The service does not fence this kind of write: an older copy can still land, and undo this one.
                run.ledger.attempts = list(older)
                raise (yield from run.ledger.unknown(pending=True, why="the eTag did not move with the write after it"))
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
            landed, noted = partial(_landed, run, attempt), attempt.mark is not None
            error, run.ledger.seen = yield from failed(run.resource, conclusion, landed, noted=noted)
            raise error


def _landed(run: Run, attempt: Attempt, now: Body) -> bool:
    """Whether a document proves that an attempt is stored: by its note, or by what only it, or its like, would say.

    Two increments say the same: that it is there may be the work of the other one.
    """
    if attempt.mark is not None:
        return trace([attempt.mark], run.marks.text(now), fenced=False) is Trace.LANDED
    there = document.agree(now, attempt.after, attempt.paths)
    return there and is_idempotent_at(run.change, run.ledger.origin or {})


def _doubt(run: Run, attempt: Attempt, reason: str, outcome: Outcome | None) -> Flow[None]:
    run.doubts += 1
    yield from emit(Doubt(resource_id=run.resource.id, request_id=attempt.request_id, reason=reason))
    yield from run.budget.back_off(run.doubts, "the fate of a write", cause=outcome, firm=False)


def _overtaken(run: Run, tag: str, answer: Response) -> Flow[None]:
    """Count a clean 412, or give up; while another attempt is in doubt, it may have been our own that was faster."""
    if run.ledger.open:
        run.doubts += 1
        yield from run.budget.back_off(run.doubts, "the fate of a write", cause=answer, firm=False)
        return
    run.conflicts += 1
    run.refused = tag
    yield from emit(Conflict(resource_id=run.resource.id, attempt=run.attempts, sent=tag))
    if run.pin is not None or run.conflicts >= run.options.conflict_retry.attempts:
        raise (yield from _given_up(run, tag, answer))
    yield from run.crowd.refused()
    yield from run.budget.back_off(run.patience(run.conflicts), "other writers", cause=answer)


def _blocked(run: Run, answer: Response) -> Flow[None]:
    """Wait for whoever was faster."""
    run.busy += 1
    yield from run.crowd.refused()
    began = yield from now()
    own, tries = run.ledger.operations, run.patience(run.busy)
    busy = yield from unblock(run.resource, answer, tries, run.budget, run.options, in_doubt=run.ledger.open, own=own)
    if busy:
        yield from run.crowd.waited(began)


def _given_up(run: Run, tag: str, answer: Response) -> Flow[Exception]:
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


def stored_but_failed(run: Run, seen: Snapshot, *, noted: bool) -> Exception:
    """Return the error for what is stored, while its operation has failed."""
    poll = Poll(Progress.FAILED, seen.provisioning_state or "")
    return failures.operation_failed(run.resource.id, poll, applied=True if noted else None)


def ended_badly(run: Run, seen: Snapshot) -> bool:
    """Whether what was written is stored, but the operation that it started has failed: no success to report.

    The state that a preempted operation leaves says nothing of the kind.
    """
    preempted = any(attempt.preempted for attempt in run.ledger.attempts)
    return not preempted and (seen.provisioning_state or "").casefold() in ENDED_BADLY


def resolve(run: Run, seen: Snapshot) -> Flow[WriteResult | None]:
    """Judge what is in doubt by what is there now; ``None`` means: go round from this read."""
    return (yield from concluded(run, seen, weighed(run, seen, run.change, run.ledger.attempts)))


def weighed(
    run: Run, seen: Snapshot, change: Change, attempts: Sequence[Attempt], repeated: Sequence[Change] = ()
) -> Finding:
    """Ask the table of evidence what a read says about writes of a change.

    ``repeated`` are the changes that it is made of, each of which must bear to be made again, if it is made of several.
    """
    origin, body = run.ledger.origin or {}, run.marks.origin(seen.body)
    now = run.resource.writable(body)
    desired = run.resource.writable(run.marks.bare(applied(change, body)))
    return weigh(
        attempts,
        tag=seen.etag,
        now=now,
        holds=document.same(now, desired),
        idempotent=lambda: all(
            is_idempotent_at(each, origin) and is_idempotent_at(each, body) for each in repeated or (change,)
        ),
        on_doubt=run.options.on_doubt,
        marker=run.marks.text(seen.body),
    )


def undecidable(run: Run, seen: Snapshot, attempts: Sequence[Attempt]) -> Flow[WriteOutcomeUnknownError]:
    """Return the error for writes of which a read does not tell what became of them."""
    # Under a tag that has not moved they can still land, whatever else has changed.
    pending, now = seen.etag == attempts[0].tag, run.resource.writable(run.marks.origin(seen.body))
    like_ours = any(document.agree(now, attempt.after, attempt.paths) for attempt in attempts)
    why, about = "what is there now does not tell", () if attempts is run.ledger.attempts else attempts
    return (yield from run.ledger.unknown(pending=pending, why=why, equivalent=like_ours, about=about))


def concluded(run: Run, seen: Snapshot, finding: Finding) -> Flow[WriteResult | None]:
    """Do what a finding asks for; ``None`` means: go round from this read."""
    ledger = run.ledger
    match finding:
        case Finding.UNMOVED:
            yield from ledger.bury()
            return None
        case Finding.UNKNOWN:
            raise (yield from undecidable(run, seen, ledger.attempts))
        case Finding.GO_ROUND:
            # Under the same tag they can still land, and only the next read may say that they did not.
            if seen.etag != ledger.attempts[0].tag:
                yield from ledger.go_round()
            return None
        case Finding.DEAD:
            yield from ledger.clear()
            return None
        case Finding.APPLIED | Finding.NOTED if ended_badly(run, seen):
            raise stored_but_failed(run, seen, noted=finding is Finding.NOTED)
        case _:
            tag, ids = ledger.attempts[0].tag, tuple(attempt.request_id for attempt in ledger.attempts)
            yield from ledger.clear()
            how = _HOW[finding]
            yield from emit(Recovered(resource_id=run.resource.id, how=how, request_ids=ids))
            if finding is Finding.SATISFIED:
                return run.result("satisfied", seen, tag=tag)
            return run.result("updated", seen, tag=tag, recovered=how)


_HOW: Final = {Finding.APPLIED: "equivalent", Finding.NOTED: "marker", Finding.SATISFIED: "satisfied"}
