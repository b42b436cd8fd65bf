# SPDX-License-Identifier: MIT
"""What one process knows of the service's request budgets, for all of its clients that speak to one endpoint."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from ._clock import Clock, SystemClock
from ._core.buckets import Account, Bucket, account_of
from ._core.messages import NoResponse, Outcome, Request, Response
from ._core.pacing import SHORTEST_SILENCE, retry_after
from ._core.verdict import service_error
from ._polls import Polls

# Budgets of ARM, not of the resource: they say nothing of a bucket of AKS.
_OF_ARM: Final = frozenset({"subscriptionrequeststhrottled", "tenantrequeststhrottled"})


class Tokens:
    """The buckets of one endpoint, and the polls that its clients make for each other; thread-safe."""

    def __init__(self) -> None:
        self.polls = Polls()
        self._buckets: dict[Account, Bucket] = {}
        self._metered_reads = False
        self._begin()

    def take(self, request: Request, now: float, reserve: int = 0) -> float:
        """Take a token, and return 0; where the service is known to have none, the seconds until it has.

        A token is taken before the request is sent, so that no two of them go out for one.
        """
        if not (request.is_write or self._metered_reads):
            return 0.0
        account = account_of(request.method, request.url)
        if account is None:
            return 0.0
        with self._mine():
            bucket = self._of(account, now)
            wait = bucket.wait(now, reserve) if bucket.learned else 0.0
            if not wait:
                self._buckets[account] = bucket.spent(now)
            return wait

    def answered(self, request: Request, outcome: Outcome, now: float) -> None:
        """Learn from a 429, and take back the token of what never left."""
        if isinstance(outcome, NoResponse) and not outcome.sent:
            self._change(request, now, Bucket.returned)
        elif isinstance(outcome, Response) and outcome.status == 429 and not _is_of_arm(outcome):
            silence = _silence(outcome)
            self._change(request, now, lambda bucket: bucket.refused(now, silence))

    def of(self, account: Account, now: float) -> Bucket:
        """Return what is known of one bucket."""
        with self._mine():
            return self._of(account, now)

    def forget(self) -> None:
        """Begin anew."""
        with self._mine():
            self._buckets.clear()
            self._metered_reads = False

    def _change(self, request: Request, now: float, change: Callable[[Bucket], Bucket]) -> None:
        account = account_of(request.method, request.url)
        if account is None:
            return
        with self._mine():
            bucket = change(self._of(account, now))
            self._buckets[account] = bucket
            # Pools are read from the bucket that everything else is paid from, too.
            self._metered_reads |= bucket.learned and account.method != "PUT"

    def _of(self, account: Account, now: float) -> Bucket:
        return self._buckets.get(account) or Bucket.full(account.rate, now)

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._process = os.getpid()

    def _mine(self) -> threading.Lock:
        if os.getpid() != self._process:
            # Whoever had the lock in the process that this one was forked from is not here; what it knew is true.
            self._begin()
        return self._lock


def _is_of_arm(answer: Response) -> bool:
    return service_error(answer.body).code.casefold() in _OF_ARM


def _silence(answer: Response) -> float | None:
    asked = retry_after(answer.headers, now=answer.received_at)
    return None if asked is None else max(asked, SHORTEST_SILENCE)


class Registry:
    """The buckets of each endpoint, for those clients that share what they learn."""

    def __init__(self) -> None:
        self._tokens: dict[str, Tokens] = {}

    def of(self, endpoint: str) -> Tokens:
        """Return the buckets of an endpoint."""
        # In one step, so that two threads get the same ones.
        return self._tokens.setdefault(endpoint.rstrip("/").casefold(), Tokens())

    def forget(self) -> None:
        """Begin anew, so that one test is not held back by what another has met."""
        for tokens in list(self._tokens.values()):
            tokens.forget()


# For clients without a credential of their own.
PROCESS: Final = Registry()
_OTHERS: Final[dict[int, Registry]] = {}


def tokens_of(endpoint: str, clock: Clock, credential: object) -> Tokens:
    """Return the buckets that clients of one endpoint share: those with the same credential, or clock of their own.

    A process rarely has two credentials for one endpoint; its tests do, and a 429 of one must not hold up another.
    """
    owner = credential if type(clock) is SystemClock else clock
    if owner is None:
        return PROCESS.of(endpoint)
    registry = _OTHERS.get(id(owner))
    if registry is None:
        registry = Registry()
        with suppress(TypeError):
            # As long as the owner is there; one that cannot be watched has its buckets for one client only.
            weakref.finalize(owner, _OTHERS.pop, id(owner), None)
            registry = _OTHERS.setdefault(id(owner), registry)
    return registry.of(endpoint)
