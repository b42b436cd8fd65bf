# SPDX-License-Identifier: MIT
"""What was read, and what a write came to."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from ..errors import MissingETagError
from .messages import Body

Outcome: TypeAlias = Literal["created", "updated", "unchanged", "satisfied", "deleted", "absent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One version of a resource, as one GET showed it.

    ``version`` is the bare eTag, ``None`` where the service sent none; ``settled`` says that the resource accepted
    writes then; ``read_at`` is when the answer came, in UTC. ``body`` is the parsed JSON: treat it as read-only.
    ``version_name`` and ``advice`` are for the error where there is no version.
    """

    id: str
    name: str
    resource_group: str
    body: Body = field(repr=False)
    version: str | None
    provisioning_state: str | None
    settled: bool
    read_at: datetime
    origin: str = field(default="", repr=False)
    advice: str = field(default="use an api-version that returns eTags, or force=True", repr=False, compare=False)
    version_name: str = field(default="eTag", repr=False, compare=False)

    @property
    def has_etag(self) -> bool:
        """Whether the service sent an eTag."""
        return self.version is not None

    @property
    def etag(self) -> str:
        """The bare eTag.

        Raises:
            MissingETagError: the service sent none; a write that depends on it is refused.
        """
        if self.version is None:
            raise MissingETagError(
                f"the service sent no {self.version_name} for {self.id} ({self.origin}): it cannot be written under a "
                f"condition; {self.advice} to write without one",
                resource_id=self.id,
            )
        return self.version

    def moved_from(self, tag: str | None) -> bool | None:
        """Whether the version is another one than ``tag``; ``None`` where there are no two to compare."""
        return None if tag is None or self.version is None else self.version != tag


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSnapshot:
    """A cluster and all its agent pools as they were at one time: two reads in a row showed the same versions."""

    cluster: Snapshot
    pools: tuple[Snapshot, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteResult:
    """What a write came to.

    ``outcome``: ``unchanged`` (nothing to do, nothing sent), ``satisfied`` (it holds now, not necessarily by us) or
    what was done. ``condition`` is the header as it was on the wire. ``fenced``: whether the eTag moved with the
    write (``None``: there was no tag to compare). ``recovered`` says how a lost answer was made up for. ``waited`` is
    in seconds, ``attempts`` counts the writes sent, ``conflicts`` those that somebody else overtook. ``batch`` says who
    shared the write, with ``group_commit``.
    """

    outcome: Outcome
    snapshot: Snapshot | None
    status: int | None = None
    attempts: int = 0
    conflicts: int = 0
    waited: float = 0.0
    condition: str | None = None
    fenced: bool | None = None
    recovered: str | None = None
    request_id: str | None = None
    batch: Batch | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Who shared a write: the threads or tasks of the calls, in the order of their changes; ``place`` is this call's.

    A call that found nothing left to do for it is not among them.
    """

    calls: tuple[str, ...]
    place: int
