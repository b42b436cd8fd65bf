# SPDX-License-Identifier: MIT
"""What recorded traffic shows beyond what was sent: the defaults of the service, and the fields only it writes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

ZERO_ID: Final = "00000000-0000-0000-0000-000000000000"

# Values are read in recordings of api-version 2026-05-01; the order of the keys is theirs, too.
CLUSTER_PROPERTIES: Final[Mapping[str, Any]] = {
    "provisioningState": None,
    "powerState": {"code": "Running"},
    "kubernetesVersion": "1.35",
    "currentKubernetesVersion": "1.35.7",
    "dnsPrefix": None,
    "fqdn": None,
    "azurePortalFQDN": None,
    "agentPoolProfiles": None,
    "servicePrincipalProfile": {"clientId": "msi"},
    "nodeResourceGroup": None,
    "enableRBAC": True,
    "supportPlan": "KubernetesOfficial",
    "networkProfile": {
        "networkPlugin": "azure",
        "networkPluginMode": "overlay",
        "networkPolicy": "none",
        "networkDataplane": "azure",
        "loadBalancerSku": "standard",
        "podCidr": "10.244.0.0/16",
        "serviceCidr": "10.0.0.0/16",
        "dnsServiceIP": "10.0.0.10",
        "outboundType": "loadBalancer",
    },
    "maxAgentPools": 100,
    "autoUpgradeProfile": {"nodeOSUpgradeChannel": "NodeImage"},
    "securityProfile": {},
    "storageProfile": {
        "diskCSIDriver": {"enabled": True},
        "fileCSIDriver": {"enabled": True},
        "snapshotController": {"enabled": True},
    },
    "oidcIssuerProfile": {"enabled": False},
    "workloadAutoScalerProfile": {},
    "resourceUID": None,
    "metricsProfile": {"costAnalysis": {"enabled": False}},
}

CLUSTER_ENVELOPE: Final[Mapping[str, Any]] = {
    "id": None,
    "location": None,
    "name": None,
    "type": "Microsoft.ContainerService/ManagedClusters",
    "kind": "Base",
    "properties": None,
    "identity": None,
    "sku": {"name": "Base", "tier": "Free"},
}

POOL_PROPERTIES: Final[Mapping[str, Any]] = {
    "count": None,
    "vmSize": None,
    "osDiskSizeGB": 128,
    "osDiskType": "Managed",
    "kubeletDiskType": "OS",
    "maxPods": 30,
    "type": "VirtualMachineScaleSets",
    "scaleDownMode": "Delete",
    "provisioningState": None,
    "powerState": {"code": "Running"},
    "orchestratorVersion": "1.35",
    "currentOrchestratorVersion": "1.35.7",
    "enableNodePublicIP": False,
    "mode": "User",
    "osType": "Linux",
    "osSKU": "Ubuntu",
    "nodeImageVersion": "AKSUbuntu-2204gen2containerd-202511.07.0",
    "upgradeSettings": {"maxSurge": "10%"},
    "enableFIPS": False,
    "securityProfile": {"sshAccess": "LocalUser", "enableVTPM": False, "enableSecureBoot": False},
}

# Newer than the recorded one: what an upgrade of the node image brings.
NEXT_NODE_IMAGE: Final = "AKSUbuntu-2204gen2containerd-202512.01.0"

# The two recorded births of a pool differ: with the cluster, and on its own.
BORN_INLINE: Final[Mapping[str, Any]] = {"maxPods": 250}
BORN_ALONE: Final[Mapping[str, Any]] = {"maxPods": 30, "enableAutoScaling": False}

# Sent by every recorded client, so they are no defaults of the service; the mock's own fixtures start from them.
FIXTURE_POOL: Final[Mapping[str, Any]] = {"count": 1, "vmSize": "Standard_DS2_v2", "mode": "System", "osType": "Linux"}

CLUSTER_READ_ONLY: Final = frozenset({"id", "name", "type", "systemData", "eTag", "etag"})
CLUSTER_PROPERTIES_READ_ONLY: Final = frozenset(
    {
        "provisioningState",
        "powerState",
        "currentKubernetesVersion",
        "fqdn",
        "privateFQDN",
        "azurePortalFQDN",
        "maxAgentPools",
        "resourceUID",
    }
)
POOL_READ_ONLY: Final = frozenset({"id", "name", "type", "systemData", "eTag", "etag"})
POOL_PROPERTIES_READ_ONLY: Final = frozenset(
    {"provisioningState", "currentOrchestratorVersion", "nodeImageVersion", "eTag", "etag", "name"}
)

# What goes in and never comes out: the model's write-only fields.
SECRETS: Final = (
    ("windowsProfile", "adminPassword"),
    ("servicePrincipalProfile", "secret"),
    ("aadProfile", "serverAppSecret"),
)

# Recorded requests send these empty, and no recorded GET shows them.
HIDDEN_WHEN_EMPTY: Final = ("tags", "nodeLabels", "nodeTaints")
# Only the answer of a cluster PUT shows these two empty maps in its pools.
SHOWN_EMPTY_IN_CLUSTER_PUT: Final = ("tags", "nodeLabels")
