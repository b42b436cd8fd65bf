# SPDX-License-Identifier: MIT
"""The patches of a migration: a pure no-op, and one that renames the version in managedFields along the way."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypeAlias

from ..._core.messages import Body

Entry: TypeAlias = Mapping[str, Any]


def lock_only(metadata: Body) -> dict[str, Any]:
    """Return the no-op of verification: it moves the version only of an object that is stored in an old one."""
    return {"metadata": {name: metadata[name] for name in ("uid", "resourceVersion")}}


def renamed(metadata: Body, old: Collection[str], new: str) -> dict[str, Any] | None:
    """Return the patch that renames old apiVersions in managedFields; ``None`` where none is named."""
    entries: list[Entry] = metadata.get("managedFields") or []
    if not naming(entries, old):
        return None
    patch = lock_only(metadata)
    patch["metadata"]["managedFields"] = _merged(
        {**entry, "apiVersion": new} if entry.get("apiVersion") in old else entry for entry in entries
    )
    return patch


def naming(entries: Iterable[Entry], api_versions: Collection[str]) -> list[Entry]:
    """Return the entries that name one of these apiVersions."""
    return [entry for entry in entries if entry.get("apiVersion") in api_versions]


def _merged(entries: Iterable[Entry]) -> list[Entry]:
    """Join entries that are of one manager now: the server keeps one, and the fields of the other would be nobody's."""
    found: dict[tuple[str, ...], Entry] = {}
    for entry in entries:
        names = ("manager", "operation", "apiVersion", "subresource")
        identity = tuple(str(entry.get(name, "")) for name in names)
        found[identity] = _joined(found[identity], entry) if identity in found else entry
    return list(found.values())


def _joined(one: Entry, two: Entry) -> Entry:
    time = max(str(one.get("time", "")), str(two.get("time", "")))
    fields = _union(one.get("fieldsV1") or {}, two.get("fieldsV1") or {})
    return {**one, **({"time": time} if time else {}), "fieldsV1": fields}


def _union(one: Entry, two: Entry) -> dict[str, Any]:
    return {**one, **{name: _union(one.get(name) or {}, fields or {}) for name, fields in two.items()}}
