# SPDX-License-Identifier: MIT
"""What a PUT stores: the document sent, the defaults of the service, and the fields that only the service writes.

What was sent belongs to the document from here on, and nothing that is stored is ever changed: values are shared, and a
change is a new document around them.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any, Final

from aks_etag.mock._core import seeds
from aks_etag.mock._core.address import Address, cluster_id
from aks_etag.mock._core.records import Cluster, Pool
from aks_etag.mock._core.switches import Switches

_KEPT_CLUSTER_PROPERTIES: Final = seeds.CLUSTER_PROPERTIES_READ_ONLY | {"nodeResourceGroup"}
_NEXT_CLUSTER_DEFAULTS: Final = {
    name: value for name, value in seeds.CLUSTER_PROPERTIES.items() if name not in _KEPT_CLUSTER_PROPERTIES
}
_NEXT_POOL_DEFAULTS: Final = {
    name: value for name, value in seeds.POOL_PROPERTIES.items() if name not in seeds.POOL_PROPERTIES_READ_ONLY
}


def new_cluster_document(sent: Mapping[str, Any], address: Address, *, uid: str, switches: Switches) -> dict[str, Any]:
    """Build the document of a cluster that did not exist."""
    properties = _without(_mapping(sent.get("properties")), seeds.CLUSTER_PROPERTIES_READ_ONLY)
    location = sent.get("location") or switches.location
    prefix = properties.get("dnsPrefix") or address.cluster
    written = {
        "fqdn": f"{prefix}-00000000.hcp.{location}.azmk8s.io",
        "azurePortalFQDN": f"{prefix}-00000000.portal.hcp.{location}.azmk8s.io",
        "resourceUID": uid,
    }
    owned = {"nodeResourceGroup": f"MC_{address.group}_{address.cluster}_{location}"}
    filled = _fill(properties, {**seeds.CLUSTER_PROPERTIES, **written, **owned})
    identified = {"id": cluster_id(address.subscription, address.group, address.cluster), "name": address.cluster}
    envelope = _fill(_without(sent, seeds.CLUSTER_READ_ONLY), {**seeds.CLUSTER_ENVELOPE, **identified})
    envelope["location"] = location
    return _finish(envelope, filled, seeds.CLUSTER_ENVELOPE, seeds.CLUSTER_PROPERTIES, switches)


def next_cluster_document(sent: Mapping[str, Any], current: Cluster, switches: Switches) -> dict[str, Any]:
    """Build the document that replaces the one of an existing cluster."""
    before, old = current.document, current.document["properties"]
    owned = _KEPT_CLUSTER_PROPERTIES
    properties = _without(_mapping(sent.get("properties")), owned)
    properties.setdefault("kubernetesVersion", old.get("kubernetesVersion"))
    filled = {**_fill(properties, _NEXT_CLUSTER_DEFAULTS), **{name: old[name] for name in owned if name in old}}
    top = {"location": before["location"], **_without(sent, seeds.CLUSTER_READ_ONLY)}
    envelope = _fill(top, seeds.CLUSTER_ENVELOPE)
    envelope.update({name: before[name] for name in seeds.CLUSTER_READ_ONLY if name in before})
    return _finish(envelope, filled, before, old, switches)


def new_pool(name: str, sent: Mapping[str, Any], *, born: Mapping[str, Any], version: Any, switches: Switches) -> Pool:
    """Build a pool that did not exist; ``born`` holds the defaults of the way it came into being."""
    properties = _without(_mapping(sent.get("properties")), seeds.POOL_PROPERTIES_READ_ONLY)
    defaults = {**seeds.POOL_PROPERTIES, **({"orchestratorVersion": version} if version else {}), **born}
    filled = _arrange({**_fill(properties, defaults), "provisioningState": None}, seeds.POOL_PROPERTIES)
    _follow_version(filled, "orchestratorVersion", "currentOrchestratorVersion")
    _hide_empty(filled, switches)
    extras = _without(sent, seeds.POOL_READ_ONLY | {"properties"})
    return Pool(name=name, properties=filled, extras=extras, born=born)


def next_pool(sent: Mapping[str, Any], current: Pool, switches: Switches) -> dict[str, Any]:
    """Build the properties that replace the ones of an existing pool."""
    owned = seeds.POOL_PROPERTIES_READ_ONLY
    properties = _without(sent, owned)
    properties.setdefault("orchestratorVersion", current.properties.get("orchestratorVersion"))
    kept = {name: current.properties[name] for name in owned if name in current.properties}
    filled = _arrange({**_fill(properties, {**_NEXT_POOL_DEFAULTS, **current.born}), **kept}, current.properties)
    _follow_version(filled, "orchestratorVersion", "currentOrchestratorVersion")
    _hide_empty(filled, switches)
    return filled


def pool_extras(sent: Mapping[str, Any]) -> dict[str, Any]:
    """Keep the top-level fields of a pool that the mock does not know."""
    return _without(sent, seeds.POOL_READ_ONLY | {"properties"})


def _finish(
    envelope: dict[str, Any],
    properties: dict[str, Any],
    like: Mapping[str, Any],
    properties_like: Mapping[str, Any],
    switches: Switches,
) -> dict[str, Any]:
    _follow_version(properties, "kubernetesVersion", "currentKubernetesVersion")
    envelope["properties"] = _arrange({**properties, **_placeholders()}, properties_like)
    if isinstance(envelope.get("identity"), dict):
        envelope["identity"] = _identity(envelope["identity"])
    _hide_empty(envelope, switches)
    for place, secret in seeds.SECRETS:
        holder = envelope["properties"].get(place)
        if isinstance(holder, dict):
            envelope["properties"][place] = {name: value for name, value in holder.items() if name != secret}
    return _arrange(envelope, like)


def _placeholders() -> dict[str, Any]:
    return {"provisioningState": None, "agentPoolProfiles": None}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _without(sent: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in sent.items() if name not in names}


def _fill(sent: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Add what is missing, at any depth; a null that was sent stays."""
    filled = dict(sent)
    for name, default in defaults.items():
        if default is None:
            continue
        if name not in filled:
            filled[name] = default
        elif isinstance(default, dict) and isinstance(filled[name], dict) and filled[name] != default:
            filled[name] = _fill(filled[name], default)
    return filled


def _arrange(document: Mapping[str, Any], like: Mapping[str, Any]) -> dict[str, Any]:
    """Put known keys where they were, new ones behind them as sent."""
    known = {name: document[name] for name in like if name in document}
    return {**known, **document}


def _hide_empty(document: dict[str, Any], switches: Switches) -> None:
    for name in () if switches.keep_empty_maps else seeds.HIDDEN_WHEN_EMPTY:
        if document.get(name) in ({}, []):
            del document[name]


def _follow_version(properties: dict[str, Any], wanted: str, current: str) -> None:
    version = properties.get(wanted)
    if not isinstance(version, str) or str(properties.get(current, "")).startswith(version):
        return
    properties[current] = version if version.count(".") > 1 else f"{version}.0"


def _identity(identity: dict[str, Any]) -> dict[str, Any]:
    """Write the fields of an identity that only the service knows."""
    shown = {name: value for name, value in identity.items() if name not in ("principalId", "tenantId")}
    if "SystemAssigned" in str(identity.get("type")):
        shown.update(principalId=seeds.ZERO_ID, tenantId=seeds.ZERO_ID)
    assigned = identity.get("userAssignedIdentities")
    if isinstance(assigned, dict):
        shown["userAssignedIdentities"] = {name: _assigned(name, value) for name, value in assigned.items()}
    return shown


def _assigned(name: str, value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    # Derived from the id, so that the same identity looks the same in every body; JSON has text that UTF-8 has not.
    known = name.lower().encode(errors="backslashreplace").decode()
    ids = {field: str(uuid.uuid5(uuid.NAMESPACE_URL, f"{known}#{field}")) for field in ("clientId", "principalId")}
    return {**value, **ids}
