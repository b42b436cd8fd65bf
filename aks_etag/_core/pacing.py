# SPDX-License-Identifier: MIT
"""How long to wait: retries, backoff, Retry-After. Time and chance come in as arguments."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

# Without a Retry-After, a spent write bucket of AKS gives one token a minute (quotas-skus-regions, "Throttling").
THROTTLED_WITHOUT_HINT: Final = 60.0
SHORTEST_SILENCE: Final = 1.0
# No loop goes round without a pause, whatever polling_interval or a Retry-After of next to nothing says.
SHORTEST_PAUSE: Final = 0.01
# How long an answer is waited for when the deadline is (nearly) over: a write cut short would be a write in doubt.
READ_PATIENCE: Final = 1.0
WRITE_PATIENCE: Final = 30.0
BACKOFF_BASE: Final = 1.0
BACKOFF_CEILING: Final = 60.0
POLL_BASE: Final = 1.0
POLL_GROWTH: Final = 1.5
# So that those who wait for the same thing do not all see its end in the same second.
POLL_JITTER: Final = 0.5
# Two writers meet when they look within the same second, however long operations take: a minute keeps thirty of them
# apart, and it is what a refused write costs (see above). Where operations are short, that would be too long for two.
SPREAD_OPERATIONS: Final = 10.0
SPREAD_CEILINGS: Final = 2.0
SPREAD_DOUBLINGS: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictRetry:
    """How often and how long ``update`` tries.

    ``attempts`` counts writes that somebody else overtook, not waiting (20 is the service's write bucket of one
    resource); ``deadline`` is in seconds from the call.
    """

    attempts: int = 20
    deadline: float = 1800.0

    def __post_init__(self) -> None:
        check_count("attempts", self.attempts)
        check_seconds("deadline", self.deadline)


def check_count(name: str, value: object) -> None:
    """Refuse what is no whole number of one or more."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"{name}={value!r}: a whole number, one or more, is needed")


def check_seconds(name: str, value: object) -> float:
    """Return a number of seconds, or refuse what is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value) or value < 0:
        raise ValueError(f"{name}={value!r}: a number of seconds, zero or more, is needed")
    return float(value)


def backoff(failures: int, *, jitter: float, ceiling: float = BACKOFF_CEILING) -> float:
    """Return the pause before the next try, in seconds: exponential, half of it random (``jitter`` in 0..1)."""
    full = min(max(ceiling, SHORTEST_PAUSE), BACKOFF_BASE * 2.0 ** min(failures - 1, 30))
    return full * (0.5 + 0.5 * jitter)


def poll_interval(polls: int, *, ceiling: float, jitter: float = 1.0) -> float:
    """Return the pause before the next poll: one second, growing by half each time up to ``ceiling``.

    Half of it is random (``jitter`` in 0..1) where others wait for the same thing.
    """
    full = min(max(ceiling, SHORTEST_PAUSE), POLL_BASE * POLL_GROWTH ** min(polls, 60))
    return full * (1 - POLL_JITTER + POLL_JITTER * jitter)


def spread(length: float, losses: int, *, ceiling: float, left: float, jitter: float) -> float:
    """Return the pause before looking again where others want to write, too, in seconds (``jitter`` in 0..1).

    It is a random part of ten operations of ``length``, or of twice the ``ceiling`` of polls if that is less;
    of twice and four times as much where others were faster again (``losses``); and never of more than half of what is
    ``left`` of the deadline.
    """
    first = min(SPREAD_OPERATIONS * length, SPREAD_CEILINGS * ceiling)
    whole = first * 2.0 ** min(losses - 1, SPREAD_DOUBLINGS)
    return min(whole, max(0.0, left) / 2) * jitter


def retry_after(headers: Mapping[str, str], *, now: float) -> float | None:
    """Return the seconds that a Retry-After header asks for: delay-seconds or an HTTP date (RFC 9110 10.2.3).

    ``now`` is in seconds since the epoch.
    """
    text = headers.get("retry-after", "").strip()
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        return _seconds_until(text, now)
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _seconds_until(text: str, now: float) -> float | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.fromtimestamp(now, UTC)).total_seconds())
