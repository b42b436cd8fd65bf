# SPDX-License-Identifier: MIT
"""The state as frozen values, and the bodies that show it. A change is a new value, so "before" stays what it was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from aks_etag.mock._core.address import ClusterKey, cluster_id, pool_id
from aks_etag.mock._core.copies import copied
from aks_etag.mock._core.seeds import SHOWN_EMPTY_IN_CLUSTER_PUT

TERMINAL_STATES: Final = frozenset({"Succeeded", "Failed", "Canceled"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """An agent pool; it lives once and is shown as a resource and inside its cluster."""

    name: str
    properties: Mapping[str, Any]
    extras: Mapping[str, Any] = field(default_factory=dict)
    born: Mapping[str, Any] = field(default_factory=dict)
    etag: str | None = None
    state: str = "Succeeded"
    pinned: str | None = None

    @property
    def key(self) -> str:
        """The name, comparable."""
        return self.name.lower()

    @property
    def shown_state(self) -> str:
        """The provisioning state as a GET shows it."""
        return self.pinned or self.state


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A managed cluster; ``document`` has no tag, and placeholders for state and pools."""

    subscription: str
    group: str
    name: str
    document: Mapping[str, Any]
    pools: Mapping[str, Pool] = field(default_factory=dict)
    etag: str | None = None
    state: str = "Succeeded"
    pinned: str | None = None

    @property
    def key(self) -> ClusterKey:
        """Group and name, comparable."""
        return (self.group.lower(), self.name.lower())

    @property
    def id(self) -> str:
        """The ARM id."""
        return cluster_id(self.subscription, self.group, self.name)

    @property
    def shown_state(self) -> str:
        """The provisioning state as a GET shows it."""
        return self.pinned or self.state

    def pool_id(self, pool: Pool) -> str:
        """Spell the ARM id of one of its pools."""
        return pool_id(self.subscription, self.group, self.name, pool.name)

    def with_pool(self, pool: Pool) -> Cluster:
        """Return it with this pool added or exchanged."""
        return replace(self, pools={**self.pools, pool.key: pool})

    def without_pool(self, key: str) -> Cluster:
        """Return it without this pool."""
        return replace(self, pools={name: pool for name, pool in self.pools.items() if name != key})

    def in_state(self, state: str) -> Cluster:
        """Return it with all its pools in one state."""
        pools = {key: replace(pool, state=state) for key, pool in self.pools.items()}
        return replace(self, state=state, pools=pools)

    def tagged(self, tags: Mapping[str | None, str]) -> Cluster:
        """Return it with new tags: the key None means the cluster itself."""
        pools = {key: replace(pool, etag=tags.get(key, pool.etag)) for key, pool in self.pools.items()}
        return replace(self, etag=tags.get(None, self.etag), pools=pools)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a GET shows of one resource at one moment."""

    id: str
    etag: str | None
    body: Mapping[str, Any]


def see(cluster: Cluster, pool: str | None = None) -> Seen | None:
    """Take down a cluster, or one of its pools; None where there is no such pool."""
    if pool is None:
        return Seen(id=cluster.id, etag=cluster.etag, body=cluster_body(cluster))
    found = cluster.pools.get(pool)
    if found is None:
        return None
    return Seen(id=cluster.pool_id(found), etag=found.etag, body=pool_body(cluster, found))


def cluster_body(cluster: Cluster, *, tags: bool = True) -> dict[str, Any]:
    """Show a cluster as GET does."""
    body = copied(dict(cluster.document))
    body["properties"]["provisioningState"] = cluster.shown_state
    body["properties"]["agentPoolProfiles"] = [_inline(pool, tags=tags) for pool in cluster.pools.values()]
    if tags and cluster.etag:
        body["eTag"] = cluster.etag
    return body


def cluster_put_body(cluster: Cluster, *, tags: bool) -> dict[str, Any]:
    """Show a cluster as the answer of a PUT does: its pools have two more empty maps."""
    body = cluster_body(cluster, tags=tags)
    for profile in body["properties"]["agentPoolProfiles"]:
        etag = profile.pop("eTag", None)
        profile.update({name: {} for name in SHOWN_EMPTY_IN_CLUSTER_PUT if name not in profile})
        profile.update({"eTag": etag} if etag else {})
    return body


def pool_body(cluster: Cluster, pool: Pool, *, tags: bool = True) -> dict[str, Any]:
    """Show a pool as a resource of its own."""
    properties = _properties(pool)
    if tags and pool.etag:
        properties["eTag"] = pool.etag
    return {
        "id": cluster.pool_id(pool),
        "name": pool.name,
        "type": "Microsoft.ContainerService/managedClusters/agentPools",
        **copied(dict(pool.extras)),
        "properties": properties,
    }


def _inline(pool: Pool, *, tags: bool) -> dict[str, Any]:
    etag = {"eTag": pool.etag} if tags and pool.etag else {}
    return {"name": pool.name, **_properties(pool), **etag}


def _properties(pool: Pool) -> dict[str, Any]:
    return {**copied(dict(pool.properties)), "provisioningState": pool.shown_state}
