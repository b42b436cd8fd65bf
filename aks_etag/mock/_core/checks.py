# SPDX-License-Identifier: MIT
"""What makes a body unacceptable, whatever the state of the resource: each refusal names the place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from aks_etag.mock._core import errors, seeds
from aks_etag.mock._core.answers import RefusalError
from aks_etag.mock._core.switches import Switches

_NAMES: Final[Mapping[type, str]] = {
    bool: "true or false", dict: "an object", int: "a whole number", list: "a list", str: "a text",
}  # fmt: skip
_CLUSTER: Final[Mapping[str, type]] = {"location": str, "identity": dict, "sku": dict, "tags": dict, "properties": dict}
_CLUSTER_PROPERTIES: Final[Mapping[str, type]] = {
    "addonProfiles": dict, "agentPoolProfiles": list, "apiServerAccessProfile": dict, "autoUpgradeProfile": dict,
    "disableLocalAccounts": bool, "dnsPrefix": str, "enableRBAC": bool, "kubernetesVersion": str,
    "networkProfile": dict, "nodeResourceGroup": str, "provisioningState": str, "storageProfile": dict,
}  # fmt: skip
_POOL: Final[Mapping[str, type]] = {"properties": dict}
_POOL_PROPERTIES: Final[Mapping[str, type]] = {
    "availabilityZones": list, "count": int, "enableAutoScaling": bool, "maxCount": int, "maxPods": int,
    "minCount": int, "mode": str, "nodeLabels": dict, "nodeTaints": list, "orchestratorVersion": str,
    "osDiskSizeGB": int, "provisioningState": str, "tags": dict, "upgradeSettings": dict, "vmSize": str,
}  # fmt: skip
# What az prints at the top, and ARM has inside of "properties"; both have these.
_ANYWHERE: Final = frozenset({"id", "name", "type", "tags", "eTag", "location", "identity", "sku", "kind"})
_CLUSTER_INSIDE: Final = (seeds.CLUSTER_PROPERTIES.keys() | _CLUSTER_PROPERTIES.keys()) - _ANYWHERE
_POOL_INSIDE: Final = (seeds.POOL_PROPERTIES.keys() | _POOL_PROPERTIES.keys()) - _ANYWHERE


def check_cluster(sent: Mapping[str, Any], *, creating: bool) -> None:
    """Refuse a body that is no cluster."""
    _check_top(sent, _CLUSTER, _CLUSTER_INSIDE)
    _check_texts(sent.get("tags"), "tags")
    properties = sent.get("properties") or {}
    _check_types(properties, _CLUSTER_PROPERTIES, "properties.")
    if (creating or "location" in sent) and not sent.get("location"):
        raise RefusalError(errors.bad_field("location", "a text"))
    profiles = properties.get("agentPoolProfiles") or []
    if creating and not profiles:
        raise RefusalError(errors.bad_field("properties.agentPoolProfiles", "at least one agent pool"))
    _check_profiles(profiles)


def check_pool(sent: Mapping[str, Any]) -> None:
    """Refuse a body that is no agent pool."""
    _check_top(sent, _POOL, _POOL_INSIDE)
    properties = sent.get("properties") or {}
    if "agentPoolProfiles" in properties:
        raise RefusalError(errors.bad_field("properties.agentPoolProfiles", "an agent pool, and no cluster,"))
    _check_pool_properties(properties, "properties.")


def check_tags(sent: Mapping[str, Any]) -> None:
    """Refuse a PATCH whose tags are none."""
    _check_types(sent, {"tags": dict}, "")
    _check_texts(sent.get("tags"), "tags")


def check_state(sent: Mapping[str, Any], state: str, switches: Switches) -> None:
    """Refuse a provisioningState that differs from the service's."""
    claimed = (sent.get("properties") or {}).get("provisioningState")
    if claimed is None or claimed == state or not switches.state_must_match:
        return
    message = f"The provisioningState '{claimed}' differs from '{state}'; it is read-only."
    raise RefusalError(errors.bad_request(message, row="provisioningState differs -> 400"))


def _check_top(sent: Mapping[str, Any], types: Mapping[str, type], inside: frozenset[str] | set[str]) -> None:
    _check_types(sent, types, "")
    for name in sent:
        if name in inside:
            raise RefusalError(errors.bad_field(name, f"'properties.{name}', and nothing at the top,"))


def _check_profiles(profiles: list[Any]) -> None:
    seen = set()
    for n, profile in enumerate(profiles):
        place = f"properties.agentPoolProfiles[{n}]"
        if not isinstance(profile, dict):
            raise RefusalError(errors.bad_field(place, "an object"))
        name = profile.get("name")
        if not isinstance(name, str) or not name:
            raise RefusalError(errors.bad_field(f"{place}.name", "a text"))
        if name.lower() in seen:
            raise RefusalError(errors.bad_field(f"{place}.name", "every name only once"))
        seen.add(name.lower())
        _check_pool_properties(profile, f"{place}.")


def _check_pool_properties(properties: Mapping[str, Any], prefix: str) -> None:
    _check_types(properties, _POOL_PROPERTIES, prefix)
    for name in ("tags", "nodeLabels"):
        _check_texts(properties.get(name), f"{prefix}{name}")


def _check_types(holder: Mapping[str, Any], types: Mapping[str, type], prefix: str) -> None:
    for name, value in holder.items():
        wanted = types.get(name)
        if wanted is None or value is None or type(value) is wanted:
            continue
        raise RefusalError(errors.bad_field(f"{prefix}{name}", _NAMES[wanted]))


def _check_texts(values: Mapping[str, Any] | None, place: str) -> None:
    for name, value in (values or {}).items():
        if not isinstance(value, str | None):
            raise RefusalError(errors.bad_field(f"{place}.{name}", "a text"))
