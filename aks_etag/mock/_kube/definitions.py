# SPDX-License-Identifier: MIT
"""CustomResourceDefinitions: stored versions, what may be removed when, and the controller that accepts names."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from aks_etag.mock._kube import patches
from aks_etag.mock._kube.ownership import Writer, track_update
from aks_etag.mock._kube.refusals import Cause
from aks_etag.mock._kube.store import KubeStore, Record


def prepare(live: Mapping[str, Any] | None, new: dict[str, Any]) -> None:
    """Keep what only the server may say: a new storage version joins the stored ones in the same write."""
    if live is None:
        new["status"] = {"conditions": None, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": None}
    status = new.setdefault("status", {})
    stored = list(status.get("storedVersions") or [])
    for name in _storage(new)[:1]:
        status["storedVersions"] = stored + ([] if name in stored else [name])


def prepare_status(new: dict[str, Any]) -> None:
    """Take over a status as it was sent; only an empty list becomes the storage version (recorded)."""
    status = new.setdefault("status", {})
    if not status.get("storedVersions"):
        status["storedVersions"] = _storage(new)[:1]


def broken_rules(new: Mapping[str, Any]) -> list[Cause]:
    """Check what the server checks; on /status it checks nothing."""
    versions = [each.get("name") for each in new["spec"].get("versions") or []]
    storage = _storage(new)
    stored = (new.get("status") or {}).get("storedVersions")
    causes = []
    if len(storage) != 1:
        said = "Invalid value: must have exactly one version marked as storage version"
        causes.append(Cause(reason="FieldValueInvalid", field="spec.versions", message=said))
        said = "Invalid value: must have the storage version, and at least one"
        causes.append(Cause(reason="FieldValueInvalid", field="status.storedVersions", message=said))
    for place, name in enumerate(stored or []):
        if name not in versions:
            said = f'Invalid value: "{name}": missing from spec.versions while objects may be stored in it'
            causes.append(Cause(reason="FieldValueInvalid", field=f"status.storedVersions[{place}]", message=said))
    return causes


def broken_name(new: Mapping[str, Any]) -> list[Cause]:
    """Check that the name is made of plural and group."""
    spec = new.get("spec") or {}
    wanted = f"{(spec.get('names') or {}).get('plural')}.{spec.get('group')}"
    if new["metadata"].get("name") == wanted:
        return []
    said = f'Invalid value: must be "{wanted}"'
    return [Cause(reason="FieldValueInvalid", field="metadata.name", message=said)]


def flipped(store: KubeStore, live: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """Begin the race that follows a flip of the storage version."""
    old, storage = _storage(live), _storage(new)
    if old[:1] != storage[:1]:
        store.races.flipped(new["metadata"]["name"], old[0], store.switches.flip_race, store.clock.monotonic())


def establish(store: KubeStore, record: Record) -> Record:
    """Accept the names of a definition, as the server's own controller does right after it was created."""
    body: dict[str, Any] = copy.deepcopy(dict(record.body))
    now = store.now()
    body["status"]["acceptedNames"] = dict(body["spec"]["names"])
    body["status"]["conditions"] = [
        _condition("NamesAccepted", "NoConflicts", "no conflicts found", now),
        _condition("Established", "InitialNamesAccepted", "the initial names have been accepted", now),
    ]
    writer = Writer(
        manager="kube-apiserver",
        operation="Update",
        api_version="apiextensions.k8s.io/v1",
        subresource="status",
        now=now,
        rule=patches.built_in_list_keys,
        custom=False,
    )
    track_update(record.body, body, writer, known={"apiextensions.k8s.io/v1"})
    return store.keep(record.key, body, record.stored, method="PUT", manager="kube-apiserver")


def terminating(definition: Mapping[str, Any]) -> bool:
    """Whether a definition is being deleted."""
    return "deletionTimestamp" in definition["metadata"]


def _storage(body: Mapping[str, Any]) -> list[str]:
    return [each["name"] for each in body["spec"].get("versions") or [] if each.get("storage")]


def _condition(name: str, reason: str, message: str, now: str) -> dict[str, str]:
    return {"type": name, "status": "True", "lastTransitionTime": now, "reason": reason, "message": message}
