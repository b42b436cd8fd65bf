# SPDX-License-Identifier: MIT
"""How objects end: finalizers, and the namespaces and definitions that wait for their contents."""

from __future__ import annotations

import copy
from typing import Any

from aks_etag.mock._kube.journal import ObjectKey
from aks_etag.mock._kube.kinds import DEFINITION, NAMESPACE
from aks_etag.mock._kube.store import KubeStore, Record


def begin_to_end(store: KubeStore, record: Record, **commit: str) -> Record | None:
    """Delete an object, or mark it where finalizers hold it; return what is left of it."""
    if _held(store, record) and "deletionTimestamp" not in record.metadata:
        body: dict[str, Any] = copy.deepcopy(dict(record.body))
        metadata = body["metadata"]
        metadata.update({"deletionTimestamp": store.now(), "deletionGracePeriodSeconds": 0})
        if "generation" in metadata:
            metadata["generation"] += 1
        if record.key.plural == NAMESPACE.plural and not record.key.group:
            body["status"] = {"phase": "Terminating"}
        record = store.keep(record.key, body, record.stored, **commit)
    for each in _contents(store, record):
        if "deletionTimestamp" not in each.metadata:
            begin_to_end(store, each, method="DELETE", manager="kube-controller-manager")
    if not _held(store, record) and store.get(record.key) is not None:
        end(store, record, **commit)
    return store.get(record.key)


def end(store: KubeStore, record: Record, **commit: str) -> None:
    """Remove an object, and a parent that waited for it alone."""
    store.drop(record.key, **commit)
    key = record.key
    for parent in (
        store.get(ObjectKey(NAMESPACE.group, NAMESPACE.plural, "", key.namespace)),
        store.get(ObjectKey(DEFINITION.group, DEFINITION.plural, "", f"{key.plural}.{key.group}")),
    ):
        if parent is not None and "deletionTimestamp" in parent.metadata and not _held(store, parent):
            end(store, parent, method="DELETE", manager="kube-controller-manager")


def _held(store: KubeStore, record: Record) -> bool:
    return bool(record.metadata.get("finalizers")) or bool(_contents(store, record))


def _contents(store: KubeStore, record: Record) -> list[Record]:
    key = record.key
    if (key.group, key.plural) == (NAMESPACE.group, NAMESPACE.plural):
        return store.contents(key.name)
    if (key.group, key.plural) == (DEFINITION.group, DEFINITION.plural):
        plural, _, group = key.name.partition(".")
        return store.collection(group, plural)
    return []
