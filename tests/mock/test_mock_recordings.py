# SPDX-License-Identifier: MIT
"""The mock beside the recordings: same keys, same ids, same codes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from aks_etag.mock import MockAks

Recorded = Callable[[str], Any]
OPERATION = re.compile(
    r"https://management\.azure\.com/subscriptions/0{8}-0{4}-0{4}-0{4}-0{12}/providers/Microsoft\.ContainerService/"
    r"locations/region1/(operations|operationresults)/[0-9a-f-]{36}\?api-version=[\d-]+&t=\d{18}&c=[\w-]+&s=[\w-]+&h=[\w-]+"
)


def shape(value: Any) -> Any:
    """Reduce a body to its keys and the types of its leaves."""
    if isinstance(value, dict):
        return {name: shape(child) for name, child in value.items()}
    return [shape(child) for child in value] if isinstance(value, list) else type(value)


@pytest.fixture
def bare() -> MockAks:
    mock = MockAks()
    mock.add_resource_group("rg1")
    return mock


def test_creating_a_cluster_answers_as_recorded(
    bare: MockAks, connect: Callable[[MockAks], Any], recorded: Recorded
) -> None:
    aks, recording = connect(bare), recorded("put_cluster_create_201")
    created = aks.put(recording["request"]["url"], json=recording["request"]["body"])
    uid = created.json()["properties"].pop("resourceUID")
    recording["body"]["properties"].pop("resourceUID")
    answered = created.json()
    answered["properties"].pop("resourceUID")
    assert created.status_code == recording["status"]
    assert answered == recording["body"]
    assert re.fullmatch("[0-9a-f]{24}", uid)
    assert list(answered["properties"]) == list(recording["body"]["properties"])


def test_a_get_shows_a_cluster_as_recorded(
    bare: MockAks, connect: Callable[[MockAks], Any], recorded: Recorded
) -> None:
    aks, recording = connect(bare), recorded("get_cluster_200")
    created = recorded("put_cluster_create_201")["request"]
    aks.settle(aks.put(created["url"], json=created["body"]))
    shown = aks.get(recording["request"]["url"])
    assert shape(shown.json()) == shape(recording["body"])
    assert list(shown.json()) == list(recording["body"])
    expected = {name.lower() for name in recording["headers"]} - {"x-ms-ratelimit-remaining-subscription-global-reads"}
    assert set(shown.headers) == expected


def test_updating_a_cluster_answers_as_recorded(mock: MockAks, aks: Any, recorded: Recorded) -> None:
    recording = recorded("put_cluster_update_200")
    response = aks.put(recording["request"]["url"], json=mock.body("rg1", "aks1"))
    assert (response.status_code, shape(response.json())) == (200, shape(recording["body"]))
    assert response.json()["properties"]["provisioningState"] == "Updating"
    assert response.json()["properties"]["agentPoolProfiles"][0]["provisioningState"] == "Updating"
    assert "Location" not in response.headers


@pytest.mark.parametrize("name", ["put_pool_create_201", "put_pool_update_200"])
def test_writing_a_pool_answers_as_recorded(name: str, mock: MockAks, aks: Any, recorded: Recorded) -> None:
    recording = recorded(name)
    if recording["status"] == 200:
        mock.add_pool("rg1", "aks1", "np2", {"count": 1})
    response = aks.put(recording["request"]["url"], json=recording["request"]["body"])
    assert response.status_code == recording["status"]
    assert shape(response.json()) == shape(recording["body"])
    assert response.json()["id"] == recording["body"]["id"]


def test_a_get_shows_a_pool_as_recorded(mock: MockAks, aks: Any, recorded: Recorded) -> None:
    mock.add_pool("rg1", "aks1", "np2", {"count": 1})
    recording = recorded("get_pool_200")
    assert shape(aks.get(recording["request"]["url"]).json()) == shape(recording["body"])


def test_deleting_a_pool_answers_as_recorded(mock: MockAks, aks: Any, recorded: Recorded) -> None:
    mock.add_pool("rg1", "aks1", "np2", {"count": 1})
    response = aks.delete(recorded("delete_pool_202")["request"]["url"])
    assert (response.status_code, response.content) == (202, b"")
    links = [response.headers["Azure-AsyncOperation"], response.headers["Location"]]
    assert all(OPERATION.fullmatch(link) and 3000 < len(link) < 4000 for link in links)
    assert "Retry-After" not in response.headers


def test_operation_bodies_are_as_recorded(mock: MockAks, aks: Any, recorded: Recorded) -> None:
    mock.switches.operation_polls = 2
    link = aks.ask("PUT", aks.np1, {"properties": {}}).headers["Azure-AsyncOperation"]
    running, done = aks.get(link).json(), aks.get(link).json()
    assert shape(running) == shape(recorded("op_poll_inprogress_200")["body"])
    assert shape(done) == shape(recorded("op_poll_succeeded_200")["body"])
    assert (running["status"], done["status"]) == ("InProgress", "Succeeded")
    assert running["name"] in link


def test_a_failed_operation_is_as_recorded(aks: Any, mock: MockAks, recorded: Recorded) -> None:
    expected = recorded("op_poll_failed_200")["body"]
    mock.fail_operation("OriginalEtagNotExpect", details=expected["error"]["details"])
    failed = aks.settle(aks.ask("PUT", aks.np1, {"properties": {}}))
    assert (failed.status_code, shape(failed.json())) == (200, shape(expected))
    assert failed.json()["error"] == expected["error"]


@pytest.mark.parametrize(
    ("name", "method", "path", "body"),
    [
        pytest.param("error_404_cluster_arm_gateway", "GET", "cluster", None, id="cluster"),
        pytest.param("error_404_pool_aks_rp", "GET", "np2", None, id="pool"),
        pytest.param("error_404_resource_group", "PUT", "cluster", {}, id="group"),
        pytest.param(
            "error_400_new_pool_via_cluster_put",
            "PUT",
            "cluster",
            {"properties": {"agentPoolProfiles": [{"name": "np9"}]}},
            id="new-inline-pool",
        ),
    ],
)
def test_errors_are_as_recorded(
    name: str, method: str, path: str, body: Any, mock: MockAks, aks: Any, recorded: Recorded
) -> None:
    recording = recorded(name)
    if name == "error_404_cluster_arm_gateway":
        mock.delete("rg1", "aks1")
    if name == "error_404_resource_group":
        aks.ask("DELETE", aks.group)
    response = aks.ask(method, getattr(aks, path), body)
    assert (response.status_code, response.json()) == (recording["status"], recording["body"])


def test_a_pool_under_a_missing_cluster_has_no_parent(aks: Any) -> None:
    path = aks.np1.replace("aks1", "aks2")
    responses = [aks.ask("PUT", path, {}), aks.ask("GET", path), aks.ask("GET", path.removesuffix("/np1"))]
    assert [response.json()["error"]["code"] for response in responses] == ["ParentResourceNotFound"] * 3


def test_the_two_400s_and_the_412s_have_the_recorded_shapes(aks: Any, recorded: Recorded) -> None:
    both = aks.ask("PUT", aks.np1, {"properties": {"count": 1}}, If_Match="a", If_None_Match="*").json()
    stale = aks.ask("PUT", aks.np1, {"properties": {"count": 1}}, If_Match="stale").json()
    missing = aks.ask("PUT", aks.np2, {"properties": {"count": 1}}, If_Match="stale").json()
    assert both.keys() == recorded("error_400_header_combination")["body"].keys()
    assert both["code"] == "BadRequest"
    assert stale.keys() == recorded("error_412_mismatch")["body"].keys()
    assert stale["code"] == "PreconditionFailed"
    assert missing == recorded("error_412_not_found_with_if_match")["body"]
