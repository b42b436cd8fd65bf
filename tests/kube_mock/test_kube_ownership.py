# SPDX-License-Identifier: MIT
"""Who owns a field, and what an apply may take from others."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag.mock.kubernetes import MockKubernetes

from . import stages
from .talk import CONFIGMAPS, STRATEGIC, Api

PATH = f"{CONFIGMAPS}/a"
WEB = "/apis/apps/v1/namespaces/lab-a/deployments/web"


def body(**data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": data}


def owned(api: Api, path: str = PATH) -> dict[str, Any]:
    entries = api.get(path).json()["metadata"].get("managedFields", [])
    return {f"{each['manager']} {each['operation']}": each["fieldsV1"] for each in entries}


def causes(response: Any) -> list[tuple[str, str]]:
    return [(cause["reason"], cause["field"]) for cause in response.json()["details"]["causes"]]


def test_each_manager_owns_what_it_applies(api: Api) -> None:
    assert api.apply(PATH, body(x="1"), "one").status_code == 201
    assert api.apply(PATH, body(y="1"), "two").json()["data"] == {"x": "1", "y": "1"}
    assert owned(api) == {"one Apply": {"f:data": {"f:x": {}}}, "two Apply": {"f:data": {"f:y": {}}}}


def test_a_conflict_names_field_and_owner_and_force_takes_it(api: Api) -> None:
    api.apply(PATH, body(x="1", y="1"), "one")
    refused = api.apply(PATH, body(x="2"), "two")
    assert (refused.status_code, refused.json()["reason"]) == (409, "Conflict")
    assert causes(refused) == [("FieldManagerConflict", ".data.x")]
    assert 'conflict with "one"' in refused.json()["details"]["causes"][0]["message"]
    assert set(refused.json()["details"]) == {"causes"}
    assert api.apply(PATH, body(x="2"), "two", force=True).json()["data"] == {"x": "2", "y": "1"}
    assert owned(api) == {"one Apply": {"f:data": {"f:y": {}}}, "two Apply": {"f:data": {"f:x": {}}}}


def test_the_same_value_is_shared_and_outlives_one_of_its_owners(api: Api) -> None:
    api.apply(PATH, body(x="1"), "one")
    assert api.apply(PATH, body(x="1"), "two").status_code == 200
    assert api.apply(PATH, body(), "one").json()["data"] == {"x": "1"}
    assert "data" not in api.apply(PATH, body(), "two").json()


def test_what_a_manager_no_longer_applies_goes(api: Api) -> None:
    api.apply(PATH, body(x="1", y="1"), "one")
    assert api.apply(PATH, body(y="1"), "one").json()["data"] == {"y": "1"}
    assert owned(api) == {"one Apply": {"f:data": {"f:y": {}}}}


def test_an_update_takes_what_it_changes_and_keeps_the_rest_apart(api: Api) -> None:
    api.apply(PATH, body(x="1", y="1"), "one")
    api.write(PATH, {"data": {"x": "2"}})
    assert owned(api) == {"one Apply": {"f:data": {"f:y": {}}}, "kube-tests Update": {"f:data": {"f:x": {}}}}
    refused = api.apply(PATH, body(x="1", y="1"), "one")
    assert causes(refused) == [("FieldManagerConflict", ".data.x")]


def test_ownership_is_checked_before_the_version_and_force_does_not_help_a_stale_one(api: Api) -> None:
    api.apply(PATH, body(x="1"), "one")
    stale = {**body(x="2"), "metadata": {"name": "a", "resourceVersion": "1"}}
    assert causes(api.apply(PATH, stale, "two")) == [("FieldManagerConflict", ".data.x")]
    forced = api.apply(PATH, stale, "two", force=True)
    assert (forced.status_code, "causes" in forced.json()["details"]) == (409, False)


def test_a_repeated_apply_moves_nothing(kube: MockKubernetes, api: Api) -> None:
    first = api.apply(PATH, body(x="1"), "one").json()
    kube.clock.sleep(60)
    assert api.apply(PATH, body(x="1"), "one").json() == first


def test_whoever_wrote_before_the_first_apply_is_remembered(api: Api) -> None:
    api.post(CONFIGMAPS, json=body(x="1"))
    api.write(PATH, {"metadata": {"managedFields": [{}]}})
    assert owned(api) == {}
    api.write(PATH, {"data": {"x": "2"}})
    assert owned(api) == {}
    refused = api.apply(PATH, body(x="3"), "one")
    assert 'conflict with "before-first-apply"' in refused.json()["details"]["causes"][0]["message"]


@pytest.mark.parametrize(
    ("change", "status", "reason"),
    [
        ({"metadata": {"name": "a", "managedFields": []}}, 400, "BadRequest"),
        ({"metadata": {"name": "b"}}, 400, "BadRequest"),
        ({"apiVersion": ""}, 400, "BadRequest"),
        ({"bogus": 1}, 500, None),
    ],
)
def test_what_no_apply_may_hold(change: dict[str, Any], status: int, reason: str | None, api: Api) -> None:
    api.apply(PATH, body(x="1"), "one")
    response = api.apply(PATH, {**body(x="1"), **change}, "one")
    assert (response.status_code, response.json().get("reason")) == (status, reason)


def test_an_apply_of_yaml_is_not_guessed_at(api: Api) -> None:
    headers = {"Content-Type": "application/apply-patch+yaml"}
    assert api.patch(PATH, params={"fieldManager": "one"}, content="kind: x", headers=headers).status_code == 501


def container(name: str, **fields: Any) -> dict[str, Any]:
    spec = {"template": {"spec": {"containers": [{"name": name, **fields}]}}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}


def test_list_items_are_owned_by_their_keys(kube: MockKubernetes, api: Api) -> None:
    stages.web(kube, api)
    refused = api.apply(WEB, container("main", image="example/main:2"), "one")
    field = '.spec.template.spec.containers[name="main"].image'
    assert causes(refused) == [("FieldManagerConflict", field)]
    added = api.apply(WEB, container("extra", image="example/extra:1"), "one")
    assert [each["name"] for each in added.json()["spec"]["template"]["spec"]["containers"]] == [
        "main",
        "side",
        "extra",
    ]
    other = api.apply(WEB, container("more", image="example/more:1"), "one")
    assert [each["name"] for each in other.json()["spec"]["template"]["spec"]["containers"]] == ["main", "side", "more"]


def test_a_strategic_patch_of_an_item_takes_only_its_field(kube: MockKubernetes, api: Api) -> None:
    stages.web(kube, api)
    api.write(WEB, container("side", image="example/side:2"), STRATEGIC)
    taken = {"k:" + '{"name":"side"}': {"f:image": {}}}
    assert owned(api, WEB)["kube-tests Update"] == {"f:spec": {"f:template": {"f:spec": {"f:containers": taken}}}}


def test_finalizers_are_a_set_that_managers_share(api: Api) -> None:
    mine = {**body(), "metadata": {"name": "a", "finalizers": ["x.io/one"]}}
    theirs = {**body(), "metadata": {"name": "a", "finalizers": ["x.io/two"]}}
    api.apply(PATH, mine, "one")
    assert api.apply(PATH, theirs, "two").json()["metadata"]["finalizers"] == ["x.io/one", "x.io/two"]
    assert api.apply(PATH, body(), "one").json()["metadata"]["finalizers"] == ["x.io/two"]
