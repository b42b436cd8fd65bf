# SPDX-License-Identifier: MIT
"""The state of one mock behind one lock."""

from __future__ import annotations

import threading
from collections.abc import Collection

from aks_etag.mock._core import errors
from aks_etag.mock._core.address import Address, ClusterKey
from aks_etag.mock._core.answers import RefusalError
from aks_etag.mock._core.clock import VirtualClock
from aks_etag.mock._core.faults import Faults
from aks_etag.mock._core.journal import Commit, JournalEntry
from aks_etag.mock._core.mint import Mint
from aks_etag.mock._core.operations import Operation, Operations
from aks_etag.mock._core.records import Cluster, Pool, Seen, TagKey
from aks_etag.mock._core.switches import Switches
from aks_etag.mock._core.throttle import Throttle
from aks_etag.mock._core.views import Views


class Store:
    """Groups, clusters with their pools, operations, journal and commits; methods expect the lock to be held."""

    def __init__(self, subscription: str, switches: Switches, seed: int) -> None:
        self.lock = threading.RLock()
        self.subscription = subscription
        self.switches = switches
        self.mint = Mint(seed)
        self.clock = VirtualClock()
        self.faults = Faults()
        self.throttle = Throttle()
        self.views = Views()
        self.groups: dict[str, tuple[str, str]] = {}
        self.clusters: dict[ClusterKey, Cluster] = {}
        self.kubeconfigs: dict[ClusterKey, str] = {}
        self.operations = Operations()
        self.journal: list[JournalEntry] = []
        self.commits: list[Commit] = []
        # Whether a writer in the background is at work.
        self.backstage = False

    def sibling(self, subscription: str) -> Store:
        """Return the state of another subscription, with the same lock, time, chance, faults and records."""
        other = Store(subscription, self.switches, 0)
        shared = ("lock", "mint", "clock", "faults", "journal", "commits")
        for name in shared:
            setattr(other, name, getattr(self, name))
        return other

    def require_group(self, address: Address) -> str:
        """Return the group's name as it was created, or refuse."""
        if address.group_key not in self.groups:
            raise RefusalError(errors.group_not_found(address.group))
        return self.groups[address.group_key][0]

    def require_parent(self, address: Address) -> Cluster:
        """Return the cluster of a pool, or refuse."""
        self.require_group(address)
        cluster = self.clusters.get(address.cluster_key)
        if cluster is None:
            raise RefusalError(errors.parent_not_found(address))
        return cluster

    def keep(self, cluster: Cluster) -> None:
        """Store the next value of a cluster."""
        self.clusters[cluster.key] = cluster

    def count_get(self, cluster: ClusterKey, pools: Collection[str] | None = None) -> None:
        """Let a GET bring the operations that it shows nearer to their end."""
        for operation in self.operations.seen_with(cluster, pools):
            self.count(operation)

    def count(self, operation: Operation) -> None:
        """Let one more GET count; the last one already shows the end."""
        operation.polls_left -= 1
        if operation.running and operation.due is None and operation.polls_left <= 0:
            self.finish(operation)

    def expire(self) -> None:
        """End the operations whose time is over."""
        for operation in self.operations.due(self.clock.time()):
            self.finish(operation)

    def finish_all(self, cluster: ClusterKey) -> None:
        """End whatever runs on a cluster."""
        for operation in self.operations.running_on(cluster):
            self.finish(operation)

    def finish(self, operation: Operation) -> None:
        """End an operation: state, tags, and the resource itself where it was deleted or never kept."""
        operation.close(self.clock.time())
        cluster = self.clusters.get(operation.cluster)
        if cluster is None:
            return
        gone = {"Deleting": operation.stored, "Creating": not operation.stored}.get(operation.verb, False)
        if operation.pool is None:
            self._finish_cluster(operation, cluster, gone)
        elif operation.pool in cluster.pools:
            self._finish_pool(operation, cluster, cluster.pools[operation.pool], gone)

    def commit(
        self, method: str, request_id: str, before: Seen | None, after: Seen | None, *, background: bool = False
    ) -> None:
        """Note an accepted write, with what a GET shows before it and after its end."""
        seen = before or after
        if seen is None:
            return
        self.commits.append(
            Commit(
                request_id=request_id,
                resource_id=seen.id,
                before=before,
                after=after,
                method=method,
                at=self.clock.time(),
                background=background or self.backstage,
            )
        )

    def tag_key(self, api_version: str | None) -> TagKey | None:
        """Say how this api-version spells the key of a tag in its bodies; None where it has no tags."""
        if api_version in self.switches.tagless_api_versions:
            return None
        return "etag" if api_version in self.switches.lower_etag_api_versions else "eTag"

    def _finish_cluster(self, operation: Operation, cluster: Cluster, gone: bool) -> None:
        if gone:
            del self.clusters[cluster.key]
            return
        tags = operation.tags if self._moves(operation) else {}
        self.keep(operation.outcome(cluster.in_state(operation.status, tags)))

    def _finish_pool(self, operation: Operation, cluster: Cluster, pool: Pool, gone: bool) -> None:
        if gone:
            self.keep(cluster.without_pool(pool.key))
            return
        tag = operation.tags.get(pool.key) if self._moves(operation) else None
        self.keep(operation.outcome(cluster.with_pool(pool.at(operation.status, tag or pool.etag))))

    def _moves(self, operation: Operation) -> bool:
        return operation.stored or self.switches.failed_moves_tag
