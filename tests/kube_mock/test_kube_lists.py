# SPDX-License-Identifier: MIT
"""Lists: chunks of one version, tokens that expire, selectors, and metadata alone."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag.mock.kubernetes import MockKubernetes

from .talk import CONFIGMAPS, Api, configmap, custom, definition, version

METADATA_LIST = {"Accept": "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"}
METADATA = {"Accept": "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}


@pytest.fixture
def ten(kube: MockKubernetes) -> list[str]:
    names = [f"c-{number}" for number in range(10)]
    for name in names:
        kube.add({**configmap(name, k=name), "metadata": {"name": name, "labels": {"odd": str(int(name[2:]) % 2)}}})
    return names


def names(response: Any) -> list[str]:
    return [item["metadata"]["name"] for item in response.json()["items"]]


def test_all_chunks_show_the_version_of_the_first(kube: MockKubernetes, ten: list[str], api: Api) -> None:
    first = api.get(CONFIGMAPS, params={"limit": 4})
    kube.edit("v1", "ConfigMap", "default", "c-7", lambda body: body["data"].update(k="later"))
    kube.delete("v1", "ConfigMap", "default", "c-8")
    kube.add(configmap("c-99"))
    seen, page = names(first), first.json()["metadata"]
    while "continue" in page:
        response = api.get(CONFIGMAPS, params={"limit": 4, "continue": page["continue"]})
        assert response.json()["metadata"]["resourceVersion"] == first.json()["metadata"]["resourceVersion"]
        assert "later" not in response.text
        seen, page = seen + names(response), response.json()["metadata"]
    assert seen == ten


def test_an_expired_token_brings_one_that_goes_on_from_the_same_place(
    kube: MockKubernetes, ten: list[str], api: Api
) -> None:
    token = api.get(CONFIGMAPS, params={"limit": 4}).json()["metadata"]["continue"]
    kube.add(configmap("c-99"))
    kube.expire_continue_tokens()
    refused = api.get(CONFIGMAPS, params={"limit": 4, "continue": token})
    assert (refused.status_code, refused.json()["reason"]) == (410, "Expired")
    fresh = refused.json()["metadata"]["continue"]
    rest = api.get(CONFIGMAPS, params={"continue": fresh})
    assert names(rest) == [*ten[4:], "c-99"]


def test_new_tokens_work_right_after_the_old_ones_expired(kube: MockKubernetes, ten: list[str], api: Api) -> None:
    kube.expire_continue_tokens()
    token = api.get(CONFIGMAPS, params={"limit": 4}).json()["metadata"]["continue"]
    assert api.get(CONFIGMAPS, params={"limit": 4, "continue": token}).status_code == 200


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"labelSelector": "odd=1"}, 5),
        ({"labelSelector": "odd==0"}, 5),
        ({"labelSelector": "odd!=1"}, 5),
        ({"labelSelector": "odd,!even"}, 10),
        ({"labelSelector": "even"}, 0),
        ({"fieldSelector": "metadata.name=c-3"}, 1),
    ],
)
def test_selectors(query: dict[str, str], found: int, ten: list[str], api: Api) -> None:
    assert len(names(api.get(CONFIGMAPS, params=query))) == found


@pytest.mark.parametrize(
    "query", [{"watch": "1"}, {"labelSelector": "odd in (1, 2)"}, {"fieldSelector": "spec.nodeName=x"}]
)
def test_what_is_not_imitated_is_no_guess(query: dict[str, str], ten: list[str], api: Api) -> None:
    assert api.get(CONFIGMAPS, params=query).status_code == 501


def test_metadata_alone(ten: list[str], api: Api) -> None:
    listed = api.get(CONFIGMAPS, params={"limit": 1}, headers=METADATA_LIST).json()
    assert (listed["kind"], listed["apiVersion"]) == ("PartialObjectMetadataList", "meta.k8s.io/v1")
    assert set(listed["items"][0]) == {"kind", "apiVersion", "metadata"}
    assert listed["metadata"]["remainingItemCount"] == 9
    assert api.get(f"{CONFIGMAPS}/c-1", headers=METADATA).json()["kind"] == "PartialObjectMetadata"
    assert api.get(f"{CONFIGMAPS}/c-1", headers=METADATA_LIST).status_code == 406
    assert api.write(f"{CONFIGMAPS}/c-1", {"data": {"k": "x"}}, **METADATA_LIST).status_code == 406
    assert api.get(f"{CONFIGMAPS}/c-1").json()["data"] == {"k": "c-1"}
    either = {"Accept": f"{METADATA['Accept']}, application/json"}
    assert api.get(f"{CONFIGMAPS}/c-1", headers=either).json()["kind"] == "PartialObjectMetadata"


def test_namespaced_objects_are_listed_across_namespaces(kube: MockKubernetes, ten: list[str], api: Api) -> None:
    kube.add(configmap("z", "aaa"))
    assert names(api.get("/api/v1/configmaps")) == ["z", *ten]
    assert names(api.get("/api/v1/configmaps", params={"limit": 1})) == ["z"]


def test_items_of_custom_resources_name_their_kind(kube: MockKubernetes, api: Api) -> None:
    kube.add(definition("Widget", version("v1", storage=True)))
    kube.add(custom("Widget", "w", "default", "v1", size=1))
    listed = api.get("/apis/lab.example.com/v1/widgets").json()
    assert (listed["kind"], listed["items"][0]["kind"]) == ("WidgetList", "Widget")


def test_discovery_shows_what_is_served(kube: MockKubernetes, api: Api) -> None:
    kube.add(definition("Widget", version("v1alpha1", served=False), version("v1", storage=True)))
    groups = {each["name"]: each for each in api.get("/apis").json()["groups"]}
    assert [each["version"] for each in groups["lab.example.com"]["versions"]] == ["v1"]
    resources = [each["name"] for each in api.get("/apis/lab.example.com/v1").json()["resources"]]
    assert resources == ["widgets", "widgets/status"]
    assert api.get("/apis/lab.example.com/v1alpha1").status_code == 404
    assert api.get("/apis/lab.example.com").json()["preferredVersion"]["version"] == "v1"
    assert api.get("/apis/none.example.com").status_code == 404
    assert api.get("/api").json()["versions"] == ["v1"]
    assert "deployments/scale" in [each["name"] for each in api.get("/apis/apps/v1").json()["resources"]]
    assert api.get("/version").json()["gitVersion"] == "v1.36.2"
