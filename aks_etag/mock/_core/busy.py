# SPDX-License-Identifier: MIT
"""Who blocks whom: a cluster and its pools exclude each other while an operation runs."""

from __future__ import annotations

from aks_etag.mock._core import errors
from aks_etag.mock._core.answers import Answer
from aks_etag.mock._core.operations import Operation, elapsed, whole_seconds
from aks_etag.mock._core.records import TERMINAL_STATES, Cluster
from aks_etag.mock._core.store import Store

_WAIT = (
    "is in progress, please wait for it to finish before starting a new operation. "
    "See https://aka.ms/aks-pending-operation for more details"
)
_VERBS = {"PUT": "Updating", "PATCH": "Updating", "DELETE": "Deleting", "POST": "Updating"}
_WORDS = {"Creating": "put", "Updating": "put", "Deleting": "delete"}


def blocker(store: Store, cluster: Cluster | None, pool: str | None, *, method: str) -> Answer | None:
    """Say why a write on a cluster (or one of its pools) must wait; None if it need not."""
    if cluster is None:
        return None
    for operation in store.operations.running_on(cluster.key):
        if _blocks(operation, pool, store.switches.pools_block_each_other):
            return _running(store, operation, method)
    # Deletion is accepted in any pinned state; PUT and PATCH need a terminal one.
    return None if method == "DELETE" else _pinned(store, cluster, pool)


def not_allowed(message: str, what: str) -> Answer:
    """Refuse a write in the wrong state."""
    return errors.provider(409, "OperationNotAllowed", message, row=f"busy ({what}) -> 409")


def _blocks(operation: Operation, pool: str | None, pools_block_each_other: bool) -> bool:
    if pool is None or operation.pool is None:
        return True
    return operation.pool == pool or pools_block_each_other


def _running(store: Store, operation: Operation, method: str) -> Answer:
    if store.switches.busy_answer == "operation id":
        return _with_id(operation)
    if operation.verb == "Deleting" and store.switches.busy_answer == "operation":
        return _deleting(store, operation, method)
    return _busy(store, operation.verb, None if operation.pool is None else operation.shown_name)


def _pinned(store: Store, cluster: Cluster, pool: str | None) -> Answer | None:
    if cluster.shown_state not in TERMINAL_STATES:
        return _busy(store, cluster.shown_state, None)
    for each in cluster.pools.values():
        if pool in (None, each.key) and each.shown_state not in TERMINAL_STATES:
            return _busy(store, each.shown_state, each.name)
    return None


def _busy(store: Store, state: str, pool: str | None) -> Answer:
    name = state if pool is None else f"{pool} - {state}"
    match store.switches.busy_answer:
        case "etag mismatch":
            return errors.save_race(row=f"busy ({name}) -> 409")
        case "state":
            what = "cluster" if pool is None else "agent pool"
            return not_allowed(f"Operation is not allowed: Provisioning State({state}) of the {what}", name)
        case _:
            kind = "operation" if pool is None else "agentpool operation"
            return not_allowed(f"Operation is not allowed: Another {kind} ({name}) {_WAIT}", name)


def _with_id(operation: Operation) -> Answer:
    kind = "managed cluster" if operation.pool is None else "agent pool"
    verb = _WORDS.get(operation.verb, operation.verb)
    message = (
        f"Operation is not allowed: there's an in progress {verb} {kind} operation "
        f"(operation ID: {operation.id}) on the {kind} {operation.shown_name} started on UTC "
        f"{whole_seconds(operation.started)}. Please wait for it to finish before starting a new operation"
    )
    return not_allowed(message, f"{operation.shown_name} - {operation.verb}")


def _deleting(store: Store, operation: Operation, method: str) -> Answer:
    name = operation.shown_name
    message = (
        f"Unable to perform '{_VERBS[method]}' operation on '{name}' since deletion was issued on '{name}'. "
        "The only allowed operation is deletion once deletion has started. The delete operation started at "
        f"'{whole_seconds(operation.started)}' and elapsed time is: "
        f"'{elapsed(store.clock.time() - operation.started)}' (RFC3339 format)"
    )
    return not_allowed(message, f"{name} - Deleting")
