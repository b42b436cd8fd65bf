# SPDX-License-Identifier: MIT
"""What only Kubernetes has: patches locked by uid and version, server-side apply, lists in chunks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, TypeAlias
from urllib.parse import quote

from .._core.evidence import Attempt
from .._core.messages import NoResponse, Outcome, Request, Response
from .._core.precondition import Condition
from .._core.snapshot import Snapshot, WriteResult
from .._core.verdict import Verdict, service_error
from .._flows import failures
from .._flows.budget import Budget
from .._flows.effects import Flow, emit, new_request_id, send
from .._flows.ledger import Ledger
from .._flows.options import Options
from .._flows.read import fetch, read
from .._flows.write import once
from ..errors import InvalidPreconditionError, MergeConflictError, RequestRefusedError
from ._judge import field_conflicts, judge_object_read
from ._object import KubernetesObject, version_of
from ._patches import JsonPatch, Patch
from ._watchdog import Watchdog

APPLY: Final = "application/apply-patch+yaml"
Conflicts: TypeAlias = tuple[tuple[str, str], ...]


def patch(
    target: KubernetesObject, change: Patch, seen: Snapshot | None, locked: bool, options: Options, budget: Budget
) -> Flow[WriteResult]:
    """Send one patch; locked, it is bound to the version seen, or to that of a read made for it.

    Raises:
        PreconditionFailedError: somebody else wrote in between.
    """
    if locked and seen is None:
        seen = yield from read(target, budget)
    condition = Condition() if seen is None else Condition(tag=seen.etag)
    headers = {"Content-Type": change.content_type}
    body = _locked(target, change, condition, seen)
    request = Request(method="PATCH", url=target.place.path + target.query(), headers=headers, body=body)
    return (yield from once(target, "patch", request, condition, options, budget, seen=seen))


def _locked(target: KubernetesObject, change: Patch, condition: Condition, seen: Snapshot | None) -> Any:
    if not isinstance(change, JsonPatch):
        if seen is None:
            return change.patch
        metadata = change.patch.get("metadata") or {}
        return {**change.patch, "metadata": {**metadata, **target.lock(condition, seen.body)}}
    if seen is None:
        return list(change.operations)
    # A "test" that fails is a 422 that looks like a bad path; a replaced resourceVersion that is stale is a true 409.
    lock = {"op": "replace", "path": "/metadata/resourceVersion", "value": condition.version}
    return [lock, *change.operations]


def apply(target: KubernetesObject, body: Any, force: bool, budget: Budget, watchdog: Watchdog) -> Flow[WriteResult]:
    """Apply a body as one field manager. It says the same each time, so that a lost answer is answered by asking again.

    Forced, it is asked without force first: nothing else says whose fields are taken, and most often there are none.

    Raises:
        MergeConflictError: other managers own some of the fields, and say other things.
        WriteOutcomeUnknownError: refused after an answer that was lost, so that the lost one may have been carried out.
    """
    _check_applied(target, body)
    request = Request(
        method="PATCH", url=target.place.path + target.query(), headers={"Content-Type": APPLY}, body=body
    )
    ledger = Ledger(target.id)
    try:
        return (yield from _applying(target, request, force, budget, watchdog, ledger))
    except Exception as error:
        # A clash after a lost answer may be with what somebody made of our own write.
        closed = yield from ledger.closing(error)
        if closed is error:
            raise
        raise closed from error


def _applying(
    target: KubernetesObject, request: Request, force: bool, budget: Budget, watchdog: Watchdog, ledger: Ledger
) -> Flow[WriteResult]:
    taken: Conflicts = ()
    attempts = 0
    while True:
        attempts += 1
        request = yield from budget.allowed(request, "a chance to apply")
        request = replace(request, request_id=(yield from new_request_id()))
        outcome, verdict = yield from _sent(target, request, ledger)
        if verdict is Verdict.ACCEPTED and isinstance(outcome, Response):
            for event in () if target.dry_run else watchdog.forced(target.id, taken):
                yield from emit(event)
            return _applied(target, outcome, attempts, budget, request.request_id)
        if verdict is Verdict.THROTTLED:
            yield from budget.throttled(outcome)
        elif verdict in (Verdict.UNSURE, Verdict.NOT_SENT, Verdict.BUSY):
            yield from budget.back_off(attempts, f"an answer to apply ({failures.explained(outcome)})", cause=outcome)
        elif force and not taken and (taken := _owned(outcome)):
            request = replace(request, url=target.place.path + target.query(force="true"))
        else:
            raise _refused(target, verdict, outcome, version_of(request.body))


def _sent(target: KubernetesObject, request: Request, ledger: Ledger) -> Flow[tuple[Outcome, Verdict]]:
    """Send it once; what stays in the ledger after it is in doubt."""
    body = request.body or {}
    attempt = Attempt(request_id=request.request_id, tag=version_of(body) or "", before={}, after=body, paths=())
    yield from ledger.sending(attempt, {})
    outcome = yield from send(request)
    attempt = yield from ledger.answered(attempt, outcome)
    verdict = target.judge(outcome)
    if verdict is Verdict.ACCEPTED:
        yield from ledger.succeeded()
    elif verdict is not Verdict.UNSURE:
        yield from ledger.drop(attempt)
    return outcome, verdict


def _owned(outcome: Outcome) -> Conflicts:
    return field_conflicts(outcome.body) if isinstance(outcome, Response) else ()


def _applied(target: KubernetesObject, answer: Response, attempts: int, budget: Budget, request_id: str) -> WriteResult:
    return WriteResult(
        outcome="created" if answer.status == 201 else "updated",
        snapshot=target.result(answer),
        status=answer.status,
        attempts=attempts,
        waited=budget.waited,
        request_id=request_id,
    )


def _refused(target: KubernetesObject, verdict: Verdict, outcome: Outcome, version: str | None) -> Exception:
    if isinstance(outcome, NoResponse):
        return outcome.error
    owned = _owned(outcome)
    if owned:
        return field_conflict(target, outcome, owned)
    if verdict is Verdict.STALE:
        return failures.stale(target.id, version, outcome, None)
    return failures.refusal(target.id, verdict, outcome)


def field_conflict(target: KubernetesObject, answer: Response, owned: Conflicts) -> MergeConflictError:
    """Say who owns what, and name the three ways out."""
    fields = ", ".join(f"{path} ({manager})" for path, manager in owned)
    return MergeConflictError(
        f"{target.id} was not applied: others own {fields}; take them over with force=True, leave these out, or say "
        "the same value as they do, to share it",
        answer=answer,
        code=service_error(answer.body).code,
        resource_id=target.id,
        conflicts=owned,
        applied=False,
    )


def _check_applied(target: KubernetesObject, body: Any) -> None:
    metadata = body.get("metadata") or {}
    fetched = [name for name in ("managedFields", "uid", "creationTimestamp") if name in metadata]
    if fetched:
        raise InvalidPreconditionError(
            f"{target.id}: this body was read from the server (it has {', '.join(fetched)}), and to apply it would "
            "claim every field in it; apply only what this manager wants to own"
        )
    if "resourceVersion" in metadata and version_of(body) is None:
        raise InvalidPreconditionError(f"{target.id}: an empty or zero resourceVersion locks nothing: leave it out")
    target.check_edit({}, body)


def chunk(request: Request, what: str, options: Options) -> Flow[tuple[list[Any], Request | None]]:
    """Read one chunk of a list; after an expired token, go on with the fresh one that the 410 carries.

    What follows is then of another version than what came before (facts page, section 2).
    """
    budget = yield from Budget.start(what, options)
    outcome = yield from send((yield from budget.allowed(request, "a list")))
    fresh = _continue_of(outcome) if isinstance(outcome, Response) and outcome.status == 410 else None
    if fresh:
        return [], _continued(request, fresh)
    verdict = judge_object_read(outcome)
    if verdict is Verdict.REFUSED:
        raise failures.refusal(what, verdict, outcome)
    answer = outcome if verdict is Verdict.ACCEPTED else (yield from fetch(request, budget, judge_object_read))
    assert isinstance(answer, Response)
    items = answer.body.get("items")
    if not isinstance(items, list):
        raise RequestRefusedError(f"{what}: the answer is not a list", answer=answer)
    following = _continue_of(answer)
    return items, _continued(request, following) if following else None


def _continue_of(answer: Response) -> str | None:
    metadata = answer.body.get("metadata") if isinstance(answer.body, dict) else None
    token = metadata.get("continue") if isinstance(metadata, dict) else None
    return token if isinstance(token, str) else None


def _continued(request: Request, token: str) -> Request:
    base = request.url.partition("&continue=")[0]
    return replace(request, url=f"{base}&continue={quote(token, safe='')}")
