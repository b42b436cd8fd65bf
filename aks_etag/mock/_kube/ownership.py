# SPDX-License-Identifier: MIT
"""Who owns which field: managedFields after an update, and server-side apply with its conflicts."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from aks_etag.mock._kube import fields
from aks_etag.mock._kube.fields import ListRule, Path, Paths
from aks_etag.mock._kube.refusals import Cause

# Structs of the built-in kinds: they are never absent, so nobody owns them as such.
_STRUCTS: Final = frozenset({"spec", "status", "template", "strategy", "names", "acceptedNames", "metadata"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """Who writes, how, and when."""

    manager: str
    operation: str
    api_version: str
    subresource: str
    now: str
    rule: ListRule
    custom: bool

    @property
    def identity(self) -> tuple[str, ...]:
        """What tells entries apart: for an apply the version does not."""
        version = "" if self.operation == "Apply" else self.api_version
        return (self.manager, self.operation, version, self.subresource)


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """One entry of managedFields."""

    manager: str
    operation: str
    api_version: str
    subresource: str
    time: str
    paths: Paths

    @property
    def identity(self) -> tuple[str, ...]:
        """What tells entries apart."""
        version = "" if self.operation == "Apply" else self.api_version
        return (self.manager, self.operation, version, self.subresource)

    def body(self) -> dict[str, Any]:
        """Show it as managedFields do."""
        shown = {"manager": self.manager, "operation": self.operation, "apiVersion": self.api_version}
        shown |= {"time": self.time} if self.time else {}
        subresource = {"subresource": self.subresource} if self.subresource else {}
        return {**shown, "fieldsType": "FieldsV1", "fieldsV1": fields.encode(self.paths), **subresource}


def owners_of(body: Mapping[str, Any]) -> list[Owner]:
    """Read the managedFields of an object; empty entries count as none."""
    entries = body.get("metadata", {}).get("managedFields") or []
    return [
        Owner(
            manager=entry.get("manager", ""),
            operation=entry.get("operation", ""),
            api_version=entry.get("apiVersion", ""),
            subresource=entry.get("subresource", ""),
            time=entry.get("time", ""),
            paths=fields.decode(entry.get("fieldsV1")),
        )
        for entry in entries
        if entry
    ]


def track_update(live: Mapping[str, Any] | None, new: dict[str, Any], writer: Writer, known: Iterable[str]) -> None:
    """Give the fields that an update touched to its manager; ``known`` are the apiVersions that still exist."""
    sent = new["metadata"].get("managedFields")
    source = new if sent is not None or live is None else live
    owners = owners_of(source)
    if live is not None and not owners:
        # Seen: after managedFields are reset, updates leave them empty until somebody applies.
        new["metadata"].pop("managedFields", None)
        return
    if any(owner.api_version not in known for owner in owners):
        # Recorded: an update of an object whose managers name a removed version drops them all.
        new["metadata"].pop("managedFields", None)
        return
    before = fields.flatten(live or {}, writer.rule)
    after = fields.flatten(new, writer.rule)
    gained = frozenset(path for path in fields.touched(before, after) if _ownable(path, after, writer))
    _store(new, _passed_on(owners, writer, gained, fields.removed(before, after)))


def merge_applied(
    live: dict[str, Any], applied: Mapping[str, Any], writer: Writer, *, force: bool
) -> tuple[dict[str, Any], list[Cause]]:
    """Lay an applied object over the live one; return the result and the conflicts with other managers."""
    owners = owners_of(live)
    before = fields.flatten(live, writer.rule)
    if not owners and before:
        # The name that the real server gives to whoever wrote before the first apply.
        first = replace(_entry(writer, fields.stated(before)), manager="before-first-apply", operation="Update")
        owners = [first]
    stated = fields.stated(fields.flatten(applied, writer.rule))
    merged: dict[str, Any] = fields.merge(copy.deepcopy(live), copy.deepcopy(dict(applied)), writer.rule)
    merged["metadata"] = {**fields.merge(live["metadata"], applied["metadata"], writer.rule)}
    contested = fields.contested(before, fields.flatten(merged, writer.rule))
    others = [owner for owner in owners if owner.identity != writer.identity]
    causes = [] if force else list(_conflicts(others, contested))
    own = next((owner for owner in owners if owner.identity == writer.identity), None)
    kept = frozenset[Path]().union(*(owner.paths for owner in others))
    fields.cut(merged, (own.paths if own else frozenset()) - stated, kept)
    gone = fields.removed(before, fields.flatten(merged, writer.rule))
    rest = [replace(owner, paths=owner.paths - contested - gone) for owner in others]
    mine = _entry(writer, stated)
    same = own is not None and (own.paths, own.api_version) == (mine.paths, mine.api_version)
    _store(merged, [own if own is not None and same else mine, *rest])
    return merged, causes


def _passed_on(owners: list[Owner], writer: Writer, gained: Paths, gone: Paths) -> list[Owner]:
    result = []
    mine = next((owner for owner in owners if owner.identity == writer.identity), _entry(writer, frozenset()))
    for owner in owners:
        if owner.identity != writer.identity:
            result.append(replace(owner, paths=owner.paths - gained - gone))
    paths = (mine.paths | gained) - gone
    result.append(mine if paths == mine.paths else replace(mine, paths=paths, time=writer.now))
    return result


def _conflicts(others: list[Owner], contested: Paths) -> Iterable[Cause]:
    for owner in sorted(others, key=lambda each: each.manager):
        version = f" using {owner.api_version}" if owner.operation == "Update" else ""
        for path in sorted(owner.paths & contested):
            said = f'conflict with "{owner.manager}"{version}'
            yield Cause(reason="FieldManagerConflict", field=fields.spell(path), message=said)


def _entry(writer: Writer, paths: Paths) -> Owner:
    return Owner(
        manager=writer.manager,
        operation=writer.operation,
        api_version=writer.api_version,
        subresource=writer.subresource,
        time=writer.now,
        paths=paths,
    )


def _ownable(path: Path, values: Mapping[Path, Any], writer: Writer) -> bool:
    return writer.custom or values[path] is not fields.MAP or path[-1].partition(":")[2] not in _STRUCTS


def _store(body: dict[str, Any], owners: Iterable[Owner]) -> None:
    shown = sorted(
        (owner for owner in owners if owner.paths), key=lambda each: (each.operation, each.time, each.manager)
    )
    body["metadata"].pop("managedFields", None)
    if shown:
        body["metadata"]["managedFields"] = [owner.body() for owner in shown]
