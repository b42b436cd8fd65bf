# SPDX-License-Identifier: MIT
"""The kinds that the server knows by itself, and how a CustomResourceDefinition becomes one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

_META: Final = frozenset({"apiVersion", "kind", "metadata"})
_SPEC: Final = _META | {"spec", "status"}
_DATA: Final = _META | {"data", "immutable"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of objects; ``definition`` is the body of its CustomResourceDefinition, if it has one."""

    group: str
    kind: str
    plural: str
    storage: str
    served: tuple[str, ...]
    namespaced: bool = True
    subresources: frozenset[str] = frozenset()
    fields: frozenset[str] = frozenset()
    generation: bool = False
    create_on_update: bool = False
    definition: Mapping[str, Any] | None = None
    versions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def custom(self) -> bool:
        """Whether it comes from a definition."""
        return self.definition is not None

    @property
    def qualified(self) -> str:
        """The resource with its group, as messages show it."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def api_version(self, version: str) -> str:
        """Spell the apiVersion of one of its versions."""
        return f"{self.group}/{version}" if self.group else version

    def schema(self, version: str) -> Mapping[str, Any]:
        """Return the structural schema of a version; an empty one where the kind has none."""
        found: Mapping[str, Any] = (self.versions.get(version, {}).get("schema") or {}).get("openAPIV3Schema") or {}
        return found

    def has(self, subresource: str, version: str) -> bool:
        """Whether a version has a subresource."""
        if not self.custom:
            return subresource in self.subresources
        return subresource in (self.versions.get(version, {}).get("subresources") or {})

    def warning(self, version: str) -> str | None:
        """Return what clients of a deprecated version are told."""
        found = self.versions.get(version, {})
        if not found.get("deprecated"):
            return None
        usual = f"{self.api_version(version)} {self.kind} is deprecated"
        return str(found.get("deprecationWarning") or usual)


def custom_kind(definition: Mapping[str, Any]) -> Kind:
    """Read a CustomResourceDefinition."""
    spec = definition["spec"]
    versions = {each["name"]: each for each in spec["versions"]}
    return Kind(
        group=spec["group"],
        kind=spec["names"]["kind"],
        plural=spec["names"]["plural"],
        storage=next(name for name, each in versions.items() if each.get("storage")),
        served=tuple(name for name, each in versions.items() if each.get("served")),
        namespaced=spec.get("scope") != "Cluster",
        generation=True,
        definition=definition,
        versions=versions,
    )


NAMESPACE: Final = Kind(
    group="",
    kind="Namespace",
    plural="namespaces",
    storage="v1",
    served=("v1",),
    namespaced=False,
    subresources=frozenset({"status"}),
    fields=_SPEC,
)
DEFINITION: Final = Kind(
    group="apiextensions.k8s.io",
    kind="CustomResourceDefinition",
    plural="customresourcedefinitions",
    storage="v1",
    served=("v1",),
    namespaced=False,
    subresources=frozenset({"status"}),
    fields=_SPEC,
    generation=True,
)
DEPLOYMENT: Final = Kind(
    group="apps",
    kind="Deployment",
    plural="deployments",
    storage="v1",
    served=("v1",),
    subresources=frozenset({"status", "scale"}),
    fields=_SPEC,
    generation=True,
)
BUILT_IN: Final[tuple[Kind, ...]] = (
    NAMESPACE,
    Kind(group="", kind="ConfigMap", plural="configmaps", storage="v1", served=("v1",), fields=_DATA | {"binaryData"}),
    Kind(
        group="", kind="Secret", plural="secrets", storage="v1", served=("v1",), fields=_DATA | {"stringData", "type"}
    ),
    Kind(
        group="",
        kind="Service",
        plural="services",
        storage="v1",
        served=("v1",),
        subresources=frozenset({"status"}),
        fields=_SPEC,
    ),
    Kind(
        group="",
        kind="Pod",
        plural="pods",
        storage="v1",
        served=("v1",),
        subresources=frozenset({"status"}),
        fields=_SPEC,
    ),
    DEPLOYMENT,
    Kind(
        group="coordination.k8s.io",
        kind="Lease",
        plural="leases",
        storage="v1",
        served=("v1",),
        fields=_META | {"spec"},
        create_on_update=True,
    ),
    DEFINITION,
)
# There where a switch says so.
STORAGE_MIGRATION: Final = Kind(
    group="storagemigration.k8s.io",
    kind="StorageVersionMigration",
    plural="storageversionmigrations",
    storage="v1beta1",
    served=("v1beta1",),
    namespaced=False,
    subresources=frozenset({"status"}),
    fields=_SPEC,
)
