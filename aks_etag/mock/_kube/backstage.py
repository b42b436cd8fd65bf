# SPDX-License-Identifier: MIT
"""What a test does behind the server's back: fixtures, and other writers that need no HTTP."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias, TypeVar
from urllib.parse import urlencode

from aks_etag.mock._core.answers import RefusalError
from aks_etag.mock._kube.action import Action
from aks_etag.mock._kube.call import parse_call
from aks_etag.mock._kube.convert import present
from aks_etag.mock._kube.endings import begin_to_end
from aks_etag.mock._kube.journal import ObjectKey
from aks_etag.mock._kube.kinds import Kind
from aks_etag.mock._kube.store import KubeStore, Record
from aks_etag.mock._kube.write import create_object, update_object

Change: TypeAlias = Callable[[dict[str, Any]], object]

_Result = TypeVar("_Result")

NAMESPACES: Final = ("default", "kube-system")


class Backstage:
    """Direct access to the state, under its lock."""

    def __init__(self, store: KubeStore) -> None:
        self._store = store
        self._edits = 0
        for name in NAMESPACES:
            self.add({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}, "kube-apiserver")
        store.commits.clear()

    def add(self, manifest: Mapping[str, Any], manager: str) -> dict[str, Any]:
        """Create an object, and the namespace it needs; return it as a GET would show it."""
        with self._store.lock:
            kind = self._kind(manifest["apiVersion"], manifest["kind"])
            metadata = manifest["metadata"]
            namespace = metadata.get("namespace", "default") if kind.namespaced else ""
            if namespace and self._store.get(ObjectKey("", "namespaces", "", namespace)) is None:
                self.add({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}, manager)
            version = manifest["apiVersion"].rpartition("/")[2]
            action = self._action("POST", kind, version, namespace, "", manager)
            made = _checked(lambda: create_object(action, copy.deepcopy(dict(manifest))))
            record = self._record(kind, namespace, made["metadata"]["name"])
            return present(self._store, kind, version, record)

    def object(self, api_version: str, kind: str, namespace: str | None, name: str) -> dict[str, Any] | None:
        """Return a copy of what a GET would show now; None where there is nothing."""
        with self._store.lock:
            found = self._kind(api_version, kind)
            record = self._store.get(_key(found, namespace, name))
            version = api_version.rpartition("/")[2]
            return None if record is None else _checked(lambda: present(self._store, found, version, record))

    def edit(
        self, api_version: str, kind: str, namespace: str | None, name: str, change: Change, manager: str
    ) -> dict[str, Any]:
        """Be another writer: ``change`` edits the object in place, or returns another one."""
        with self._store.lock:
            found = self._kind(api_version, kind)
            version = api_version.rpartition("/")[2]
            record = self._record(found, namespace, name)
            live = _checked(lambda: present(self._store, found, version, record))
            sent = copy.deepcopy(live)
            returned = change(sent)
            sent = returned if isinstance(returned, dict) else sent
            # As a status update of its own: no request writes both at once.
            parts = (
                ["", "status"] if found.has("status", version) and sent.get("status") != live.get("status") else [""]
            )
            for subresource in parts:
                action = self._action("PUT", found, version, record.key.namespace, name, manager, subresource)
                record = self._record(found, namespace, name)
                live = present(self._store, found, version, record)
                sent["metadata"]["resourceVersion"] = str(record.version)
                if subresource:
                    sent["metadata"].pop("managedFields", None)
                _checked(lambda: update_object(action, record, live, sent))  # noqa: B023 (called at once)
            return present(self._store, found, version, self._record(found, namespace, name))

    def delete(self, api_version: str, kind: str, namespace: str | None, name: str) -> None:
        """Be another writer that deletes; finalizers still hold the object."""
        with self._store.lock:
            found = self._kind(api_version, kind)
            record = self._record(found, namespace, name)
            self._edits += 1
            begin_to_end(self._store, record, request_id=f"edit-{self._edits}", method="DELETE", manager="rival")

    def stored_version(self, definition: str, namespace: str | None, name: str) -> str | None:
        """Return the version that an object is stored in; ``definition`` is a name, or an apiVersion and a kind."""
        with self._store.lock:
            plural, _, group = definition.partition(".")
            if "/" in definition:
                group, plural = self._named(definition)
            record = self._store.get(ObjectKey(group, plural, namespace or "", name))
            return None if record is None else record.stored

    def _named(self, definition: str) -> tuple[str, str]:
        api_version, _, kind = definition.partition(" ")
        group = api_version.partition("/")[0]
        found = [each for each in self._store.kinds() if each.group == group and kind in ("", each.kind)]
        if len(found) != 1:
            raise LookupError(f"the mock has {len(found)} kinds that {definition} may mean")
        return group, found[0].plural

    def _kind(self, api_version: str, kind: str) -> Kind:
        group, _, version = api_version.rpartition("/")
        for found in self._store.kinds():
            if (found.group, found.kind) == (group, kind) and version in (found.versions or found.served):
                return found
        raise LookupError(f"the mock has no kind {api_version} {kind}")

    def _record(self, kind: Kind, namespace: str | None, name: str) -> Record:
        record = self._store.get(_key(kind, namespace, name))
        if record is None:
            raise LookupError(f"the mock has no {kind.plural} {namespace}/{name}")
        return record

    def _action(
        self, method: str, kind: Kind, version: str, namespace: str, name: str, manager: str, subresource: str = ""
    ) -> Action:
        self._edits += 1
        query = urlencode({"fieldManager": manager, "fieldValidation": "Ignore"})
        headers = {"x-request-id": f"edit-{self._edits}"}
        return Action(
            store=self._store,
            call=parse_call(method, f"https://backstage/?{query}", headers, b""),
            kind=kind,
            version=version,
            namespace=namespace,
            name=name,
            subresource=subresource,
        )


def _key(kind: Kind, namespace: str | None, name: str) -> ObjectKey:
    return ObjectKey(kind.group, kind.plural, (namespace or "default") if kind.namespaced else "", name)


def _checked(build: Callable[[], _Result]) -> _Result:
    try:
        return build()
    except RefusalError as refusal:
        raise ValueError(json.loads(refusal.answer.body)["message"]) from None
