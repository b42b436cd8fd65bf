# SPDX-License-Identifier: MIT
"""Which fields the service owns, and which it merely keeps."""

from __future__ import annotations

from typing import Final

from .._core.document import agree
from .._core.messages import Body

# The model's fields of visibility ["read"]; a test takes the same list from the SDK. "etag" is a preview's spelling.
CLUSTER_READ_ONLY: Final = (
    "id", "name", "type", "systemData", "eTag", "etag",
    "identity.principalId", "identity.tenantId",
    "identity.userAssignedIdentities.*.clientId", "identity.userAssignedIdentities.*.principalId",
    "properties.addonProfiles.*.identity", "properties.azurePortalFQDN", "properties.currentKubernetesVersion",
    "properties.fqdn", "properties.ingressProfile.webAppRouting.identity", "properties.maxAgentPools",
    "properties.networkProfile.loadBalancerProfile.effectiveOutboundIPs",
    "properties.networkProfile.natGatewayProfile.effectiveOutboundIPs", "properties.oidcIssuerProfile.issuerURL",
    "properties.podIdentityProfile.userAssignedIdentities.*.provisioningInfo",
    "properties.podIdentityProfile.userAssignedIdentities.*.provisioningState",
    "properties.powerState", "properties.privateFQDN", "properties.privateLinkResources.*.privateLinkServiceID",
    "properties.provisioningState", "properties.resourceUID", "properties.status.provisioningError",
)  # fmt: skip
PROFILE_READ_ONLY: Final = (
    "currentOrchestratorVersion", "eTag", "etag", "localDNSProfile.state", "provisioningState",
    "status.provisioningError",
)  # fmt: skip
# Sent, and never shown again (visibility ["create", "update"]).
WRITE_ONLY: Final = (
    "properties.aadProfile.serverAppSecret", "properties.servicePrincipalProfile.secret",
    "properties.windowsProfile.adminPassword",
)  # fmt: skip
# Writable by the model, but kept by the service: an older value sent back would be an order.
PROFILE_VOLATILE: Final = ("nodeImageVersion", "powerState")
# Not shown while they are empty: to ask for an empty one where none is shown asks for nothing.
HIDDEN_WHEN_EMPTY: Final = ("tags", "nodeLabels", "nodeTaints")
# The tag in which writers note their writes with exactly_once, and how many tags a resource may have (Azure's limit).
MARKER: Final = "aks-etag"
MOST_TAGS: Final = 50


def pool_fields() -> tuple[str, ...]:
    """List the fields of an agent pool that the service owns."""
    return ("id", "name", "type", "systemData", "eTag", "etag", *(f"properties.{name}" for name in PROFILE_READ_ONLY))


def cluster_fields() -> tuple[str, ...]:
    """List the fields of a cluster that the service owns, its inline pools included."""
    profiles = (f"properties.agentPoolProfiles.*.{name}" for name in PROFILE_READ_ONLY)
    return (*CLUSTER_READ_ONLY, *profiles)


def without_volatile(properties: Body, base: Body) -> Body:
    """Leave out what the service keeps by itself, unless it is what changed."""
    return {
        name: value
        for name, value in properties.items()
        if name not in PROFILE_VOLATILE or not agree(properties, base, [(name,)])
    }


def without_empty(holder: Body) -> Body:
    """Leave out what the service does not show while it is empty."""
    empty = [name for name in HIDDEN_WHEN_EMPTY if name in holder and not holder[name]]
    return {name: value for name, value in holder.items() if name not in empty} if empty else holder
