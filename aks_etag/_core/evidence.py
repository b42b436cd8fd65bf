# SPDX-License-Identifier: MIT
"""What a read says about writes whose outcome nobody told: the table that decides after doubt.

All writes weighed together carry one eTag, so that at most one of them can land; once a read shows another eTag, each
has landed or is dead, since tags do not recur.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal, TypeAlias

from .document import Path, agree, same
from .marker import Mark, Trace, trace
from .messages import Body

OnDoubt: TypeAlias = Literal["untouched", "reapply", "raise"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One write that was sent: its tag, the document it was made from, the document it asked for, where they differ.

    ``preempted``: its operation ended by losing a race, so that it cannot land later. ``mark`` is what it noted of
    itself in the resource, with ``exactly_once``; the documents are without it. ``parts`` has the paths that each of
    several callers touched, where they share the write.
    """

    request_id: str
    tag: str
    before: Body
    after: Body
    paths: tuple[Path, ...]
    preempted: bool = False
    mark: Mark | None = None
    parts: tuple[tuple[object, tuple[Path, ...]], ...] = ()


class Finding(Enum):
    """What the evidence says."""

    UNMOVED = "unmoved"  # nothing has landed yet: attempts that can still land stay pending
    APPLIED = "applied"
    NOTED = "noted"  # the marker says that one has landed
    DEAD = "dead"  # the marker says that none has landed, and none can any more
    SATISFIED = "satisfied"  # it holds now, not necessarily by us
    GO_ROUND = "go round"
    UNKNOWN = "unknown"


_BY_TRACE: Final = {
    Trace.LANDED: Finding.NOTED,
    Trace.DEAD: Finding.DEAD,
    Trace.PENDING: Finding.GO_ROUND,
    Trace.UNKNOWN: Finding.UNKNOWN,
}


def weigh(
    attempts: Sequence[Attempt],
    *,
    tag: str,
    now: Body,
    holds: bool,
    idempotent: Callable[[], bool],
    on_doubt: OnDoubt,
    marker: str | None = None,
) -> Finding:
    """Judge attempts in doubt by the document and the tag that are there now; the first match wins.

    ``marker`` is what the marker says now: where the attempts have noted themselves, it decides. ``holds``: applying
    the change to ``now`` changes nothing. ``idempotent`` says whether the change is so both at the document it started
    from and at ``now``; it is asked only where the answer matters.
    """
    first = attempts[0]
    unmoved = tag == first.tag and same(now, first.before)
    marks = [attempt.mark for attempt in attempts if attempt.mark is not None]
    if marks:
        unmoved = unmoved and marker == marks[0].before
        return Finding.UNMOVED if unmoved else _BY_TRACE[trace(marks, marker, fenced=tag != first.tag)]
    if unmoved:
        return Finding.UNMOVED
    if holds:
        landed = any(agree(now, attempt.after, attempt.paths) for attempt in attempts)
        return Finding.APPLIED if landed else Finding.SATISFIED
    untouched = all(agree(now, attempt.before, attempt.paths) for attempt in attempts)
    allowed = on_doubt == "reapply" or (on_doubt == "untouched" and untouched)
    if allowed and idempotent():
        return Finding.GO_ROUND
    return Finding.UNKNOWN
