# SPDX-License-Identifier: MIT
"""A CustomResourceDefinition as a migration sees it, and the edits that it makes to one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias
from urllib.parse import quote

from ..._core.messages import Body, Request
from ..._flows.budget import Budget
from ..._flows.effects import Flow
from ..._flows.options import Options
from ..._flows.read import fetch
from ...errors import RequestRefusedError
from ._values import MigrationRefusedError

API: Final = "apiextensions.k8s.io/v1"
KIND: Final = "CustomResourceDefinition"

Edit: TypeAlias = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """What is known of a definition by one read of it."""

    name: str
    uid: str
    resource_version: str
    generation: int
    group: str
    plural: str
    kind: str
    versions: tuple[str, ...]
    served: tuple[str, ...]
    storage: str
    stored: tuple[str, ...]
    conversion: str
    warnings: Mapping[str, str]
    schemas: Mapping[str, Mapping[str, Any]]
    # What the server's own migrator says while it is at work.
    migrating: str

    @classmethod
    def of(cls, body: Body) -> Definition:
        """Take it out of the body of a CRD."""
        metadata, spec = body["metadata"], body["spec"]
        versions: Sequence[Mapping[str, Any]] = spec["versions"]
        return cls(
            name=metadata["name"],
            uid=metadata["uid"],
            resource_version=metadata["resourceVersion"],
            generation=int(metadata.get("generation", 0)),
            group=spec["group"],
            plural=spec["names"]["plural"],
            kind=spec["names"]["kind"],
            versions=tuple(each["name"] for each in versions),
            served=tuple(each["name"] for each in versions if each.get("served")),
            storage=next(each["name"] for each in versions if each.get("storage")),
            stored=tuple((body.get("status") or {}).get("storedVersions") or ()),
            # A CRD that says nothing converts by relabelling.
            conversion=str((spec.get("conversion") or {}).get("strategy") or "None"),
            warnings={each["name"]: str(each.get("deprecationWarning") or "") for each in versions},
            schemas={each["name"]: (each.get("schema") or {}).get("openAPIV3Schema") or {} for each in versions},
            migrating=_migrating((body.get("status") or {}).get("conditions") or ()),
        )

    def old(self, to: str) -> tuple[str, ...]:
        """Return the versions that objects may be stored in besides ``to``, and those that bear our own mark.

        By the mark, a run that was killed after the trim and has lost its journal still knows what to remove.
        """
        marked = (each for each in self.versions if self.warnings[each] == _warning(self.group, each, self.kind, to))
        return tuple(each for each in dict.fromkeys((*self.stored, self.storage, *marked)) if each != to)

    def api_version(self, version: str) -> str:
        """Return the apiVersion of its objects."""
        return f"{self.group}/{version}"

    def collection(self, version: str) -> str:
        """Return the path of all its objects."""
        return f"/apis/{self.group}/{version}/{self.plural}"

    def item(self, version: str, namespace: str, name: str) -> str:
        """Return the path of one of its objects."""
        scope = f"/namespaces/{quote(namespace, safe='')}" if namespace else ""
        return f"/apis/{self.group}/{version}{scope}/{self.plural}/{quote(name, safe='')}"


def _migrating(conditions: Sequence[Mapping[str, Any]]) -> str:
    found = (each for each in conditions if (each.get("type"), each.get("status")) == ("StorageMigrating", "True"))
    return next((str(each.get("message") or "it is at work") for each in found), "")


def read_definition(name: str, options: Options) -> Flow[Definition]:
    """Read a definition. The connection is closed after it, so that what follows may meet another replica."""
    url = f"/apis/{API}/customresourcedefinitions/{quote(name, safe='')}"
    budget = yield from Budget.start(url, options)
    answer = yield from fetch(Request(method="GET", url=url, headers={"Connection": "close"}), budget)
    try:
        return Definition.of(answer.body)
    except (KeyError, TypeError, StopIteration) as error:
        raise RequestRefusedError(f"{name}: the answer is no CustomResourceDefinition", answer=answer) from error


def refuse(definition: str, code: str, why: str) -> MigrationRefusedError:
    """Return the error of a guard."""
    return MigrationRefusedError(f"{definition}: {why}", code=code, resource_id=definition, applied=False)


def check_target(definition: Definition, to: str) -> None:
    """Refuse a version that is not there, or not served: to add it is for whoever owns the schema."""
    if to not in definition.versions:
        there = ", ".join(definition.versions)
        raise refuse(definition.name, "not-served", f"it has no version {to} (there are {there}); add it first, served")
    if to not in definition.served:
        raise refuse(definition.name, "not-served", f"version {to} is not served, so nothing can be written through it")


def deprecated(to: str, old: Collection[str]) -> Edit:
    """Mark old versions deprecated, with a warning that names the new one; a warning that is there stays."""

    def change(body: dict[str, Any]) -> None:
        group, kind = body["spec"]["group"], body["spec"]["names"]["kind"]
        for each in body["spec"]["versions"]:
            if each["name"] in old:
                each["deprecated"] = True
                each.setdefault("deprecationWarning", _warning(group, each["name"], kind, to))

    return change


def _warning(group: str, old: str, kind: str, to: str) -> str:
    return f"{group}/{old} {kind} is deprecated and will be removed; use {group}/{to}"


def flipped(to: str) -> Edit:
    """Store objects in another version from now on."""

    def change(body: dict[str, Any]) -> None:
        check_target(Definition.of(body), to)
        for each in body["spec"]["versions"]:
            each["storage"] = each["name"] == to

    return change


def trimmed(keep: Sequence[str]) -> Edit:
    """Say that only these versions are stored. The server checks nothing of this: whoever calls it has to."""

    def change(body: dict[str, Any]) -> None:
        body["status"]["storedVersions"] = list(keep)

    return change


def unserved(old: Collection[str]) -> Edit:
    """Close the endpoints of old versions."""

    def change(body: dict[str, Any]) -> None:
        for each in body["spec"]["versions"]:
            if each["name"] in old:
                each["served"] = False

    return change


def removed(old: Collection[str]) -> Edit:
    """Take old versions out of the definition."""

    def change(body: dict[str, Any]) -> None:
        body["spec"]["versions"] = [each for each in body["spec"]["versions"] if each["name"] not in old]

    return change
