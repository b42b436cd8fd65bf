# SPDX-License-Identifier: MIT
"""Switches for what nobody could verify, where no other file has them: each way round, and the client in it."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag.mock import MockAks


def labelled(mock: MockAks, pool: str | None) -> dict[str, Any]:
    body = mock.body("rg1", "aks1", pool)
    (body if pool is None else body["properties"])["tags"] = {"a": "1"}
    return body


@pytest.mark.parametrize(("shows", "during"), [("new", {"a": "1"}), ("old", None)])
@pytest.mark.parametrize("pool", [None, "np1"])
def test_what_a_read_shows_of_an_operation_that_runs(
    pool: str | None, shows: Any, during: Any, mock: MockAks, aks: Any
) -> None:
    mock.switches.running_shows = shows
    mock.switches.operation_polls = 2
    path = aks.np1 if pool else aks.cluster
    answer = aks.ask("PUT", path, labelled(mock, pool))
    seen = []
    for body in (answer.json(), aks.ask("GET", path).json(), aks.ask("GET", path).json()):
        holder = body["properties"] if pool else body
        seen.append((body["properties"]["provisioningState"], holder.get("tags")))
    assert seen == [("Updating", {"a": "1"}), ("Updating", during), ("Succeeded", {"a": "1"})]
    assert mock.commits[-1].body_after == mock.body("rg1", "aks1", pool)


@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize("pool", [None, "np1"])
def test_a_failed_operation_shows_only_what_it_has_stored(
    pool: str | None, stored: bool, mock: MockAks, aks: Any
) -> None:
    mock.switches.running_shows = "old"
    mock.fail_operation("Lost", stored=stored)
    aks.settle(aks.ask("PUT", aks.np1 if pool else aks.cluster, labelled(mock, pool)))
    after = mock.body("rg1", "aks1", pool)
    assert ("tags" in (after["properties"] if pool else after)) is stored


def test_pools_that_were_left_out_go_at_the_end(mock: MockAks, aks: Any) -> None:
    mock.add_pool("rg1", "aks1", "np2", {})
    mock.switches.running_shows = "old"
    mock.switches.partial_pools = "remove"
    body = mock.body("rg1", "aks1")
    del body["properties"]["agentPoolProfiles"][1]
    answer = aks.ask("PUT", aks.cluster, body)
    assert len(mock.body("rg1", "aks1")["properties"]["agentPoolProfiles"]) == 2
    aks.settle(answer)
    assert len(mock.body("rg1", "aks1")["properties"]["agentPoolProfiles"]) == 1


def test_a_patch_can_be_an_operation(mock: MockAks, aks: Any) -> None:
    mock.switches.patch_runs = True
    tag = mock.body("rg1", "aks1")["eTag"]
    answer = aks.ask("PATCH", aks.cluster, {"tags": {"a": "1"}}, If_Match=tag)
    assert (answer.status_code, answer.json()["properties"]["provisioningState"]) == (202, "Updating")
    assert aks.ask("PUT", aks.np1, {}).status_code == 409
    assert {"azure-asyncoperation", "location"} <= set(answer.headers)
    aks.settle(answer)
    assert mock.body("rg1", "aks1") == mock.commits[-1].body_after


@pytest.mark.parametrize(("status", "code"), [(405, "MethodNotAllowed"), (404, "NotFound"), (400, "BadRequest")])
def test_a_pool_has_no_patch(status: Any, code: str, mock: MockAks, aks: Any) -> None:
    mock.switches.pool_patch_status = status
    answer = aks.ask("PATCH", aks.np1, {"properties": {"tags": {}}}, If_Match="x")
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert mock.commits == []


@pytest.mark.parametrize(("must", "status"), [(True, 400), (False, 200)])
@pytest.mark.parametrize("where", ["cluster", "np1", "inline"])
def test_a_state_that_is_not_the_services(where: str, must: bool, status: int, mock: MockAks, aks: Any) -> None:
    mock.switches.state_must_match = must
    body = mock.body("rg1", "aks1", "np1" if where == "np1" else None)
    properties = body["properties"]
    (properties["agentPoolProfiles"][0] if where == "inline" else properties)["provisioningState"] = "Failed"
    assert aks.ask("PUT", aks.np1 if where == "np1" else aks.cluster, body).status_code == status
    assert mock.body("rg1", "aks1")["properties"]["provisioningState"] != "Failed"


@pytest.mark.parametrize("code", ["PreconditionFailed", "PreConditionFailed"])
@pytest.mark.parametrize("message", ["", "the version is another one"])
def test_the_words_of_a_412(code: Any, message: str, mock: MockAks, aks: Any) -> None:
    mock.switches.stale_code, mock.switches.stale_message = code, message
    said = aks.ask("PUT", aks.np1, {}, If_Match="stale").json()
    assert said["code"] == code
    assert said["message"] == (
        message or "The eTag provided in If-Match does not match the latest eTag of the resource."
    )
    assert "Resource not found but" in aks.ask("PUT", aks.np2, {}, If_Match="stale").json()["message"]


@pytest.mark.parametrize("headers", [{"If_None_Match": "x"}, {"If_None_Match": "*", "If_Match": "x"}])
def test_the_words_of_a_400(headers: dict[str, str], mock: MockAks, aks: Any) -> None:
    assert "If-None-Match" in aks.ask("PUT", aks.np1, {}, **headers).json()["message"]
    mock.switches.bad_condition_message = "so not"
    assert aks.ask("PUT", aks.np1, {}, **headers).json()["message"] == "so not"


OTHERWISE: list[dict[str, Any]] = [
    {"running_shows": "old"}, {"stale_code": "PreConditionFailed", "stale_message": "x"}, {"patch_runs": True},
    {"cluster_tag_moves": "accept", "running_shows": "old"}, {"state_must_match": False}, {"busy_first": True},
    {"patch_tags": "merge"}, {"tag_on_create": True}, {"omitted_pools_move": False}, {"failed_moves_tag": True},
]  # fmt: skip


@pytest.mark.parametrize("switches", OTHERWISE, ids=lambda switches: "-".join(switches))
def test_the_client_does_the_same_either_way(switches: dict[str, Any]) -> None:
    mock = MockAks(operation_polls=2, **switches)
    mock.add_cluster("rg1", "aks1")
    mock.before_write(lambda: mock.edit("rg1", "aks1", "np1"), times=1)
    with mock.client() as client:
        cluster = client.cluster("rg1", "aks1")
        pool = cluster.agent_pool("np1")
        for n in range(3):
            pool.update(lambda body: body["properties"].update(count=body["properties"]["count"] + 1))
            cluster.update_tags({f"t{n}": "x"})
        cluster.update(lambda body: body["properties"].update(disableLocalAccounts=True))
    assert mock.body("rg1", "aks1", "np1")["properties"]["count"] == 6
    assert mock.body("rg1", "aks1")["tags"] == {"t0": "x", "t1": "x", "t2": "x"}
    assert mock.body("rg1", "aks1")["properties"]["disableLocalAccounts"] is True
