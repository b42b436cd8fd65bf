# SPDX-License-Identifier: MIT
"""The service's request budgets as token buckets: which one a request is paid from, and when there is a token.

Sizes and refills are those of "Quotas, SKUs and regions", "Throttling limits on AKS resource provider APIs".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

# Reads that only poll leave so many tokens to the reads that a write needs.
POLL_RESERVE: Final = 5
# Time arrives in floats: what lacks a millionth of a token is one.
_NEARLY: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Rate:
    """How many requests at once, and how many more per second."""

    size: int
    refill: float


_RATES: Final = {
    ("cluster", "PUT"): Rate(20, 1 / 60),
    ("pool", "PUT"): Rate(20, 1 / 60),
    ("cluster", "GET"): Rate(60, 1.0),
    ("operation", "GET"): Rate(200, 2.0),
    ("clusters of a subscription", "GET"): Rate(500, 1.0),
    ("clusters of a group", "GET"): Rate(60, 1.0),
}
_EVERYTHING_ELSE: Final = Rate(60, 1.0)

_PATH: Final = re.compile(
    r"(?:https?://[^/]+)?(?P<scope>/subscriptions/[^/]+)(?P<group>/resourcegroups/[^/]+)?"
    r"/providers/microsoft\.containerservice/(?:"
    r"(?P<clusters>managedclusters)|managedclusters/(?P<cluster>[^/]+)|managedclusters/[^/]+/agentpools/(?P<pool>[^/]+)"
    r"|locations/[^/]+/(?P<operation>operations)/[^/]+|.+)/?"
)


@dataclass(frozen=True, slots=True)
class Account:
    """Which bucket a request is paid from: what for, and whose."""

    kind: str
    method: str
    scope: str

    @property
    def rate(self) -> Rate:
        """What the service grants it, as documented."""
        return _RATES.get((self.kind, self.method), _EVERYTHING_ELSE)


def account_of(method: str, url: str) -> Account | None:
    """Return what a request is paid from; ``None`` where that is no budget of AKS."""
    path = url.partition("?")[0].casefold()
    found = _PATH.fullmatch(path)
    if found is None:
        return None
    kind = found.lastgroup or ""
    if kind == "clusters":
        kind = "clusters of a group" if found["group"] else "clusters of a subscription"
    if (kind, method) not in _RATES:
        return Account("everything else", "", found["scope"])
    whose = found["scope"] if kind == "operation" else path[found.start("scope") :].rstrip("/")
    return Account(kind, method, whose)


Seconds: TypeAlias = float


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """What is known of one bucket: ``level`` tokens at the time ``since``.

    Until a 429 has shown that it is metered (``learned``), it is what the documentation says, and nobody is held up by
    it. Below zero, the service has asked for more than the time of one token.
    """

    rate: Rate
    level: float
    since: Seconds
    learned: bool = False

    @classmethod
    def full(cls, rate: Rate, now: Seconds) -> Bucket:
        """Return a bucket that nothing was taken from."""
        return cls(rate=rate, level=float(rate.size), since=now)

    def left(self, now: Seconds) -> float:
        """Return the tokens that are left, which may be less than none."""
        return min(float(self.rate.size), self.level + (now - self.since) * self.rate.refill)

    def wait(self, now: Seconds, reserve: int = 0) -> Seconds:
        """Return how long it takes until there is a token, beside some that are left to others."""
        missing = 1 + reserve - self.left(now)
        return missing / self.rate.refill if missing > _NEARLY else 0.0

    def spent(self, now: Seconds) -> Bucket:
        """Return it with one token less; one that seemed empty had a token all the same, if it is not enforced."""
        level = max(self.left(now) - 1, 0.0)
        return Bucket(rate=self.rate, level=level, since=now, learned=self.learned)

    def returned(self) -> Bucket:
        """Return it with one token more: that of a request that never left."""
        return replace(self, level=min(self.level + 1, float(self.rate.size)))

    def refused(self, now: Seconds, retry_after: Seconds | None) -> Bucket:
        """Return what a 429 teaches: there is a token when it says so, and none before."""
        level = 0.0 if retry_after is None else 1 - retry_after * self.rate.refill
        return replace(self, level=level, since=now, learned=True)
