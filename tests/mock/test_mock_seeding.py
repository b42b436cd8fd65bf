# SPDX-License-Identifier: MIT
"""A mock begins with what users have: az's output, ARM's bodies, the SDK's models, names alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aks_etag.mock import MockAks

PROD = (
    "/subscriptions/11111111-0000-0000-0000-000000000000/resourcegroups/rg/providers/Microsoft.ContainerService/"
    "managedClusters/prod"
)
# As az prints it: the properties at the top, null for what is not there.
AZ_CLUSTER: dict[str, Any] = {
    "agentPoolProfiles": [
        {
            "count": 5, "eTag": "tag-of-np1", "enableAutoScaling": None, "maxPods": 110, "mode": "System",
            "name": "np1", "nodeLabels": {"team": "red"}, "provisioningState": "Succeeded",
            "type": "VirtualMachineScaleSets", "vmSize": "Standard_D4s_v5",
        }
    ],
    "aadProfile": None,
    "dnsPrefix": "mine",
    "eTag": "tag-of-prod",
    "fqdn": "mine-12345.hcp.westeurope.azmk8s.io",
    "id": PROD,
    "identity": {"type": "SystemAssigned", "principalId": "p", "tenantId": "t"},
    "kubernetesVersion": "1.33",
    "location": "westeurope",
    "name": "prod",
    "networkProfile": {"networkPlugin": "azure", "podCidrs": None},
    "powerState": {"code": "Stopped"},
    "provisioningState": "Succeeded",
    "resourceGroup": "rg",
    "resourceUid": "abc",
    "sku": {"name": "Base", "tier": "Standard"},
    "tags": {"team": "red"},
    "type": "Microsoft.ContainerService/ManagedClusters",
}  # fmt: skip
AZ_POOLS: list[dict[str, Any]] = [
    {
        "count": n, "eTag": f"tag-of-{name}", "id": f"{PROD}/agentPools/{name}", "mode": "User",
        "name": name, "nodeTaints": None, "provisioningState": "Succeeded", "resourceGroup": "rg",
        "tags": {"pool": name},
        "type": "Microsoft.ContainerService/managedClusters/agentPools",
        "typePropertiesType": "VirtualMachineScaleSets", "vmSize": "Standard_D2s_v5",
    }
    for n, name in enumerate(["blue", "green"], start=1)
]  # fmt: skip


def test_what_az_aks_show_prints() -> None:
    mock = MockAks()
    [made] = mock.seed(AZ_CLUSTER)
    shown = mock.body("rg", "prod")
    assert shown["id"] == made
    assert (shown["eTag"], shown["location"], shown["tags"]) == ("tag-of-prod", "westeurope", {"team": "red"})
    assert shown["sku"] == {"name": "Base", "tier": "Standard"}
    properties = shown["properties"]
    assert (properties["fqdn"], properties["powerState"]) == (AZ_CLUSTER["fqdn"], {"code": "Stopped"})
    assert (properties["kubernetesVersion"], properties["provisioningState"]) == ("1.33", "Succeeded")
    assert "aadProfile" not in properties
    assert "resourceGroup" not in properties
    [pool] = properties["agentPoolProfiles"]
    assert (pool["name"], pool["count"], pool["eTag"]) == ("np1", 5, "tag-of-np1")
    assert (pool["nodeLabels"], pool["vmSize"]) == ({"team": "red"}, "Standard_D4s_v5")


def test_what_az_aks_nodepool_list_prints() -> None:
    mock = MockAks()
    mock.seed([*AZ_POOLS, AZ_CLUSTER])
    names = [pool["name"] for pool in mock.body("rg", "prod")["properties"]["agentPoolProfiles"]]
    assert names == ["np1", "blue", "green"]
    green = mock.body("rg", "prod", "green")["properties"]
    assert (green["count"], green["eTag"], green["type"]) == (2, "tag-of-green", "VirtualMachineScaleSets")
    assert (green["tags"], "nodeTaints" in green) == ({"pool": "green"}, False)


def test_pools_without_their_cluster() -> None:
    mock = MockAks()
    mock.seed(AZ_POOLS)
    assert [each["name"] for each in mock.body("rg", "prod")["properties"]["agentPoolProfiles"]] == ["blue", "green"]


@pytest.mark.parametrize("shape", ["body", "list of ARM", "file"])
def test_what_arm_answers(shape: str, recorded: Callable[[str], Any], tmp_path: Path) -> None:
    body = recorded("get_cluster_200")["body"]
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps(body), "utf-8-sig")
    mock = MockAks()
    mock.seed({"body": body, "list of ARM": {"value": [body]}, "file": path}[shape])
    [(group, name)] = mock.clusters()
    shown = mock.body(group, name)
    same = {key: value for key, value in body.items() if key not in ("id", "properties")}
    assert {key: shown[key] for key in same} == same
    assert shown["properties"].keys() >= body["properties"].keys()
    for key, value in body["properties"].items():
        if key != "agentPoolProfiles":
            assert shown["properties"][key] == value
    for one, other in zip(
        body["properties"]["agentPoolProfiles"], shown["properties"]["agentPoolProfiles"], strict=True
    ):
        assert {**other, **one} == other


def test_what_arm_answers_for_a_pool(recorded: Callable[[str], Any]) -> None:
    body = recorded("get_pool_200")["body"]
    mock = MockAks()
    mock.seed(body)
    [(group, name)] = mock.clusters()
    shown = mock.body(group, name, body["name"])["properties"]
    assert {**shown, **body["properties"]} == shown


def test_the_models_of_the_sdk() -> None:
    source = MockAks()
    source.add_cluster("rg", "prod", pools={"np1": {"count": 4}})
    source.edit("rg", "prod", change=lambda body: body.update(tags={"a": "1"}))
    with source.sdk_client() as sdk:
        models = [sdk.managed_clusters.get("rg", "prod"), *sdk.agent_pools.list("rg", "prod")]
    mock = MockAks(etag_seed=7)
    mock.seed(models)
    assert mock.body("rg", "prod") == source.body("rg", "prod")
    assert mock.body("rg", "prod", "np1")["properties"] == source.body("rg", "prod", "np1")["properties"]


def test_names_alone() -> None:
    mock = MockAks()
    mock.seed({"rg": {"prod": {"np1": {"count": 3}, "np2": {}}, "plain": {}}, "empty": {}})
    assert mock.clusters() == [("rg", "prod"), ("rg", "plain")]
    assert mock.body("rg", "prod", "np1")["properties"]["count"] == 3


def test_what_was_seeded_can_be_written(tmp_path: Path) -> None:
    mock = MockAks()
    mock.seed(AZ_CLUSTER)
    with mock.client() as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        done = pool.update(lambda body: body["properties"].update(count=6), if_match="tag-of-np1")
    assert (done.outcome, mock.body("rg", "prod", "np1")["properties"]["nodeLabels"]) == ("updated", {"team": "red"})


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ({"id": "/subscriptions/s/resourceGroups/rg", "properties": {}}, "it has no id of a cluster"),
        ([AZ_CLUSTER, {"name": "x"}], "item 1 has no id of a cluster"),
        ({"rg": {"prod": []}}, "rg/prod is no object"),
        ({"rg": {"prod": {"np1": 3}}}, "rg/prod/np1 is no object"),
        ([1], "it has no id"),
    ],
)
def test_what_is_none_is_named(source: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        MockAks().seed(source)
