# SPDX-License-Identifier: MIT
"""Every error this library raises.

AksEtagError (azure.core.exceptions.AzureError)
├── InvalidPreconditionError (ValueError)             refused locally, before any I/O
│   ├── PreconditionRequiredError                     no condition and no force=True: a local 428
│   ├── InlinePoolEditError                           a cluster write that would carry agentPoolProfiles
│   ├── JsonPatchError                                an operation of a JSON Patch that cannot be performed
│   ├── ReadOnlyEditError                             a change that could never be applied
│   └── ScaleDownRefusedError                         no_scale_down, and the change takes nodes away
├── InvalidResourceIdError (ValueError)               a name or id the service would refuse
├── MissingETagError                                  the service returned no tag
├── NotFoundError (ResourceNotFoundError)
│   ├── ResourceGoneError                             deleted while we were changing it
│   └── ResourceReplacedError                         deleted and created again
├── AlreadyExistsError (ResourceExistsError)
├── PreconditionFailedError (ResourceModifiedError)   412
│   └── ConflictRetriesExhaustedError
├── OperationInProgressError (HttpResponseError)      409: somebody's operation is running
├── OperationFailedError (HttpResponseError)          the write was accepted, its operation failed
│   └── OperationPreemptedError
├── ThrottledError (HttpResponseError)                429
├── RequestRefusedError (HttpResponseError)           any other refusal, as it came
│   └── AccessDeniedError (ClientAuthenticationError) 401, 403
├── DeadlineExceededError (TimeoutError)
├── MergeConflictError                               two edits of one place, each to something else
└── WriteOutcomeUnknownError (ServiceResponseError)   the write may or may not have been applied

``applied`` is ``True``, ``False`` or ``None`` for "not known". No message carries a body or a token.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from azure.core.exceptions import (
    AzureError,
    ClientAuthenticationError,
    HttpResponseError,
    ODataV4Format,
    ResourceExistsError,
    ResourceModifiedError,
    ResourceNotFoundError,
    ServiceResponseError,
)

if TYPE_CHECKING:
    from ._core.messages import Response
    from ._core.snapshot import Snapshot

# What cannot cross a process boundary, or would carry a body along.
_NOT_PICKLED = ("response", "model", "error", "inner_exception", "exc_type", "exc_value", "exc_traceback", "exc_info")


class AksEtagError(AzureError):
    """Base of all errors of this library; ``code`` is the service's error code where an answer was the reason."""

    status_code: int | None = None
    reason: str | None = None
    code: str | None = None
    resource_id: str | None = None
    applied: bool | None = None
    joint: bool = False

    def __init__(self, message: str, *, answer: Response | None = None, **facts: Any) -> None:
        AzureError.__init__(self, message)
        self.exc_msg = message
        if isinstance(self, HttpResponseError):
            _describe(self, answer)
        elif answer is not None:
            self.status_code = answer.status
        for name, value in facts.items():
            if not hasattr(type(self), name):
                raise TypeError(f"{type(self).__name__} has no fact {name!r}")
            setattr(self, name, value)

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[Any, ...]:
        facts = {name: value for name, value in self.__dict__.items() if name not in _NOT_PICKLED}
        return _revive, (type(self), self.message, facts)


def _revive(kind: type[AksEtagError], message: str, facts: dict[str, Any]) -> AksEtagError:
    error = kind(message)
    error.__dict__.update(facts)
    return error


def _describe(error: HttpResponseError, answer: Response | None) -> None:
    raw = None if answer is None else answer.raw
    error.status_code = None if answer is None else answer.status
    error.reason = getattr(raw, "reason", None)
    error.response = raw
    error.model = None
    error.error = None if answer is None else _odata(answer.body)


def _odata(body: Any) -> ODataV4Format | None:
    try:
        return ODataV4Format(body)
    except (AttributeError, TypeError, ValueError):
        return None


class InvalidPreconditionError(AksEtagError, ValueError):
    """The request would be refused, or would not be guarded as meant: nothing was sent."""


class PreconditionRequiredError(InvalidPreconditionError):
    """A write has neither a condition nor ``force=True``: nothing was sent."""


class InlinePoolEditError(InvalidPreconditionError):
    """A cluster write would carry ``agentPoolProfiles``, which its eTag does not protect: nothing was sent."""


class JsonPatchError(InvalidPreconditionError):
    """An operation of a JSON Patch cannot be performed: nothing was sent.

    ``index`` says which one, from zero, and ``path`` where; its value is not shown.
    """

    index: int | None = None
    path: str | None = None


class ReadOnlyEditError(InvalidPreconditionError):
    """A change touched only fields that the service owns, so it could never be applied: nothing was sent."""


class ScaleDownRefusedError(InvalidPreconditionError):
    """A change guarded by ``no_scale_down`` would take nodes away: nothing was sent. ``paths`` says where."""

    paths: tuple[str, ...] = ()


class InvalidResourceIdError(AksEtagError, ValueError):
    """A name or id breaks the service's rules: nothing was sent."""


class MissingETagError(AksEtagError):
    """The service returned no eTag, so that no guarded write is possible."""


class NotFoundError(AksEtagError, ResourceNotFoundError):
    """The resource, or what it lives in, does not exist."""


class ResourceGoneError(NotFoundError):
    """The resource was deleted while it was being changed; it is never created again silently."""


class ResourceReplacedError(NotFoundError):
    """The resource was deleted and created again: what is there now has another identity."""


class AlreadyExistsError(AksEtagError, ResourceExistsError):
    """A create found the resource there already; ``current`` is what is there, if it could be read."""

    current: Snapshot | None = None


class PreconditionFailedError(AksEtagError, ResourceModifiedError):
    """The resource has another version than the one asked for: 412.

    ``sent`` is the eTag that was asked for, ``current`` what is there now, if it could be read.
    """

    sent: str | None = None
    current: Snapshot | None = None


class ConflictRetriesExhaustedError(PreconditionFailedError):
    """Somebody else was faster ``attempts`` times; ``last_seen`` is the newest version seen."""

    attempts: int = 0
    last_seen: Snapshot | None = None


class OperationInProgressError(AksEtagError, HttpResponseError):
    """Somebody's operation blocks the write: 409.

    ``kind`` ("Creating"), ``pool``, ``operation`` (its id) and ``since`` say which it is, as far as the service told.
    """

    operation: str | None = None
    kind: str | None = None
    pool: str | None = None
    since: str | None = None


class OperationFailedError(AksEtagError, HttpResponseError):
    """The write was accepted, but its long-running operation ended in failure.

    ``codes`` has the code of the error and those of the details inside, ``category`` what they come to: "preempted",
    "canceled", "quota", "capacity", "subnet", "policy", "drain", "network", "internal", or ``None`` where nobody knows.
    ``equivalent``: ``applied=True`` says so because all that was asked for is there, not because a marker proves it.
    """

    operation: str | None = None
    equivalent: bool = False
    codes: tuple[str, ...] = ()
    category: str | None = None


class OperationPreemptedError(OperationFailedError):
    """The write was accepted and then lost a race against another operation; it may be stored."""


class ThrottledError(AksEtagError, HttpResponseError):
    """The request budget is spent: 429. ``retry_after`` is in seconds."""

    retry_after: float | None = None


class RequestRefusedError(AksEtagError, HttpResponseError):
    """The service refused the request for a reason that has nothing to do with eTags."""


class AccessDeniedError(RequestRefusedError, ClientAuthenticationError):
    """The credential is not accepted (401) or may not do this (403)."""


class DeadlineExceededError(AksEtagError, TimeoutError):
    """The deadline passed. ``waiting_for`` says what was awaited, ``operation`` which one is still running."""

    waiting_for: str | None = None
    operation: str | None = None


class MergeConflictError(AksEtagError):
    """Two changes touch the same place; ``conflicts`` lists where.

    From ``rebase`` these are values with ``path``, ``base``, ``ours`` and ``theirs`` (``ABSENT`` where there is none);
    from server-side apply in Kubernetes, pairs of path and manager. The message has the paths only.
    """

    conflicts: tuple[Any, ...] = ()


class WriteOutcomeUnknownError(AksEtagError, ServiceResponseError):
    """A write was sent, and it could not be found out whether it was applied.

    ``pending``: it may still be applied later. ``equivalent``: what is there now is what the write asked for.
    ``sent`` is the eTag sent, ``observed`` the newest snapshot, ``request_ids`` the x-ms-client-request-id of each
    attempt.
    """

    pending: bool = False
    equivalent: bool = False
    sent: str | None = None
    observed: Snapshot | None = None
    request_ids: tuple[str, ...] = ()
