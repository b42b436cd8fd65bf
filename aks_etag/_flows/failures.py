# SPDX-License-Identifier: MIT
"""From an answer to the error that tells what happened, what was sent, what is there, and what to do next."""

from __future__ import annotations

from typing import Final

from .._core.blocker import blocker
from .._core.failure import kind_of
from .._core.messages import NoResponse, Outcome, Response
from .._core.operation import Poll, Progress
from .._core.pacing import SHORTEST_SILENCE, retry_after
from .._core.snapshot import Snapshot
from .._core.verdict import ServiceError, Verdict, service_error
from ..errors import (
    AccessDeniedError,
    AksEtagError,
    DeadlineExceededError,
    NotFoundError,
    OperationFailedError,
    OperationInProgressError,
    OperationPreemptedError,
    PreconditionFailedError,
    RequestRefusedError,
    ThrottledError,
)

_LONGEST_TEXT: Final = 300

_OTHER_VERSION: Final = "the service does not know this api-version (any more): choose another with api_version="
# What to do about a refusal, by its code in lower case, or by its status.
HINTS: Final = {
    "noregisteredproviderfound": _OTHER_VERSION,
    "invalidresourcetype": _OTHER_VERSION,
    "invalidapiversionparameter": _OTHER_VERSION,
    "missingsubscriptionregistration": "register the subscription once: "
    "az provider register --namespace Microsoft.ContainerService",
    "expiredauthenticationtoken": "the token has expired, and so had a fresh one: check the clock of this machine",
    "invalidauthenticationtokentenant": "the token is of another tenant than the subscription: sign in to that tenant",
    "authorizationfailed": "the credential lacks a role on it, such as Azure Kubernetes Service Contributor",
    "401": "the token is not accepted: sign in again, and check that it is for this server (cloud, tenant, expiry)",
    "403": "the credential may not do this: check its roles, and the policies in force",
}


def explained(outcome: Outcome) -> str:
    """Say in words what came back, without its body."""
    if isinstance(outcome, NoResponse):
        return f"no answer ({type(outcome.error).__name__})"
    error = service_error(outcome.body)
    said = " ".join(error.message.split())[:_LONGEST_TEXT]
    return f"{outcome.status} {error.code}".rstrip() + (f": {said}" if said else "")


def refusal(resource_id: str, verdict: Verdict, outcome: Outcome) -> Exception:
    """Return the error for an answer that nothing can be done about."""
    if isinstance(outcome, NoResponse):
        return outcome.error
    error = service_error(outcome.body)
    if verdict is Verdict.ABSENT:
        return not_found(resource_id, outcome)
    if verdict is Verdict.THROTTLED:
        return throttled(resource_id, outcome, None)
    if verdict is Verdict.BUSY:
        return in_progress(resource_id, outcome)
    kind = AccessDeniedError if verdict is Verdict.DENIED else RequestRefusedError
    hint = HINTS.get(error.code.casefold()) or HINTS.get(str(outcome.status), "")
    text = f"{resource_id}: {explained(outcome)}" + (f"; {hint}" if hint else "")
    return kind(text, answer=outcome, code=error.code, resource_id=resource_id)


def not_found(resource_id: str, answer: Response, kind: type[NotFoundError] = NotFoundError) -> NotFoundError:
    """Return the error for something that is not there."""
    return kind(
        f"{resource_id} does not exist: {explained(answer)}",
        answer=answer,
        code=service_error(answer.body).code,
        resource_id=resource_id,
    )


def throttled(resource_id: str, answer: Outcome, seconds: float | None) -> ThrottledError:
    """Return the error for a spent request budget."""
    response = answer if isinstance(answer, Response) else None
    if response is not None and seconds is None:
        asked = retry_after(response.headers, now=response.received_at)
        seconds = None if asked is None else max(asked, SHORTEST_SILENCE)
    when = "later" if seconds is None else f"in {seconds:g} s"
    return ThrottledError(
        f"{resource_id}: {explained(answer)}; try again {when}",
        answer=response,
        code="" if response is None else service_error(response.body).code,
        resource_id=resource_id,
        retry_after=seconds,
    )


def unaffordable(resource_id: str, seconds: float) -> ThrottledError:
    """Return the error for a request that is not sent, since the service is known to refuse it."""
    error = ThrottledError(
        f"{resource_id}: not sent, since the service has answered 429 and its request budget is still spent; "
        f"try again in {seconds:.3g} s, or allow more with deadline=",
        resource_id=resource_id,
        retry_after=seconds,
    )
    # Refused here or there, it is a 429 to whoever looks at the status.
    error.status_code = 429
    return error


def in_progress(resource_id: str, answer: Response) -> OperationInProgressError:
    """Return the error for a write that somebody's operation blocks."""
    error = service_error(answer.body)
    blocking = blocker(error.message)
    return OperationInProgressError(
        f"{resource_id} was not written, blocked by {blocking}: {explained(answer)}; "
        'wait for it with wait(), or let update() wait (on_busy="wait")',
        answer=answer,
        code=error.code,
        resource_id=resource_id,
        operation=blocking.operation,
        kind=blocking.kind,
        pool=blocking.pool,
        since=blocking.since,
    )


def unsettled(snapshot: Snapshot) -> OperationInProgressError:
    """Return the error for a resource that is busy, for a caller who does not want to wait."""
    return OperationInProgressError(
        f"{snapshot.id} is busy: provisioningState is {snapshot.provisioning_state}; wait for it with wait()",
        resource_id=snapshot.id,
    )


def stale(
    resource_id: str,
    sent: str | None,
    answer: Response | None,
    current: Snapshot | None,
    *,
    kind: type[PreconditionFailedError] = PreconditionFailedError,
    why: str = "somebody else wrote first; read it again and decide anew, or use update()",
) -> PreconditionFailedError:
    """Return the error for a version that is not the one asked for."""
    asked = "refused with 412" if sent is None else f'asked for version "{sent}"'
    there = "" if current is None else f', there is now "{current.version}"'
    error = kind(
        f"{resource_id} was not written: {asked}{there}; {why}",
        answer=answer,
        code=None if answer is None else service_error(answer.body).code,
        resource_id=resource_id,
        sent=sent,
        current=current,
    )
    # Refused here or there, it is a 412 to whoever looks at the status.
    error.status_code = 412
    return error


def operation_failed(
    resource_id: str,
    poll: Poll,
    operation: str | None = None,
    answer: Response | None = None,
    *,
    applied: bool | None,
    equivalent: bool = False,
) -> OperationFailedError:
    """Return the error for a write that was accepted and whose operation then failed."""
    kind = OperationPreemptedError if poll.progress is Progress.PREEMPTED else OperationFailedError
    error = poll.error if poll.error.code or poll.error.message else ServiceError(code=poll.status)
    said = " ".join(error.message.split())[:_LONGEST_TEXT]
    stored = {True: "what was written is there", None: "it may be stored in part"}.get(applied, "it is not stored")
    codes = tuple(dict.fromkeys([error.code, *sorted(poll.error.codes - {"", error.code.casefold()})]))
    why = kind_of(codes)
    hint = "read it before writing again" if why is None else why.hint
    return kind(
        f"{resource_id}: the write was accepted, but its operation ended as {poll.status or 'Failed'}"
        f" ({error.code}{': ' if said else ''}{said}); {stored}; {hint}",
        answer=answer,
        code=error.code,
        codes=codes,
        category=None if why is None else why.category,
        resource_id=resource_id,
        operation=operation,
        applied=applied,
        equivalent=equivalent,
    )


def not_applied(seen: Snapshot, outcome: str) -> OperationFailedError:
    """Return the error for a write that the service calls a success, where ``verify`` finds that nothing came of it."""
    error = OperationFailedError(
        f"{seen.id}: Succeeded, but not applied: the outcome is {outcome}, and verify() says no of what is there now "
        f'(version "{seen.version}"); somebody may have changed it since, or a policy may have changed it on the way',
        code="NotApplied",
        resource_id=seen.id,
        applied=None,
    )
    error.status_code = 200
    return error


def with_cause(error: DeadlineExceededError, outcome: Outcome | None) -> DeadlineExceededError:
    """Name what the service said last as the cause of running out of time."""
    if isinstance(outcome, NoResponse):
        error.__cause__ = outcome.error
    elif isinstance(outcome, Response):
        cause: AksEtagError = (
            in_progress(error.resource_id or "", outcome)
            if outcome.status == 409
            else RequestRefusedError(explained(outcome), answer=outcome, code=service_error(outcome.body).code)
        )
        error.__cause__ = cause
    return error
