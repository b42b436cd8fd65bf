# SPDX-License-Identifier: MIT
"""Long-running operations: their URLs, their status bodies, and how GETs bring them to an end."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from aks_etag.mock._core.address import ClusterKey
from aks_etag.mock._core.records import Cluster

# Read in a public issue, together with the code that it belongs to.
KNOWN_MESSAGES: Final[Mapping[str, str]] = {
    "OriginalEtagNotExpect": "Failed to save agent pool np1 ... "
    "This operation has been preempted by Deleting operation."
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """How an accepted operation is to end; ``stored`` says whether its body was kept."""

    code: str
    message: str
    status: str
    stored: bool
    details: Any = None

    def error(self) -> dict[str, Any]:
        """Show it as the ``error`` of a status body."""
        message = self.message or KNOWN_MESSAGES.get(self.code, "")
        details = {} if self.details is None else {"details": self.details}
        return {"code": self.code, "message": message, **details}


@dataclass(slots=True, kw_only=True)
class Operation:
    """One long-running operation on a cluster, or on one of its pools."""

    id: str
    query: str
    verb: str
    cluster: ClusterKey
    pool: str | None
    shown_name: str
    tags: Mapping[str | None, str]
    polls_left: int
    started: float
    due: float | None = None
    after: Callable[[Cluster, str | None], Cluster] | None = None
    failure: Failure | None = None
    status: str = "InProgress"
    ended: float | None = None

    @property
    def running(self) -> bool:
        """Whether it still blocks other writes."""
        return self.ended is None

    @property
    def stored(self) -> bool:
        """Whether its write stays."""
        return self.failure is None or self.failure.stored

    def outcome(self, cluster: Cluster) -> Cluster:
        """Return what the end makes of a cluster, besides its state and tags."""
        return self.after(cluster, self.pool) if self.after is not None and self.stored else cluster

    def body(self) -> dict[str, Any]:
        """Show the status as the service does; there is no tag in it."""
        body: dict[str, Any] = {"name": self.id, "status": self.status, "startTime": _moment(self.started)}
        if self.ended is None:
            return body
        body["endTime"] = _moment(self.ended)
        return {**body, "error": self.failure.error()} if self.failure else body

    def close(self, now: float) -> None:
        """Note the end."""
        self.ended = now
        self.status = self.failure.status if self.failure else "Succeeded"


class Operations:
    """All operations ever started, by id."""

    def __init__(self) -> None:
        self._by_id: dict[str, Operation] = {}
        self._running: list[Operation] = []

    def add(self, operation: Operation) -> None:
        """Remember a new operation."""
        self._by_id[operation.id.lower()] = operation
        self._running.append(operation)

    def running(self) -> list[Operation]:
        """List what runs, oldest first."""
        return [operation for operation in self._running if operation.running]

    def get(self, operation_id: str) -> Operation | None:
        """Find an operation by its id."""
        return self._by_id.get(operation_id.lower())

    def due(self, now: float) -> list[Operation]:
        """List the running operations whose time is over."""
        return [operation for operation in self._running if operation.running and (operation.due or math.inf) <= now]

    def running_on(self, cluster: ClusterKey) -> list[Operation]:
        """List the operations that run on a cluster or its pools, oldest first."""
        self._running = [operation for operation in self._running if operation.running]
        return [operation for operation in self._running if operation.cluster == cluster]

    def seen_with(self, cluster: ClusterKey, pools: Collection[str] | None) -> list[Operation]:
        """List the running operations that a GET of these pools (None: of the cluster) shows."""
        shown = self.running_on(cluster)
        return shown if pools is None else [each for each in shown if each.pool is None or each.pool in pools]


def _moment(seconds: float) -> str:
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%f") + "0Z"


def elapsed(seconds: float) -> str:
    """Spell a duration as hours, minutes and seconds."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60:02d}:{minutes % 60:02d}:{rest:02d}"


def whole_seconds(seconds: float) -> str:
    """Spell a moment without fractions."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
