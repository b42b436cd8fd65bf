# SPDX-License-Identifier: MIT
"""PUT, PATCH and DELETE of a managed cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from aks_etag.mock._core import errors, seeds
from aks_etag.mock._core.accept import admit, gone, links, new_tags, start
from aks_etag.mock._core.address import Address
from aks_etag.mock._core.answers import Answer, RefusalError, answer
from aks_etag.mock._core.call import Call
from aks_etag.mock._core.checks import check_cluster, check_state, check_tags
from aks_etag.mock._core.conditions import Row
from aks_etag.mock._core.documents import new_cluster_document, new_pool, next_cluster_document, next_pool
from aks_etag.mock._core.records import Cluster, Pool, cluster_body, cluster_put_body, see
from aks_etag.mock._core.store import Store
from aks_etag.mock._core.switches import Switches


def put_cluster(store: Store, call: Call) -> Answer:
    """Create or replace a cluster, its inline pools included."""
    store.require_group(call.target)
    sent = call.json_object()
    current = store.clusters.get(call.target.cluster_key)
    row = admit(store, call, current)
    check_cluster(sent, creating=current is None)
    if current is None:
        return _accept_create(store, call, row, born_cluster(store, call.target, sent))
    return _accept_update(store, call, row, current, replaced(store, current, sent), moved_pools(store, sent))


def patch_cluster(store: Store, call: Call) -> Answer:
    """Change the tags of a cluster; done at once."""
    store.require_group(call.target)
    sent = call.json_object()
    current = store.clusters.get(call.target.cluster_key)
    row = admit(store, call, current)
    if current is None:
        raise RefusalError(errors.cluster_not_found(call.target, row=row.name))
    check_tags(sent)
    changed = replace(current, document=_patched(current.document, sent, store.switches))
    if store.switches.patch_moves_tag:
        changed = replace(changed, etag=store.mint.guid())
    store.commit(call.method, call.request_id, see(current), see(changed))
    shown = changed.in_state("Updating") if store.switches.patch_runs else changed
    store.keep(shown)
    body = cluster_body(shown, tag=store.tag_key(call.api_version))
    if not store.switches.patch_runs:
        return answer(200, body, row=row.name)
    operation = start(store, "Updating", {}, None, shown)
    return answer(202, body, row=row.name, headers=links(store, call, operation, location=True))


def delete_cluster(store: Store, call: Call) -> Answer:
    """Delete a cluster with its pools."""
    current = store.clusters.get(call.target.cluster_key)
    row = admit(store, call, current)
    if current is None:
        return gone(row)
    failure = store.faults.fate(call.method, call.path)
    if failure is None or failure.stored:
        store.commit(call.method, call.request_id, see(current), None)
    store.keep(current.in_state("Deleting"))
    operation = start(store, "Deleting", {None: store.mint.guid()}, failure, current)
    return answer(row.status, row=row.name, headers=links(store, call, operation))


def born_cluster(store: Store, address: Address, sent: Mapping[str, Any]) -> Cluster:
    """Build a cluster that did not exist, without tags."""
    group = store.groups[address.group_key][0]
    named = replace(address, group=group, subscription=store.subscription)
    document = new_cluster_document(sent, named, uid=store.mint.resource_uid(), switches=store.switches)
    version = document["properties"].get("kubernetesVersion")
    pools = {}
    for profile in sent["properties"]["agentPoolProfiles"]:
        alone = {"properties": profile}
        pool = new_pool(profile["name"], alone, born=seeds.BORN_INLINE, version=version, switches=store.switches)
        pools[pool.key] = pool
    return Cluster(subscription=store.subscription, group=group, name=address.cluster, document=document, pools=pools)


def replaced(store: Store, current: Cluster, sent: Mapping[str, Any]) -> Cluster:
    """Build the cluster that a PUT makes of an existing one; inline profiles overwrite the pools, stale or not."""
    check_state(sent, current.shown_state, store.switches)
    document = next_cluster_document(sent, current, store.switches)
    profiles = profiles_of(sent)
    pools = dict(current.pools)
    for profile in profiles:
        pools[profile["name"].lower()] = _replaced_pool(store, current, profile)
    if profiles and store.switches.partial_pools == "remove":
        named = {profile["name"].lower() for profile in profiles}
        pools = {key: pool for key, pool in pools.items() if key in named}
    return replace(current, document=document, pools=pools)


def profiles_of(sent: Mapping[str, Any]) -> list[Any]:
    """Return the inline pools that were sent; null counts as left out."""
    return (sent.get("properties") or {}).get("agentPoolProfiles") or []


def moved_pools(store: Store, sent: Mapping[str, Any]) -> bool:
    """Say whether a cluster PUT moves the tags of the pools."""
    return bool(profiles_of(sent)) or store.switches.omitted_pools_move


def _replaced_pool(store: Store, current: Cluster, profile: Mapping[str, Any]) -> Pool:
    pool = current.pools.get(profile["name"].lower())
    if pool is None:
        raise RefusalError(errors.new_inline_pool(profile["name"]))
    check_state({"properties": profile}, pool.shown_state, store.switches)
    return pool.holding(next_pool(profile, pool, store.switches), pool.extras)


def _accept_create(store: Store, call: Call, row: Row, draft: Cluster) -> Answer:
    tags = new_tags(store, draft, pools=True)
    failure = store.faults.fate(call.method, call.path)
    if failure is None or failure.stored:
        store.commit(call.method, call.request_id, None, see(draft.tagged(tags)))
    # As for a recorded pool, what shows before the end is an intermediate tag.
    visible = draft.in_state("Creating", new_tags(store, draft, pools=True))
    store.keep(visible)
    operation = start(store, "Creating", tags, failure, visible)
    state = "Creating" if operation.running else operation.status
    tag = store.tag_key(call.api_version) if store.switches.tag_on_create else None
    body = cluster_put_body(visible, state, tag=tag)
    return answer(row.status, body, row=row.name, headers=links(store, call, operation))


def _accept_update(store: Store, call: Call, row: Row, current: Cluster, draft: Cluster, pools_move: bool) -> Answer:
    tags = new_tags(store, draft, pools=pools_move)
    failure = store.faults.fate(call.method, call.path)
    stored = failure is None or failure.stored
    if stored:
        settled = draft.in_state("Succeeded", tags)
        store.commit(call.method, call.request_id, see(current), see(settled))
    late = store.switches.running_shows == "old"
    visible = (draft if stored and not late else current).in_state("Updating")
    at_once = stored and store.switches.cluster_tag_moves == "accept"
    store.keep(visible.tagged(tags) if at_once else visible)
    operation = start(store, "Updating", tags, failure, visible, after=_arriving(draft) if late else None)
    # The recorded answer shows the tags from before the operation, at both levels.
    state = "Updating" if operation.running else operation.status
    body = cluster_put_body(draft, state, tag=store.tag_key(call.api_version))
    return answer(row.status, body, row=row.name, headers=links(store, call, operation))


def _arriving(draft: Cluster) -> Callable[[Cluster, str | None], Cluster]:
    """Return what lets the content of a draft show at the end of its operation."""

    def after(cluster: Cluster, _: str | None) -> Cluster:
        pools = {key: cluster.pools[key].holding(pool.properties, pool.extras) for key, pool in draft.pools.items()}
        return replace(cluster, document=draft.document, pools=pools)

    return after


def _patched(document: Mapping[str, Any], sent: Mapping[str, Any], switches: Switches) -> dict[str, Any]:
    changed = dict(document)
    if "tags" not in sent:
        return changed
    merge = switches.patch_tags == "merge"
    tags = {**((merge and changed.get("tags")) or {}), **(sent["tags"] or {})}
    changed["tags"] = {name: value for name, value in tags.items() if value is not None or not merge}
    if not changed["tags"] and not switches.keep_empty_maps:
        del changed["tags"]
    return changed
