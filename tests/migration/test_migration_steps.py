# SPDX-License-Identifier: MIT
"""Each step alone: what it does, that it does it once, and what its guard refuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aks_etag.errors import AksEtagError
from aks_etag.kubernetes.migration import Migration, MigrationRefusedError, migrate_storage

from .stage import CRD, NAME, NEW, OLD, Stage, version, widget

STEPS = ["deprecate", "flip", "settle", "rewrite", "verify", "trim", "unserve", "clean_managers", "remove"]


@pytest.fixture
def stage() -> Stage:
    return Stage(8)


def taken(migration: Migration, *steps: str) -> Any:
    """Take steps and return what the last one returned."""
    result = None
    for step in steps:
        result = getattr(migration, step)()
    return result


def upto(step: str) -> list[str]:
    """List the steps before one."""
    return STEPS[: STEPS.index(step)]


@pytest.mark.parametrize("step", STEPS)
def test_each_step_taken_again_writes_nothing(step: str, stage: Stage) -> None:
    with Migration(stage.kube, NAME, to=NEW) as migration:
        taken(migration, *upto(step), step)
        before, slept = len(stage.server.commits), stage.server.clock.monotonic()
        taken(migration, step)
        assert len(stage.server.commits) == before
        assert stage.server.clock.monotonic() == slept


def test_a_finished_run_run_again_writes_nothing(stage: Stage, tmp_path: Path) -> None:
    first = migrate_storage(stage.kube, NAME, to=NEW, journal=tmp_path / "j")
    stage.server.journal.clear()
    again = migrate_storage(stage.kube, NAME, to=NEW, journal=tmp_path / "j")
    assert (again.finished, again.phase, again.removed) == (True, "remove", (OLD,))
    assert again.moved == first.moved
    assert {entry.method for entry in stage.server.journal} == {"GET"}


def test_the_steps_by_hand_are_the_whole_run(stage: Stage) -> None:
    with Migration(stage.kube, NAME, to=NEW) as migration:
        assert taken(migration, *STEPS) == (OLD,)
        assert migration.report().finished
    assert (stage.versions(), stage.stored_versions(), stage.left()) == ([NEW], [NEW], [])


def meddle(stage: Stage) -> None:
    stage.server.edit(*CRD, lambda body: body["metadata"].update(labels={"a": "b"}))


def flip_back(stage: Stage) -> None:
    def change(body: dict[str, Any]) -> None:
        for each in body["spec"]["versions"]:
            each["storage"] = each["name"] == OLD

    stage.server.edit(*CRD, change)


def deny(stage: Stage) -> None:
    stage.server.admit(lambda _, body: "no" if body["metadata"]["name"] == "w0002" else None)


def nothing(stage: Stage) -> None:
    pass


@pytest.mark.parametrize(
    ("steps", "between", "call", "code"),
    [
        pytest.param([], nothing, lambda m: m.rewrite(), "not-flipped", id="rewrite before flip"),
        pytest.param([], nothing, lambda m: m.verify(), "not-flipped", id="verify before flip"),
        pytest.param(upto("rewrite"), nothing, lambda m: m.trim(), "early", id="trim before rewrite"),
        pytest.param(upto("verify"), nothing, lambda m: m.trim(), "early", id="trim before verify"),
        pytest.param(upto("trim"), meddle, lambda m: m.trim(), "changed", id="trim after a change"),
        pytest.param(upto("trim"), flip_back, lambda m: m.trim(), "storage", id="trim after a flip back"),
        pytest.param(upto("trim"), nothing, lambda m: m.trim(keep=[]), "empty", id="trim to nothing"),
        pytest.param(upto("trim"), nothing, lambda m: m.trim(keep=[OLD]), "storage", id="trim the storage version"),
        pytest.param(upto("trim"), nothing, lambda m: m.trim(keep=[NEW, "v9"]), "unknown", id="trim to a new name"),
        pytest.param(upto("trim"), nothing, lambda m: m.unserve(), "stored", id="unserve before trim"),
        pytest.param(upto("trim"), nothing, lambda m: m.remove(), "stored", id="remove before trim"),
        pytest.param(upto("unserve"), nothing, lambda m: m.remove(), "needed", id="remove while served"),
    ],
)
def test_a_guard_refuses_and_writes_nothing(
    steps: list[str], between: Callable[[Stage], None], call: Callable[[Migration], object], code: str, stage: Stage
) -> None:
    with Migration(stage.kube, NAME, to=NEW) as migration:
        taken(migration, *steps)
        between(stage)
        before = len(stage.server.commits)
        with pytest.raises(MigrationRefusedError) as refused:
            call(migration)
        assert (refused.value.code, refused.value.applied) == (code, False)
        assert len(stage.server.commits) == before


@pytest.mark.parametrize("step", ["unserve", "remove"])
def test_a_flip_back_at_the_very_moment_is_refused(step: str, stage: Stage) -> None:
    with Migration(stage.kube, NAME, to=NEW) as migration:
        taken(migration, *upto(step))
        stage.server.before_write(lambda: flip_back(stage), times=1)
        with pytest.raises(MigrationRefusedError) as refused:
            taken(migration, step)
        assert refused.value.code == "stored"
    assert OLD in stage.versions()


def test_problems_block_trim_and_remove(stage: Stage) -> None:
    with Migration(stage.kube, NAME, to=NEW) as migration:
        taken(migration, "flip")
        deny(stage)
        assert taken(migration, "rewrite", "verify").problems == 1
        with pytest.raises(MigrationRefusedError, match="could not be written") as refused:
            migration.trim()
        assert refused.value.code == "problems"
        # Somebody trims by hand, as the server lets anybody do: what is left over is still no reason to remove.
        stage.server.edit(*CRD, lambda body: body["status"].update(storedVersions=[NEW]))
        taken(migration, "unserve", "clean_managers")
        with pytest.raises(MigrationRefusedError) as refused:
            migration.remove()
        assert refused.value.code == "problems"


def test_an_entry_that_names_the_old_version_blocks_removal(stage: Stage) -> None:
    with Migration(stage.kube, NAME, to=NEW) as migration:
        taken(migration, *upto("unserve"))
        stage.server.edit(f"lab.example.com/{OLD}", "Widget", "lab", "w0001", lambda body: body["spec"].update(size=9))
        migration.unserve()
        with pytest.raises(MigrationRefusedError, match="rival wrote 1 objects through v1beta1, lab/w0001 last"):
            migration.remove()
        assert migration.clean_managers().moved == 0
        assert migration.remove() == (OLD,)


@pytest.mark.parametrize(
    ("to", "versions"),
    [
        pytest.param("v9", [version(OLD, storage=True), version(NEW)], id="not there"),
        pytest.param(NEW, [version(OLD, storage=True), version(NEW, served=False)], id="not served"),
    ],
)
def test_a_version_that_is_not_served_is_refused(to: str, versions: list[dict[str, Any]]) -> None:
    stage = Stage(1, *versions)
    with pytest.raises(MigrationRefusedError) as refused:
        migrate_storage(stage.kube, NAME, to=to)
    assert refused.value.code == "not-served"
    assert stage.versions() == [each["name"] for each in versions]


def test_without_its_journal_a_run_still_knows_what_it_was_about_to_remove(stage: Stage) -> None:
    with Migration(stage.kube, NAME, to=NEW) as migration:
        taken(migration, *upto("unserve"))
    assert migrate_storage(stage.client(), NAME, to=NEW).removed == (OLD,)
    assert stage.versions() == [NEW]


def test_the_new_version_cannot_be_an_old_one(stage: Stage) -> None:
    with pytest.raises(MigrationRefusedError) as refused:
        migrate_storage(stage.kube, NAME, to=NEW, old=[OLD, NEW])
    assert refused.value.code == "old"


def test_there_is_nothing_to_do_where_only_the_new_version_is_stored() -> None:
    stage = Stage(0, version(NEW, storage=True))
    report = migrate_storage(stage.kube, NAME, to=NEW)
    assert (report.finished, report.removed, stage.versions()) == (True, (), [NEW])


def test_a_journal_of_another_migration_is_refused(stage: Stage, tmp_path: Path) -> None:
    migrate_storage(stage.kube, NAME, to=NEW, journal=tmp_path / "j", remove_old=False)
    with pytest.raises(MigrationRefusedError) as refused:
        migrate_storage(stage.kube, NAME, to=OLD, journal=tmp_path / "j")
    assert refused.value.code == "journal"


def test_an_early_trim_of_somebody_else_is_not_trusted(stage: Stage) -> None:
    with Migration(stage.kube, NAME, to=NEW, old=[OLD]) as migration:
        migration.flip()
        stage.server.edit(*CRD, lambda body: body["status"].update(storedVersions=[NEW]))
        assert migration.run().finished
    assert (stage.left(), stage.versions()) == ([], [NEW])


def test_an_early_trim_of_somebody_else_does_not_open_the_way_to_removal(stage: Stage) -> None:
    with Migration(stage.kube, NAME, to=NEW, old=[OLD]) as migration:
        migration.flip()
        stage.server.edit(*CRD, lambda body: body["status"].update(storedVersions=[NEW]))
        taken(migration, "unserve", "clean_managers")
        with pytest.raises(MigrationRefusedError) as refused:
            migration.remove()
        assert refused.value.code == "unverified"
        migration.verify()
        assert migration.remove() == (OLD,)


def test_a_verification_speaks_of_one_state_of_the_definition(stage: Stage) -> None:
    with Migration(stage.kube, NAME, to=NEW) as migration:
        taken(migration, *upto("trim"))
        meddle(stage)
        with pytest.raises(MigrationRefusedError):
            migration.trim()
        migration.verify()
        migration.trim()
    assert stage.stored_versions() == [NEW]


def test_two_old_versions_go_together() -> None:
    oldest = "v1alpha1"
    stage = Stage(3, version(oldest), version(OLD, storage=True), version(NEW))
    stage.server.edit(*CRD, lambda body: body["status"].update(storedVersions=[oldest, OLD]))
    stage.server.add(widget("other", oldest, size=1))
    report = migrate_storage(stage.kube, NAME, to=NEW)
    assert (report.removed, stage.versions(), stage.stored_versions()) == ((oldest, OLD), [NEW], [NEW])


def test_an_endpoint_that_is_gone_stops_the_run_and_marks_no_object_as_done(stage: Stage) -> None:
    def close(body: dict[str, Any]) -> None:
        body["spec"]["versions"][1]["served"] = False

    with Migration(stage.kube, NAME, to=NEW) as migration:
        migration.flip()
        migration.settle()
        stage.server.before_write(lambda: stage.server.edit(*CRD, close), times=1)
        with pytest.raises(AksEtagError):
            migration.rewrite()
    assert len(stage.left()) == 8
