# SPDX-License-Identifier: MIT
"""Fixtures and other writers: what a test does behind the service's back."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import nullcontext
from functools import partial
from typing import Any

import pytest

from aks_etag._core.messages import Request
from aks_etag.mock import MockAks

BY_ANOTHER = {"by": "another"}


def label(body: Any) -> None:
    body["tags"] = BY_ANOTHER


def test_added_clusters_are_settled_and_have_tags(mock: MockAks, aks: Any) -> None:
    body = aks.ask("GET", aks.cluster).json()
    pool = aks.ask("GET", aks.np1).json()
    assert body["properties"]["provisioningState"] == pool["properties"]["provisioningState"] == "Succeeded"
    assert (pool["properties"]["count"], pool["properties"]["mode"]) == (3, "System")
    assert body["properties"]["agentPoolProfiles"][0]["eTag"] == pool["properties"]["eTag"]
    assert body["eTag"]
    assert mock.commits == []


def test_an_added_cluster_can_have_a_body_and_pools_of_its_own(mock: MockAks) -> None:
    body = {
        "location": "region2",
        "tags": {"a": "1"},
        "properties": {"agentPoolProfiles": [{"name": "sys", "count": 2}]},
    }
    resource_id = mock.add_cluster("rg2", "aks2", body, pools={"sys": {"maxPods": 42}, "user": {"mode": "User"}})
    shown = mock.body("RG2", "AKS2")
    pools = {
        pool["name"]: (pool["count"], pool["maxPods"], pool["mode"])
        for pool in shown["properties"]["agentPoolProfiles"]
    }
    assert resource_id.endswith("/resourcegroups/rg2/providers/Microsoft.ContainerService/managedClusters/aks2")
    assert (shown["id"], shown["location"], shown["tags"]) == (resource_id, "region2", {"a": "1"})
    assert pools == {"sys": (2, 42, "System"), "user": (1, 250, "User")}


def test_a_body_is_a_copy(mock: MockAks) -> None:
    before = json.dumps(mock.body("rg1", "aks1"))
    body = mock.body("rg1", "aks1")
    body["properties"]["agentPoolProfiles"][0]["upgradeSettings"].clear()
    body["properties"]["networkProfile"].clear()
    assert json.dumps(mock.body("rg1", "aks1")) == before


def test_an_edit_is_a_settled_write_of_another(mock: MockAks) -> None:
    mock.set_state("rg1", "aks1", state="Failed")
    before = mock.body("rg1", "aks1")
    mock.edit("rg1", "aks1", change=label)
    mock.edit("rg1", "aks1", "np1", change=lambda body: body["properties"].update(count=8))
    after = mock.body("rg1", "aks1")
    cluster, pool = mock.commits
    assert (cluster.request_id, pool.request_id) == ("edit-1", "edit-2")
    assert (cluster.base_tag, cluster.new_tag) == (before["eTag"], after["eTag"])
    assert pool.new_tag == after["properties"]["agentPoolProfiles"][0]["eTag"] != pool.base_tag
    assert (after["tags"], after["properties"]["agentPoolProfiles"][0]["count"]) == (BY_ANOTHER, 8)
    assert after["properties"]["provisioningState"] == "Succeeded"


def test_an_edit_that_the_service_would_refuse_is_an_error(mock: MockAks) -> None:
    before = mock.body("rg1", "aks1")
    with pytest.raises(ValueError, match="A new agent pool was introduced"):
        mock.edit("rg1", "aks1", change=lambda body: body["properties"]["agentPoolProfiles"].append({"name": "np9"}))
    assert mock.body("rg1", "aks1") == before
    assert mock.commits == []


def test_an_edit_waits_for_the_operation_that_runs(mock: MockAks, aks: Any) -> None:
    mock.switches.operation_polls = 99
    aks.ask("PUT", aks.cluster, {"properties": {}})
    mock.edit("rg1", "aks1", change=label)
    assert mock.commits[1].base_tag == mock.commits[0].new_tag
    assert mock.body("rg1", "aks1")["eTag"] == mock.commits[1].new_tag


@pytest.mark.parametrize("pool", [None, "np1"])
def test_deletions_of_another_are_over_at_once(pool: str | None, mock: MockAks) -> None:
    mock.delete("rg1", "aks1", pool)
    with pytest.raises(LookupError, match="the mock has no"):
        mock.body("rg1", "aks1", pool)
    assert (mock.commits[0].method, mock.commits[0].body_after) == ("DELETE", None)


def test_a_hook_lets_another_writer_in_before_the_evaluation(mock: MockAks, aks: Any) -> None:
    body = mock.body("rg1", "aks1")
    mock.before_write(lambda: mock.edit("rg1", "aks1", change=label), times=1)
    statuses = [aks.ask("PUT", aks.cluster, body, If_Match=body["eTag"]).status_code for _ in range(2)]
    assert statuses == [412, 412]
    assert [commit.request_id for commit in mock.commits] == ["edit-1"]


def test_a_hook_may_look_at_the_request_and_can_be_removed(mock: MockAks, aks: Any) -> None:
    seen: list[Request] = []
    mock.before_write(seen.append)
    aks.ask("PUT", aks.np1, {"properties": {"count": 5}}, x_ms_client_request_id="mine")
    aks.ask("GET", aks.np1)
    mock.before_write(None)
    aks.ask("PUT", aks.np1, {})
    assert [(request.method, request.request_id) for request in seen] == [("PUT", "mine")]
    assert seen[0].body == {"properties": {"count": 5}}


@pytest.mark.parametrize(
    ("hook", "given"),
    [
        pytest.param(lambda seen, request: seen.append(request), True, id="wants-it"),
        pytest.param(lambda seen, *everything: seen.extend(everything), True, id="takes-anything"),
        pytest.param(lambda seen, carried=None: seen.append(carried), False, id="carries-a-value"),
        pytest.param(lambda seen: seen.append(None), False, id="wants-nothing"),
    ],
)
def test_a_hook_gets_the_request_if_it_requires_an_argument(hook: Any, given: bool, mock: MockAks, aks: Any) -> None:
    seen: list[Request | None] = []
    mock.before_write(partial(hook, seen))
    aks.ask("PUT", aks.np1, {})
    assert [isinstance(each, Request) for each in seen] == [given]


@pytest.mark.parametrize("door", ["in-process", "socket"])
def test_a_hook_is_not_called_for_its_own_writes(door: str, mock: MockAks, aks: Any) -> None:
    calls: list[int] = []

    def hook() -> None:
        calls.append(1)
        client.ask("PUT", aks.np2, {}, x_ms_client_request_id="hook")

    mock.before_write(hook)
    with mock.serve() as url, type(aks)(base_url=url) if door == "socket" else nullcontext(aks) as client:
        client.ask("PUT", aks.np1, {}, x_ms_client_request_id="mine")
    assert calls == [1]
    assert [commit.request_id for commit in mock.commits] == ["hook", "mine"]


@pytest.fixture
def hasty() -> Iterator[None]:
    """Let threads interrupt each other far more often than usual."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("hasty")
def test_of_many_writers_with_one_tag_exactly_one_wins(mock: MockAks, aks: Any) -> None:
    mock.switches.operation_polls = 0
    body = mock.body("rg1", "aks1", "np1")
    together, statuses = threading.Barrier(16), []

    def write() -> None:
        together.wait(30)
        statuses.append(aks.ask("PUT", aks.np1, body, If_Match=body["properties"]["eTag"]).status_code)

    threads = [threading.Thread(target=write, daemon=True) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(statuses) == [200] + [412] * 15
    assert len(mock.commits) == 1
