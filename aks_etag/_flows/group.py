# SPDX-License-Identifier: MIT
"""The callers of one shared write, and what each of them asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._core.changes import Change, applied
from .._core.document import Path
from .._core.evidence import Attempt
from .._core.messages import Body
from .._core.snapshot import WriteResult


@dataclass(slots=True, kw_only=True, eq=False)
class Member:
    """One call: its change, and from when until when it waits, by the clock of ``Now``.

    ``name`` is the thread or task it came from. ``part`` is what its change made of the bodies before it, in the last
    draft, ``None`` where that was nothing. ``noted`` is the record of the call, where there is one.
    """

    change: Change
    since: float
    until: float
    name: str = ""
    part: Part | None = None
    noted: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What one change makes of the body that those before it leave."""

    before: Body
    after: Body
    paths: tuple[Path, ...]


@dataclass(slots=True, kw_only=True, eq=False)
class Group:
    """Calls whose changes go out together, in the order in which they came: as one change, it makes all of them.

    ``closed``: a write has left, so that nobody joins any more. ``failing``: whose change raised when all were made.
    ``given_up``: writes that went for dead, on evidence that is no proof, before the last one left.
    """

    members: list[Member] = field(default_factory=list)
    closed: bool = False
    failing: dict[Member, Exception] = field(default_factory=dict)
    given_up: Sequence[Attempt] = ()

    def __call__(self, body: dict[str, Any]) -> Body:
        """Make all changes; one that raises is left out, and noted."""
        made: Body = body
        for member in self.members:
            new = self.tried(member, made, applied)
            made = made if new is None else new
        return made

    def tried(self, member: Member, body: Body, make: Callable[[Change, Body], Body]) -> Body | None:
        """Make one change; ``None`` where it raises."""
        try:
            return make(member.change, body)
        except Exception as error:  # noqa: BLE001  # it fails its caller, and nobody else
            self.failing[member] = error
            return None

    def latest(self) -> float:
        """Return until when somebody waits."""
        return max((member.until for member in self.members), default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What a member is told in the end."""

    result: WriteResult | None = None
    error: Exception | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Late:
    """A member's time was up; ``applied``: whether its change is stored, if that is known.

    ``pending`` has the writes that it has left with and that may still be carried out; ``operation`` is the one that
    was accepted and is followed.
    """

    applied: bool | None = False
    pending: tuple[str, ...] = ()
    operation: str | None = None
