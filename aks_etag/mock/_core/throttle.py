# SPDX-License-Identifier: MIT
"""The documented token buckets of the AKS provider, in virtual time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from aks_etag.mock._core.address import Address

PER_MINUTE: Final = 1 / 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How many requests at once, how many more per second, and what shares them."""

    size: int
    refill: float
    shared_by: str


# "Quotas, SKUs and regions": throttling limits on AKS resource provider APIs.
BUDGETS: Final = {
    ("cluster", "PUT"): Budget(size=20, refill=PER_MINUTE, shared_by="cluster"),
    ("pool", "PUT"): Budget(size=20, refill=PER_MINUTE, shared_by="pool"),
    ("cluster", "GET"): Budget(size=60, refill=1.0, shared_by="cluster"),
    ("operation", "GET"): Budget(size=200, refill=2.0, shared_by="subscription"),
    ("subscription clusters", "GET"): Budget(size=500, refill=1.0, shared_by="subscription"),
    ("group clusters", "GET"): Budget(size=60, refill=1.0, shared_by="group"),
}
EVERYTHING_ELSE: Final = Budget(size=60, refill=1.0, shared_by="subscription")


class Throttle:
    """Keeps the level of every bucket; call it under the lock of the state."""

    def __init__(self) -> None:
        self._levels: dict[tuple[object, ...], tuple[float, float]] = {}

    def take(self, address: Address, method: str, now: float) -> int | None:
        """Take one token; where there is none, return the whole seconds until there is one."""
        budget, key = _bucket(address, method)
        tokens, since = self._levels.get(key, (float(budget.size), now))
        tokens = min(float(budget.size), tokens + (now - since) * budget.refill)
        # Time arrives in floats, so a token that lacks a billionth is a token.
        if tokens < 1 - 1e-9:
            return math.ceil((1 - tokens) / budget.refill - 1e-6)
        self._levels[key] = (tokens - 1, now)
        return None

    def give_back(self, address: Address, method: str) -> None:
        """Return the token of a request that turned out to be free."""
        _, key = _bucket(address, method)
        tokens, since = self._levels[key]
        self._levels[key] = (tokens + 1, since)


def _bucket(address: Address, method: str) -> tuple[Budget, tuple[object, ...]]:
    budget = BUDGETS.get((address.kind, method), EVERYTHING_ELSE)
    scope = {
        "pool": (*address.cluster_key, address.pool_key),
        "cluster": address.cluster_key,
        "group": (address.group_key,),
        "subscription": (),
    }
    kind = (address.kind, method) if budget is not EVERYTHING_ELSE else ("else",)
    return budget, (*kind, *scope[budget.shared_by])
