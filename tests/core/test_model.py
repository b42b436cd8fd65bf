# SPDX-License-Identifier: MIT
"""Every list of the SDK's models has a key, or a reason to be one value; elements merge by that key."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from azure.mgmt.containerservice import ContainerServiceClient, models
from azure.mgmt.containerservice._utils.model_base import Model
from azure.mgmt.containerservice.models import _models

from aks_etag._core.document import EACH, strip
from aks_etag._core.merge import merge
from aks_etag._resources.model import CLUSTER_LISTS, NOT_COMPARED, POOL_LISTS, RULES, body_of
from aks_etag._resources.owned import cluster_fields, pool_fields
from aks_etag.mock import FakeCredential

ONE_VALUE = {
    # Each entry belongs to the one of the same place in the others; the first is the primary one.
    "networkProfile.ipFamilies", "networkProfile.podCidrs", "networkProfile.serviceCidrs",
    # Cannot be changed one by one: the zones of a pool, the two revisions of a mesh while it is upgraded.
    "availabilityZones", "serviceMeshProfile.istio.revisions",
}  # fmt: skip
ID = "/subscriptions/s/resourceGroups/g/providers/x/y/"
POD = {"namespace": "ns", "identity": {"clientId": "c"}}
# One element, the same one edited (none where it is a set), and another one.
ELEMENTS: dict[str, tuple[Any, Any, Any]] = {
    "nodeTaints": ("gpu=a:NoSchedule", "gpu=b:NoSchedule", "gpu=a:NoExecute"),
    "virtualMachinesProfile.scale.manual": ({"size": "S1", "count": 1}, {"size": "S1", "count": 2}, {"size": "S2"}),
    "virtualMachinesProfile.scale.autoscale": ({"size": "S1"}, {"size": "S1", "minCount": 2}, {"size": "S2"}),
    "virtualMachineNodesStatus": ({"size": "S1", "count": 1}, {"size": "S1", "count": 2}, {"size": "S2"}),
    "kubeletConfig.allowedUnsafeSysctls": ("a", None, "b"),
    "networkProfile.allowedHostPorts": (
        {"portStart": 1, "portEnd": 2, "protocol": "TCP"}, None, {"portStart": 1, "portEnd": 2, "protocol": "UDP"}
    ),
    "networkProfile.applicationSecurityGroups": (ID + "a", ID.upper() + "A", ID + "b"),
    "networkProfile.nodePublicIPTags": (
        {"ipTagType": "T", "tag": "a"}, {"ipTagType": "T", "tag": "b"}, {"ipTagType": "U", "tag": "a"}
    ),
    "agentPoolProfiles": ({"name": "np1", "count": 1}, {"name": "np1", "count": 2}, {"name": "np2", "count": 1}),
    "privateLinkResources": ({"name": "a"}, {"name": "a", "groupId": "g"}, {"name": "b"}),
    "podIdentityProfile.userAssignedIdentities": (
        {**POD, "name": "a"}, {**POD, "name": "a", "bindingSelector": "b"}, {**POD, "name": "a", "namespace": "other"}
    ),
    "podIdentityProfile.userAssignedIdentityExceptions": (
        {"namespace": "ns", "name": "a"}, {"namespace": "ns", "name": "a", "podLabels": {"x": "y"}},
        {"namespace": "ns", "name": "b"},
    ),
    "serviceMeshProfile.istio.components.egressGateways": (
        {"namespace": "ns", "name": "a"}, {"namespace": "ns", "name": "a", "enabled": True},
        {"namespace": "ns", "name": "b"},
    ),
    "serviceMeshProfile.istio.components.ingressGateways": (
        {"mode": "External", "enabled": True}, {"mode": "External", "enabled": False}, {"mode": "Internal"}
    ),
    "networkProfile.loadBalancerProfile.outboundIPPrefixes.publicIPPrefixes": (
        {"id": ID + "a"}, {"id": ID + "A"}, {"id": ID + "b"}
    ),
    "networkProfile.loadBalancerProfile.outboundIPs.publicIPs": ({"id": ID + "a"}, {"id": ID + "A"}, {"id": ID + "b"}),
    "networkProfile.natGatewayProfile.outboundIPPrefixes.publicIPPrefixes": (ID + "a", ID + "A", ID + "b"),
    "networkProfile.natGatewayProfile.outboundIPs.publicIPs": (ID + "a", ID + "A", ID + "b"),
    "ingressProfile.webAppRouting.dnsZoneResourceIds": (ID + "a", ID + "A", ID + "b"),
    "securityProfile.defender.securityGating.identities": (
        {"azureContainerRegistry": ID + "a"}, {"azureContainerRegistry": ID + "a", "identity": {"clientId": "c"}},
        {"azureContainerRegistry": ID + "b"},
    ),
    "aadProfile.adminGroupObjectIDs": ("a", None, "b"),
    "apiServerAccessProfile.authorizedIPRanges": ("10.0.0.0/8", None, "192.0.2.0/24"),
    "httpProxyConfig.noProxy": ("localhost", None, "example.com"),
    "linuxProfile.ssh.publicKeys": ({"keyData": "a"}, None, {"keyData": "b"}),
    "privateLinkResources.*.requiredMembers": ("a", None, "b"),
    "securityProfile.customCATrustCertificates": ("YQ==", None, "Yg=="),
}  # fmt: skip
PLACES = [
    *(f"properties.{name}" for name in POOL_LISTS | CLUSTER_LISTS),
    *(f"properties.agentPoolProfiles.*.{name}" for name in POOL_LISTS),
]


def elements_of(place: str) -> tuple[Any, Any, Any]:
    """Return an element of the list at a place, the same one edited, and another one."""
    return ELEMENTS[place.removeprefix("properties.").removeprefix("agentPoolProfiles.*.")]


def body_with(place: str, elements: Any) -> dict[str, Any]:
    """Return a body that has a list at a place; inside a list it is in an element called ``outer``."""
    value = elements
    for name in reversed(place.split(".")):
        value = [{"name": "outer", **value}] if name == EACH else {name: value}
    return dict(value)


@pytest.mark.parametrize("place", PLACES)
def test_a_list_merges_by_its_key(place: str) -> None:
    one, edited, other = elements_of(place)
    bodies = (body_with(place, [one]), body_with(place, [other, one]), body_with(place, [edited or one]))
    merged, conflicts = merge(*bodies, RULES)
    assert (merged, conflicts) == (body_with(place, [edited or one, other]), ())


@pytest.mark.parametrize("place", PLACES)
def test_an_element_of_a_list_goes_and_the_others_stay(place: str) -> None:
    one, _, other = elements_of(place)
    bodies = (body_with(place, [one]), body_with(place, []), body_with(place, [other, one]))
    merged, conflicts = merge(*bodies, RULES)
    assert (merged, conflicts) == (body_with(place, [other]), ())


@pytest.mark.parametrize("place", [place for place in PLACES if elements_of(place)[1] is not None])
def test_an_element_that_is_edited_and_removed_is_a_conflict_at_its_name(place: str) -> None:
    one, edited, _ = elements_of(place)
    bodies = (body_with(place, [one]), body_with(place, [edited]), body_with(place, []))
    _, conflicts = merge(*bodies, RULES)
    assert [conflict.path.endswith("]") for conflict in conflicts] == [True]


def lists(kind: type, prefix: str = "", above: tuple[type, ...] = ()) -> Iterator[str]:
    """List the dotted paths of all lists of a model that can be written."""
    kind({})
    for attribute, field in kind._attr_to_rest_field.items():  # type: ignore[attr-defined]
        if field._visibility == ["read"]:
            continue
        text = next((str(each.__annotations__[attribute]) for each in kind.__mro__
                     if attribute in getattr(each, "__annotations__", {})), "")  # fmt: skip
        path, is_list = prefix + field._rest_name, re.search(r"\b[lL]ist\[", text)
        if is_list:
            yield path
        name = re.search(r"_models\.(\w+)", text)
        below = getattr(models, name[1], getattr(_models, name[1], None)) if name else None
        if isinstance(below, type) and issubclass(below, Model) and below not in above:
            each = "*." if is_list or re.search(r"\b[dD]ict\[", text) else ""
            yield from lists(below, f"{path}.{each}", (*above, kind))


newest = pytest.mark.skipif(
    ContainerServiceClient(FakeCredential(), "s")._config.api_version != "2026-08-01",
    reason="our lists are those of 2026-08-01",
)


@newest
@pytest.mark.parametrize(("kind", "ours"), [(models.AgentPool, POOL_LISTS), (models.ManagedCluster, CLUSTER_LISTS)])
def test_every_list_of_the_sdk_has_a_key_or_is_one_value(kind: type, ours: dict[str, Any]) -> None:
    found = {path.removeprefix("properties.") for path in lists(kind)}
    inline = {f"agentPoolProfiles.*.{name}" for name in {*POOL_LISTS, *ONE_VALUE}}
    # Below what the service says went wrong: it is read-only as a whole.
    theirs = {path for path in found - inline if "provisioningInfo" not in path}
    assert theirs - ONE_VALUE == set(ours)
    assert set(ONE_VALUE) & theirs == {name for name in ONE_VALUE if name in found}
    assert set(ONE_VALUE) & set(ours) == set()


def test_what_the_service_owns_in_one_kind_is_nothing_to_write_in_the_other() -> None:
    shared = {*cluster_fields()} & {*pool_fields()}
    assert shared == {
        "id", "name", "type", "systemData", "eTag", "etag", "properties.provisioningState",
        "properties.status.provisioningError",
    }  # fmt: skip
    body = {"properties": {"powerState": {"code": "Running"}, "nodeImageVersion": "v1", "count": 1, "fqdn": "f"}}
    assert strip(body, RULES.owned) == {"properties": {k: v for k, v in body["properties"].items() if k != "fqdn"}}
    assert strip(body, NOT_COMPARED) == {"properties": {"count": 1}}


def test_a_body_is_a_mapping_or_a_snapshot() -> None:
    assert body_of({"a": 1}) == {"a": 1}
    with pytest.raises(TypeError, match="a body is a mapping"):
        body_of([])  # type: ignore[arg-type]
