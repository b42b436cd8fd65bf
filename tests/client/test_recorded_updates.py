# SPDX-License-Identifier: MIT
"""A whole guarded update of each recorded payload: GET body in, PUT body out, compared field by field."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from aks_etag import AksClient, merge_patch
from aks_etag.mock import FakeCredential

SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"
CLUSTERS = ["get_cluster_200", "put_cluster_create_201", "put_cluster_update_200"]
POOLS = ["get_pool_200", "put_pool_create_201", "put_pool_update_200"]

# What a PUT may lack that the GET had, and nothing else. "*" stands for one step of the path.
LEFT_OUT_OF_CLUSTERS = {
    "id", "name", "type", "eTag", "identity.principalId", "identity.tenantId",
    "properties.provisioningState", "properties.powerState.code", "properties.currentKubernetesVersion",
    "properties.kubernetesVersion", "properties.fqdn", "properties.azurePortalFQDN", "properties.maxAgentPools",
    "properties.resourceUID", "properties.agentPoolProfiles",
}  # fmt: skip
LEFT_OUT_OF_POOLS = {
    "id", "name", "type", "properties.eTag", "properties.provisioningState", "properties.powerState.code",
    "properties.currentOrchestratorVersion", "properties.nodeImageVersion",
}  # fmt: skip


class Service:
    """Answers GET with a body and PUT with success; keeps what was put, as bytes."""

    def __init__(self, body: dict[str, Any]) -> None:
        self.body = body
        self.put = b""
        self.if_match = ""

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.method == "PUT":
            self.put, self.if_match = request.content, request.headers["if-match"]
            self.body = settled({**json.loads(json.dumps(self.body)), "eTag": "after"})
        return httpx.Response(200, content=json.dumps(self.body), headers={"Content-Type": "application/json"})


def settled(body: dict[str, Any]) -> dict[str, Any]:
    """Bring a recorded body to rest, with tags, as a GET after the operation would show it."""
    body.setdefault("properties", {})["provisioningState"] = "Succeeded"
    for profile in body["properties"].get("agentPoolProfiles", []):
        profile["provisioningState"] = "Succeeded"
    return body


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for name, item in value.items():
            yield from leaves(item, f"{path}.{name}" if path else name)
    else:
        yield path, value


def updated(body: dict[str, Any], kind: str, change: Any) -> tuple[dict[str, Any], Service]:
    service = Service(body)
    with AksClient(FakeCredential(), SUBSCRIPTION, transport=httpx.MockTransport(service)) as aks:
        cluster = aks.cluster("rg1", "aks1")
        handle = cluster if kind == "cluster" else cluster.agent_pool("np2")
        assert handle.update(change).outcome == "updated"
    sent: dict[str, Any] = json.loads(service.put)
    return sent, service


def cluster_body(recorded: Any, name: str) -> dict[str, Any]:
    return {"eTag": "aaaa", **settled(recorded(name)["body"])} | {"eTag": "aaaa"}


@pytest.mark.parametrize("name", CLUSTERS)
def test_a_cluster_is_put_as_it_was_got(recorded: Any, name: str) -> None:
    body = cluster_body(recorded, name)
    sent, service = updated(body, "cluster", merge_patch({"tags": {"team": "red"}}))
    got, put = dict(leaves(body)), dict(leaves(sent))
    assert {path for path in got if path not in put} <= LEFT_OUT_OF_CLUSTERS
    assert {path: value for path, value in put.items() if got.get(path, "new") != value} == {"tags.team": "red"}
    assert service.if_match == "aaaa"


@pytest.mark.parametrize("name", POOLS)
def test_a_pool_is_put_as_it_was_got(recorded: Any, name: str) -> None:
    body = settled(recorded(name)["body"])
    sent, service = updated(body, "pool", merge_patch({"properties": {"count": 2}}))
    got, put = dict(leaves(body)), dict(leaves(sent))
    assert {path for path in got if path not in put} <= LEFT_OUT_OF_POOLS
    assert {path: value for path, value in put.items() if got.get(path, "new") != value} == {"properties.count": 2}
    assert service.if_match == recorded(name)["body"]["properties"]["eTag"]


def test_a_changed_kubernetes_version_is_sent(recorded: Any) -> None:
    body = cluster_body(recorded, "get_cluster_200")
    sent, _ = updated(body, "cluster", merge_patch({"properties": {"kubernetesVersion": "1.36"}}))
    assert sent["properties"]["kubernetesVersion"] == "1.36"


def test_a_pool_that_is_to_be_stopped_is_told_so(recorded: Any) -> None:
    body = recorded("get_pool_200")["body"]
    sent, _ = updated(body, "pool", merge_patch({"properties": {"powerState": {"code": "Stopped"}}}))
    assert sent["properties"]["powerState"] == {"code": "Stopped"}


def test_user_assigned_identities_are_sent_empty(recorded: Any) -> None:
    identity = "/subscriptions/s/resourceGroups/g/providers/Microsoft.ManagedIdentity/userAssignedIdentities/i"
    body = cluster_body(recorded, "get_cluster_200")
    body["identity"] = {
        "type": "UserAssigned",
        "userAssignedIdentities": {identity: {"clientId": "c", "principalId": "p"}},
    }
    sent, _ = updated(body, "cluster", merge_patch({"tags": {"team": "red"}}))
    assert sent["identity"] == {"type": "UserAssigned", "userAssignedIdentities": {identity: {}}}


def test_unknown_fields_numbers_nulls_and_key_order_survive(recorded: Any) -> None:
    odd = {
        "zulu": 1,
        "alpha": None,
        "big": 12345678901234567890,
        "float": 1.0,
        "text": "\u00e9\ud83d",
        "list": [3, 1, 2],
    }
    body = cluster_body(recorded, "get_cluster_200")
    body["properties"]["fromTheFuture"] = odd
    sent, service = updated(body, "cluster", merge_patch({"tags": {"team": "red"}}))
    assert sent["properties"]["fromTheFuture"] == odd
    assert list(sent["properties"]["fromTheFuture"]) == list(odd)
    assert b'"float":1.0' in service.put
    order = [name for name in body["properties"] if name in sent["properties"]]
    assert list(sent["properties"]) == order


def test_a_body_without_a_tag_is_never_written(recorded: Any) -> None:
    body = recorded("get_cluster_200_no_etag")["body"]
    service = Service(body)
    with AksClient(
        FakeCredential(), SUBSCRIPTION, transport=httpx.MockTransport(service), api_version="2024-09-01"
    ) as aks:
        with pytest.raises(Exception, match=r"no eTag .*2024-09-01"):
            aks.cluster("rg1", "aks1").update(merge_patch({"tags": {"team": "red"}}))
    assert service.put == b""
