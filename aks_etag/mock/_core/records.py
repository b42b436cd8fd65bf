# SPDX-License-Identifier: MIT
"""The state as frozen values, and the bodies that show it. A change is a new value, so "before" stays what it was.

A body is a view: it shares what is deep inside with the state, so whoever hands one to somebody else copies it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Literal, TypeAlias

from aks_etag.mock._core.address import ClusterKey, cluster_id, pool_id
from aks_etag.mock._core.seeds import SHOWN_EMPTY_IN_CLUSTER_PUT

TERMINAL_STATES: Final = frozenset({"Succeeded", "Failed", "Canceled"})
TagKey: TypeAlias = Literal["eTag", "etag"]
_NO_TAGS: Final[Mapping[str | None, str]] = {}


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

    def at(self, state: str, etag: str | None) -> Pool:
        """Return it in this state and with this tag: what every write does, so it is spelled out for speed."""
        return Pool(
            name=self.name,
            properties=self.properties,
            extras=self.extras,
            born=self.born,
            etag=etag,
            state=state,
            pinned=self.pinned,
        )

    def holding(self, properties: Mapping[str, Any], extras: Mapping[str, Any]) -> Pool:
        """Return it with this content, and otherwise as it is."""
        return Pool(
            name=self.name,
            properties=properties,
            extras=extras,
            born=self.born,
            etag=self.etag,
            state=self.state,
            pinned=self.pinned,
        )

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
        return self._with({**self.pools, pool.key: pool}, self.state, self.etag)

    def without_pool(self, key: str) -> Cluster:
        """Return it without this pool."""
        return self._with({name: pool for name, pool in self.pools.items() if name != key}, self.state, self.etag)

    def in_state(self, state: str, tags: Mapping[str | None, str] = _NO_TAGS) -> Cluster:
        """Return it with all its pools in one state, and with new tags: the key None means the cluster itself."""
        pools = {key: pool.at(state, tags.get(key, pool.etag)) for key, pool in self.pools.items()}
        return self._with(pools, state, tags.get(None, self.etag))

    def tagged(self, tags: Mapping[str | None, str]) -> Cluster:
        """Return it with new tags, and in the states that it is in."""
        pools = {key: pool.at(pool.state, tags.get(key, pool.etag)) for key, pool in self.pools.items()}
        return self._with(pools, self.state, tags.get(None, self.etag))

    def _with(self, pools: Mapping[str, Pool], state: str, etag: str | None) -> Cluster:
        return Cluster(
            subscription=self.subscription,
            group=self.group,
            name=self.name,
            document=self.document,
            pools=pools,
            etag=etag,
            state=state,
            pinned=self.pinned,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a GET shows of one resource at one moment; ``show`` makes the body, which most never ask for."""

    id: str
    etag: str | None
    # Two moments are told apart by their tags: no tag comes twice.
    show: Callable[[], Mapping[str, Any]] = field(compare=False)


def see(cluster: Cluster, pool: str | None = None) -> Seen | None:
    """Take down a cluster, or one of its pools; None where there is no such pool."""
    if pool is None:
        return Seen(id=cluster.id, etag=cluster.etag, show=partial(cluster_body, cluster))
    found = cluster.pools.get(pool)
    if found is None:
        return None
    return Seen(id=cluster.pool_id(found), etag=found.etag, show=partial(pool_body, cluster, found))


def cluster_body(cluster: Cluster, *, tag: TagKey | None = "eTag") -> dict[str, Any]:
    """Show a cluster as GET does; ``tag`` is the key of its tags."""
    profiles = [_inline(pool, tag) for pool in cluster.pools.values()]
    state = {"provisioningState": cluster.shown_state, "agentPoolProfiles": profiles}
    body = {**cluster.document, "properties": {**cluster.document["properties"], **state}}
    if tag and cluster.etag:
        body[tag] = cluster.etag
    return body


def cluster_put_body(cluster: Cluster, state: str, *, tag: TagKey | None) -> dict[str, Any]:
    """Show a cluster and its pools in a state, as the answer of a PUT does: its pools have two more empty maps."""
    body = cluster_body(cluster, tag=tag)
    body["properties"]["provisioningState"] = state
    for profile in body["properties"]["agentPoolProfiles"]:
        profile["provisioningState"] = state
        etag = profile.pop(tag, None)
        profile.update({name: {} for name in SHOWN_EMPTY_IN_CLUSTER_PUT if name not in profile})
        profile.update({tag: etag} if etag else {})
    return body


def pool_body(cluster: Cluster, pool: Pool, *, tag: TagKey | None = "eTag") -> dict[str, Any]:
    """Show a pool as a resource of its own."""
    properties = _properties(pool)
    if tag and pool.etag:
        properties[tag] = pool.etag
    return {
        "id": cluster.pool_id(pool),
        "name": pool.name,
        "type": "Microsoft.ContainerService/managedClusters/agentPools",
        **pool.extras,
        "properties": properties,
    }


def _inline(pool: Pool, tag: TagKey | None) -> dict[str, Any]:
    etag: dict[str, Any] = {tag: pool.etag} if tag and pool.etag else {}
    return {"name": pool.name, **_properties(pool), **etag}


def _properties(pool: Pool) -> dict[str, Any]:
    return {**pool.properties, "provisioningState": pool.shown_state}
