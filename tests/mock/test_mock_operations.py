# SPDX-License-Identifier: MIT
"""Long-running operations: who counts, what the end shows, and how they fail."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag.mock import MockAks

OTHER = {"properties": {"count": 9}}


def test_without_polls_an_operation_is_over_at_accept(mock: MockAks, aks: Any) -> None:
    mock.switches.operation_polls = 0
    before = mock.body("rg1", "aks1")
    response = aks.ask("PUT", aks.cluster, before)
    assert response.json()["properties"]["provisioningState"] == "Succeeded"
    assert response.json()["eTag"] == before["eTag"]
    assert mock.body("rg1", "aks1")["eTag"] == mock.commits[0].new_tag
    assert aks.settle(response).json()["status"] == "Succeeded"


@pytest.mark.parametrize(
    ("written", "read", "counts"),
    [
        pytest.param("np1", "operation", True, id="the-operation-itself"),
        pytest.param("np1", "np1", True, id="the-resource"),
        pytest.param("np1", "cluster", True, id="the-parent"),
        pytest.param("np1", "clusters", True, id="a-list-that-shows-the-parent"),
        pytest.param("np1", "pools", True, id="a-list-that-shows-the-resource"),
        pytest.param("np1", "np2", False, id="a-sibling"),
        pytest.param("cluster", "operation", True, id="a-cluster-operation"),
        pytest.param("cluster", "cluster", True, id="the-cluster"),
        pytest.param("cluster", "np1", True, id="its-pool"),
        pytest.param("cluster", "pools", True, id="its-pools"),
        pytest.param("cluster", "clusters", True, id="a-list-that-shows-the-cluster"),
        pytest.param("cluster", "group", False, id="its-group"),
    ],
)
def test_which_gets_bring_an_operation_to_its_end(
    written: str, read: str, counts: bool, mock: MockAks, aks: Any
) -> None:
    mock.add_pool("rg1", "aks1", "np2", {})
    mock.switches.operation_polls = 2
    link = aks.ask("PUT", getattr(aks, written), {"properties": {}}).headers["Azure-AsyncOperation"]
    clusters = aks.cluster.removesuffix("/aks1")
    paths = {"operation": link, "clusters": clusters, "pools": f"{aks.cluster}/agentPools"}
    for _ in range(2):
        target = paths.get(read) or getattr(aks, read)
        assert (aks.get(target) if read == "operation" else aks.ask("GET", target)).status_code == 200
    state = mock.body("rg1", "aks1", None if written == "cluster" else written)["properties"]["provisioningState"]
    assert state == ("Succeeded" if counts else "Updating")


def test_the_last_counted_get_shows_the_end(mock: MockAks, aks: Any) -> None:
    response = aks.ask("PUT", aks.np1, {"properties": {"count": 4}})
    assert response.json()["properties"]["provisioningState"] == "Updating"
    shown = aks.ask("GET", aks.np1).json()["properties"]
    assert (shown["provisioningState"], shown["eTag"]) == ("Succeeded", mock.commits[0].new_tag)
    assert shown["eTag"] != response.json()["properties"]["eTag"]


def test_a_deleted_cluster_is_gone_with_its_pools_at_the_end(mock: MockAks, aks: Any) -> None:
    mock.switches.operation_polls = 2
    response = aks.ask("DELETE", aks.cluster)
    assert aks.ask("GET", aks.np1).json()["properties"]["provisioningState"] == "Deleting"
    assert aks.ask("GET", aks.cluster).status_code == 404
    assert aks.get(response.headers["Location"]).status_code == 204
    assert mock.commits[0].body_after is None


def test_the_location_answers_202_while_the_operation_runs(mock: MockAks, aks: Any) -> None:
    mock.switches.operation_polls = 2
    link = aks.ask("DELETE", aks.np1).headers["Location"]
    running, done = aks.get(link), aks.get(link)
    assert (running.status_code, running.headers["Location"]) == (202, link)
    assert done.status_code == 204


@pytest.mark.parametrize(
    ("change", "status"),
    [
        pytest.param(("&h=", "&h=x"), 403, id="signature-changed"),
        pytest.param(("api-version=2025-03-01", "api-version=2026-05-01"), 403, id="api-version-exchanged"),
        pytest.param(("/operations/", "/operations/0"), 404, id="another-operation"),
    ],
)
def test_a_link_must_be_used_as_it_was_handed_out(change: tuple[str, str], status: int, aks: Any) -> None:
    link = aks.ask("PUT", aks.np1, {}).headers["Azure-AsyncOperation"]
    assert aks.get(link.replace(*change)).status_code == status


@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize("moves", [True, False])
@pytest.mark.parametrize("status", ["Failed", "Canceled"])
def test_a_failed_write_is_kept_only_if_stored(status: str, moves: bool, stored: bool, mock: MockAks, aks: Any) -> None:
    mock.switches.failed_moves_tag = moves
    before = mock.body("rg1", "aks1", "np1")["properties"]
    mock.fail_operation("AKSOperationPreempted", "lost a race", status=status, stored=stored)
    ended = aks.settle(aks.ask("PUT", aks.np1, OTHER))
    after = mock.body("rg1", "aks1", "np1")["properties"]
    assert (ended.status_code, ended.json()["status"]) == (200, status)
    assert ended.json()["error"] == {"code": "AKSOperationPreempted", "message": "lost a race"}
    assert after["provisioningState"] == status
    assert after["count"] == (9 if stored else before["count"])
    assert (after["eTag"] != before["eTag"]) is (stored or moves)
    assert len(mock.commits) == stored
    assert aks.ask("PUT", aks.np1, OTHER).status_code == 200


@pytest.mark.parametrize("stored", [True, False])
def test_a_failed_cluster_write_is_kept_only_if_stored(stored: bool, mock: MockAks, aks: Any) -> None:
    before = mock.body("rg1", "aks1")
    mock.fail_operation("AKSOperationPreempted", stored=stored)
    response = aks.ask("PUT", aks.cluster, {**before, "tags": {"a": "1"}})
    aks.settle(response)
    after = mock.body("rg1", "aks1")
    assert response.json()["tags"] == {"a": "1"}
    assert ("tags" in after, after["eTag"] != before["eTag"], len(mock.commits)) == (stored, stored, stored)


@pytest.mark.parametrize("stored", [True, False])
def test_a_failed_deletion_removes_only_if_stored(stored: bool, mock: MockAks, aks: Any) -> None:
    mock.fail_operation("DeleteFailed", stored=stored)
    aks.settle(aks.ask("DELETE", aks.np1))
    assert aks.ask("GET", aks.np1).status_code == (404 if stored else 200)
    assert len(mock.commits) == stored


@pytest.mark.parametrize("path", ["cluster", "pool"])
@pytest.mark.parametrize("stored", [True, False])
def test_a_failed_creation_stays_only_if_stored(stored: bool, path: str, mock: MockAks, aks: Any) -> None:
    mock.fail_operation("CreateFailed", stored=stored)
    target = {"cluster": f"{aks.cluster}2", "pool": aks.np2}[path]
    profiles = [{"name": "np1", "count": 1}]
    body = {"location": "region1", "properties": {"agentPoolProfiles": profiles} if path == "cluster" else {}}
    response = aks.ask("PUT", target, body)
    assert response.json()["properties"]["provisioningState"] == "Creating"
    aks.settle(response)
    assert aks.ask("GET", target).status_code == (200 if stored else 404)


def test_a_failure_is_aimed_at_the_nth_matching_operation(mock: MockAks, aks: Any) -> None:
    mock.fail_operation("Late", nth=2, path="agentPools/NP1")
    statuses = [
        aks.settle(aks.ask("PUT", path, {"properties": {}})).json()["status"] for path in [aks.cluster, *[aks.np1] * 3]
    ]
    assert statuses == ["Succeeded", "Succeeded", "Failed", "Succeeded"]
