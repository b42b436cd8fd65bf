# SPDX-License-Identifier: MIT
"""What the flows know of a kind of thing, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from .._core.document import Path
from .._core.messages import Body, Outcome, Request, Response
from .._core.operation import Link
from .._core.precondition import Condition
from .._core.snapshot import Snapshot
from .._core.verdict import Verdict


@dataclass(frozen=True, slots=True)
class MarkerPlace:
    """Where a marker can be kept in a body: the map at a path, the name in it, and how many names it may have."""

    path: tuple[str, ...]
    name: str
    most: int | None = None


class Resource(Protocol):
    """One thing that has a version, and can be read and written under the condition that it still has it.

    An ARM resource has its version in ``eTag`` and its condition in a header; a Kubernetes object has both in
    ``metadata.resourceVersion``. The flows know no more than this.
    """

    @property
    def id(self) -> str:
        """The name by which snapshots, events and errors call it."""
        ...

    @property
    def marker(self) -> MarkerPlace | None:
        """Where a marker can be kept in its body, ``None`` where it cannot."""
        ...

    def read(self) -> Request:
        """Return the request that fetches it."""
        ...

    def replace(self, desired: Body, condition: Condition, *, base: Body | None = None) -> Request:
        """Return the request that puts a whole body, given the body it was made from."""
        ...

    def merge(self, patch: Body, condition: Condition) -> Request:
        """Return the request that patches it."""
        ...

    def remove(self, condition: Condition, *, base: Body | None = None) -> Request:
        """Return the request that deletes it, given the body it was decided upon."""
        ...

    def spelled(self, condition: Condition) -> str | None:
        """Return a condition as it goes on the wire, for people to read."""
        ...

    def snapshot(self, response: Response) -> Snapshot:
        """Make a snapshot of the answer to a read."""
        ...

    def result(self, response: Response) -> Snapshot | None:
        """Return what a write's own answer shows, ``None`` where only another read can tell."""
        ...

    def identity(self, body: Body) -> Mapping[str, str]:
        """Return what tells it from another of the same name that was created later; may be empty."""
        ...

    def writable(self, body: Body) -> Body:
        """Return the part of a body that a client owns."""
        ...

    def shown(self, body: Body) -> Body:
        """Return the part of a body that was sent which a later read shows: no secrets, nothing read-only."""
        ...

    def version_of(self, body: Body) -> str | None:
        """Return the version that a body says it has, ``None`` where it says nothing."""
        ...

    def check_edit(self, before: Body, after: Body) -> None:
        """Refuse an edit that must not go through this resource."""
        ...

    def read_only_edits(self, before: Body, after: Body) -> tuple[Path, ...]:
        """List the fields owned by the service that an edit touched."""
        ...

    def judge(self, outcome: Outcome) -> Verdict:
        """Say what the answer to a write means."""
        ...

    def operation(self, response: Response) -> Link | None:
        """Return where to follow an accepted write; ``None`` where it is done. ``Link.url`` may be empty: lost."""
        ...

    def blockers(self, named: str | None) -> tuple[Resource, ...]:
        """Return what else to wait for when a write was refused as busy; ``named`` is the part that was named."""
        ...
