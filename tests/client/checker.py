# SPDX-License-Identifier: MIT
"""Compare what callers were told with what a mock committed: lost, doubled, phantom, falsely failed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from aks_etag.mock import Commit

Tags = dict[str, str]


@dataclass
class Operation:
    """One call: the change it asked for, the ids of its writes, and how it ended."""

    change: Callable[[Tags], None]
    request_ids: set[str] = field(default_factory=set)
    ended: str = "running"  # a WriteResult.outcome, "unknown", or the name of an error that claims "not applied"
    recovered: bool = False


@dataclass
class Verdict:
    lost: int = 0
    doubled: int = 0
    phantom: int = 0
    falsely_failed: int = 0
    unknown: int = 0

    @property
    def clean(self) -> bool:
        return not (self.lost or self.doubled or self.phantom or self.falsely_failed)


def tags_of(body: Any) -> Tags:
    return dict((body or {}).get("tags") or {})


def check(operations: Sequence[Operation], commits: Sequence[Commit], start: Any) -> Verdict:
    """Judge a run on one cluster that nobody else wrote."""
    verdict = Verdict(unknown=sum(operation.ended == "unknown" for operation in operations))
    owners = {request_id: operation for operation in operations for request_id in operation.request_ids}
    counts: dict[int, int] = {}
    before = tags_of(start)
    for commit in commits:
        owner = owners.get(commit.request_id)
        if owner is None:
            verdict.phantom += 1
            continue
        counts[id(owner)] = counts.get(id(owner), 0) + 1
        wanted = dict(before)
        owner.change(wanted)
        after = tags_of(commit.body_after)
        verdict.lost += after != wanted
        before = after
    for operation in operations:
        commits_of = counts.get(id(operation), 0)
        verdict.doubled += commits_of > 1
        verdict.phantom += operation.ended == "updated" and not operation.recovered and commits_of == 0
        told_not_applied = operation.ended not in ("updated", "unchanged", "satisfied", "unknown")
        verdict.falsely_failed += told_not_applied and commits_of > 0
    return verdict
