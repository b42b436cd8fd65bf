# SPDX-License-Identifier: MIT
"""What a writer in the background can do: read, and write as everybody does, under conditions and with operations."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from aks_etag.mock._core.copies import copied
from aks_etag.mock._core.records import Cluster, cluster_body, pool_body
from aks_etag.mock._core.store import Store

Change: TypeAlias = Callable[[dict[str, Any]], object]


class AbsentError(LookupError):
    """What a writer asks for does not exist, or exists no longer."""


class Act(Protocol):
    """Send one request in the writer's name; a refusal is raised."""

    def __call__(self, method: str, path: str, content: bytes, if_match: str | None) -> object: ...


class Scene:
    """The AKS as a writer in the background finds it; nobody else comes in between."""

    def __init__(self, store: Store, act: Act) -> None:
        self._store = store
        self._act = act

    def body(self, group: str, cluster: str, pool: str | None = None) -> dict[str, Any]:
        """Return a copy of what a GET would show."""
        found = self._cluster(group, cluster, pool)
        return copied(cluster_body(found) if pool is None else pool_body(found, found.pools[pool.lower()]))

    def put(self, group: str, cluster: str, pool: str | None = None, change: Change | None = None) -> None:
        """Write back what is there, with a change under its tag; a change that changes nothing sends nothing."""
        found = self._cluster(group, cluster, pool)
        before, body = (self.body(group, cluster, pool) for _ in range(2))
        if change is not None:
            returned = change(body)
            body = returned if isinstance(returned, dict) else body
            if body == before:
                return
        tag = found.etag if pool is None else found.pools[pool.lower()].etag
        self._act("PUT", before["id"], json.dumps(body).encode(), tag)

    def post(self, group: str, cluster: str, pool: str | None, action: str) -> None:
        """Ask for an action, such as ``upgradeNodeImageVersion``."""
        self._act("POST", f"{self.body(group, cluster, pool)['id']}/{action}", b"", None)

    def scale(self, group: str, cluster: str, pool: str, count: int) -> None:
        """Change the number of nodes without a PUT, as the autoscaler does."""
        place = f"{self.body(group, cluster, pool)['id']}/scale"
        self._act("POST", place, json.dumps({"count": count}).encode(), None)

    def _cluster(self, group: str, name: str, pool: str | None) -> Cluster:
        found = self._store.clusters.get((group.lower(), name.lower()))
        if found is None or (pool is not None and pool.lower() not in found.pools):
            raise AbsentError(f"the mock has no {group}/{name}{f'/{pool}' if pool else ''}")
        return found
