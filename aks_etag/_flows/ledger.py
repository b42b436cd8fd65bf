# SPDX-License-Identifier: MIT
"""The writes of one call whose outcome is not known yet. While there are any, no error may claim "not applied"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from .._core.events import OutcomeUnknown
from .._core.evidence import Attempt
from .._core.messages import Body, Outcome, Response
from .._core.operation import Link
from .._core.snapshot import Snapshot
from ..errors import (
    AksEtagError,
    DeadlineExceededError,
    OperationFailedError,
    ResourceGoneError,
    ResourceReplacedError,
    ThrottledError,
    WriteOutcomeUnknownError,
)
from .effects import Flow, Undecided, emit

# These say by themselves what became of the write.
_DECIDED: Final = (WriteOutcomeUnknownError, ResourceGoneError, ResourceReplacedError)


@dataclass(slots=True)
class Ledger:
    """Attempts in flight or in doubt; all of them carry one tag."""

    resource_id: str
    attempts: list[Attempt] = field(default_factory=list)
    origin: Body | None = None
    accepted: bool = False
    residual: tuple[Attempt, ...] = ()
    unproved: bool = False
    seen: Snapshot | None = None
    operations: set[str] = field(default_factory=set)

    @property
    def open(self) -> bool:
        """Whether any attempt is undecided."""
        return bool(self.attempts)

    def sending(self, attempt: Attempt, origin: Body) -> Flow[None]:
        """Enter an attempt that is about to be sent, made from this body."""
        if not self.attempts:
            self.origin = origin
        self.attempts.append(attempt)
        yield self._announced()

    def answered(self, attempt: Attempt, outcome: Outcome) -> Flow[Attempt]:
        """Enter the id of the request that was really answered, where a policy has changed it on the way."""
        if isinstance(outcome, Response) and not outcome.sent_once:
            # A refusal may be of a second copy, while the first was carried out.
            self.unproved = True
        request_id = outcome.request_id if isinstance(outcome, Response) else ""
        if not request_id or request_id == attempt.request_id:
            return attempt
        named = replace(attempt, request_id=request_id)
        self.attempts[self.attempts.index(attempt)] = named
        yield self._announced()
        return named

    def started(self, operation: Link | None) -> None:
        """Enter the operation that a write has started, to tell it from those of others."""
        self.accepted = True
        self.operations |= {operation.name.casefold()} if operation is not None else set()

    def drop(self, attempt: Attempt) -> Flow[None]:
        """Strike out an attempt that was definitely refused, or never left."""
        self.attempts.remove(attempt)
        yield replace(self._announced(), refused=not (self.attempts or self.residual))

    def clear(self) -> Flow[None]:
        """Strike out all: they are decided."""
        self.attempts.clear()
        self.accepted = False
        yield self._announced()

    def succeeded(self) -> Flow[None]:
        """Strike out all: a write was carried out to its end, and what was in doubt before it is no matter any more."""
        self.residual = ()
        yield from self.clear()

    def go_round(self) -> Flow[None]:
        """Strike out all on evidence that is good but no proof: from now on, no error may claim "not applied"."""
        self.residual += tuple(self.attempts)
        yield from self.clear()

    def preempted(self, attempt: Attempt) -> None:
        """Note that an attempt's operation ended by losing a race: it can land no more."""
        self.attempts[self.attempts.index(attempt)] = replace(attempt, preempted=True)
        self.accepted = False

    def bury(self) -> Flow[None]:
        """Strike out what can land no more, after a read that shows that nothing has landed."""
        self.attempts = [attempt for attempt in self.attempts if not attempt.preempted]
        yield self._announced()

    def older(self, attempt: Attempt) -> tuple[Attempt, ...]:
        """List what is undecided beside this one."""
        return tuple(other for other in self.attempts if other != attempt)

    @property
    def fenced(self) -> bool:
        """Whether a read has shown another version than the one the open attempts carry: none can land any more."""
        return self.seen is not None and self.seen.moved_from(self.attempts[0].tag) is True

    def unknown(
        self, *, pending: bool, why: str, equivalent: bool = False, about: Sequence[Attempt] = ()
    ) -> Flow[WriteOutcomeUnknownError]:
        """Tell whoever listens, and return the error that says that it could not be found out.

        ``about`` are the writes that it is said of, where that is not all of them.
        """
        ids = tuple(attempt.request_id for attempt in about or (*self.residual, *self.attempts))
        sent = (about or self.attempts or self.residual)[0].tag
        yield from emit(OutcomeUnknown(resource_id=self.resource_id, request_ids=ids, pending=pending))
        state = "may still be applied" if pending else "may have been applied"
        asked = f'a write sent with version "{sent}"' if sent else "a write"
        there = "" if self.seen is None else f', there is now "{self.seen.version}"'
        return WriteOutcomeUnknownError(
            f"{self.resource_id}: {asked} {state}: {why}{there}; "
            f"read the resource before writing again (x-ms-client-request-id {', '.join(ids)})",
            resource_id=self.resource_id,
            pending=pending,
            equivalent=equivalent,
            sent=sent or None,
            observed=self.seen,
            request_ids=ids,
        )

    def closing(self, error: Exception) -> Flow[Exception]:
        """Return the error to end with: while a write is undecided, any other error would claim too much."""
        still_running = self.accepted and isinstance(error, DeadlineExceededError | ThrottledError)
        of_the_last = still_running or isinstance(error, OperationFailedError)
        # What the last write came to says nothing of an older one that can still land under the same version; a create
        # can as soon as somebody has deleted what is there.
        overshadowed = of_the_last and len(self.attempts) > 1 and not (self.fenced and self.attempts[0].tag)
        decided = of_the_last or isinstance(error, _DECIDED) or not (self.open or self.residual)
        if decided and not overshadowed:
            return self._told(error)
        name = type(error).__name__
        why = f"one after it ended with {name}" if overshadowed else f"it could not be found out ({name})"
        unknown = yield from self.unknown(pending=overshadowed or (self.open and not self.fenced), why=why)
        unknown.__cause__ = error
        return unknown

    def _told(self, error: Exception) -> Exception:
        """Let an error say "not applied" where that is certain, and only there."""
        if isinstance(error, AksEtagError) and not error.applied and not self.open:
            error.applied = None if self.residual or self.unproved else False
        return error

    def _announced(self) -> Undecided:
        undecided = (*self.residual, *self.attempts)
        ids = tuple(attempt.request_id for attempt in undecided)
        sharers = tuple(tuple(sharer for sharer, _ in attempt.parts) for attempt in undecided)
        return Undecided(self.resource_id, ids, sharers=sharers)
