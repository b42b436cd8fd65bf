# SPDX-License-Identifier: MIT
"""What merging and comparing know of the AKS model: lists whose elements have names, and whose each field is."""

from __future__ import annotations

from typing import Any, Final

from .._core import document
from .._core.changes import plain_body
from .._core.document import Path
from .._core.merge import Rules
from .._core.messages import Body
from .._core.places import Key, Keys, by, itself, taint, without_case
from .._core.snapshot import Snapshot
from .owned import MARKER, PROFILE_VOLATILE, cluster_fields, pool_fields

_ID: Final = without_case(by("id"))
_TEXT_ID: Final = without_case(itself)

# From the SDK's models; a test finds each of their lists here, or says why it is one value:
# its order or its size means something (IP families and their ranges, zones, the two revisions of a mesh upgrade).
POOL_LISTS: Final[dict[str, Key]] = {
    # A node has no two taints of one key and effect.
    "nodeTaints": taint,
    # A pool of virtual machines has one entry per VM size.
    "virtualMachinesProfile.scale.manual": by("size"),
    "virtualMachinesProfile.scale.autoscale": by("size"),
    "virtualMachineNodesStatus": by("size"),
    # Sets: nothing but the element tells it apart, and its place means nothing.
    "kubeletConfig.allowedUnsafeSysctls": itself,
    "networkProfile.allowedHostPorts": by("portStart", "portEnd", "protocol"),
    "networkProfile.applicationSecurityGroups": _TEXT_ID,
    # One tag of each type.
    "networkProfile.nodePublicIPTags": by("ipTagType"),
}
CLUSTER_LISTS: Final[dict[str, Key]] = {
    # The service refuses two pools of one name.
    "agentPoolProfiles": by("name"),
    "privateLinkResources": by("name"),
    # Kubernetes objects, named inside their namespace.
    "podIdentityProfile.userAssignedIdentities": by("namespace", "name"),
    "podIdentityProfile.userAssignedIdentityExceptions": by("namespace", "name"),
    "serviceMeshProfile.istio.components.egressGateways": by("namespace", "name"),
    # One gateway inside, one outside.
    "serviceMeshProfile.istio.components.ingressGateways": by("mode"),
    # References to other resources of ARM, whose ids are the same in upper and lower case.
    "networkProfile.loadBalancerProfile.outboundIPPrefixes.publicIPPrefixes": _ID,
    "networkProfile.loadBalancerProfile.outboundIPs.publicIPs": _ID,
    "networkProfile.natGatewayProfile.outboundIPPrefixes.publicIPPrefixes": _TEXT_ID,
    "networkProfile.natGatewayProfile.outboundIPs.publicIPs": _TEXT_ID,
    "ingressProfile.webAppRouting.dnsZoneResourceIds": _TEXT_ID,
    "securityProfile.defender.securityGating.identities": without_case(by("azureContainerRegistry")),
    # Sets.
    "aadProfile.adminGroupObjectIDs": itself,
    "apiServerAccessProfile.authorizedIPRanges": itself,
    "httpProxyConfig.noProxy": itself,
    "linuxProfile.ssh.publicKeys": by("keyData"),
    "privateLinkResources.*.requiredMembers": itself,
    "securityProfile.customCATrustCertificates": itself,
}


def _keys() -> Keys:
    """Return the keys by path, those of pools for both places where a pool is: its own body and that of its cluster."""
    found: dict[Path, Key] = {}
    for names, lists in (
        ("properties", CLUSTER_LISTS),
        ("properties", POOL_LISTS),
        ("properties.agentPoolProfiles.*", POOL_LISTS),
    ):
        found |= {(*names.split("."), *name.split(".")): key for name, key in lists.items()}
    return found


# One set of rules for both kinds: what the service owns in one is nothing to write in the other, but for powerState.
# A pool's is to write; to edit a cluster's is refused by the update as an edit of a read-only field.
_PLACES: Final = ("properties", "properties.agentPoolProfiles.*")
# The notes of writers travel with the version that they are of.
_NOTES: Final = {f"tags.{MARKER}", *(f"{place}.tags.{MARKER}" for place in _PLACES)}
_OWNED: Final = ({*cluster_fields(), *pool_fields()} - {"properties.powerState"}) | _NOTES
_VOLATILE: Final = {f"{place}.{name}" for place in _PLACES for name in PROFILE_VOLATILE}
_PATHS: Final = frozenset(tuple(path.split(".")) for path in _VOLATILE)

RULES: Final = Rules(owned=document.fields(_OWNED), kept=_PATHS, keys=_keys())
NOT_COMPARED: Final = document.fields(_OWNED | _VOLATILE)


def body_of(value: Body | Snapshot) -> dict[str, Any]:
    """Return a copy of a body as plain JSON.

    Raises:
        TypeError: it is neither a body nor a snapshot.
    """
    return plain_body(value.body if isinstance(value, Snapshot) else value)
