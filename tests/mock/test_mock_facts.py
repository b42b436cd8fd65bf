# SPDX-License-Identifier: MIT
"""Facts of the service that no other file proves; ``docs/fidelity.md`` has all of them, each with its test."""

from __future__ import annotations

import re
from typing import Any

import pytest

from aks_etag.mock import MockAks

GUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
NEW = {"location": "region1", "properties": {"agentPoolProfiles": [{"name": "np1", "count": 1}]}}


def tags(mock: MockAks) -> dict[str, str]:
    """Return the tags of the cluster and its pools by name."""
    body = mock.body("rg1", "aks1")
    return {"aks1": body["eTag"], **{pool["name"]: pool["eTag"] for pool in body["properties"]["agentPoolProfiles"]}}


def writes(aks: Any) -> list[Any]:
    """Return the answers of every kind of write, each followed to its end."""
    answers = []
    for method, path, body in (
        ("PUT", aks.cluster, {}), ("PATCH", aks.cluster, {"tags": {"a": "1"}}), ("PUT", aks.np1, {}),
        ("PUT", aks.np2, {}), ("DELETE", aks.np2, None), ("PUT", f"{aks.cluster}2", NEW), ("DELETE", aks.cluster, None),
    ):  # fmt: skip
        answers.append(aks.ask(method, path, body))
        if "Azure-AsyncOperation" in answers[-1].headers:
            aks.settle(answers[-1])
    return answers


def test_a_tag_is_a_bare_guid_in_lower_case(mock: MockAks, aks: Any) -> None:
    seen = []
    for _ in range(50):
        aks.settle(aks.ask("PUT", aks.cluster, {}))
        seen += tags(mock).values()
    assert all(GUID.fullmatch(tag) for tag in seen)
    assert len(set(seen)) == len(seen)


def test_no_answer_has_an_etag_header(mock: MockAks, aks: Any) -> None:
    answers = [*writes(aks), aks.ask("GET", f"{aks.cluster}2"), aks.ask("GET", f"{aks.cluster}2/agentPools/np1")]
    assert [each.status_code for each in answers] == [200, 200, 200, 201, 202, 201, 202, 200, 200]
    assert not [each for each in answers if "etag" in each.headers]


def test_writes_lead_to_their_operations(mock: MockAks, aks: Any) -> None:
    answers = [each for each in writes(aks) if each.request.method != "PATCH"]
    assert all("Azure-AsyncOperation" in each.headers for each in answers)
    assert ["Location" in each.headers for each in answers] == [each.request.method == "DELETE" for each in answers]
    assert not [each for each in answers if "Retry-After" in each.headers]


def test_polls_have_no_pause_of_their_own(mock: MockAks, aks: Any) -> None:
    mock.switches.operation_polls = 2
    answer = aks.ask("PUT", aks.np1, {})
    polls = [aks.settle(answer) for _ in range(2)]
    assert [poll.json()["status"] for poll in polls] == ["InProgress", "Succeeded"]
    assert not [poll for poll in polls if "Retry-After" in poll.headers or "tag" in poll.text.lower()]


@pytest.mark.parametrize(("shown", "tagged"), [(False, False), (True, True)])
def test_the_answer_of_a_create_has_a_tag_only_if_asked_for(shown: bool, tagged: bool, mock: MockAks, aks: Any) -> None:
    mock.switches.tag_on_create = shown
    body = aks.ask("PUT", f"{aks.cluster}2", NEW).json()
    assert [("eTag" in each) for each in (body, body["properties"]["agentPoolProfiles"][0])] == [tagged] * 2


@pytest.mark.parametrize("inline", [True, False])
def test_a_put_of_the_cluster_moves_the_tags_of_all_pools(inline: bool, mock: MockAks, aks: Any) -> None:
    mock.add_pool("rg1", "aks1", "np2", {})
    before = tags(mock)
    body = mock.body("rg1", "aks1")
    if not inline:
        del body["properties"]["agentPoolProfiles"]
    aks.settle(aks.ask("PUT", aks.cluster, body))
    after = tags(mock)
    assert before.keys() == after.keys() == {"aks1", "np1", "np2"}
    assert not [name for name in before if before[name] == after[name]]


@pytest.mark.parametrize("method", ["create", "PUT", "DELETE"])
def test_writing_a_pool_moves_no_other_tag(method: str, mock: MockAks, aks: Any) -> None:
    if method != "create":
        mock.add_pool("rg1", "aks1", "np2", {})
    before = tags(mock)
    aks.settle(aks.ask("DELETE" if method == "DELETE" else "PUT", aks.np2, None if method == "DELETE" else {}))
    after = tags(mock)
    assert [name for name in ("aks1", "np1") if before[name] != after[name]] == []
    assert before.get("np2") != after.get("np2")


def test_a_pool_that_was_created_again_looks_the_same(mock: MockAks, aks: Any) -> None:
    bodies = []
    for _ in range(2):
        aks.settle(aks.ask("PUT", aks.np2, {"properties": {"count": 2}}))
        bodies.append(mock.body("rg1", "aks1", "np2"))
        aks.settle(aks.ask("DELETE", aks.np2))
    tag, other = (body["properties"].pop("eTag") for body in bodies)
    assert bodies[0] == bodies[1]
    assert tag != other


def test_a_put_that_changes_nothing_is_a_write(mock: MockAks, aks: Any) -> None:
    mock.switches.throttle = True
    before = mock.body("rg1", "aks1")
    for _ in range(20):
        aks.settle(aks.ask("PUT", aks.cluster, mock.body("rg1", "aks1")))
    assert aks.ask("PUT", aks.cluster, mock.body("rg1", "aks1")).status_code == 429
    assert len(mock.commits) == 20
    assert len({commit.new_tag for commit in mock.commits} | {before["eTag"]}) == 21


@pytest.mark.parametrize(
    "path",
    [
        "/managedNamespaces/n1", "/maintenanceConfigurations/default", "/identityBindings/b1",
        "/rotateClusterCertificates", "/runCommand", "/agentPools/np1/deleteMachines", "/resetAADProfile",
    ],
)  # fmt: skip
@pytest.mark.parametrize("method", ["GET", "PUT", "POST", "DELETE"])
def test_what_has_no_eTags_or_no_guards_is_not_guessed(method: str, path: str, mock: MockAks, aks: Any) -> None:
    before = mock.body("rg1", "aks1")
    assert aks.ask(method, aks.cluster + path, {} if method in ("PUT", "POST") else None).status_code == 501
    assert (mock.body("rg1", "aks1"), mock.commits) == (before, [])


@pytest.mark.parametrize(
    ("path", "size", "refill"),
    [
        pytest.param("operation", 200, 2, id="status of operations"),
        pytest.param("subscription", 500, 1, id="clusters of the subscription"),
        pytest.param("group", 60, 1, id="clusters of a group"),
        pytest.param("pools", 60, 1, id="everything else"),
    ],
)
def test_the_other_budgets(path: str, size: int, refill: int, mock: MockAks, aks: Any) -> None:
    mock.switches.throttle = True
    group = aks.cluster.rpartition("/")[0]
    link = aks.ask("PUT", aks.cluster, {}).headers["Azure-AsyncOperation"]
    everywhere = group.replace("/resourceGroups/rg1", "")
    paths = {"subscription": everywhere, "group": group, "pools": f"{aks.cluster}/agentPools"}

    def asked() -> int:
        return int((aks.get(link) if path == "operation" else aks.ask("GET", paths[path])).status_code)

    assert [asked() for _ in range(size + 1)] == [200] * size + [429]
    mock.clock.sleep(1)
    assert [asked() for _ in range(refill + 1)] == [200] * refill + [429]


def test_ids_have_no_case_and_bodies_spell_them_their_way(mock: MockAks, aks: Any) -> None:
    body = aks.ask("GET", aks.cluster.upper()).json()
    assert "/resourcegroups/rg1/" in body["id"]
    assert body["type"] == "Microsoft.ContainerService/ManagedClusters"
    tag = body["eTag"]
    assert aks.ask("PUT", aks.cluster.lower(), {}, If_Match=tag).status_code == 200


@pytest.mark.parametrize("code", ["PreconditionCheckTimeOut", "AnotherOperationInProgress", "TooManyRequestsReceived"])
def test_answers_of_the_gateway_that_a_test_gives(code: str, mock: MockAks, aks: Any) -> None:
    status = {"P": 412, "A": 409, "T": 429}[code[0]]
    mock.inject("PUT", effect=status, body={"error": {"code": code, "message": "m"}}, headers={"Retry-After": "7"})
    answer = aks.ask("PUT", aks.np1, {})
    assert (answer.status_code, answer.json()["error"]["code"], answer.headers["Retry-After"]) == (status, code, "7")
    assert mock.commits == []
