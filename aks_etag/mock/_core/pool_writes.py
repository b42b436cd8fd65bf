# SPDX-License-Identifier: MIT
"""PUT and DELETE of an agent pool; neither moves the tag of its cluster, nor those of the other pools."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from aks_etag.mock._core import seeds
from aks_etag.mock._core.accept import admit, gone, links, start
from aks_etag.mock._core.answers import Answer, answer
from aks_etag.mock._core.call import Call
from aks_etag.mock._core.checks import check_pool, check_state
from aks_etag.mock._core.conditions import Row
from aks_etag.mock._core.documents import new_pool, next_pool, pool_extras
from aks_etag.mock._core.records import Cluster, Pool, pool_body, see
from aks_etag.mock._core.store import Store


def put_pool(store: Store, call: Call) -> Answer:
    """Create or replace an agent pool."""
    cluster = store.require_parent(call.target)
    sent = call.json_object()
    row = admit(store, call, cluster, call.target.pool_key)
    check_pool(sent)
    current = cluster.pools.get(call.target.pool_key)
    if current is None:
        return _accept(store, call, row, cluster, born_pool(store, cluster, call.target.pool, sent), "Creating")
    return _accept(store, call, row, cluster, replaced_pool(store, current, sent), "Updating")


def delete_pool(store: Store, call: Call) -> Answer:
    """Delete an agent pool."""
    cluster = store.clusters.get(call.target.cluster_key)
    key = call.target.pool_key
    row = admit(store, call, cluster, key)
    if cluster is None or key not in cluster.pools:
        return gone(row)
    failure = store.faults.fate(call.method, call.path)
    if failure is None or failure.stored:
        store.commit(call.method, call.request_id, see(cluster, key), None)
    store.keep(cluster.with_pool(_in_state(cluster.pools[key], "Deleting")))
    operation = start(store, "Deleting", {key: store.mint.guid()}, failure, cluster, key)
    return answer(row.status, row=row.name, headers=links(store, call, operation))


def born_pool(store: Store, cluster: Cluster, name: str, sent: Mapping[str, Any]) -> Pool:
    """Build a pool that did not exist, without a tag."""
    version = cluster.document["properties"].get("kubernetesVersion")
    return new_pool(name, sent, born=seeds.BORN_ALONE, version=version, switches=store.switches)


def replaced_pool(store: Store, current: Pool, sent: Mapping[str, Any]) -> Pool:
    """Build the pool that a PUT makes of an existing one."""
    check_state(sent, current.shown_state, store.switches)
    properties = next_pool(sent.get("properties") or {}, current, store.switches)
    return current.holding(properties, pool_extras(sent))


def _accept(store: Store, call: Call, row: Row, cluster: Cluster, draft: Pool, verb: str) -> Answer:
    tag = store.mint.guid()
    failure = store.faults.fate(call.method, call.path)
    stored = failure is None or failure.stored
    if stored:
        settled = cluster.with_pool(draft.at("Succeeded", tag))
        store.commit(call.method, call.request_id, see(cluster, draft.key), see(settled, draft.key))
    # Recorded: the tag moves at accept, and the end brings another one.
    accepted = draft.at(verb, store.mint.guid())
    late = store.switches.running_shows == "old" and verb == "Updating"
    visible = accepted if stored or verb == "Creating" else _in_state(cluster.pools[draft.key], verb)
    if stored and late:
        visible = cluster.pools[draft.key].at(verb, accepted.etag)
    kept = cluster.with_pool(visible)
    store.keep(kept)
    after = _arriving(draft) if late else None
    operation = start(store, verb, {draft.key: tag}, failure, kept, draft.key, after=after)
    shown = accepted if operation.running else _in_state(accepted, operation.status)
    body = pool_body(kept, shown, tag=store.tag_key(call.api_version))
    return answer(row.status, body, row=row.name, headers=links(store, call, operation))


def _arriving(draft: Pool) -> Callable[[Cluster, str | None], Cluster]:
    """Return what lets the content of a draft show at the end of its operation."""

    def after(cluster: Cluster, _: str | None) -> Cluster:
        return cluster.with_pool(cluster.pools[draft.key].holding(draft.properties, draft.extras))

    return after


def _in_state(pool: Pool, state: str) -> Pool:
    return pool.at(state, pool.etag)
