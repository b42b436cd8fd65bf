# SPDX-License-Identifier: MIT
"""The whole run: nothing is lost, nothing is left, nothing is trimmed early, however often it is killed."""

from __future__ import annotations

import random
import threading
from pathlib import Path
from typing import Any

import pytest

from aks_etag.kubernetes import KubernetesClient
from aks_etag.kubernetes.migration import Migration, MigrationRefusedError, Progress, check_storage, migrate_storage

from .stage import CRD, NAME, NEW, OLD, Stage, Writers


class Killed(Exception):
    """Stands for the end of a process."""


def test_a_run_with_live_writers_loses_nothing_and_leaves_nothing() -> None:
    stage = Stage(300, flip_race=5)
    writers = Writers(stage)
    seen: list[Progress] = []
    report = migrate_storage(stage.kube, NAME, to=NEW, chunk=50, on_progress=seen.append)
    assert (report.finished, report.left, report.objects, report.problems) == (True, 0, 300, ())
    assert (stage.left(), stage.versions(), stage.stored_versions()) == ([], [NEW], [NEW])
    assert stage.hits() == writers.written
    assert report.removed == (OLD,)
    assert report.conflicts > 0
    phases = list(dict.fromkeys(each.phase for each in seen))
    order = ["deprecate", "flip", "settle", "rewrite", "verify", "trim", "unserve", "clean_managers", "remove"]
    assert phases == order
    assert [each.total for each in seen if each.phase == "rewrite"] == [300] * 6


def test_a_run_with_writers_in_threads_over_sockets_loses_nothing() -> None:
    stage = Stage(120)
    done, counted = threading.Event(), [0, 0, 0]

    def hit(body: dict[str, Any]) -> None:
        body["spec"]["hits"] += 1

    def write(writer: int, url: str) -> None:
        dice = random.Random(writer)
        with KubernetesClient(url, token="t", polling_interval=0.01) as kube:
            while not done.is_set():
                kube.object(f"lab.example.com/{NEW}", "Widget", "lab", dice.choice(stage.names)).update(hit)
                counted[writer] += 1

    with stage.server.serve() as url:
        threads = [threading.Thread(target=write, args=(writer, url)) for writer in range(3)]
        for thread in threads:
            thread.start()
        try:
            with KubernetesClient(url, token="t") as kube:
                report = migrate_storage(kube, NAME, to=NEW, chunk=20, settle=0.0)
        finally:
            done.set()
            for thread in threads:
                thread.join()
    assert (report.finished, stage.left(), stage.versions()) == (True, [], [NEW])
    assert stage.hits() == sum(counted)


def test_killed_twenty_times_it_goes_on_where_it_was_and_never_trims_early(tmp_path: Path) -> None:
    stage, dice = Stage(300, flip_race=9), random.Random(3)
    Writers(stage)
    kills, rewritten = 0, []

    def deadly(progress: Progress) -> None:
        nonlocal kills
        if progress.phase == "rewrite":
            rewritten.append(progress.done)
        assert stage.stored_versions() != [NEW] or not stage.left()
        if kills < 20 and dice.random() < 0.6:
            kills += 1
            raise Killed

    while True:
        try:
            # Another client each time, as after a crash: only the journal knows.
            kube = stage.client()
            report = migrate_storage(kube, NAME, to=NEW, chunk=10, journal=tmp_path / "j", on_progress=deadly)
        except Killed:
            continue
        break
    assert kills == 20
    assert rewritten == list(range(10, 301, 10))
    assert (report.finished, report.left, report.objects) == (True, 0, 300)
    assert (stage.left(), stage.versions(), stage.stored_versions()) == ([], [NEW], [NEW])
    assert report.moved >= 300


def test_killed_in_the_middle_of_chunks_it_leaves_nothing_behind(tmp_path: Path) -> None:
    stage, dice = Stage(60, flip_race=5), random.Random(5)
    kills = 0

    def die() -> None:
        nonlocal kills
        if kills < 20 and dice.random() < 0.1:
            kills += 1
            raise KeyboardInterrupt

    stage.server.before_write(die)
    while True:
        try:
            report = migrate_storage(stage.client(), NAME, to=NEW, chunk=10, journal=tmp_path / "j")
        except KeyboardInterrupt:
            assert stage.stored_versions() != [NEW] or not stage.left()
            continue
        break
    assert (kills, report.finished, report.left, stage.left(), stage.versions()) == (20, True, 0, [], [NEW])


def test_a_pass_that_was_killed_inside_of_a_chunk_is_none_that_moved_nothing(tmp_path: Path) -> None:
    stage = Stage(20, flip_race=12)
    with Migration(stage.kube, NAME, to=NEW, settle=0.0, chunk=10, journal=tmp_path / "j") as migration:
        migration.flip()
        migration.rewrite()
        assert len(stage.left()) == 12
        writes = iter(range(100))
        stage.server.before_write(lambda: next(writes) == 7 and die())
        with pytest.raises(KeyboardInterrupt):
            migration.verify()
    stage.server.before_write(None)
    with Migration(stage.client(), NAME, to=NEW, settle=0.0, chunk=10, journal=tmp_path / "j") as migration:
        migration.verify()
        # The first pass moved some of which nobody knows: another one proves that none is left.
        assert migration.report().passes >= 3


def die() -> None:
    raise KeyboardInterrupt


def test_without_verification_the_race_after_the_flip_leaves_stragglers() -> None:
    stage = Stage(40, flip_race=7)
    with Migration(stage.kube, NAME, to=NEW, settle=0.0) as migration:
        migration.flip()
        migration.rewrite()
        assert len(stage.left()) == 7
        assert (migration.verify().moved, stage.left()) == (0, [])


@pytest.mark.parametrize("phase", ["rewrite", "verify", "clean_managers"])
def test_a_pause_in_any_phase_is_no_end(phase: str, tmp_path: Path) -> None:
    stage = Stage(30)

    def pausing(progress: Progress) -> None:
        if progress.phase == phase and progress.done in (10, 20):
            migration.pause()

    ends = []
    for _ in range(3):
        # A new process each time: only the journal knows.
        with Migration(
            stage.client(), NAME, to=NEW, chunk=10, journal=tmp_path / "j", on_progress=pausing
        ) as migration:
            ends.append(migration.run())
    assert [(each.phase, each.finished) for each in ends] == [(phase, False), (phase, False), ("remove", True)]
    assert (stage.left(), stage.versions()) == ([], [NEW])


def test_a_definition_that_never_rests_is_never_trimmed() -> None:
    stage = Stage(4)
    labels = iter(range(10_000))

    def restless(progress: Progress) -> None:
        if progress.phase == "verify":
            stage.server.edit(*CRD, lambda body: body["metadata"].update(labels={"a": str(next(labels))}))

    with pytest.raises(MigrationRefusedError) as refused:
        migrate_storage(stage.kube, NAME, to=NEW, on_progress=restless)
    assert (refused.value.code, stage.stored_versions()) == ("moving", [OLD, NEW])


def test_a_definition_that_changes_at_each_trim_is_never_trimmed() -> None:
    stage = Stage(4)
    labels = iter(range(10_000))

    def meddle(request: Any) -> None:
        if request.url.endswith("/status"):
            stage.server.edit(*CRD, lambda body: body["metadata"].update(labels={"a": str(next(labels))}))

    stage.server.before_write(meddle)
    with pytest.raises(MigrationRefusedError, match="changes all the time"):
        migrate_storage(stage.kube, NAME, to=NEW)
    assert stage.stored_versions() == [OLD, NEW]


def test_a_pause_ends_after_the_chunk_and_the_next_call_goes_on() -> None:
    stage = Stage(30)
    told: list[Progress] = []

    def pausing(progress: Progress) -> None:
        told.append(progress)
        if progress.phase == "rewrite" and progress.done == 10:
            migration.pause()

    with Migration(stage.kube, NAME, to=NEW, chunk=10, on_progress=pausing) as migration:
        paused = migration.run()
        assert (paused.finished, paused.phase, paused.objects, len(stage.left())) == (False, "rewrite", 10, 20)
        assert migration.run().finished
        assert migration.report().finished
    assert [each.done for each in told if each.phase == "rewrite"] == [10, 20, 30]


def test_what_cannot_be_written_is_isolated_named_and_keeps_the_old_version() -> None:
    stage = Stage(20)
    stage.server.admit(lambda _, body: "too big" if body["metadata"]["name"] == "w0003" else None)
    stage.server.fail_conversion(NAME, "w0005")
    with Migration(stage.kube, NAME, to=NEW, chunk=8) as migration:
        report = migration.run()
        found = [(each.name, each.reason) for each in report.problems]
        assert found == [("w0003", "denied"), ("w0005", "unconvertible")]
        assert (report.finished, report.phase, report.left) == (False, "verify", 2)
        assert "too big" in report.problems[0].detail
        assert (stage.left(), stage.stored_versions()) == (["w0003", "w0005"], [OLD, NEW])
        stage.server.admit(None)
        stage.server.fail_conversion(NAME, "w0005", None)
        assert migration.run().problems == ()
    assert (stage.left(), stage.versions()) == ([], [NEW])


def test_an_object_that_is_never_at_rest_is_a_problem_and_not_assumed_done() -> None:
    stage = Stage(3)
    place = (f"lab.example.com/{OLD}", "Widget", "lab", "w0001")
    stage.server.before_write(lambda: stage.server.edit(*place, lambda body: body["spec"].update(hits=stage_count())))
    counter = iter(range(1, 10_000))

    def stage_count() -> int:
        return next(counter)

    with Migration(stage.kube, NAME, to=NEW) as migration:
        problems = migration.run().problems
    assert [(each.name, each.reason) for each in problems] == [("w0001", "contended")]
    assert stage.stored_versions() == [OLD, NEW]


def test_an_object_that_is_gone_is_done() -> None:
    stage = Stage(5)
    place = (f"lab.example.com/{OLD}", "Widget", "lab", "w0004")
    stage.server.before_write(lambda: stage.server.object(*place) and stage.server.delete(*place), times=3)
    report = migrate_storage(stage.kube, NAME, to=NEW)
    assert (report.finished, report.problems, report.left) == (True, (), 0)


@pytest.mark.parametrize("effect", ["reset", 503, 429])
@pytest.mark.parametrize("phase", ["before", "after"])
def test_lost_answers_are_asked_again(effect: str | int, phase: Any) -> None:
    stage = Stage(20)
    stage.server.inject("PATCH", phase=phase, effect=effect, nth=3, times=4)
    report = migrate_storage(stage.kube, NAME, to=NEW, chunk=6)
    assert (report.finished, report.problems, stage.left()) == (True, (), [])


def test_an_expired_list_goes_on_with_the_fresh_token() -> None:
    stage = Stage(30)

    def forget(progress: Progress) -> None:
        stage.server.expire_continue_tokens()

    report = migrate_storage(stage.kube, NAME, to=NEW, chunk=7, on_progress=forget)
    assert (report.finished, report.objects, stage.left()) == (True, 30, [])


def test_managers_name_the_new_version_and_apply_works_afterwards() -> None:
    stage = Stage(6)
    applied = {"spec": {"color": "red"}}
    old = stage.kube.object(f"lab.example.com/{OLD}", "Widget", "lab", "w0001")
    old.apply(applied, "painter")
    stage.server.edit(f"lab.example.com/{NEW}", "Widget", "lab", "w0001", lambda body: body["spec"].update(size=2))
    assert check_storage(stage.kube, NAME, OLD).managers[0].name == "kubectl-create"
    assert migrate_storage(stage.kube, NAME, to=NEW).finished
    entries = [entry for name in stage.names for entry in stage.widget(name)["metadata"]["managedFields"]]
    assert {entry["apiVersion"] for entry in entries} == {f"lab.example.com/{NEW}"}
    new = stage.kube.object(f"lab.example.com/{NEW}", "Widget", "lab", "w0001")
    assert new.apply({"spec": {"color": "blue"}}, "painter").outcome == "updated"
    assert stage.widget("w0001")["spec"]["color"] == "blue"


def test_the_definition_may_change_between_verification_and_trim() -> None:
    stage = Stage(4)

    def meddle(progress: Progress) -> None:
        if progress.phase == "verify" and not meddled:
            meddled.append(1)
            stage.server.edit(*CRD, lambda body: body["metadata"].update(labels={"a": "b"}))

    meddled: list[int] = []
    report = migrate_storage(stage.kube, NAME, to=NEW, on_progress=meddle)
    assert (report.finished, report.passes) == (True, 3)


def test_the_definition_may_change_at_the_very_moment_of_the_trim() -> None:
    stage = Stage(4)

    def meddle(request: Any) -> None:
        if request.url.endswith("/status") and not meddled:
            meddled.append(1)
            stage.server.edit(*CRD, lambda body: body["metadata"].update(labels={"a": "b"}))

    meddled: list[int] = []
    stage.server.before_write(meddle)
    report = migrate_storage(stage.kube, NAME, to=NEW)
    assert (report.finished, report.left, meddled) == (True, 0, [1])


def test_old_versions_stay_if_asked_for() -> None:
    stage = Stage(4)
    report = migrate_storage(stage.kube, NAME, to=NEW, remove_old=False)
    assert (report.finished, report.phase, report.removed) == (True, "trim", ())
    assert (stage.versions(), stage.stored_versions()) == ([OLD, NEW], [NEW])
    warning = stage.crd()["spec"]["versions"][0]["deprecationWarning"]
    assert warning == "lab.example.com/v1beta1 Widget is deprecated and will be removed; use lab.example.com/v1"
