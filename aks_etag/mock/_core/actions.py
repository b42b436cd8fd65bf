# SPDX-License-Identifier: MIT
"""What is asked for by POST, as far as it moves states and tags: no precondition guards any of these."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from aks_etag.mock._core import errors, seeds
from aks_etag.mock._core.accept import links, new_tags, start
from aks_etag.mock._core.answers import Answer, RefusalError, answer
from aks_etag.mock._core.busy import blocker, not_allowed
from aks_etag.mock._core.call import Call
from aks_etag.mock._core.operations import Failure, Operation
from aks_etag.mock._core.records import Cluster, see
from aks_etag.mock._core.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """A long-running one: the state that shows while it runs, and what it makes of the cluster."""

    state: str
    after: Callable[[Cluster, str | None], Cluster]


def post_cluster(store: Store, call: Call) -> Answer:
    """Start, stop, abort, or hand out a kubeconfig."""
    cluster = _cluster(store, call)
    name = call.target.action.lower()
    if name in _CREDENTIALS:
        return _kubeconfig(store, cluster, _CREDENTIALS[name])
    if name == "abort":
        return _abort(store, call, cluster, None)
    action = _CLUSTER.get(name)
    if action is None:
        raise RefusalError(errors.unknown_route(call.method, call.path))
    return _begin(store, call, cluster, None, action, moves=store.switches.actions_move_tags)


def post_pool(store: Store, call: Call) -> Answer:
    """Upgrade the node image of an agent pool, or abort what runs on it."""
    cluster, key = _cluster(store, call), call.target.pool_key
    if key not in cluster.pools:
        raise RefusalError(errors.pool_not_found(call.target, row="POST agent pool, missing -> 404"))
    name = call.target.action.lower()
    if name == "abort":
        return _abort(store, call, cluster, key)
    if name == "scale" and store.backstage:
        scaling = Action(state="Scaling", after=_scaled(call.json_object()["count"]))
        return _begin(store, call, cluster, key, scaling, moves=store.switches.autoscaler_moves_tag)
    if name != "upgradenodeimageversion":
        raise RefusalError(errors.unknown_route(call.method, call.path))
    return _begin(store, call, cluster, key, _NODE_IMAGE, moves=store.switches.actions_move_tags)


def kubeconfig(cluster: Cluster) -> str:
    """Return the kubeconfig of a cluster for which a test has set none."""
    server = f"https://{cluster.document['properties']['fqdn']}:443"
    return (
        "apiVersion: v1\nkind: Config\ncurrent-context: mock\n"
        f"clusters:\n- name: mock\n  cluster:\n    server: {server}\n"
        "contexts:\n- name: mock\n  context:\n    cluster: mock\n    user: mock\n"
        "users:\n- name: mock\n  user:\n    token: mock\n"
    )


def _cluster(store: Store, call: Call) -> Cluster:
    store.require_group(call.target)
    found = store.clusters.get(call.target.cluster_key)
    if found is None:
        raise RefusalError(errors.cluster_not_found(call.target, row="POST cluster, missing -> 404"))
    return found


def _begin(store: Store, call: Call, cluster: Cluster, pool: str | None, action: Action, *, moves: bool) -> Answer:
    refused = blocker(store, cluster, pool, method=call.method) or _in_that_state(cluster, pool, action)
    if refused is not None:
        raise RefusalError(refused)
    tags: Mapping[str | None, str] = {}
    if moves:
        tags = new_tags(store, cluster, pools=True) if pool is None else {pool: store.mint.guid()}
    failure = store.faults.fate(call.method, call.path)
    if failure is None or failure.stored:
        settled = action.after(cluster, pool).tagged(tags)
        store.commit(call.method, call.request_id, see(cluster, pool), see(settled, pool))
    visible = cluster.in_state(action.state)
    if pool is not None:
        visible = cluster.with_pool(replace(cluster.pools[pool], state=action.state))
    store.keep(visible)
    operation = start(store, action.state, tags, failure, visible, pool, after=action.after)
    row = f"POST {call.target.action} -> 202"
    return answer(202, row=row, headers=links(store, call, operation, location=True))


def _in_that_state(cluster: Cluster, pool: str | None, action: Action) -> Answer | None:
    """Refuse to start what runs, and to stop what is stopped (the texts are not known)."""
    if pool is not None or _power(action.after(cluster, None)) != _power(cluster):
        return None
    return not_allowed(f"Operation is not allowed: the cluster is {_power(cluster)} already", f"is {_power(cluster)}")


def _power(cluster: Cluster) -> str:
    return str((cluster.document["properties"].get("powerState") or {}).get("code"))


def _abort(store: Store, call: Call, cluster: Cluster, pool: str | None) -> Answer:
    """End what runs as Canceled; what it has stored stays."""
    running = [each for each in store.operations.running_on(cluster.key) if each.pool == pool]
    if not running:
        raise RefusalError(not_allowed("There is no operation that could be cancelled", "nothing to abort"))
    for each in running:
        each.failure = Failure(code="Canceled", message="Operation was canceled", status="Canceled", stored=each.stored)
        store.finish(each)
    operation = Operation(
        id=store.mint.guid(),
        query=store.mint.signed_query(),
        verb="Canceling",
        cluster=cluster.key,
        pool=pool,
        shown_name=running[0].shown_name,
        tags={},
        polls_left=0,
        started=store.clock.time(),
    )
    operation.close(store.clock.time())
    store.operations.add(operation)
    return answer(202, row="POST abort -> 202", headers=links(store, call, operation, location=True))


def _kubeconfig(store: Store, cluster: Cluster, user: str) -> Answer:
    text = store.kubeconfigs.get(cluster.key) or kubeconfig(cluster)
    entry = {"name": user, "value": base64.b64encode(text.encode()).decode()}
    return answer(200, {"kubeconfigs": [entry]}, row="POST credential -> 200")


def _powered(code: str) -> Callable[[Cluster, str | None], Cluster]:
    def after(cluster: Cluster, _: str | None) -> Cluster:
        properties = {**cluster.document["properties"], "powerState": {"code": code}}
        pools = {
            key: replace(each, properties={**each.properties, "powerState": {"code": code}})
            for key, each in cluster.pools.items()
        }
        return replace(cluster, document={**cluster.document, "properties": properties}, pools=pools)

    return after


def _scaled(count: int) -> Callable[[Cluster, str | None], Cluster]:
    def after(cluster: Cluster, pool: str | None) -> Cluster:
        found = cluster.pools[pool or ""]
        return cluster.with_pool(replace(found, properties={**found.properties, "count": count}))

    return after


def _new_image(cluster: Cluster, pool: str | None) -> Cluster:
    if pool is None:
        return cluster
    found = cluster.pools[pool]
    properties: dict[str, Any] = {**found.properties, "nodeImageVersion": seeds.NEXT_NODE_IMAGE}
    return cluster.with_pool(replace(found, properties=properties))


_CLUSTER: Final[Mapping[str, Action]] = {
    "start": Action(state="Starting", after=_powered("Running")),
    "stop": Action(state="Stopping", after=_powered("Stopped")),
}
_NODE_IMAGE: Final = Action(state="UpgradingNodeImageVersion", after=_new_image)
_CREDENTIALS: Final = {
    "listclusterusercredential": "clusterUser",
    "listclusteradmincredential": "clusterAdmin",
    "listclustermonitoringusercredential": "clusterMonitoringUser",
}
