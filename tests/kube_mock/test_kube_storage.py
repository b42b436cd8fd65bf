# SPDX-License-Identifier: MIT
"""Storage versions: flips and their race, re-encoding, trimming, removal, and what is left behind."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag.mock.kubernetes import MockKubernetes

from . import stages
from .talk import DEFINITIONS, JSON_PATCH, STRATEGIC, Api, custom, definition, reversion, version

WIDGETS = "widgets.lab.example.com"
OLD_PATH = "/apis/lab.example.com/v1alpha1/namespaces/lab-a/widgets"
PATH = "/apis/lab.example.com/v1/namespaces/lab-a/widgets"
METADATA_LIST = {"Accept": "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"}


def stored(kube: MockKubernetes, *names: str) -> list[str | None]:
    return [kube.stored_version(WIDGETS, "lab-a", name) for name in names]


def stored_versions(kube: MockKubernetes) -> Any:
    body = kube.object("apiextensions.k8s.io/v1", "CustomResourceDefinition", None, WIDGETS)
    return (body or {})["status"]["storedVersions"]


@pytest.fixture
def flipped(kube: MockKubernetes, api: Api) -> None:
    """Two widgets of the first version, where the second is stored from now on."""
    stages.two_versions(kube, api)
    reversion(kube, "widgets", stages.OLD, stages.NEW_ONLY)


def test_a_flip_says_what_may_be_stored_and_touches_no_object(kube: MockKubernetes, flipped: None, api: Api) -> None:
    assert stored_versions(kube) == ["v1alpha1", "v1"]
    assert stored(kube, "w-old", "w-put") == ["v1alpha1", "v1alpha1"]
    assert api.get(f"{PATH}/w-old").json()["apiVersion"] == "lab.example.com/v1"
    assert api.get(f"{OLD_PATH}/w-old").json()["apiVersion"] == "lab.example.com/v1alpha1"
    assert kube.stored_version("lab.example.com/v1 Widget", "lab-a", "w-old") == "v1alpha1"


@pytest.mark.parametrize("way", ["put", "old put", "merge", "guarded merge", "json", "apply", "status"])
def test_each_way_to_write_nothing_encodes_anew_once(way: str, kube: MockKubernetes, flipped: None, api: Api) -> None:
    before = api.get(f"{PATH}/w-old").json()
    metadata = {name: before["metadata"][name] for name in ("uid", "resourceVersion")}

    def rewrite() -> Any:
        live = api.get(f"{OLD_PATH if way == 'old put' else PATH}/w-old").json()
        named = {"apiVersion": "lab.example.com/v1", "kind": "Widget", "metadata": {"name": "w-old"}}
        ways = {
            "put": lambda: api.put(f"{PATH}/w-old", json=live),
            "old put": lambda: api.put(f"{OLD_PATH}/w-old", json=live),
            "merge": lambda: api.write(f"{PATH}/w-old", {}),
            "guarded merge": lambda: api.write(f"{PATH}/w-old", {"metadata": {"uid": live["metadata"]["uid"]}}),
            "json": lambda: api.write(f"{PATH}/w-old", [], JSON_PATCH),
            "apply": lambda: api.apply(f"{PATH}/w-old", named, "mover"),
            "status": lambda: api.write(f"{PATH}/w-old/status", {}),
        }
        return ways[way]().raise_for_status().json()["metadata"]

    first, second = rewrite(), rewrite()
    assert stored(kube, "w-old", "w-put") == ["v1", "v1alpha1"]
    assert first["resourceVersion"] != metadata["resourceVersion"]
    assert second["resourceVersion"] == first["resourceVersion"]
    assert first["generation"] == before["metadata"]["generation"]


def test_right_after_a_flip_writes_may_still_land_in_the_old_version(kube: MockKubernetes, api: Api) -> None:
    stages.two_versions(kube, api)
    kube.switches.flip_race = 2
    reversion(kube, "widgets", stages.OLD, stages.NEW_ONLY)
    moved = []
    for _ in range(4):
        before = api.version(f"{PATH}/w-old")
        api.write(f"{PATH}/w-old", {})
        moved.append(api.version(f"{PATH}/w-old") != before)
    assert moved == [False, False, True, False]


def test_the_race_can_last_for_virtual_seconds(kube: MockKubernetes, api: Api) -> None:
    stages.two_versions(kube, api)
    kube.switches.flip_race = 1.5
    reversion(kube, "widgets", stages.OLD, stages.NEW_ONLY)
    kube.add(custom("Widget", "early", "lab-a", "v1", size=1))
    kube.clock.sleep(2)
    kube.add(custom("Widget", "late", "lab-a", "v1", size=1))
    assert stored(kube, "early", "late") == ["v1alpha1", "v1"]


def test_a_listed_version_stays_until_the_list_is_trimmed(kube: MockKubernetes, flipped: None, api: Api) -> None:
    path = f"{DEFINITIONS}/{WIDGETS}"
    patch = {"spec": {"versions": [stages.NEW_ONLY]}}
    refused = api.write(path, patch)
    assert [cause["field"] for cause in refused.json()["details"]["causes"]] == ["status.storedVersions[0]"]
    assert api.write(f"{path}/status", {"status": {"storedVersions": []}}).status_code == 200
    assert stored_versions(kube) == ["v1"]
    assert api.write(path, patch).status_code == 200


def test_one_leftover_breaks_reads_writes_and_the_whole_list(kube: MockKubernetes, api: Api) -> None:
    stages.removed(kube, api)
    live = api.get(f"{PATH}/w-put").json()
    answers = [
        api.get(f"{PATH}/w-old"),
        api.get(PATH),
        api.get(PATH, headers=METADATA_LIST),
        api.put(f"{PATH}/w-old", json={**live, "metadata": {"name": "w-old", "resourceVersion": "9"}}),
        api.write(f"{PATH}/w-old", {}),
        api.delete(f"{PATH}/w-old"),
    ]
    assert [(each.status_code, "reason" in each.json()) for each in answers] == [(500, False)] * len(answers)
    assert api.get(f"{PATH}/w-put").status_code == 200
    reversion(kube, "widgets", version("v1alpha1", served=False), stages.NEW_ONLY)
    assert [api.get(f"{PATH}/w-old").status_code, api.get(PATH).status_code] == [200, 200]
    assert api.get(f"{OLD_PATH}/w-old").status_code == 404


def test_managers_of_a_removed_version_break_an_apply_until_they_are_renamed(kube: MockKubernetes, api: Api) -> None:
    stages.unserved(kube, api)
    named = {"apiVersion": "lab.example.com/v1", "kind": "Widget", "metadata": {"name": "w-mf"}, "spec": {"size": 5}}
    assert api.apply(f"{PATH}/w-mf", named, "other").status_code == 200
    metadata = api.get(f"{PATH}/w-mf").json()["metadata"]
    for entry in metadata["managedFields"]:
        entry["apiVersion"] = "lab.example.com/v1"
    patch = {"metadata": {name: metadata[name] for name in ("uid", "resourceVersion", "managedFields")}}
    cleaned = api.write(f"{PATH}/w-mf", patch).json()["metadata"]
    assert {entry["apiVersion"] for entry in cleaned["managedFields"]} == {"lab.example.com/v1"}
    reversion(kube, "widgets", stages.NEW_ONLY)
    assert api.apply(f"{PATH}/w-mf", named, "other").status_code == 200
    refused = api.apply(f"{PATH}/w-put", {**named, "metadata": {"name": "w-put"}}, "other")
    assert (refused.status_code, "reason" in refused.json()) == (500, False)


def test_fields_that_the_new_schema_lacks_go_and_its_defaults_come_with_the_write(
    kube: MockKubernetes, api: Api
) -> None:
    old = {"size": {"type": "integer"}, "legacy": {"type": "string"}}
    new = {"size": {"type": "integer"}, "mode": {"type": "string", "default": "fast"}}
    kube.add(definition("Widget", version("v1alpha1", storage=True, fields=old), version("v1", fields=new)))
    kube.add(custom("Widget", "w", "lab-a", size=1, legacy="x"))
    assert api.get(f"{OLD_PATH}/w").json()["spec"] == {"size": 1, "legacy": "x"}
    assert api.get(f"{PATH}/w").json()["spec"] == {"size": 1}
    versions = version("v1alpha1", fields=old), version("v1", storage=True, fields=new)
    reversion(kube, "widgets", *versions)
    rewritten = api.write(f"{PATH}/w", {}).json()
    assert rewritten["spec"] == {"size": 1, "mode": "fast"}
    assert rewritten["metadata"]["generation"] == 2
    assert api.get(f"{OLD_PATH}/w").json()["spec"] == {"size": 1}


def test_defaults_may_show_on_read(kube: MockKubernetes, api: Api) -> None:
    fields = {"size": {"type": "integer"}}
    kube.add(definition("Widget", version("v1", storage=True, fields=fields)))
    kube.add(custom("Widget", "w", "lab-a", "v1", size=1))
    later = {**fields, "mode": {"type": "string", "default": "fast"}}
    reversion(kube, "widgets", version("v1", storage=True, fields=later))
    assert api.get(f"{PATH}/w").json()["spec"] == {"size": 1}
    kube.switches.defaults_on_read = True
    assert api.get(f"{PATH}/w").json()["spec"] == {"size": 1, "mode": "fast"}


@pytest.mark.parametrize(
    ("more", "warning"),
    [
        ({}, "lab.example.com/v1alpha1 Widget is deprecated"),
        ({"deprecationWarning": "use v1 instead"}, "use v1 instead"),
    ],
)
def test_clients_of_a_deprecated_version_are_warned(
    more: dict[str, str], warning: str, kube: MockKubernetes, api: Api
) -> None:
    kube.add(definition("Widget", version("v1alpha1", deprecated=True, **more), stages.NEW_ONLY))
    kube.add(custom("Widget", "w", "lab-a", "v1", size=1))
    assert api.get(f"{OLD_PATH}/w").headers["Warning"] == f'299 - "{warning}"'
    assert api.write(f"{OLD_PATH}/w", {}).headers["Warning"] == f'299 - "{warning}"'
    assert "Warning" not in api.get(f"{PATH}/w").headers


def test_custom_resources_refuse_what_built_in_ones_allow(kube: MockKubernetes, flipped: None, api: Api) -> None:
    live = api.get(f"{PATH}/w-put").json()
    for blind in (None, "", "0"):
        live["metadata"]["resourceVersion"] = blind
        refused = api.put(f"{PATH}/w-put", json=live)
        assert (refused.status_code, refused.json()["reason"]) == (422, "Invalid")
    assert api.write(f"{PATH}/w-put", {}, STRATEGIC).status_code == 415
    assert api.write(f"{PATH}/w-put", {"spec": {"size": "big"}}).status_code == 422
    unknown = api.write(f"{PATH}/w-put", {"spec": {"bogus": 1}})
    assert (unknown.headers["Warning"], "bogus" in unknown.json()["spec"]) == (
        '299 - "unknown field \\"spec.bogus\\""',
        False,
    )


def test_spec_and_status_are_written_apart_and_only_the_spec_counts(
    kube: MockKubernetes, flipped: None, api: Api
) -> None:
    api.write(f"{PATH}/w-put", {})
    both = {"spec": {"size": 9}, "status": {"phase": "Done"}}
    status = api.write(f"{PATH}/w-put/status", both).json()
    assert (status["spec"]["size"], status["status"], status["metadata"]["generation"]) == (1, {"phase": "Done"}, 1)
    main = api.write(f"{PATH}/w-put", {**both, "status": {"phase": "Lost"}}).json()
    assert (main["spec"]["size"], main["status"], main["metadata"]["generation"]) == (9, {"phase": "Done"}, 2)


def test_a_migration_by_the_book_leaves_nothing_behind(kube: MockKubernetes, flipped: None, api: Api) -> None:
    for number in range(25):
        kube.add(custom("Widget", f"x-{number:02}", "lab-a", "v1alpha1", size=number))

    def one_pass() -> int:
        moved, query = 0, {"limit": "10"}
        while True:
            page = api.get(PATH, params=query, headers=METADATA_LIST).json()
            for item in page["items"]:
                found = item["metadata"]
                patch = {"metadata": {name: found[name] for name in ("uid", "resourceVersion")}}
                answer = api.write(f"{PATH}/{found['name']}", patch).raise_for_status().json()
                moved += answer["metadata"]["resourceVersion"] != found["resourceVersion"]
            if "continue" not in page["metadata"]:
                return moved
            query["continue"] = page["metadata"]["continue"]

    # Those that were created after the flip are stored in the new version, whatever endpoint they came by.
    assert [one_pass(), one_pass()] == [3, 0]
    path = f"{DEFINITIONS}/{WIDGETS}"
    api.write(f"{path}/status", {"status": {"storedVersions": ["v1"]}}).raise_for_status()
    api.write(path, {"spec": {"versions": [stages.NEW_ONLY]}}).raise_for_status()
    assert len(api.get(PATH).raise_for_status().json()["items"]) == 28
