# SPDX-License-Identifier: MIT
"""Versions: what moves them, what they guard, and the log that a checker can rely on."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from aks_etag.mock.kubernetes import MockKubernetes, ObjectKey

from .talk import CONFIGMAPS, JSON_PATCH, MERGE, STRATEGIC, Api, configmap

PATH = f"{CONFIGMAPS}/a"
OTHER_UID = "11111111-2222-3333-4444-555555555555"


@pytest.fixture
def live(kube: MockKubernetes) -> dict[str, Any]:
    return kube.add(configmap("a", x="1"))


def test_versions_are_one_counter_for_all_objects(kube: MockKubernetes) -> None:
    made = [kube.add(configmap(name))["metadata"]["resourceVersion"] for name in ("a", "b", "c")]
    assert [int(version) - int(made[0]) for version in made] == [0, 1, 2]


@pytest.mark.parametrize(
    ("patch", "kind"), [({}, MERGE), ([], JSON_PATCH), ({}, STRATEGIC), ({"data": {"x": "1"}}, MERGE)]
)
def test_a_patch_that_changes_nothing_keeps_the_version(patch: Any, kind: str, live: dict[str, Any], api: Api) -> None:
    response = api.write(PATH, patch, kind)
    assert (response.status_code, response.json()) == (200, live)


def test_an_unchanged_put_keeps_the_version_and_writes_no_commit(
    kube: MockKubernetes, live: dict[str, Any], api: Api
) -> None:
    commits = len(kube.commits)
    assert api.put(PATH, json=live).json() == live
    assert len(kube.commits) == commits


@pytest.mark.parametrize("blind", [None, "", "0"])
def test_a_put_without_a_version_overwrites(blind: str | None, kube: MockKubernetes, live: Any, api: Api) -> None:
    kube.edit("v1", "ConfigMap", "default", "a", lambda body: body["data"].update(x="theirs"))
    live["metadata"]["resourceVersion"] = blind
    live["data"]["x"] = "mine"
    assert api.put(PATH, json=live).json()["data"] == {"x": "mine"}


@pytest.mark.parametrize(
    ("patch", "kind", "status", "reason"),
    [
        ({"metadata": {"resourceVersion": "1"}}, MERGE, 409, "Conflict"),
        ({"metadata": {"resourceVersion": "1"}}, STRATEGIC, 409, "Conflict"),
        ([{"op": "replace", "path": "/metadata/resourceVersion", "value": "1"}], JSON_PATCH, 409, "Conflict"),
        ([{"op": "test", "path": "/metadata/resourceVersion", "value": "1"}], JSON_PATCH, 422, "Invalid"),
        ({"metadata": {"uid": OTHER_UID}}, MERGE, 422, "Invalid"),
        ({"metadata": {"uid": OTHER_UID, "resourceVersion": "1"}}, MERGE, 409, "Conflict"),
        ({"metadata": {"resourceVersion": "one"}}, MERGE, 500, None),
    ],
)
def test_what_a_stale_patch_is_told(
    patch: Any, kind: str, status: int, reason: str | None, live: dict[str, Any], api: Api
) -> None:
    response = api.write(PATH, patch, kind)
    assert (response.status_code, response.json().get("reason")) == (status, reason)
    assert api.get(PATH).json() == live


def test_a_dry_run_checks_the_version_and_moves_nothing(kube: MockKubernetes, live: dict[str, Any], api: Api) -> None:
    commits = len(kube.commits)
    changed = {**live, "data": {"x": "dry"}}
    tried = api.put(PATH, params={"dryRun": "All"}, json=changed)
    assert tried.json()["data"] == {"x": "dry"}
    assert tried.json()["metadata"]["resourceVersion"] == live["metadata"]["resourceVersion"]
    changed["metadata"] = {**live["metadata"], "resourceVersion": "1"}
    assert api.put(PATH, params={"dryRun": "All"}, json=changed).status_code == 409
    assert api.post(CONFIGMAPS, params={"dryRun": "All"}, json=configmap("b")).status_code == 201
    assert api.delete(PATH, params={"dryRun": "All"}).status_code == 200
    assert (api.get(PATH).json(), len(kube.commits)) == (live, commits)


def test_a_created_again_object_is_another_one(kube: MockKubernetes, live: dict[str, Any], api: Api) -> None:
    kube.delete("v1", "ConfigMap", "default", "a")
    again = kube.add(configmap("a", x="1"))
    assert again["metadata"]["uid"] != live["metadata"]["uid"]
    live["metadata"]["resourceVersion"] = again["metadata"]["resourceVersion"]
    refused = api.put(PATH, json=live)
    assert (refused.status_code, refused.json()["reason"]) == (409, "Conflict")


def test_commits_form_a_chain(kube: MockKubernetes, live: dict[str, Any], api: Api) -> None:
    api.write(PATH, {"data": {"x": "2"}}, **{"x-request-id": "two"})
    kube.edit("v1", "ConfigMap", "default", "a", lambda body: body["data"].update(x="3"), manager="rival")
    api.delete(PATH, headers={"x-request-id": "gone"})
    chain = [commit for commit in kube.commits if commit.key == ObjectKey("", "configmaps", "default", "a")]
    assert [(commit.method, commit.request_id) for commit in chain[1::2]] == [("PATCH", "two"), ("DELETE", "gone")]
    assert [commit.manager for commit in chain] == ["kubectl-create", "kube-tests", "rival", "kube-tests"]
    for one, two in itertools.pairwise(chain):
        assert (one.version_after, one.body_after) == (two.version_before, two.body_before)
    assert (chain[0].version_before, chain[-1].version_after, chain[-1].body_after) == (None, None, None)


def test_the_journal_says_what_was_asked_and_why_it_failed(kube: MockKubernetes, live: Any, api: Api) -> None:
    api.write(PATH, {"metadata": {"resourceVersion": "1"}}, **{"x-request-id": "stale"})
    entry = kube.journal[-1]
    assert (entry.method, entry.path, entry.content_type) == ("PATCH", PATH, MERGE)
    assert (entry.status, entry.reason, entry.request_id, entry.decided) == (409, "Conflict", "stale", 409)


def test_two_mocks_of_one_seed_are_equal() -> None:
    made = [MockKubernetes(seed=seed).add(configmap("a"))["metadata"]["uid"] for seed in (7, 7, 8)]
    assert (made[0] == made[1], made[0] == made[2]) == (True, False)


def test_what_is_handed_out_is_a_copy(kube: MockKubernetes, live: dict[str, Any]) -> None:
    shown = kube.object("v1", "ConfigMap", "default", "a")
    assert shown is not None
    shown["data"]["x"] = "changed"
    live["data"]["x"] = "changed"
    assert (kube.object("v1", "ConfigMap", "default", "a") or {})["data"] == {"x": "1"}
    assert kube.object("v1", "ConfigMap", "default", "b") is None


def test_an_edit_that_breaks_a_rule_says_so(kube: MockKubernetes, live: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="does not match"):
        kube.edit("v1", "ConfigMap", "default", "a", lambda body: body["metadata"].update(name="b"))
    with pytest.raises(LookupError, match="no kind"):
        kube.object("v2", "ConfigMap", "default", "a")
    with pytest.raises(LookupError, match="default/b"):
        kube.edit("v1", "ConfigMap", "default", "b")
