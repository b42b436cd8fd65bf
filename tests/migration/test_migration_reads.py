# SPDX-License-Identifier: MIT
"""What is only read: the pre-flight, and whether a version may be removed."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag.kubernetes.migration import DefaultProof, Migration, check_storage, migrate_storage
from aks_etag.kubernetes.migration._defaults import new_defaults
from aks_etag.kubernetes.migration._definition import Definition
from aks_etag.kubernetes.migration._managers import renamed
from aks_etag.kubernetes.migration._preflight import absent

from .stage import NAME, NEW, OLD, Stage, version, widget

LEGACY = {"type": "string"}
MODE = {"type": "string", "default": "fast"}


def changed_schema() -> Stage:
    """Three widgets, of which one has a field that v1 lacks; v1 has a field with a default."""
    stage = Stage(2, version(OLD, storage=True, legacy=LEGACY), version(NEW, mode=MODE))
    stage.server.add(widget("full", size=1, legacy="x"))
    return stage


def test_a_preflight_finds_what_would_be_lost_and_what_would_appear_and_writes_nothing() -> None:
    stage = changed_schema()
    before = len(stage.server.commits)
    with Migration(stage.kube, NAME, to=NEW, chunk=2) as migration:
        found = migration.preflight()
    assert (found.objects, found.conversion, found.clean) == (3, "None", False)
    assert [(each.name, each.pruned) for each in found.pruned] == [("full", ("spec.legacy",))]
    assert [(each.name, each.added) for each in found.added] == [
        (name, ("spec.mode",)) for name in ("full", "w0000", "w0001")
    ]
    assert len(stage.server.commits) == before
    assert stage.server.object(f"lab.example.com/{OLD}", "Widget", "lab", "full")["spec"]["legacy"] == "x"  # type: ignore[index]


def spec_of(stage: Stage, name: str, version: str) -> dict[str, Any]:
    body = stage.server.object(f"lab.example.com/{version}", "Widget", "lab", name)
    assert body is not None
    found: dict[str, Any] = body["spec"]
    return found


def test_the_report_proves_that_defaults_were_absent_before_and_are_present_after() -> None:
    stage = changed_schema()
    assert "mode" not in spec_of(stage, "full", NEW)
    with Migration(stage.kube, NAME, to=NEW) as migration:
        migration.flip()
        assert migration.report().defaults == ()
        migration.rewrite()
        report = migration.run()
    proof = DefaultProof(path="spec.mode", namespace="lab", name="full", absent_before=True, present_after=True)
    assert report.defaults == (proof,)
    assert spec_of(stage, "full", NEW)["mode"] == "fast"


def test_what_a_default_waits_for_is_told_while_it_is_absent_or_its_object_is_gone() -> None:
    stage = changed_schema()
    stage.server.admit(lambda _, body: "no" if body["metadata"]["name"] == "full" else None)
    with Migration(stage.kube, NAME, to=NEW) as migration:
        assert [(each.name, each.present_after) for each in migration.run().defaults] == [("full", False)]
        stage.server.admit(None)
        stage.server.delete(f"lab.example.com/{NEW}", "Widget", "lab", "full")
        assert [(each.name, each.present_after) for each in migration.run().defaults] == [("full", None)]


def test_a_default_that_is_never_absent_proves_nothing() -> None:
    # Either both schemas have it, or no object has the parent that it would be filled into.
    parent = {"type": "object", "properties": {"speed": {"type": "integer", "default": 1}}}
    versions = [version(OLD, storage=True, mode=MODE), version(NEW, mode=MODE, motor=parent)]
    stage = Stage(2, *versions)
    assert new_defaults(Definition.of(stage.crd()), NEW, (OLD,)) == [("spec", "motor", "speed")]
    assert migrate_storage(stage.kube, NAME, to=NEW).defaults == ()


def test_a_preflight_finds_what_is_denied_and_what_cannot_be_converted() -> None:
    stage = Stage(6)
    stage.server.admit(lambda _, body: "no" if body["metadata"]["name"] == "w0001" else None)
    stage.server.fail_conversion(NAME, "w0004")
    with Migration(stage.kube, NAME, to=NEW) as migration:
        found = migration.preflight()
    assert [(each.name, each.reason) for each in found.problems] == [("w0001", "denied"), ("w0004", "unconvertible")]
    assert "no" in found.problems[0].detail
    assert "conversion" in found.problems[1].detail


def test_a_preflight_of_equal_versions_is_clean() -> None:
    stage = Stage(3)
    with Migration(stage.kube, NAME, to=NEW) as migration:
        found = migration.preflight()
    assert (found.clean, found.objects, found.findings) == (True, 3, ())


@pytest.mark.parametrize(
    ("one", "two", "paths"),
    [
        pytest.param({"metadata": {"x": 1}, "kind": "A"}, {}, [], id="the server's"),
        pytest.param({"spec": {"a": {"b": 1, "c": 2}}}, {"spec": {"a": {"b": 3}}}, ["spec.a.c"], id="nested"),
        pytest.param(
            {"spec": {"l": [{"a": 1}, {"b": 2}]}}, {"spec": {"l": [{"a": 1}, {}]}}, ["spec.l[1].b"], id="list"
        ),
        pytest.param({"spec": {"l": [1, 2]}}, {"spec": {"l": [1]}}, ["spec.l"], id="shorter list"),
        pytest.param({"status": {}}, {}, ["status"], id="whole"),
    ],
)
def test_what_is_absent_is_named_by_path(one: dict[str, Any], two: dict[str, Any], paths: list[str]) -> None:
    assert list(absent(one, two)) == paths


@pytest.mark.parametrize("step", ["start", "flipped", "unserved", "removed"])
def test_a_check_says_what_stands_in_the_way(step: str) -> None:
    stage = Stage(3)
    with Migration(stage.kube, NAME, to=NEW) as migration:
        if step == "flipped":
            migration.flip()
        if step in ("unserved", "removed"):
            migration.run() if step == "removed" else [
                getattr(migration, name)() for name in ("flip", "rewrite", "verify", "trim", "unserve")
            ]
    before = len(stage.server.commits)
    verdict = check_storage(stage.kube, NAME, OLD)
    stored = f"objects may still be stored in {OLD}: it is in status.storedVersions"
    served, storage = f"{OLD} is still served", f"{OLD} is the storage version"
    wrote = f"kubectl-create wrote 3 objects through {OLD}, lab/w0000 last"
    assert (
        verdict.reasons
        == {
            "start": (storage, stored, served, wrote),
            "flipped": (stored, served, wrote),
            "unserved": (),
            "removed": (),
        }[step]
    )
    assert verdict.removable == (verdict.reasons == ())
    assert len(stage.server.commits) == before


def test_a_check_names_who_still_writes_through_the_version() -> None:
    stage = Stage(3)
    migrate_storage(stage.kube, NAME, to=NEW, remove_old=False)
    stage.server.edit(f"lab.example.com/{OLD}", "Widget", "lab", "w0002", lambda body: body["spec"].update(size=5))
    (manager,) = check_storage(stage.kube, NAME, OLD).managers
    assert (manager.name, manager.objects, manager.example) == ("rival", 1, "lab/w0002")


def test_entries_that_become_one_managers_are_joined() -> None:
    def entry(version: str, field: str, time: str) -> dict[str, Any]:
        fields = {"f:spec": {".": {}, f"f:{field}": {}}}
        return {"manager": "m", "operation": "Update", "apiVersion": version, "time": time, "fieldsV1": fields}

    metadata = {"uid": "u", "resourceVersion": "1", "managedFields": [entry("g/v1", "a", "1"), entry("g/v0", "b", "2")]}
    patch = renamed(metadata, {"g/v0"}, "g/v1")
    assert patch is not None
    (joined,) = patch["metadata"]["managedFields"]
    assert joined["fieldsV1"] == {"f:spec": {".": {}, "f:a": {}, "f:b": {}}}
    assert (joined["time"], joined["apiVersion"]) == ("2", "g/v1")
