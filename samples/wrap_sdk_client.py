# SPDX-License-Identifier: MIT
"""Wrap a ContainerServiceClient that a program already has: its credential, cloud and policies stay as they are."""

from azure.mgmt.containerservice import ContainerServiceClient
from azure.mgmt.containerservice.models import AgentPool

from aks_etag import AksClient, typed
from aks_etag.mock import MockAks


def label(sdk: ContainerServiceClient, subscription_id: str) -> None:
    """Set a label with the SDK's own model, guarded; read the result with the SDK as before."""

    def stage(pool: AgentPool) -> None:
        pool.node_labels = {**(pool.node_labels or {}), "stage": "test"}

    aks = AksClient.from_sdk(sdk, subscription_id)
    result = aks.cluster("rg", "prod").agent_pool("np1").update(typed(AgentPool, stage))
    print(f"{result.outcome} under {result.condition}")
    print(f"the SDK reads {sdk.agent_pools.get('rg', 'prod', 'np1').node_labels}")


def main() -> None:
    """Run it on an AKS in this process, whose operations are over at once."""
    mock = MockAks(operation_polls=0)
    mock.add_cluster("rg", "prod")
    with mock.sdk_client() as sdk:
        label(sdk, mock.subscription_id)


if __name__ == "__main__":
    main()
