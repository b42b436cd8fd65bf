# SPDX-License-Identifier: MIT
"""What is asked for by POST: start, stop, abort, a newer node image, a kubeconfig."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from aks_etag.mock import MockAks


def post(aks: Any, path: str) -> Any:
    return aks.ask("POST", path)


@pytest.mark.parametrize(
    ("word", "state", "power"), [("stop", "Stopping", "Stopped"), ("start", "Starting", "Running")]
)
def test_start_and_stop_move_state_and_power(word: str, state: str, power: str, mock: MockAks, aks: Any) -> None:
    if word == "start":
        aks.settle(post(aks, f"{aks.cluster}/stop"))
    before = mock.body("rg1", "aks1")
    answer = post(aks, f"{aks.cluster}/{word}")
    assert answer.status_code == 202
    assert {"azure-asyncoperation", "location"} <= set(answer.headers)
    shown = mock.body("rg1", "aks1")["properties"]
    assert (shown["provisioningState"], shown["agentPoolProfiles"][0]["provisioningState"]) == (state, state)
    assert shown["powerState"] == before["properties"]["powerState"]
    assert aks.settle(answer).json()["status"] == "Succeeded"
    after = mock.body("rg1", "aks1")
    assert after["properties"]["provisioningState"] == "Succeeded"
    assert after["properties"]["powerState"] == {"code": power}
    assert after["properties"]["agentPoolProfiles"][0]["powerState"] == {"code": power}
    assert after["eTag"] == mock.commits[-1].new_tag != before["eTag"] == mock.commits[-1].base_tag


@pytest.mark.parametrize("moves", [True, False])
def test_whether_they_move_the_tag_is_a_switch(moves: bool, mock: MockAks, aks: Any) -> None:
    mock.switches.actions_move_tags = moves
    before = mock.body("rg1", "aks1")
    aks.settle(post(aks, f"{aks.cluster}/stop"))
    aks.settle(post(aks, f"{aks.np1}/upgradeNodeImageVersion"))
    after = mock.body("rg1", "aks1")
    assert (after["eTag"] != before["eTag"]) is moves
    [one, other] = [each["properties"]["agentPoolProfiles"][0]["eTag"] for each in (before, after)]
    assert (one != other) is moves


def test_what_is_stopped_cannot_be_stopped(aks: Any) -> None:
    aks.settle(post(aks, f"{aks.cluster}/stop"))
    refused = post(aks, f"{aks.cluster}/stop")
    assert (refused.status_code, refused.json()["code"]) == (409, "OperationNotAllowed")
    assert "in progress" not in refused.json()["message"]


def test_no_precondition_guards_them(aks: Any) -> None:
    answer = aks.ask("POST", f"{aks.cluster}/stop", If_Match="stale")
    assert answer.status_code == 202


def test_they_exclude_other_writes(mock: MockAks, aks: Any) -> None:
    post(aks, f"{aks.cluster}/stop")
    refused = aks.ask("PUT", aks.np1, {"properties": {"count": 4}})
    assert (refused.status_code, refused.json()["code"]) == (409, "OperationNotAllowed")
    assert "Stopping" in refused.json()["message"]
    assert post(aks, f"{aks.cluster}/start").status_code == 409


def test_a_node_image_is_upgraded(mock: MockAks, aks: Any) -> None:
    old = mock.body("rg1", "aks1", "np1")["properties"]
    answer = post(aks, f"{aks.np1}/upgradeNodeImageVersion")
    running = mock.body("rg1", "aks1", "np1")["properties"]
    assert running["provisioningState"] == "UpgradingNodeImageVersion"
    assert mock.body("rg1", "aks1")["properties"]["provisioningState"] == "Succeeded"
    aks.settle(answer)
    new = mock.body("rg1", "aks1", "np1")["properties"]
    assert new["nodeImageVersion"] > old["nodeImageVersion"]
    assert {**new, "nodeImageVersion": "", "eTag": ""} == {**old, "nodeImageVersion": "", "eTag": ""}
    assert mock.commits[-1].new_tag == new["eTag"] != old["eTag"]


@pytest.mark.parametrize("what", ["cluster", "np1"])
def test_abort_ends_what_runs_as_canceled(what: str, mock: MockAks, aks: Any) -> None:
    target = getattr(aks, what)
    before = mock.body("rg1", "aks1")
    running = aks.ask("PUT", target, before if what == "cluster" else {"properties": {"count": 7}})
    answer = post(aks, f"{target}/abort")
    assert (answer.status_code, aks.settle(answer).json()["status"]) == (202, "Succeeded")
    ended = aks.settle(running).json()
    assert (ended["status"], ended["error"]["code"]) == ("Canceled", "Canceled")
    shown = mock.body("rg1", "aks1", None if what == "cluster" else what)
    assert shown["properties"]["provisioningState"] == "Canceled"
    assert aks.ask("PUT", target, shown).status_code == 200


def test_there_may_be_nothing_to_abort(aks: Any) -> None:
    assert post(aks, f"{aks.cluster}/abort").status_code == 409
    aks.ask("PUT", aks.np1, {"properties": {"count": 7}})
    assert post(aks, f"{aks.cluster}/abort").status_code == 409


@pytest.mark.parametrize(
    ("path", "user"),
    [("listClusterUserCredential", "clusterUser"), ("listClusterAdminCredential", "clusterAdmin")],
)
def test_a_kubeconfig_is_handed_out(path: str, user: str, mock: MockAks, aks: Any) -> None:
    [entry] = post(aks, f"{aks.cluster}/{path}").json()["kubeconfigs"]
    text = base64.b64decode(entry["value"]).decode()
    assert (entry["name"], "https://dns1-" in text) == (user, True)
    mock.set_kubeconfig("rg1", "aks1", "apiVersion: v1\n")
    [entry] = post(aks, f"{aks.cluster}/{path}").json()["kubeconfigs"]
    assert base64.b64decode(entry["value"]) == b"apiVersion: v1\n"
    assert mock.commits == []


def test_to_ask_for_a_kubeconfig_is_no_write(mock: MockAks, aks: Any) -> None:
    called: list[str] = []
    mock.before_write(lambda: called.append("once"))
    post(aks, f"{aks.cluster}/listClusterUserCredential")
    assert called == []
    post(aks, f"{aks.cluster}/stop")
    assert called == ["once"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("{cluster}/rotateClusterCertificates", 501),
        ("{np1}/explode", 501),
        ("{group}/providers/Microsoft.ContainerService/managedClusters/none/start", 404),
        ("{cluster}/agentPools/none/upgradeNodeImageVersion", 404),
    ],
)
def test_what_is_not_known_is_said(path: str, status: int, mock: MockAks, aks: Any) -> None:
    before = mock.body("rg1", "aks1")
    named = path.format(cluster=aks.cluster, np1=aks.np1, group=aks.group)
    assert post(aks, named).status_code == status
    assert mock.body("rg1", "aks1") == before


def test_a_failed_stop_leaves_it_running(mock: MockAks, aks: Any) -> None:
    mock.fail_operation("Boom")
    assert aks.settle(post(aks, f"{aks.cluster}/stop")).json()["error"]["code"] == "Boom"
    shown = mock.body("rg1", "aks1")
    assert shown["properties"]["powerState"] == {"code": "Running"}
    assert shown["properties"]["provisioningState"] == "Failed"
    assert mock.commits == []


def test_the_sdk_stops_and_starts(mock: MockAks) -> None:
    with mock.sdk_client() as sdk:
        sdk.managed_clusters.begin_stop("rg1", "aks1").result()
        assert sdk.managed_clusters.get("rg1", "aks1").power_state.code == "Stopped"
        sdk.managed_clusters.begin_start("rg1", "aks1").result()
        sdk.agent_pools.begin_upgrade_node_image_version("rg1", "aks1", "np1").result()
        assert sdk.managed_clusters.list_cluster_user_credentials("rg1", "aks1").kubeconfigs


class TestSeconds:
    """Operations that take virtual seconds, whoever looks."""

    def test_an_operation_ends_when_its_time_is_over(self, mock: MockAks, aks: Any) -> None:
        mock.switches.operation_seconds = 300
        answer = aks.ask("PUT", aks.np1, {"properties": {"count": 4}})
        for _ in range(5):
            assert aks.settle(answer).json()["status"] == "InProgress"
        mock.clock.sleep(299)
        assert mock.body("rg1", "aks1", "np1")["properties"]["provisioningState"] == "Updating"
        assert aks.ask("PUT", aks.np1, {"properties": {"count": 5}}).status_code == 409
        mock.clock.sleep(1)
        assert mock.body("rg1", "aks1", "np1")["properties"]["provisioningState"] == "Succeeded"
        assert aks.settle(answer).json()["status"] == "Succeeded"
        assert mock.body("rg1", "aks1", "np1")["properties"]["eTag"] == mock.commits[-1].new_tag

    def test_a_write_after_its_end_is_not_refused(self, mock: MockAks, aks: Any) -> None:
        mock.switches.operation_seconds = 60
        aks.ask("PUT", aks.np1, {"properties": {"count": 4}})
        mock.clock.sleep(60)
        assert aks.ask("PUT", aks.np1, {"properties": {"count": 5}}).status_code == 200

    def test_a_client_waits_it_out(self, mock: MockAks) -> None:
        mock.switches.operation_seconds = 900
        with mock.client() as client:
            pool = client.cluster("rg1", "aks1").agent_pool("np1")
            assert pool.update(lambda body: body["properties"].update(count=9)).outcome == "updated"
        assert mock.clock.monotonic() >= 900
