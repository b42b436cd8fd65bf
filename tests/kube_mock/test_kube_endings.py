# SPDX-License-Identifier: MIT
"""How objects end: preconditions, finalizers, and parents that wait."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag.mock.kubernetes import MockKubernetes

from . import stages
from .talk import CONFIGMAPS, DEFINITIONS, Api, configmap

PATH = f"{CONFIGMAPS}/a"


@pytest.fixture
def held(kube: MockKubernetes) -> dict[str, Any]:
    body = configmap("a")
    body["metadata"]["finalizers"] = ["x.io/hold"]
    return kube.add(body)


@pytest.mark.parametrize("name", ["uid", "resourceVersion"])
def test_a_delete_decides_by_its_preconditions(name: str, kube: MockKubernetes, api: Api) -> None:
    live = kube.add(configmap("a"))
    refused = api.request("DELETE", PATH, json={"preconditions": {name: "1"}})
    assert (refused.status_code, refused.json()["reason"]) == (409, "Conflict")
    held_by = {"preconditions": {name: live["metadata"][name]}}
    assert api.request("DELETE", PATH, json=held_by).json()["status"] == "Success"
    assert api.request("DELETE", PATH, json=held_by).status_code == 404


def test_finalizers_keep_an_object_that_is_being_deleted(held: Any, kube: MockKubernetes, api: Api) -> None:
    began = api.delete(PATH)
    assert (began.status_code, began.json()["kind"]) == (200, "ConfigMap")
    assert "deletionTimestamp" in began.json()["metadata"]
    assert api.delete(PATH).json() == began.json()
    assert api.write(PATH, {"metadata": {"finalizers": ["x.io/hold", "x.io/more"]}}).status_code == 422
    assert api.write(PATH, {"data": {"x": "1"}}).status_code == 200
    assert api.write(PATH, {"metadata": {"finalizers": None}}).status_code == 200
    assert api.get(PATH).status_code == 404
    assert kube.commits[-1].body_after is None


def test_a_namespace_waits_for_what_is_held_in_it(kube: MockKubernetes, api: Api) -> None:
    stages.ending_namespace(kube, api)
    path = "/api/v1/namespaces/lab-term"
    assert api.get(path).json()["status"]["phase"] == "Terminating"
    assert api.post(f"{path}/configmaps", json=configmap("x", "lab-term")).status_code == 403
    api.write(f"{path}/configmaps/held", {"metadata": {"finalizers": []}}).raise_for_status()
    assert api.get(path).status_code == 404


def test_a_namespace_takes_its_contents_with_it(kube: MockKubernetes, api: Api) -> None:
    kube.add(configmap("a", "lab-b"))
    api.delete("/api/v1/namespaces/lab-b").raise_for_status()
    assert kube.object("v1", "ConfigMap", "lab-b", "a") is None
    assert kube.object("v1", "Namespace", None, "lab-b") is None


def test_a_definition_waits_for_its_objects(kube: MockKubernetes, api: Api) -> None:
    stages.ending_definition(kube, api)
    terms = "/apis/lab.example.com/v1/namespaces/lab-a/terms"
    assert api.get(f"{terms}/t").status_code == 200
    api.write(f"{terms}/t", {"metadata": {"finalizers": []}}).raise_for_status()
    assert api.get(f"{DEFINITIONS}/terms.lab.example.com").status_code == 404
    assert api.get(f"{terms}/t").status_code == 404


def test_a_rival_deletes_too(held: Any, kube: MockKubernetes) -> None:
    kube.delete("v1", "ConfigMap", "default", "a")
    assert "deletionTimestamp" in (kube.object("v1", "ConfigMap", "default", "a") or {})["metadata"]
    with pytest.raises(LookupError):
        kube.delete("v1", "ConfigMap", "default", "b")
