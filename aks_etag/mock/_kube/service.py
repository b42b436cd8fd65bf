# SPDX-License-Identifier: MIT
"""The one entrance: route, decide, break what a test wants broken, and write it all down."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final, TypeAlias

from aks_etag.mock._core.answers import Answer, ConnectionLostError, RefusalError
from aks_etag.mock._core.hooks import Hooks
from aks_etag.mock._kube import discovery, lists, patching, verbs
from aks_etag.mock._kube.action import METADATA_LIST, METADATA_ONLY, Action, transformation
from aks_etag.mock._kube.call import Address, Call, parse_call, parse_path
from aks_etag.mock._kube.faults import Fault, Faults, timed_out, too_large, unauthorized
from aks_etag.mock._kube.journal import KubeJournalEntry
from aks_etag.mock._kube.kinds import Kind
from aks_etag.mock._kube.refusals import forbidden, method_not_allowed, not_acceptable, unknown_path, unmocked
from aks_etag.mock._kube.store import KubeStore

Handler: TypeAlias = Callable[[Action], Answer]

LARGEST_BODY: Final = 3 << 20
# Nothing is answered faster: a client that allows less gets the 504 of the recording.
SHORTEST_TIMEOUT: Final = 1e-4
# By method, and by whether the path names one object.
ROUTES: Final[Mapping[tuple[str, bool], tuple[str, Handler]]] = {
    ("GET", False): ("list", lists.list_objects),
    ("POST", False): ("create", verbs.post),
    ("GET", True): ("get", verbs.get),
    ("PUT", True): ("update", verbs.put),
    ("PATCH", True): ("patch", patching.patch),
    ("DELETE", True): ("delete", verbs.delete),
}


class KubeService:
    """The mock's core; every door hands its requests to ``handle``."""

    def __init__(self, store: KubeStore, hooks: Hooks, faults: Faults) -> None:
        self._store = store
        self._hooks = hooks
        self._faults = faults
        self._held: list[tuple[Call, Fault]] = []

    def handle(self, method: str, url: str, headers: Mapping[str, str], body: bytes, *, remote: bool = False) -> Answer:
        """Answer one request; raise ``ConnectionLostError`` where a fault swallows the answer."""
        call = parse_call(method, url, headers, body)
        fault = self._faults.draw(call.method, call.path)
        if fault is not None and fault.phase != "after":
            return self._keep_away(call, fault)
        if call.is_write:
            self._hooks.run(call.request, remote=remote)
        with self._store.lock:
            return self._deliver(call, self.decide(call), fault)

    def drain(self) -> int:
        """Process the requests that were held back, in order; return their number."""
        with self._store.lock:
            held, self._held = self._held, []
            for call, fault in held:
                self._note(call, self.decide(call), None, fault)
            return len(held)

    def decide(self, call: Call) -> Answer:
        """Decide one request, without faults and journal; expects the lock to be held."""
        try:
            return self._route(call)
        except RefusalError as refusal:
            return refusal.answer

    def _keep_away(self, call: Call, fault: Fault) -> Answer:
        with self._store.lock:
            if fault.phase == "late":
                self._held.append((call, fault))
            return self._deliver(call, None, fault)

    def _route(self, call: Call) -> Answer:
        token = self._store.switches.token
        if token is not None and call.headers.get("authorization", "") != f"Bearer {token}":
            return unauthorized()
        if len(call.body) > LARGEST_BODY:
            return too_large()
        if call.timeout is not None and call.timeout < SHORTEST_TIMEOUT:
            return timed_out()
        found = discovery.discover(self._store, call) if call.method == "GET" else None
        if found is not None:
            return found
        address = parse_path(call.path)
        if address is None:
            raise unknown_path()
        return self._act(call, address)

    def _act(self, call: Call, address: Address) -> Answer:
        kind = self._kind(address)
        if (call.method, address.name) == ("DELETE", ""):
            raise unmocked("the deletion of a collection")
        verb, handler = ROUTES.get((call.method, bool(address.name)), ("", None))
        # A subresource is neither deleted nor listed.
        if handler is None or (address.subresource and verb not in ("get", "update", "patch")):
            raise method_not_allowed()
        if kind.namespaced and not address.namespace and verb != "list":
            raise method_not_allowed()
        for denied, resource in self._store.switches.deny:
            if denied in (verb, "*") and resource in (kind.plural, "*"):
                said = f'User "user" cannot {verb} resource "{kind.plural}" in API group "{kind.group}"'
                raise forbidden(kind, address.name, said)
        if transformation(call, METADATA_LIST if verb == "list" else METADATA_ONLY) is None:
            raise not_acceptable()
        action = Action(
            store=self._store,
            call=call,
            kind=kind,
            version=address.version,
            namespace=address.namespace,
            name=address.name,
            subresource=address.subresource,
        )
        return _with_warnings(action, handler)

    def _kind(self, address: Address) -> Kind:
        kind = self._store.kind(address.group, address.plural)
        if kind is None or address.version not in kind.served:
            raise unknown_path()
        if address.namespace and not kind.namespaced:
            raise unknown_path()
        if address.subresource and not kind.has(address.subresource, address.version):
            raise unknown_path()
        return kind

    def _deliver(self, call: Call, decided: Answer | None, fault: Fault | None) -> Answer:
        seen = decided if fault is None else None if fault.effect == "reset" else fault.answer()
        with self._store.lock:
            self._note(call, decided, seen, fault)
        if seen is None:
            raise ConnectionLostError(call.method, call.path)
        return seen

    def _note(self, call: Call, decided: Answer | None, seen: Answer | None, fault: Fault | None) -> None:
        self._store.journal.append(
            KubeJournalEntry(
                method=call.method,
                path=call.path,
                content_type=call.content_type,
                status=seen.status if seen else None,
                reason=(seen.row if seen else decided.row if decided else "") or _no_reason(seen or decided),
                request_id=call.request_id,
                at=self._store.clock.time(),
                decided=decided.status if decided else None,
                fault=fault.name if fault else None,
            )
        )


def _with_warnings(action: Action, handler: Handler) -> Answer:
    said = action.kind.warning(action.version)
    action.warnings.extend([said] if said else [])
    try:
        answer = handler(action)
    except RefusalError as refusal:
        answer = refusal.answer
    if not action.warnings:
        return answer
    spelled = ", ".join(f"299 - {json.dumps(each)}" for each in action.warnings)
    return replace(answer, headers={**answer.headers, "Warning": spelled})


def _no_reason(answer: Answer | None) -> str:
    return "" if answer is None else f"{answer.status} without a reason"
