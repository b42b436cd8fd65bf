# SPDX-License-Identifier: MIT
"""From an admitted write to a running operation: tags, states, the commit, the answer's headers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from aks_etag.mock._core.address import operation_path
from aks_etag.mock._core.answers import Answer, RefusalError
from aks_etag.mock._core.busy import blocker
from aks_etag.mock._core.call import Call
from aks_etag.mock._core.conditions import Row, evaluate, refusal
from aks_etag.mock._core.operations import Failure, Operation
from aks_etag.mock._core.records import Cluster
from aks_etag.mock._core.store import Store


def admit(store: Store, call: Call, cluster: Cluster | None, pool: str | None = None) -> Row:
    """Evaluate preconditions and running operations, or refuse; the switch says which of two refusals wins."""
    current = cluster.pools.get(pool) if cluster and pool else cluster
    row = evaluate(
        call.method,
        call.condition("if-match"),
        call.condition("if-none-match"),
        exists=current is not None,
        tag=current.etag if current else None,
        accept_quotes=store.switches.accept_quotes,
        elsewhere=store.switches.none_match_elsewhere,
    )
    blocked = blocker(store, cluster, pool, method=call.method) if row.status in (200, 201, 202, 412) else None
    refused = refusal(row, store.switches) if row.status in (400, 412) else None
    first, second = (blocked, refused) if store.switches.busy_first else (refused, blocked)
    why = first or second
    if why is not None:
        raise RefusalError(why)
    return row


def new_tags(store: Store, cluster: Cluster, pools: bool) -> dict[str | None, str]:
    """Draw the tags that the end of a cluster operation brings."""
    keys = cluster.pools if pools else ()
    return {None: store.mint.guid(), **{key: store.mint.guid() for key in keys}}


def start(
    store: Store,
    verb: str,
    tags: Mapping[str | None, str],
    failure: Failure | None,
    cluster: Cluster,
    pool: str | None = None,
    after: Callable[[Cluster, str | None], Cluster] | None = None,
) -> Operation:
    """Start the long-running operation of an accepted write; with neither polls nor seconds it ends at once."""
    now, seconds = store.clock.time(), store.switches.operation_seconds
    operation = Operation(
        id=store.mint.guid(),
        query=store.mint.signed_query(),
        verb=verb,
        cluster=cluster.key,
        pool=pool,
        shown_name=cluster.pools[pool].name if pool else cluster.name,
        tags=tags,
        polls_left=store.switches.operation_polls,
        started=now,
        due=None if seconds is None else now + seconds,
        after=after,
        failure=failure,
    )
    store.operations.add(operation)
    if operation.due is None and operation.polls_left <= 0:
        store.finish(operation)
    return operation


def links(store: Store, call: Call, operation: Operation, *, location: bool = False) -> dict[str, str]:
    """Build the headers that lead to an operation; of the writes, only a DELETE has a Location."""
    names = {"Azure-AsyncOperation": False, **({"Location": True} if location or operation.verb == "Deleting" else {})}
    return {name: _link(store, call, operation, result=result) for name, result in names.items()}


def gone(row: Row) -> Answer:
    """Answer a DELETE of what does not exist: 204, whatever tag came with it."""
    return Answer(status=204, row=row.name)


def _link(store: Store, call: Call, operation: Operation, *, result: bool) -> str:
    path = operation_path(store.subscription, store.switches.location, operation.id, result=result)
    return f"{call.base}{path}?{operation.query}"
