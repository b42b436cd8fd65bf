# SPDX-License-Identifier: MIT
"""The state of one call of ``update``: counters, and what it is about."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from .._core.changes import Change
from .._core.precondition import Condition
from .._core.snapshot import Snapshot, WriteResult
from .._resources import Resource
from .budget import Budget
from .crowd import Crowd
from .ledger import Ledger
from .marks import Marks
from .options import Options


@dataclass(slots=True, kw_only=True)
class Run:
    """What one call of ``update`` has done so far."""

    resource: Resource
    change: Change
    pin: str | None
    options: Options
    budget: Budget
    ledger: Ledger
    marks: Marks
    first: Snapshot | None = None
    attempts: int = 0
    conflicts: int = 0
    busy: int = 0
    doubts: int = 0
    missing: int = 0
    refused: str | None = None
    refused_unmoved: int = 0
    turned_down: bool = False
    unaffordable: float = 0.0
    crowd: Crowd = field(default_factory=Crowd)

    def patience(self, refusals: int) -> int:
        """Return how long to back off: only shortly where operations take time, since they are waited for anyway."""
        return 1 if self.crowd.length else refusals

    def result(
        self,
        outcome: Literal["updated", "unchanged", "satisfied"],
        snapshot: Snapshot,
        *,
        tag: str | None = None,
        status: int | None = None,
        recovered: str | None = None,
        request_id: str | None = None,
    ) -> WriteResult:
        return WriteResult(
            outcome=outcome,
            snapshot=snapshot,
            status=status,
            attempts=self.attempts,
            conflicts=self.conflicts,
            waited=self.budget.waited,
            condition=None if tag is None else self.resource.spelled(Condition(tag=tag)),
            fenced=snapshot.moved_from(tag),
            recovered=recovered,
            request_id=request_id,
        )
