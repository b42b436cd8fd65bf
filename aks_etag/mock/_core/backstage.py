# SPDX-License-Identifier: MIT
"""What a test does behind the service's back: fixtures, and other writers that need no HTTP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeAlias, TypeVar

from aks_etag.mock._core import groups, seeds
from aks_etag.mock._core.accept import new_tags
from aks_etag.mock._core.address import Address
from aks_etag.mock._core.answers import RefusalError
from aks_etag.mock._core.checks import check_cluster, check_pool
from aks_etag.mock._core.cluster_writes import born_cluster, moved_pools, replaced
from aks_etag.mock._core.copies import copied
from aks_etag.mock._core.documents import new_pool
from aks_etag.mock._core.pool_writes import replaced_pool
from aks_etag.mock._core.records import TERMINAL_STATES, Cluster, Pool, cluster_body, pool_body, see
from aks_etag.mock._core.store import Store

Change: TypeAlias = Callable[[dict[str, Any]], object]
Pools: TypeAlias = Mapping[str, Mapping[str, Any]]

_Record = TypeVar("_Record", Cluster, Pool)
_Result = TypeVar("_Result")

DEFAULT_POOLS: Final[Pools] = {"np1": {"count": 3}}


class Backstage:
    """Direct access to the state, under its lock."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._edits = 0

    def add_group(self, name: str) -> str:
        """Create a resource group where there is none; return its ARM id."""
        with self._store.lock:
            groups.add_group(self._store, name, self._store.switches.location)
            return f"/subscriptions/{self._store.subscription}/resourceGroups/{self._store.groups[name.lower()][0]}"

    def add_cluster(self, group: str, name: str, body: Mapping[str, Any] | None, pools: Pools | None) -> str:
        """Create a settled cluster; return its ARM id."""
        self.add_group(group)
        with self._store.lock:
            address = Address(kind="cluster", subscription=self._store.subscription, group=group, cluster=name)
            sent = _cluster_fixture(body, pools, self._store.switches.location)
            _checked(lambda: check_cluster(sent, creating=True))
            cluster = born_cluster(self._store, address, sent)
            cluster = cluster.tagged(new_tags(self._store, cluster, pools=True))
            self._store.finish_all(cluster.key)
            self._store.keep(cluster)
            return cluster.id

    def add_pool(self, group: str, name: str, pool_name: str, properties: Mapping[str, Any]) -> str:
        """Create a settled agent pool; return its ARM id."""
        with self._store.lock:
            cluster = self.cluster(group, name)
            sent = {"properties": {**seeds.FIXTURE_POOL, **copied(dict(properties))}}
            version = cluster.document["properties"].get("kubernetesVersion")
            pool = new_pool(pool_name, sent, born=seeds.BORN_ALONE, version=version, switches=self._store.switches)
            pool = replace(pool, etag=self._store.mint.guid())
            self._store.keep(cluster.with_pool(pool))
            return cluster.pool_id(pool)

    def body(self, group: str, name: str, pool_name: str | None) -> dict[str, Any]:
        """Return a copy of what a GET would show now, without counting as one."""
        with self._store.lock:
            self._store.expire()
            cluster = self.cluster(group, name)
            return copied(cluster_body(cluster) if pool_name is None else pool_body(cluster, _pool(cluster, pool_name)))

    def clusters(self) -> list[tuple[str, str]]:
        """List the clusters there are."""
        with self._store.lock:
            return [(cluster.group, cluster.name) for cluster in self._store.clusters.values()]

    def edit(self, group: str, name: str, pool_name: str | None, change: Change) -> None:
        """Be another writer whose operation is already over."""
        with self._store.lock:
            self._store.finish_all(self.cluster(group, name).key)
            before = self.cluster(group, name)
            pool = None if pool_name is None else _pool(before, pool_name)
            body = copied(cluster_body(before) if pool is None else pool_body(before, pool))
            returned = change(body)
            sent = copied(returned if isinstance(returned, dict) else body)
            after = _checked(lambda: self._edited(before, pool, sent))
            self._store.keep(after)
            self._edits += 1
            key = pool.key if pool else None
            self._store.commit("PUT", f"edit-{self._edits}", see(before, key), see(after, key), background=True)

    def delete(self, group: str, name: str, pool_name: str | None) -> None:
        """Be another writer whose deletion is already over."""
        with self._store.lock:
            self._store.finish_all(self.cluster(group, name).key)
            before = self.cluster(group, name)
            self._edits += 1
            if pool_name is None:
                del self._store.clusters[before.key]
                self._store.commit("DELETE", f"edit-{self._edits}", see(before), None, background=True)
                return
            key = _pool(before, pool_name).key
            self._store.keep(before.without_pool(key))
            self._store.commit("DELETE", f"edit-{self._edits}", see(before, key), None, background=True)

    def set_state(self, group: str, name: str, pool_name: str | None, state: str) -> None:
        """Pin a provisioning state; a terminal one gives way to the next operation."""
        with self._store.lock:
            cluster = self.cluster(group, name)
            if pool_name is None:
                self._store.keep(_pin(cluster, state))
            else:
                self._store.keep(cluster.with_pool(_pin(_pool(cluster, pool_name), state)))

    def set_kubeconfig(self, group: str, name: str, text: str) -> None:
        """Keep what the credential requests of a cluster are answered with."""
        with self._store.lock:
            self._store.kubeconfigs[self.cluster(group, name).key] = text

    def cluster(self, group: str, name: str) -> Cluster:
        """Find a cluster."""
        cluster = self._store.clusters.get((group.lower(), name.lower()))
        if cluster is None:
            raise LookupError(f"the mock has no cluster {group}/{name}")
        return cluster

    def _edited(self, before: Cluster, pool: Pool | None, sent: dict[str, Any]) -> Cluster:
        if pool is None:
            check_cluster(sent, creating=False)
            after = replaced(self._store, before, sent).in_state("Succeeded")
            return after.tagged(new_tags(self._store, after, pools=moved_pools(self._store, sent)))
        check_pool(sent)
        after_pool = replaced_pool(self._store, pool, sent)
        return before.with_pool(replace(after_pool, state="Succeeded", etag=self._store.mint.guid()))


def _pool(cluster: Cluster, name: str) -> Pool:
    pool = cluster.pools.get(name.lower())
    if pool is None:
        raise LookupError(f"the mock has no agent pool {cluster.group}/{cluster.name}/{name}")
    return pool


def _pin(record: _Record, state: str) -> _Record:
    if state in TERMINAL_STATES:
        return replace(record, state=state, pinned=None)
    return replace(record, pinned=state)


def _checked(build: Callable[[], _Result]) -> _Result:
    try:
        return build()
    except RefusalError as refusal:
        raise ValueError(refusal.answer.body.decode()) from None


def _cluster_fixture(body: Mapping[str, Any] | None, pools: Pools | None, location: str) -> dict[str, Any]:
    recorded = {"location": location, "identity": {"type": "SystemAssigned"}, "properties": {"dnsPrefix": "dns1"}}
    sent: dict[str, Any] = copied(dict(recorded if body is None else body))
    sent.setdefault("location", location)
    properties = sent["properties"] = {**(sent.get("properties") or {})}
    profiles = {profile["name"]: profile for profile in properties.get("agentPoolProfiles") or []}
    for name, fields in ({} if profiles and pools is None else pools or DEFAULT_POOLS).items():
        profiles[name] = {**seeds.FIXTURE_POOL, **profiles.get(name, {}), **copied(dict(fields)), "name": name}
    properties["agentPoolProfiles"] = list(profiles.values())
    return sent
