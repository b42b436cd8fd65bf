# SPDX-License-Identifier: MIT
"""What all steps of one migration share: what is wanted, what is remembered, who is told."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from ..._core.pacing import check_count, check_seconds
from ..._core.snapshot import WriteResult
from ..._core.unset import UNSET, Unset
from ..._flows.effects import Flow, Sleep
from ..._flows.options import Options
from .._calls import Calls, Choices
from .._place import check_place
from .._setup import Parts, of_subresource
from ._definition import API, KIND, Definition, Edit, check_target, read_definition, refuse
from ._journal import Journal
from ._pace import Pace, Window
from ._values import Progress

OnProgress: TypeAlias = Callable[[Progress], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a migration was asked for, as `Migration` explains it."""

    to: str
    journal: str | os.PathLike[str] | None
    chunk: int
    concurrency: int
    rate: float | None
    settle: float
    window: Window | None
    old: tuple[str, ...] | None
    remove_old: bool
    on_progress: OnProgress | None


@dataclass(slots=True, kw_only=True)
class Job:
    """One migration of one definition to one version."""

    calls: Calls
    to: str
    journal: Journal
    pace: Pace
    chunk: int
    concurrency: int
    settle: float
    remove_old: bool
    wanted_old: tuple[str, ...] | None = None
    on_progress: OnProgress | None = None
    pausing: bool = False
    # Of lists: how many objects at once can be read just now, in which version, and which object was the last.
    page: int = field(init=False)
    readable: dict[str, str] = field(default_factory=dict)
    passed: str = ""

    def __post_init__(self) -> None:
        self.page = self.chunk

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


def prepared(settings: Settings, name: str, parts: Parts, choices: Choices) -> Job:
    """Check what was asked for, and open the journal."""
    check_count("chunk", settings.chunk)
    check_count("concurrency", settings.concurrency)
    check_place(API, KIND, None, name)
    calls = Calls(
        api_version=API,
        kind=KIND,
        namespace=None,
        name=name,
        subresource="",
        # The trim goes through a subresource, where nothing can be noted; and each step looks first at what is there.
        choices=replace(choices, options=replace(choices.options, exactly_once=None)),
        discovery=parts.discovery,
    )
    return Job(
        calls=calls,
        to=settings.to,
        pace=Pace(wall=parts.clock.time, rate=settings.rate, window=settings.window),
        chunk=settings.chunk,
        concurrency=settings.concurrency,
        settle=check_seconds("settle", settings.settle),
        remove_old=settings.remove_old,
        wanted_old=settings.old,
        on_progress=settings.on_progress,
        journal=Journal(settings.journal),
    )
