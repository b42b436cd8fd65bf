# SPDX-License-Identifier: MIT
"""Schemas of custom resources, lists in strategic patches, and bodies of the wrong shape."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag.mock.kubernetes import MockKubernetes

from . import stages
from .talk import CONFIGMAPS, DEFINITIONS, JSON_PATCH, MERGE, STRATEGIC, Api, configmap, custom, definition, version

WIDGET = "/apis/lab.example.com/v1/namespaces/default/widgets/w"
WEB = "/apis/apps/v1/namespaces/lab-a/deployments/web"
FIELDS: dict[str, Any] = {
    "size": {"type": "integer", "minimum": 1, "maximum": 9},
    "ratio": {"type": "number"},
    "mode": {"type": "string", "enum": ["fast", "slow"]},
    "on": {"type": "boolean"},
    "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    "port": {"x-kubernetes-int-or-string": True, "type": "integer"},
    "note": {"type": "string", "nullable": True},
    "tags": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
    "parts": {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["id"],
        "items": {
            "type": "object",
            "required": ["id"],
            "properties": {"id": {"type": "string"}, "size": {"type": "integer", "default": 3}},
        },
    },
}


@pytest.fixture
def widget(kube: MockKubernetes) -> None:
    kube.add(definition("Widget", version("v1", storage=True, fields=FIELDS)))
    kube.add(custom("Widget", "w", "default", "v1", size=1))


@pytest.mark.parametrize(
    ("spec", "broken"),
    [
        ({"size": "1"}, ("FieldValueTypeInvalid", "spec.size")),
        ({"size": True}, ("FieldValueTypeInvalid", "spec.size")),
        ({"size": 0}, ("FieldValueInvalid", "spec.size")),
        ({"size": 10}, ("FieldValueInvalid", "spec.size")),
        ({"mode": "odd"}, ("FieldValueNotSupported", "spec.mode")),
        ({"tags": ["a", 1]}, ("FieldValueTypeInvalid", "spec.tags[1]")),
        ({"parts": [{"size": 1}]}, ("FieldValueRequired", "spec.parts[0].id")),
        ({"ratio": 0.5, "on": False, "port": "http", "free": {"a": {"b": 1}}, "labels": {"a": "b"}}, None),
    ],
)
def test_schemas_decide(spec: dict[str, Any], broken: tuple[str, str] | None, widget: None, api: Api) -> None:
    answer = api.write(WIDGET, {"spec": spec})
    if broken is None:
        assert (answer.status_code, answer.json()["spec"]) == (200, {"size": 1, **spec})
        return
    assert answer.status_code == 422
    assert [(cause["reason"], cause["field"]) for cause in answer.json()["details"]["causes"]] == [broken]


def test_items_get_defaults_and_lose_what_is_unknown(widget: None, api: Api) -> None:
    answer = api.write(WIDGET, {"spec": {"parts": [{"id": "a", "bogus": 1}]}})
    assert answer.json()["spec"]["parts"] == [{"id": "a", "size": 3}]
    assert answer.headers["Warning"] == '299 - "unknown field \\"spec.parts[0].bogus\\""'


def test_lists_of_custom_resources_are_applied_by_their_schema(widget: None, api: Api) -> None:
    def applied(manager: str, **spec: Any) -> Any:
        named = {"apiVersion": "lab.example.com/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": spec}
        return api.apply(WIDGET, named, manager).raise_for_status().json()["spec"]

    applied("one", parts=[{"id": "a", "size": 1}], tags=["x"])
    both = applied("two", parts=[{"id": "b", "size": 2}], tags=["y"])
    assert (both["parts"], both["tags"]) == ([{"id": "a", "size": 1}, {"id": "b", "size": 2}], ["x", "y"])
    left = applied("one", parts=[], tags=[])
    assert (left["parts"], left["tags"]) == ([{"id": "b", "size": 2}], ["y"])


@pytest.mark.parametrize(
    ("patch", "names"),
    [
        ([{"name": "new", "image": "i"}], ["main", "side", "new"]),
        ([{"$patch": "replace"}, {"name": "new", "image": "i"}], ["new"]),
        ([{"name": "gone", "$patch": "delete"}], ["main", "side"]),
    ],
)
def test_strategic_lists(patch: list[Any], names: list[str], kube: MockKubernetes, api: Api) -> None:
    stages.web(kube, api)
    answer = api.write(WEB, {"spec": {"template": {"spec": {"containers": patch}}}}, STRATEGIC)
    assert [each["name"] for each in answer.json()["spec"]["template"]["spec"]["containers"]] == names


def test_a_strategic_item_without_its_key_is_refused(kube: MockKubernetes, api: Api) -> None:
    stages.web(kube, api)
    patch = {"spec": {"template": {"spec": {"containers": [{"image": "i"}]}}}}
    assert api.write(WEB, patch, STRATEGIC).status_code == 400


def test_finalizers_are_merged_and_deleted_one_by_one(kube: MockKubernetes, api: Api) -> None:
    kube.add(configmap("a"))
    for patch, left in (
        ({"finalizers": ["x.io/a"]}, ["x.io/a"]),
        ({"finalizers": ["x.io/b"]}, ["x.io/a", "x.io/b"]),
        ({"$deleteFromPrimitiveList/finalizers": ["x.io/a"]}, ["x.io/b"]),
    ):
        answer = api.write(f"{CONFIGMAPS}/a", {"metadata": patch}, STRATEGIC)
        assert answer.json()["metadata"]["finalizers"] == left


@pytest.mark.parametrize(
    ("kind", "patch", "status"),
    [
        (MERGE, {"metadata": None}, 400),
        (MERGE, {"metadata": []}, 400),
        (MERGE, {"metadata": {"name": "b"}}, 400),
        (MERGE, {"metadata": {"namespace": "b"}}, 400),
        (MERGE, {"data": {"x": 1}}, 400),
        (MERGE, {"data": "x"}, 400),
        (MERGE, {"kind": "Secret"}, 400),
        (MERGE, [], 400),
        (MERGE, "x", 400),
        (JSON_PATCH, {}, 400),
        (JSON_PATCH, [{"op": "replace", "path": "", "value": 1}], 400),
        (JSON_PATCH, [{"op": "add", "path": "data"}], 422),
        (JSON_PATCH, [{"op": "replace", "path": "/data/none", "value": "x"}], 422),
        (JSON_PATCH, [{"op": "add", "path": "/metadata/finalizers/5", "value": "x"}], 422),
        (JSON_PATCH, [{"op": "add"}], 422),
        ("application/x-unknown", {}, 415),
    ],
)
def test_odd_patches_change_nothing(kind: str, patch: Any, status: int, kube: MockKubernetes, api: Api) -> None:
    live = kube.add(configmap("a", x="1"))
    assert api.write(f"{CONFIGMAPS}/a", patch, kind).status_code == status
    assert kube.object("v1", "ConfigMap", "default", "a") == live


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ([], 400),
        ({"metadata": []}, 400),
        ({"metadata": {}}, 422),
        ({"metadata": {"name": "x", "namespace": "other"}}, 400),
        ({"metadata": {"name": "x"}, "apiVersion": "v2"}, 400),
    ],
)
def test_odd_bodies_create_nothing(body: Any, status: int, kube: MockKubernetes, api: Api) -> None:
    assert api.post(CONFIGMAPS, json=body).status_code == status
    assert kube.commits == []


def test_a_definition_is_named_after_its_plural_and_group(api: Api) -> None:
    body = definition("Widget", version("v1", storage=True))
    body["metadata"]["name"] = "others.lab.example.com"
    refused = api.post(DEFINITIONS, json=body)
    assert [cause["field"] for cause in refused.json()["details"]["causes"]] == ["metadata.name"]


def test_a_conversion_that_fails_can_heal(kube: MockKubernetes, api: Api) -> None:
    stages.gizmos("z-bad")(kube, api)
    path = "/apis/lab.example.com/v1/namespaces/lab-a/gizmos"
    old = path.replace("/v1/", "/v1alpha1/")
    assert [api.get(path).status_code, api.get(f"{path}/z-2").status_code, api.get(old).status_code] == [500, 200, 200]
    kube.fail_conversion("gizmos.lab.example.com", "z-bad", None)
    assert api.get(path).status_code == 200


def test_admission_sees_writes_that_change_nothing(kube: MockKubernetes, api: Api) -> None:
    kube.add(configmap("a"))
    seen: list[str] = []
    kube.admit(lambda operation, body: seen.append(operation) or "never")
    assert api.write(f"{CONFIGMAPS}/a", {}).status_code == 422
    assert api.post(CONFIGMAPS, json=configmap("b")).status_code == 422
    kube.admit(None)
    assert (api.write(f"{CONFIGMAPS}/a", {}).status_code, seen) == (200, ["UPDATE", "CREATE"])
