# SPDX-License-Identifier: MIT
"""GETs: resources, pages of them, and operations. Each one brings what it shows nearer to its end."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import quote

from aks_etag.mock._core import errors
from aks_etag.mock._core.answers import Answer, RefusalError, answer
from aks_etag.mock._core.call import Call
from aks_etag.mock._core.operations import Operation
from aks_etag.mock._core.records import cluster_body, pool_body
from aks_etag.mock._core.store import Store


def get_cluster(store: Store, call: Call) -> Answer:
    """Show a cluster."""
    store.require_group(call.target)
    key = call.target.cluster_key
    store.count_get(key)
    cluster = store.clusters.get(key)
    if cluster is None:
        raise RefusalError(errors.cluster_not_found(call.target, row="GET cluster, missing -> 404"))
    shown = store.views.show(cluster, tag=store.tag_key(call.api_version))
    return answer(200, shown, row="GET cluster, exists -> 200")


def get_pool(store: Store, call: Call) -> Answer:
    """Show an agent pool."""
    store.require_parent(call.target)
    store.count_get(call.target.cluster_key, {call.target.pool_key})
    cluster = store.require_parent(call.target)
    key = call.target.pool_key
    if key not in cluster.pools:
        raise RefusalError(errors.pool_not_found(call.target, row="GET agent pool, missing -> 404"))
    shown = store.views.show(cluster, key, tag=store.tag_key(call.api_version))
    return answer(200, shown, row="GET agent pool, exists -> 200")


def list_clusters(store: Store, call: Call) -> Answer:
    """Show one page of the clusters of a group, or of the subscription."""
    group = call.target.group_key
    if group:
        store.require_group(call.target)
    keys = [key for key in store.clusters if group in ("", key[0])]
    page, rest = _page(store, call, keys, key_of="/".join)
    for key in page:
        store.count_get(key)
    tag = store.tag_key(call.api_version)
    shown = [cluster_body(store.clusters[key], tag=tag) for key in page if key in store.clusters]
    return answer(200, {"value": shown, **rest}, row="LIST clusters -> 200")


def list_pools(store: Store, call: Call) -> Answer:
    """Show one page of the agent pools of a cluster."""
    keys = list(store.require_parent(call.target).pools)
    page, rest = _page(store, call, keys, key_of=str)
    store.count_get(call.target.cluster_key, set(page))
    cluster = store.require_parent(call.target)
    tag = store.tag_key(call.api_version)
    shown = [pool_body(cluster, cluster.pools[key], tag=tag) for key in page if key in cluster.pools]
    return answer(200, {"value": shown, **rest}, row="LIST agent pools -> 200")


def get_operation(store: Store, call: Call) -> Answer:
    """Show the status of an operation."""
    operation = _signed_operation(store, call)
    return answer(200, operation.body(), row=f"operation {operation.status} -> 200")


def get_operation_result(store: Store, call: Call) -> Answer:
    """Show whether an operation is over: 202, then 204 for a deletion and 200 for anything else."""
    operation = _signed_operation(store, call)
    if operation.running:
        return answer(202, row="operation result, running -> 202", headers={"Location": call.url})
    if operation.verb == "Deleting" and operation.failure is None:
        return answer(204, row="operation result, deleted -> 204")
    return answer(200, operation.body(), row=f"operation result, {operation.status} -> 200")


def _signed_operation(store: Store, call: Call) -> Operation:
    operation = store.operations.get(call.target.operation)
    if operation is None:
        raise RefusalError(errors.operation_not_found(call.target.operation))
    if call.query != operation.query:
        raise RefusalError(errors.forged_signature())
    store.count(operation)
    return operation


def _page(
    store: Store, call: Call, keys: Sequence[Any], *, key_of: Callable[[Any], str]
) -> tuple[Sequence[Any], dict[str, str]]:
    """Cut one page behind the last key of the page before, so that deletions cannot make it skip anything."""
    after = _last_key(call)
    left = [key for key in sorted(keys, key=key_of) if after is None or key_of(key) > after]
    page = left[: store.switches.page_size]
    if len(left) <= len(page):
        return page, {}
    token = base64.urlsafe_b64encode(key_of(page[-1]).encode(errors="surrogatepass")).decode()
    version = quote(call.api_version or "")
    return page, {"nextLink": f"{call.base}{call.path}?api-version={version}&%24skiptoken={quote(token)}"}


def _last_key(call: Call) -> str | None:
    token = call.parameter("$skiptoken")
    if token is None:
        return None
    try:
        return base64.b64decode(token, b"-_", validate=True).decode(errors="surrogatepass")
    except (binascii.Error, ValueError):
        raise RefusalError(errors.bad_skip_token()) from None
