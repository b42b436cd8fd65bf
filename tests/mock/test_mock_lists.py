# SPDX-License-Identifier: MIT
"""Pages, resource groups, and what the mock refuses to guess."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag.mock import MockAks

SUBSCRIPTION = "/subscriptions/00000000-0000-0000-0000-000000000000"
ALL_CLUSTERS = f"{SUBSCRIPTION}/providers/Microsoft.ContainerService/managedClusters"


@pytest.fixture
def many() -> MockAks:
    """Seven clusters in two groups, three to a page."""
    mock = MockAks(page_size=3)
    for number in range(7):
        mock.add_cluster(f"rg{1 + number % 2}", f"aks{number}", pools={f"np{each}": {} for each in range(4)})
    return mock


def pages(aks: Any, path: str) -> list[list[str]]:
    """Follow nextLink; return the names on each page."""
    body = aks.ask("GET", path).json()
    found = [body]
    while "nextLink" in body:
        body = aks.get(body["nextLink"]).json()
        found.append(body)
    return [[each["name"] for each in page["value"]] for page in found]


@pytest.mark.parametrize(
    ("path", "names"),
    [
        pytest.param(ALL_CLUSTERS, [["aks0", "aks2", "aks4"], ["aks6", "aks1", "aks3"], ["aks5"]], id="subscription"),
        pytest.param(
            f"{SUBSCRIPTION}/resourceGroups/RG2/providers/Microsoft.ContainerService/managedClusters",
            [["aks1", "aks3", "aks5"]],
            id="group",
        ),
        pytest.param(
            f"{SUBSCRIPTION}/resourceGroups/rg1/providers/Microsoft.ContainerService/managedClusters/aks0/agentPools",
            [["np0", "np1", "np2"], ["np3"]],
            id="pools",
        ),
    ],
)
@pytest.mark.parametrize("door", ["in-process", "socket", "respx"])
def test_lists_come_in_pages(door: str, path: str, names: list[list[str]], many: MockAks, aks: Any) -> None:
    client = type(aks)
    if door == "socket":
        with many.serve() as url, client(base_url=url) as served:
            assert pages(served, path) == names
    elif door == "respx":
        with many.respx_router(), client(base_url="https://management.azure.com") as patched:
            assert pages(patched, path) == names
    else:
        with client(transport=many.httpx_transport(), base_url="https://management.azure.com") as direct:
            assert pages(direct, path) == names


def test_a_deletion_between_two_pages_skips_nothing(many: MockAks, connect: Any) -> None:
    aks = connect(many)
    first = aks.ask("GET", ALL_CLUSTERS).json()
    many.delete("rg1", "aks4")
    assert [each["name"] for each in aks.get(first["nextLink"]).json()["value"]] == ["aks6", "aks1", "aks3"]


def test_resource_groups_live_and_take_their_clusters_along(mock: MockAks, aks: Any) -> None:
    fresh = aks.group.replace("rg1", "RG9")
    assert [aks.ask(method, fresh).status_code for method in ("GET", "HEAD")] == [404, 404]
    assert [aks.ask("PUT", fresh, {"location": "region1"}).status_code for _ in range(2)] == [201, 200]
    assert aks.ask("GET", fresh.lower()).json()["name"] == "RG9"
    assert [aks.ask(method, aks.group).status_code for method in ("HEAD", "DELETE", "HEAD")] == [204, 200, 404]
    assert aks.ask("GET", aks.cluster).json()["error"]["code"] == "ResourceGroupNotFound"
    assert mock.commits[-1].body_after is None


def test_an_operation_on_a_cluster_of_old_does_not_touch_its_successor(mock: MockAks, aks: Any) -> None:
    mock.switches.operation_polls = 2
    body = mock.body("rg1", "aks1")
    first = aks.ask("DELETE", aks.np1).headers["Location"]
    statuses = [aks.ask("DELETE", aks.group).status_code, aks.ask("PUT", aks.group, {}).status_code]
    mock.switches.operation_polls = 0
    assert [*statuses, aks.ask("PUT", aks.cluster, body).status_code] == [200, 201, 201]
    mock.switches.operation_polls = 2
    second = aks.ask("DELETE", aks.np1).headers["Location"]
    mock.add_cluster("rg1", "aks1")
    assert [aks.get(link).status_code for link in (first, second, second)] == [204, 204, 204]
    assert mock.body("rg1", "aks1", "np1")["properties"]["provisioningState"] == "Succeeded"
