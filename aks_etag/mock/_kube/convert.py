# SPDX-License-Identifier: MIT
"""Between what is sent, what is stored and what is shown: versions, schemas, unknown fields, defaults."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Final

from aks_etag.mock._kube import rules, schema
from aks_etag.mock._kube.action import Action
from aks_etag.mock._kube.kinds import Kind
from aks_etag.mock._kube.refusals import bad_request, internal
from aks_etag.mock._kube.store import KubeStore, Record

_DROPPED_WHEN_EMPTY: Final = ("annotations", "finalizers", "labels", "ownerReferences")
_STRINGS: Final = ("binaryData", "data", "stringData")
_ORDER: Final = ("kind", "apiVersion", "metadata")
_METADATA_ORDER: Final = ("name", "generateName", "namespace", "uid", "resourceVersion", "generation")


def present(store: KubeStore, kind: Kind, version: str, record: Record) -> dict[str, Any]:
    """Show a record in a version; 500 where its stored version is gone or cannot be converted."""
    body = copy.deepcopy(dict(record.body))
    metadata = {**body["metadata"], "resourceVersion": str(record.version)}
    body["metadata"] = {name: metadata[name] for name in sorted(metadata, key=_rank)}
    body = {name: body[name] for name in sorted(body, key=_rank)}
    if not kind.custom:
        return body
    if record.stored not in kind.versions:
        gone = kind.api_version(record.stored)
        raise internal(f"request to convert CR from an invalid group/version: {gone}")
    if store.switches.defaults_on_read:
        schema.fill_defaults(body, kind.schema(record.stored))
    return _converted(store, kind, body, record.stored, version)


def encode(store: KubeStore, kind: Kind, version: str, body: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Turn an object into what the store holds; return it with its stored version."""
    stored = copy.deepcopy(dict(body))
    stored["metadata"].pop("resourceVersion", None)
    if not kind.custom:
        return stored, kind.storage
    target = store.races.version(f"{kind.plural}.{kind.group}", kind.storage, store.clock.monotonic())
    target = target if target in kind.versions else kind.storage
    return _converted(store, kind, stored, version, target), target


def decode(action: Action, body: Mapping[str, Any]) -> dict[str, Any]:
    """Read an object as the server does: unknown fields go, defaults come."""
    kind = action.kind
    sent = copy.deepcopy(dict(body))
    sent.setdefault("apiVersion", action.api_version)
    sent.setdefault("kind", kind.kind)
    if (sent["apiVersion"], sent["kind"]) != (action.api_version, kind.kind):
        said = f"the object ({sent['apiVersion']}, {sent['kind']}) is not a {action.api_version} {kind.kind}"
        raise bad_request(said)
    if not isinstance(sent.get("metadata", {}), dict | None):
        raise bad_request("metadata is no object")
    metadata = sent["metadata"] = dict(sent.get("metadata") or {})
    for name in [name for name, value in metadata.items() if value is None]:
        del metadata[name]
    _check_types(sent)
    kept, unknown = _known(action, sent)
    _complain(action, unknown)
    if kind.custom:
        schema.fill_defaults(kept, kind.schema(action.version))
    else:
        rules.fill(kind.kind, kept)
    for name in _DROPPED_WHEN_EMPTY:
        if name in kept["metadata"] and not kept["metadata"][name]:
            del kept["metadata"][name]
    return kept


def unknown_fields(action: Action, body: Mapping[str, Any]) -> list[str]:
    """Name the fields that the kind does not know."""
    return _known(action, dict(body))[1]


def _check_types(sent: Mapping[str, Any]) -> None:
    for name in ("spec", "status", *_STRINGS):
        value = sent.get(name)
        if value is not None and not isinstance(value, dict):
            raise bad_request(f"cannot unmarshal {name}: an object is expected")
    labels = {name: sent["metadata"].get(name) for name in ("annotations", "labels")}
    for name, texts in {**{name: sent.get(name) for name in _STRINGS}, **labels}.items():
        if texts and not all(isinstance(each, str | None) for each in texts.values()):
            raise bad_request(f"cannot unmarshal {name}: its values are to be strings")


def _known(action: Action, sent: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    if action.kind.custom:
        found = action.kind.schema(action.version)
        return schema.prune(sent, found)
    unknown = [name for name in sent if name not in action.kind.fields]
    kept = {name: _without_nulls(value) for name, value in sent.items() if name not in unknown}
    kept = {name: value for name, value in kept.items() if value not in ({}, None) or name in ("metadata", "spec")}
    return {**kept, **({"status": {}} if sent.get("status") == {} else {})}, unknown


def _complain(action: Action, unknown: list[str]) -> None:
    validation = action.call.query.get("fieldValidation", "Warn")
    said = [f'unknown field "{name}"' for name in unknown]
    if said and validation == "Strict":
        raise bad_request(f"strict decoding error: {', '.join(said)}")
    if validation != "Ignore":
        action.warnings.extend(each for each in said if each not in action.warnings)


def _converted(store: KubeStore, kind: Kind, body: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    definition = f"{kind.plural}.{kind.group}"
    name = body["metadata"].get("name", "")
    broken = store.unconvertible.get((definition, name)) or store.unconvertible.get((definition, ""))
    if broken is not None and old != new:
        raise internal(f"conversion webhook for {kind.api_version(old)}, Kind={kind.kind} failed: {broken}")
    # Conversion "None" relabels; the schema of the other version decides what survives.
    kept, _ = schema.prune(body, kind.schema(new))
    return {**kept, "apiVersion": kind.api_version(new)}


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nulls(child) for name, child in value.items() if child is not None}
    return [_without_nulls(each) for each in value] if isinstance(value, list) else value


def _rank(name: str) -> int:
    order = (*_ORDER, *_METADATA_ORDER)
    return order.index(name) if name in order else len(order)
