# SPDX-License-Identifier: MIT
"""One set of scenarios for the fake API server, over its socket, and for any real one that the environment names.

``AKS_ETAG_TEST_KUBE_URL``, ``AKS_ETAG_TEST_KUBE_CA`` (a file) and ``AKS_ETAG_TEST_KUBE_TOKEN`` name a server whose
token may create namespaces and definitions. Each run makes a namespace and a definition of its own, and removes them.
"""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from aks_etag import (
    AlreadyExistsError,
    MergeConflictError,
    PreconditionFailedError,
    RequestRefusedError,
    ResourceReplacedError,
    Snapshot,
)
from aks_etag.kubernetes import Object, json_patch, merge_patch, strategic_merge_patch
from aks_etag.kubernetes._patches import Patch

from .world import DEFINITIONS, World, once_served


def one_more(body: dict[str, Any]) -> None:
    body["data"]["n"] = str(int(body["data"]["n"]) + 1)


def data(handle: Object) -> Any:
    return handle.get().body.get("data")


def overtaken(handle: Object) -> Snapshot:
    """Return a snapshot that is not the newest any more."""
    seen = handle.get()
    handle.update(one_more)
    return seen


def test_what_exists_is_not_created_again(world: World) -> None:
    handle = world.config({"n": "0"})
    with pytest.raises(AlreadyExistsError):
        handle.create({"data": {"n": "1"}})
    assert handle.create({"data": {"n": "0"}}, adopt=True).outcome == "satisfied"
    assert data(handle) == {"n": "0"}


def test_an_update_that_is_overtaken_is_made_again_on_what_is_there(world: World) -> None:
    handle = world.config({"n": "0"})
    rivals = iter([True])

    def change(body: dict[str, Any]) -> None:
        if next(rivals, False):
            handle.update(one_more)
        one_more(body)

    result = handle.update(change)
    assert (result.outcome, result.conflicts, data(handle)) == ("updated", 1, {"n": "2"})


def test_an_update_without_effect_moves_no_version(world: World) -> None:
    handle = world.config({"n": "0"})
    before = handle.get()
    assert handle.update(merge_patch({"data": {"n": "0"}})).outcome == "unchanged"
    assert handle.patch(merge_patch({"data": {"n": "0"}})).fenced is not True
    assert handle.get().etag == before.etag


def test_a_namesake_is_not_taken_for_the_object(world: World) -> None:
    handle = world.config({"n": "0"})
    rivals = iter([True])

    def change(body: dict[str, Any]) -> None:
        if next(rivals, False):
            handle.delete(force=True)
            handle.create({"data": {"n": "5"}})
        one_more(body)

    with pytest.raises(ResourceReplacedError):
        handle.update(change)
    assert data(handle) == {"n": "5"}


PATCHES: dict[str, Patch] = {
    "merge": merge_patch({"data": {"n": "7"}}),
    "json": json_patch([{"op": "replace", "path": "/data/n", "value": "7"}]),
    "strategic": strategic_merge_patch({"data": {"n": "7"}}),
}


@pytest.mark.parametrize("kind", PATCHES)
def test_a_locked_patch_is_refused_once_the_version_moved(world: World, kind: str) -> None:
    handle = world.config({"n": "0"})
    with pytest.raises(PreconditionFailedError):
        handle.patch(PATCHES[kind], if_match=overtaken(handle))
    assert data(handle) == {"n": "1"}
    assert handle.patch(PATCHES[kind], if_match=handle.get()).outcome == "updated"
    assert data(handle) == {"n": "7"}


@pytest.mark.parametrize("kind", PATCHES)
def test_an_unlocked_patch_writes_over_what_it_has_not_seen(world: World, kind: str) -> None:
    handle = world.config({"n": "0"})
    overtaken(handle)
    assert handle.patch(PATCHES[kind], locked=False).condition is None
    assert data(handle) == {"n": "7"}


def test_an_applied_field_of_others_is_refused_or_taken_by_force(world: World) -> None:
    handle = world.config()
    assert handle.apply({"data": {"a": "1", "b": "1"}}, "one").outcome == "created"
    with pytest.raises(MergeConflictError) as raised:
        handle.apply({"data": {"a": "2"}}, "two")
    assert raised.value.conflicts == ((".data.a", "one"),)
    handle.apply({"data": {"a": "2"}}, "two", force=True)
    owners = {owner.manager: owner.fields for owner in handle.owners()}
    assert (data(handle), owners) == ({"a": "2", "b": "1"}, {"one": (".data.b",), "two": (".data.a",)})


def test_what_a_manager_owns_can_be_applied_again_for_nothing(world: World) -> None:
    handle = world.config()
    handle.apply({"data": {"a": "1"}, "metadata": {"labels": {"l": "1"}}}, "one")
    handle.apply({"data": {"b": "2"}}, "two")
    before = handle.get()
    for manager in ("one", "two"):
        handle.apply(handle.owned(manager), manager)
    assert handle.get().etag == before.etag
    assert handle.owned("two")["data"] == {"b": "2"}


def test_only_the_version_seen_is_deleted(world: World) -> None:
    handle = world.config({"n": "0"})
    with pytest.raises(PreconditionFailedError):
        handle.delete(if_match=overtaken(handle))
    assert handle.delete(only_if=lambda now: now.body["data"]["n"] == "0").outcome == "unchanged"
    assert handle.delete(if_match=handle.get()).outcome == "deleted"
    assert handle.get_or_none() is None


def test_a_dry_run_is_checked_and_changes_nothing(world: World) -> None:
    handle = world.config({"n": "0"})
    dry = handle.with_options(dry_run=True)
    assert dry.update(one_more).outcome == "updated"
    assert data(handle) == {"n": "0"}
    with pytest.raises(PreconditionFailedError):
        dry.patch(PATCHES["merge"], if_match=overtaken(handle))


def test_a_list_comes_in_chunks(world: World) -> None:
    names = sorted(world.config({"n": str(number)}, scenario="chunks").name for number in range(7))
    found = world.kube.objects("v1", "ConfigMap", world.namespace, chunk=3, labels="scenario=chunks")
    assert [seen.name for seen in found] == names


def deployment(world: World) -> Object:
    handle = world.kube.object("apps/v1", "Deployment", world.namespace, f"d-{uuid.uuid4().hex[:12]}")
    labels = {"app": handle.name}
    # Paused, with no replicas: a real controller has nothing to do with it.
    spec = {
        "replicas": 0,
        "paused": True,
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "app", "image": "none:1"}]}},
    }
    handle.create({"spec": spec})
    return handle


@pytest.mark.parametrize(
    ("subresource", "patch"),
    [
        pytest.param("scale", merge_patch({"spec": {"replicas": 0}}), id="scale"),
        pytest.param("status", merge_patch({"status": {"observedGeneration": 1}}), id="status"),
    ],
)
def test_a_subresource_is_locked_by_the_version_of_the_whole(world: World, subresource: str, patch: Any) -> None:
    handle = deployment(world)
    seen = handle.subresource(subresource).get()
    handle.update(merge_patch({"metadata": {"labels": {"seen": "later"}}}))
    with pytest.raises(PreconditionFailedError):
        handle.subresource(subresource).patch(patch, if_match=seen)


def test_scale_and_status_are_updated_where_they_are(world: World) -> None:
    handle = deployment(world)
    assert handle.subresource("scale").update(merge_patch({"spec": {"replicas": 1}})).outcome == "updated"
    assert handle.get().body["spec"]["replicas"] == 1
    condition = {"type": "Seen", "status": "True", "reason": "Test", "message": ""}

    def note(body: dict[str, Any]) -> None:
        status = body.setdefault("status", {})
        status["conditions"] = [*(status.get("conditions") or []), condition]

    assert handle.subresource("status").update(note).outcome == "updated"


def test_a_container_is_changed_by_its_name(world: World) -> None:
    handle = deployment(world)
    side = {"spec": {"template": {"spec": {"containers": [{"name": "side", "image": "none:2"}]}}}}
    handle.patch(strategic_merge_patch(side))
    containers = handle.get().body["spec"]["template"]["spec"]["containers"]
    assert {each["name"]: each["image"] for each in containers} == {"app": "none:1", "side": "none:2"}


def test_both_versions_of_a_custom_object_are_one_object(world: World) -> None:
    name = "both"
    old, new = world.widget("v1alpha1", name), world.widget("v1", name)
    once_served(lambda: old.create({"spec": {"size": 1, "color": "red"}}))
    seen = once_served(new.get)
    assert (seen.etag, seen.body["spec"]) == (old.get().etag, {"size": 1, "color": "red"})
    new.update(merge_patch({"spec": {"size": 2}}))
    with pytest.raises(PreconditionFailedError):
        old.patch(merge_patch({"spec": {"size": 3}}), if_match=seen)
    assert old.get().body["spec"] == {"size": 2, "color": "red"}
    assert old.subresource("status").update(merge_patch({"status": {"phase": "seen"}})).outcome == "updated"
    assert (new.get().body["status"], new.get().body["spec"]["size"]) == ({"phase": "seen"}, 2)


def test_a_custom_object_takes_no_strategic_merge_patch(world: World) -> None:
    handle = world.widget("v1", "strategic")
    once_served(lambda: handle.create({"spec": {"size": 1}}))
    with pytest.raises(RequestRefusedError) as raised:
        handle.patch(strategic_merge_patch({"spec": {"size": 2}}))
    assert raised.value.status_code == 415


def test_the_fields_of_a_custom_object_have_owners(world: World) -> None:
    handle = world.widget("v1", "owned")
    once_served(lambda: handle.apply({"spec": {"size": 1}}, "one"))
    handle.apply({"spec": {"color": "red"}}, "two")
    with pytest.raises(MergeConflictError) as raised:
        handle.apply({"spec": {"size": 2, "color": "red"}}, "two")
    assert raised.value.conflicts == ((".spec.size", "one"),)
    assert handle.owned("two")["spec"] == {"color": "red"}


def test_the_definition_tells_which_version_is_stored(world: World) -> None:
    seen = world.kube.object(*DEFINITIONS, f"widgets.{world.group}").get()
    assert [each["name"] for each in seen.body["spec"]["versions"] if each["storage"]] == ["v1alpha1"]
    assert seen.body["status"]["storedVersions"] == ["v1alpha1"]
