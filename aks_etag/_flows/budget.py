# SPDX-License-Identifier: MIT
"""The time a call may take: every wait of a flow goes through here, so that none outlasts the deadline."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final, cast

from .._core.buckets import POLL_RESERVE
from .._core.events import Throttled, Waiting
from .._core.messages import Outcome, Request, Response
from .._core.pacing import (
    READ_PATIENCE,
    SHORTEST_SILENCE,
    THROTTLED_WITHOUT_HINT,
    WRITE_PATIENCE,
    backoff,
    poll_interval,
    retry_after,
)
from ..errors import DeadlineExceededError
from . import failures
from .effects import Accepted, Flow, Send, Sleep, Turn, afford, chance, emit, now
from .options import Options

_TOKENS: Final = "the service's request budget"


@dataclass(slots=True, kw_only=True)
class Budget:
    """What is left of a call's time, and how much of it went by waiting; in seconds.

    ``lenient``: a write is in doubt, so that a last look is worth more than the silence that a 429 asks for.
    """

    resource_id: str
    started: float
    deadline: float
    ceiling: float
    waited: float = 0.0
    lenient: bool = False

    @classmethod
    def start(cls, resource_id: str, options: Options, deadline: float | None = None) -> Flow[Budget]:
        """Start the clock of a call."""
        return cls(
            resource_id=resource_id,
            started=(yield from now()),
            deadline=options.conflict_retry.deadline if deadline is None else deadline,
            ceiling=options.polling_interval,
        )

    def turn(self) -> Flow[None]:
        """Wait for the other writes of this client to the same resource: first come, first served.

        Raises:
            DeadlineExceededError: the turn did not come in time.
        """
        before = yield from now()
        came = yield Turn(self.resource_id, self.started + self.deadline)
        self.waited += (yield from now()) - before
        if not came:
            late = self.expired("its turn: other calls of this client write to it", None)
            late.applied = False
            raise late

    def handed_over(self, accepted: Accepted) -> Flow[None]:
        """Tell that a write was accepted; where somebody else waits for it from now on, the deadline is theirs."""
        if (yield accepted):
            self.deadline = math.inf

    def pause(
        self, seconds: float, what: str, *, operation: str | None = None, cause: Outcome | None = None
    ) -> Flow[None]:
        """Wait for something, at most to the deadline.

        Raises:
            DeadlineExceededError: no time is left.
        """
        left = yield from self.left()
        if left <= 0:
            raise failures.with_cause(self.expired(what, operation), cause)
        yield from self._sleep(min(seconds, left), what, operation)

    def back_off(self, tries: int, what: str, *, cause: Outcome | None = None, firm: bool = True) -> Flow[None]:
        """Wait before trying again for the n-th time, with jitter, unless the answer says how long.

        Not ``firm``: wait at most to the deadline, since what comes next is a look and not another try.
        """
        asked = yield from self._asked(cause)
        if not firm and (yield from self.left()) <= 0:
            return
        if asked and firm:
            yield from self.pause_for(asked, what, cause)
            return
        jitter = yield from chance()
        yield from self.pause(asked or backoff(tries, jitter=jitter, ceiling=self.ceiling), what, cause=cause)

    def poll(self, polls: int, what: str, *, operation: str, answer: Outcome | None = None) -> Flow[None]:
        """Wait before the next poll of an operation: as long as the last answer asks, else growing to the ceiling."""
        asked = yield from self._asked(answer)
        if asked:
            yield from self.pause_for(asked, what, None, operation=operation)
            return
        yield from self.pause(poll_interval(polls, ceiling=self.ceiling), what, operation=operation)

    def look(self, request: Request, polls: int, what: str) -> Flow[Outcome]:
        """Poll for what others may be waiting for, too, at a growing interval: one of all who wait asks for them.

        Raises:
            DeadlineExceededError: no time is left.
        """
        if (yield from self.left()) <= 0:
            raise self.expired(what, None)
        jitter = yield from chance()
        allowed = yield from self.allowed(request, "an answer", polling=True)
        left = max(0.0, (yield from self.left()))
        seconds = min(poll_interval(polls, ceiling=self.ceiling, jitter=jitter), left)
        yield from emit(Waiting(resource_id=self.resource_id, what=what, seconds=seconds))
        before = yield from now()
        outcome = yield Send(replace(allowed, timeout=max(left - seconds, READ_PATIENCE)), after=seconds)
        self.waited += (yield from now()) - before
        return cast("Outcome", outcome)

    def throttled(self, answer: Outcome) -> Flow[None]:
        """Wait as long as a 429 asks.

        Raises:
            ThrottledError: that is longer than the deadline allows.
        """
        asked = yield from self._asked(answer)
        seconds = THROTTLED_WITHOUT_HINT if asked is None else asked
        yield from emit(Throttled(resource_id=self.resource_id, retry_after=seconds))
        left = yield from self.left()
        if left < seconds and not (self.lenient and left > 0):
            raise failures.throttled(self.resource_id, answer, seconds)
        yield from self._sleep(min(seconds, left), _TOKENS, None)

    def pause_for(
        self, seconds: float, what: str, cause: Outcome | None, *, operation: str | None = None
    ) -> Flow[None]:
        """Wait exactly as long as a Retry-After asks, or say at once that the deadline does not allow it."""
        if (yield from self.left()) < seconds:
            raise failures.with_cause(self.expired(f"{what} (the service asks for {seconds:g} s)", operation), cause)
        yield from self._sleep(seconds, what, operation)

    def allowed(self, request: Request, what: str, *, polling: bool = False) -> Flow[Request]:
        """Wait until the service has a token for a request, and return it with the time that it may take.

        ``polling``: it leaves some tokens to the reads that a write needs.

        Raises:
            ThrottledError: the service is known to have no token before the deadline; nothing was sent.
            DeadlineExceededError: a write that would begin when the time is up.
        """
        reserve = POLL_RESERVE if polling else 0
        while seconds := (yield from afford(request, reserve)):
            if reserve and (yield from self.left()) < seconds:
                reserve = 0
            elif not (yield from self.saved_up(seconds)):
                break
        return (yield from self.timed(request, what))

    def saved_up(self, seconds: float) -> Flow[bool]:
        """Wait for a token that the service will have in so many seconds; false where there is time for a look only.

        Raises:
            ThrottledError: that is longer than the deadline allows.
        """
        left = yield from self.left()
        if left < seconds and not self.lenient:
            raise failures.unaffordable(self.resource_id, seconds)
        if left > 0:
            yield from self._sleep(min(seconds, left), _TOKENS, None)
        return left >= seconds

    def timed(self, request: Request, what: str) -> Flow[Request]:
        """Return a request that waits for its answer no longer than the deadline allows.

        Raises:
            DeadlineExceededError: a write that would begin when the time is up.
        """
        left = yield from self.left()
        if request.is_write and left <= 0:
            raise self.expired(what, None)
        patience = WRITE_PATIENCE if request.is_write else READ_PATIENCE
        return replace(request, timeout=max(left, patience))

    def left(self) -> Flow[float]:
        """Return the seconds until the deadline."""
        return self.started + self.deadline - (yield from now())

    def expired(self, what: str, operation: str | None) -> DeadlineExceededError:
        """Say what was awaited when the time was up."""
        return DeadlineExceededError(
            f"{self.resource_id}: {self.deadline:g} s passed while waiting for {what}; "
            "allow more with deadline=, or look again later",
            resource_id=self.resource_id,
            waiting_for=what,
            operation=operation,
        )

    def _asked(self, answer: Outcome | None) -> Flow[float | None]:
        yield from ()
        if not isinstance(answer, Response):
            return None
        asked = retry_after(answer.headers, now=answer.received_at)
        return None if asked is None else max(asked, SHORTEST_SILENCE)

    def _sleep(self, seconds: float, what: str, operation: str | None) -> Flow[None]:
        yield from emit(Waiting(resource_id=self.resource_id, what=what, seconds=seconds, operation=operation))
        yield Sleep(seconds)
        self.waited += seconds
