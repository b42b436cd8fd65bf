# SPDX-License-Identifier: MIT
"""One write under one condition, as the flows carry it along."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from .._core import document
from .._core.marker import Trace, trace
from .._core.messages import Body, Request
from .._core.precondition import Condition
from .._core.snapshot import Outcome, Snapshot, WriteResult
from .._resources import Resource
from .budget import Budget
from .ledger import Ledger
from .marks import Marks
from .options import Options

Verb: TypeAlias = Literal["put", "patch", "delete"]


@dataclass(slots=True, kw_only=True)
class Once:
    """The state of one conditional write: what it is, and what has been done about it so far."""

    resource: Resource
    verb: Verb
    request: Request
    condition: Condition
    options: Options
    budget: Budget
    ledger: Ledger
    marks: Marks
    seen: Snapshot | None
    adopt: bool
    patient: bool
    attempts: int = 0
    status: int | None = None
    was_accepted: bool = False

    @property
    def repeatable(self) -> bool:
        """Whether it can be sent again in doubt, since its condition lets only one of them through."""
        exclusive = self.condition.create or (self.verb == "delete" and self.condition.version is not None)
        return exclusive and self.options.on_doubt != "raise"

    def noted(self, body: Body) -> bool:
        """Whether the marker in a body says that it is what one of the attempts has created."""
        marks = [attempt.mark for attempt in self.ledger.attempts if attempt.mark is not None]
        return bool(marks) and trace(marks, self.marks.text(body), fenced=False) is Trace.LANDED

    def landed(self, body: Body) -> bool:
        """Whether everything that was sent, secrets aside, is in a body."""
        wanted = self.resource.shown(self.request.body or {})
        return self.verb != "delete" and document.contains(body, wanted)

    def result(self, outcome: Outcome, snapshot: Snapshot | None, *, recovered: str | None = None) -> WriteResult:
        tag = self.condition.version
        return WriteResult(
            outcome=outcome,
            snapshot=snapshot,
            status=self.status,
            attempts=self.attempts,
            waited=self.budget.waited,
            condition=self.resource.spelled(self.condition),
            fenced=None if snapshot is None else snapshot.moved_from(tag),
            recovered=recovered,
            request_id=self.request.request_id,
        )
