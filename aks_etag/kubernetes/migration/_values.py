# SPDX-License-Identifier: MIT
"""What a migration tells: how far it is, what stands in the way, and whether a version may go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from ...errors import AksEtagError

Phase: TypeAlias = Literal[
    "deprecate", "flip", "settle", "rewrite", "verify", "trim", "unserve", "clean_managers", "check", "remove"
]
ServerState: TypeAlias = Literal["pending", "running", "succeeded", "failed"]
Reason: TypeAlias = Literal["denied", "unconvertible", "contended"]


class MigrationRefusedError(AksEtagError):
    """A step is not safe yet, and nothing was written; ``code`` names the guard that said so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a phase is.

    ``total`` is ``None`` where nobody knows it; ``rate`` is in objects per second of this run, ``eta`` in seconds.
    ``moved`` counts objects whose version moved by our write; ``conflicts`` the writes that others overtook.
    """

    phase: Phase
    done: int = 0
    total: int | None = None
    moved: int = 0
    conflicts: int = 0
    problems: int = 0
    rate: float = 0.0
    eta: float | None = None
    finished: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """An object that could not be written: refused by admission or schema, unconvertible, or never at rest."""

    namespace: str
    name: str
    reason: Reason
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultProof:
    """What became of one default that only the new schema has, on the object that it was looked up on.

    ``present_after`` is ``None`` where that object is gone or cannot be read any more.
    """

    path: str
    namespace: str
    name: str
    absent_before: bool
    present_after: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a run came to. ``finished`` is false where it was paused, or where problems keep the old version.

    ``objects`` counts those of the last pass, ``moved`` and ``conflicts`` all passes; ``left`` is how many the last
    verification still found in an old version, ``None`` before the first. ``defaults`` has, for each default of a new
    field that some object lacked before the rewrite, that object and whether the field is there now.
    """

    definition: str
    to: str
    phase: Phase
    finished: bool
    objects: int
    moved: int
    conflicts: int
    passes: int
    left: int | None
    stored_versions: tuple[str, ...]
    removed: tuple[str, ...]
    problems: tuple[Problem, ...] = ()
    defaults: tuple[DefaultProof, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a rewrite would do to one object: paths of fields that would be pruned, and that would appear."""

    namespace: str
    name: str
    pruned: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    problem: Problem | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Preflight:
    """What a migration would meet. With a converting webhook a renamed field counts as pruned and as added."""

    definition: str
    to: str
    conversion: str
    objects: int
    findings: tuple[Finding, ...]

    @property
    def pruned(self) -> tuple[Finding, ...]:
        """The objects that would lose fields."""
        return tuple(each for each in self.findings if each.pruned)

    @property
    def added(self) -> tuple[Finding, ...]:
        """The objects that would get defaults of new fields."""
        return tuple(each for each in self.findings if each.added)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The objects that cannot be converted, or that admission denies."""
        return tuple(each.problem for each in self.findings if each.problem is not None)

    @property
    def clean(self) -> bool:
        """Whether nothing would be lost or refused."""
        return not self.pruned and not self.problems


@dataclass(frozen=True, slots=True, kw_only=True)
class Manager:
    """A writer whose entries name the version: on how many objects, and when it last wrote one."""

    name: str
    objects: int
    last_seen: str
    example: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerMigration:
    """A StorageVersionMigration of the definition, as the server's own migrator reports it; ``since`` in its words."""

    name: str
    state: ServerState
    since: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether a version may be removed; ``reasons`` says why not.

    ``server_migrations`` is ``None`` where the server has no migrator of its own, or does not let us see.
    """

    definition: str
    version: str
    reasons: tuple[str, ...]
    stored_versions: tuple[str, ...]
    served: bool
    storage: bool
    managers: tuple[Manager, ...]
    server_migrations: tuple[ServerMigration, ...] | None = None

    @property
    def removable(self) -> bool:
        """Whether nothing stands in the way."""
        return not self.reasons
