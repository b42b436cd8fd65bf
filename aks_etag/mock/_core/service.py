# SPDX-License-Identifier: MIT
"""The one entrance: route, evaluate, break what a test wants broken, and write it all down."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias

from aks_etag.mock._core import actions, cluster_writes, errors, groups, pool_writes, reads
from aks_etag.mock._core.answers import Answer, ConnectionLostError, RefusalError
from aks_etag.mock._core.background import Background, Backgrounds
from aks_etag.mock._core.call import Call, parse_call
from aks_etag.mock._core.clock import VirtualClock
from aks_etag.mock._core.faults import Fault
from aks_etag.mock._core.hooks import Hooks
from aks_etag.mock._core.journal import JournalEntry
from aks_etag.mock._core.operations import Operation
from aks_etag.mock._core.records import Cluster
from aks_etag.mock._core.scene import Scene
from aks_etag.mock._core.snapshots import Saved, restore, save
from aks_etag.mock._core.store import Store

Handler: TypeAlias = Callable[[Store, Call], Answer]

ROUTES: Final[Mapping[tuple[str, str], Handler]] = {
    ("group", "PUT"): groups.put_group,
    ("group", "GET"): groups.get_group,
    ("group", "HEAD"): groups.head_group,
    ("group", "DELETE"): groups.delete_group,
    ("subscription clusters", "GET"): reads.list_clusters,
    ("group clusters", "GET"): reads.list_clusters,
    ("cluster", "GET"): reads.get_cluster,
    ("cluster", "PUT"): cluster_writes.put_cluster,
    ("cluster", "PATCH"): cluster_writes.patch_cluster,
    ("cluster", "DELETE"): cluster_writes.delete_cluster,
    ("pools", "GET"): reads.list_pools,
    ("pool", "GET"): reads.get_pool,
    ("pool", "PUT"): pool_writes.put_pool,
    ("pool", "DELETE"): pool_writes.delete_pool,
    ("cluster action", "POST"): actions.post_cluster,
    ("pool action", "POST"): actions.post_pool,
    ("operation", "GET"): reads.get_operation,
    ("operation result", "GET"): reads.get_operation_result,
}

_BACKGROUND_VERSION: Final = "2026-05-01"


class Service:
    """The mock's core; every door hands its requests to ``handle``."""

    def __init__(self, store: Store, hooks: Hooks) -> None:
        self._store = store
        self._stores = {store.subscription.lower(): store}
        self._hooks = hooks
        # Asked before each request, by whoever lets several clients make theirs in turn.
        self.gate: Callable[[str], object] | None = None
        self._held: list[tuple[Call, Fault]] = []
        self.backgrounds = Backgrounds()

    @property
    def clock(self) -> VirtualClock:
        """The clock that slow answers take their time on, where nobody waits in real time."""
        return self._store.clock

    def serve(self, store: Store) -> None:
        """Answer for another subscription, too."""
        with self._store.lock:
            self._stores[store.subscription.lower()] = store

    def shown(self) -> tuple[list[Cluster], list[Operation]]:
        """Return all clusters and all running operations of one moment, of every subscription."""
        with self._store.lock:
            stores = list(self._stores.values())
            for store in stores:
                store.expire()
            clusters = [cluster for store in stores for cluster in store.clusters.values()]
            return clusters, [operation for store in stores for operation in store.operations.running()]

    def save(self) -> list[tuple[Store, Saved]]:
        """Keep the state of every subscription."""
        with self._store.lock:
            return [(store, save(store)) for store in self._stores.values()]

    def restore(self, saved: list[tuple[Store, Saved]]) -> None:
        """Bring it back; what was held back since is dropped."""
        with self._store.lock:
            self._held.clear()
            for store, kept in saved:
                restore(store, kept)

    def handle(self, method: str, url: str, headers: Mapping[str, str], body: bytes, *, remote: bool = False) -> Answer:
        """Answer one request; raise ``ConnectionLostError`` where a fault swallows the answer."""
        if self.gate is not None:
            self.gate(method)
        call = parse_call(method, url, headers, body)
        fault = self._store.faults.draw(call.method, call.path, running=lambda: self._running(call))
        if fault is not None and fault.phase != "after":
            return self._keep_away(call, fault)
        if call.is_write:
            self._hooks.run(call.request, remote=remote)
        with self._store.lock:
            for store in self._stores.values():
                store.expire()
            self.backgrounds.run(self.clock.time(), self._scene)
            return self._deliver(call, self._decide(call), fault)

    def add_background(self, background: Background) -> None:
        """Let a writer in the background take part."""
        with self._store.lock:
            self.backgrounds.add(background)

    def end_backgrounds(self) -> None:
        """Send all of them home."""
        with self._store.lock:
            self.backgrounds.clear()

    def drain(self) -> int:
        """Process the requests that were held back, in order; return their number."""
        with self._store.lock:
            held, self._held = self._held, []
            for call, fault in held:
                self._note(call, self._decide(call), None, fault)
            return len(held)

    def _scene(self, background: Background) -> Scene:
        return Scene(background.store, partial(self._act, background))

    def _act(self, background: Background, method: str, path: str, content: bytes, if_match: str | None) -> None:
        """Send a request of a writer in the background past faults and hooks, and note it under its name."""
        url = f"https://management.azure.com{path}?api-version={_BACKGROUND_VERSION}"
        headers = {"authorization": "Bearer mock", "x-ms-client-request-id": background.request_id()}
        call = parse_call(method, url, {**headers, **({"if-match": if_match} if if_match else {})}, content)
        background.store.backstage = True
        try:
            decided = self._decide(call)
        finally:
            background.store.backstage = False
        self._note(call, decided, decided, None, by=background.name)
        if decided.status >= 400:
            raise RefusalError(decided)

    def _keep_away(self, call: Call, fault: Fault) -> Answer:
        with self._store.lock:
            if fault.phase == "late":
                self._held.append((call, fault))
            return self._deliver(call, None, fault)

    def _running(self, call: Call) -> bool:
        """Whether an operation runs on what is asked for."""
        store = None if call.address is None else self._stores.get(call.address.subscription.lower())
        if call.address is None or store is None:
            return False
        with store.lock:
            store.expire()
            operation = store.operations.get(call.address.operation)
            if operation is not None:
                return operation.running
            running = store.operations.running_on(call.address.cluster_key)
            return any(each.pool in (None, call.address.pool_key or each.pool) for each in running)

    def _decide(self, call: Call) -> Answer:
        try:
            return self._route(call)
        except RefusalError as refusal:
            return refusal.answer

    def _route(self, call: Call) -> Answer:
        if self._store.switches.require_token and not call.headers.get("authorization", "").lower().startswith(
            "bearer "
        ):
            return errors.unauthorized()
        handler = ROUTES.get((call.target.kind, call.method))
        if handler is None:
            return self._no_handler(call)
        if call.api_version is None:
            return errors.missing_api_version()
        store = self._stores.get(call.target.subscription.lower())
        if store is None:
            return errors.subscription_not_found(call.target.subscription)
        if store.switches.throttle:
            return self._within_budget(store, handler, call)
        return handler(store, call)

    def _within_budget(self, store: Store, handler: Handler, call: Call) -> Answer:
        wait = store.throttle.take(call.target, call.method, store.clock.monotonic())
        if wait is not None:
            refused = errors.throttled(call.method, call.target, str(wait), row="throttled -> 429")
            return replace(refused, headers={**refused.headers, "Retry-After": str(wait)})
        try:
            return handler(store, call)
        except RefusalError:
            if call.is_write and not store.switches.refused_writes_cost:
                store.throttle.give_back(call.target, call.method)
            raise

    def _no_handler(self, call: Call) -> Answer:
        if (call.target.kind, call.method) == ("pool", "PATCH"):
            return errors.method_not_allowed(call.method, self._store.switches.pool_patch_status)
        return errors.unknown_route(call.method, call.path)

    def _deliver(self, call: Call, decided: Answer | None, fault: Fault | None) -> Answer:
        seen = decided if fault is None else None if fault.loses else fault.answer(call, decided)
        with self._store.lock:
            self._note(call, decided, seen, fault)
        if seen is None:
            raise ConnectionLostError(call.method, call.path, closed=fault is not None and fault.effect == "fin")
        return seen

    def _note(
        self, call: Call, decided: Answer | None, seen: Answer | None, fault: Fault | None, by: str | None = None
    ) -> None:
        self._store.journal.append(
            JournalEntry(
                method=call.method,
                path=call.path,
                if_match=call.headers.get("if-match"),
                if_none_match=call.headers.get("if-none-match"),
                status=seen.status if seen else None,
                row=decided.row if decided else fault.name if fault else "",
                request_id=call.request_id,
                at=self._store.clock.time(),
                decided=decided.status if decided else None,
                fault=fault.name if fault else None,
                by=by,
            )
        )
