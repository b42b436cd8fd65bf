# SPDX-License-Identifier: MIT
"""What a check found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal[
    "lost",
    "doubled",
    "re-asserted",
    "phantom",
    "falsely failed",
    "needless unknown",
    "broken chain",
    "unexplained",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Anomaly:
    """One thing that must not be; ``str()`` has the few lines that matter, in the order in which they happened.

    ``lost``: a commit's result is not the change applied to the commit before it. ``doubled``: two commits of one
    operation; ``re-asserted``: the same, but the resource had been put back exactly in between, or ``on_doubt`` was
    ``reapply`` and the change one that can be made again. ``phantom``: a commit
    of no operation, or a success without a commit. ``falsely failed``: a claim of "not applied", and a commit.
    ``needless unknown``: it said that it does not know, and could have known. ``broken chain``: a commit does not begin
    where the one before it ended. ``unexplained``: the final state is not what the acknowledged writes make of the
    initial one.
    """

    kind: Kind
    op: str | None
    lines: tuple[str, ...]

    def __str__(self) -> str:
        return "\n  ".join((f"{self.kind}: {self.lines[0]}", *self.lines[1:]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a check found. ``unknown`` counts operations that said that they do not know; ``strays`` unusable lines."""

    operations: int
    attempts: int
    commits: int
    unknown: int
    strays: int
    anomalies: tuple[Anomaly, ...] = field(default=())

    @property
    def clean(self) -> bool:
        """Whether nothing was found that must not be; a re-assertion is a risk that ``on_doubt`` allows."""
        return all(anomaly.kind == "re-asserted" for anomaly in self.anomalies)

    def count(self, kind: Kind) -> int:
        """Count the anomalies of one kind."""
        return sum(anomaly.kind == kind for anomaly in self.anomalies)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield (
            f"{self.operations} operations, {self.attempts} writes sent, {self.commits} commits: "
            f"{len(self.anomalies)} anomalies, {self.unknown} unknown, {self.strays} unreadable lines"
        )
        yield from map(str, self.anomalies)
