# SPDX-License-Identifier: MIT
"""What is left of the service's write budgets, for whoever wants to know before writing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ._clock import Clock
from ._core.buckets import Account
from ._core.resource_id import parse
from ._tokens import Tokens


class HasId(Protocol):
    """Whatever has the ARM id of a cluster or agent pool: a handle, a snapshot."""

    @property
    def id(self) -> str:
        """The ARM id."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteBudget:
    """How many PUTs the service takes of one resource now (``left``), and when it takes the next one.

    ``seconds`` is how long that takes, 0 where it takes one now; ``next_at`` the same as seconds since the epoch.
    ``learned``: the service has refused a PUT with 429, and writes are held back from then on; else this is only what
    is documented (20, then one a minute), less what this process has sent. Others who write are not seen.
    """

    resource_id: str
    left: int
    seconds: float
    next_at: float
    learned: bool

    def __str__(self) -> str:
        next_one = f"the next in {self.seconds:.0f} s" if self.seconds else "the next at once"
        return f"{self.left} writes left, {next_one} ({'learned from a 429' if self.learned else 'as documented'})"


class Budgets:
    """The service's request budgets, as far as this process knows them; clients with one credential share that."""

    def __init__(self, tokens: Tokens, clock: Clock) -> None:
        self._tokens = tokens
        self._clock = clock

    def writes(self, of: HasId | str) -> WriteBudget:
        """Return what is left for writes by PUT of a cluster or agent pool: a handle, a snapshot or an ARM id.

        Raises:
            InvalidResourceIdError: it is no such id.
        """
        address = parse(of if isinstance(of, str) else of.id, listed=True)
        kind = "cluster" if address.pool is None else "pool"
        now = self._clock.monotonic()
        bucket = self._tokens.of(Account(kind, "PUT", str(address).casefold()), now)
        seconds = bucket.wait(now)
        return WriteBudget(
            resource_id=str(address),
            left=max(0, int(bucket.left(now) + 1e-6)),
            seconds=seconds,
            next_at=self._clock.time() + seconds,
            learned=bucket.learned,
        )
