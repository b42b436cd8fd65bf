# SPDX-License-Identifier: MIT
"""What all steps of one migration share: what is wanted, what is remembered, who is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from ..._core.snapshot import WriteResult
from ..._core.unset import UNSET, Unset
from ..._flows.effects import Flow, Sleep
from ..._flows.options import Options
from .._calls import Calls
from .._setup import of_subresource
from ._definition import Definition, Edit, check_target, read_definition, refuse
from ._journal import Journal
from ._pace import Pace
from ._values import Progress

OnProgress: TypeAlias = Callable[[Progress], object]


@dataclass(slots=True, kw_only=True)
class Job:
    """One migration of one definition to one version."""

    calls: Calls
    to: str
    journal: Journal
    pace: Pace
    chunk: int
    settle: float
    remove_old: bool
    wanted_old: tuple[str, ...] | None = None
    on_progress: OnProgress | None = None
    pausing: bool = False
    readable: dict[str, str] = field(default_factory=dict)

    @property
    def options(self) -> Options:
        """How long calls try."""
        return self.calls.choices.options

    @property
    def name(self) -> str:
        """The name of the definition."""
        return self.calls.name

    def definition(self) -> Flow[Definition]:
        """Read the definition."""
        return (yield from read_definition(self.name, self.options))

    def old(self, definition: Definition) -> tuple[str, ...]:
        """Return the versions to get rid of: those that objects were stored in when the migration began."""
        check_target(definition, self.to)
        found = definition.old(self.to) if self.wanted_old is None else self.wanted_old
        if self.to in found:
            raise refuse(self.name, "old", f"{self.to} cannot be both the new and an old version")
        return self.journal.bind(definition, self.to, found)

    def write(self, change: Edit, *, pin: str | Unset = UNSET, subresource: str = "") -> Flow[WriteResult]:
        """Change the definition through the verbs of the client, which lock by uid and version."""
        yield from self.pace.turn(self.name)
        calls = of_subresource(self.calls, subresource) if subresource else self.calls
        return (yield from calls.update(change, pin, None))

    def settled(self) -> Flow[Definition]:
        """Wait until every replica has had time to learn of the newest definition; return that definition.

        Replicas cannot be seen, so that only time helps: once for each generation, whoever made it.
        """
        while True:
            definition = yield from self.definition()
            known = f"{definition.uid} {definition.generation}"
            if self.journal.fact("settled") == known:
                return definition
            yield Sleep(self.settle)
            again = yield from self.definition()
            if (again.uid, again.generation) == (definition.uid, definition.generation):
                self.journal.note("settled", known)
                return again

    def tell(self, progress: Progress) -> None:
        """Tell how far it is. What the listener raises stops the run; what is done is in the journal by then."""
        if self.on_progress is not None:
            self.on_progress(progress)
