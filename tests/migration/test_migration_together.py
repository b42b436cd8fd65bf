# SPDX-License-Identifier: MIT
"""Many writes at a time, and the asynchronous twin: nothing else is different."""

from __future__ import annotations

import asyncio
import random
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from aks_etag.kubernetes import AsyncKubernetesClient, KubernetesClient
from aks_etag.kubernetes.migration import AsyncMigration, Migration, Progress, migrate_storage
from aks_etag.kubernetes.migration import aio as migration_aio
from aks_etag.kubernetes.migration._pace import Pace

from .stage import NAME, NEW, OLD, Stage, Writers


class Killed(Exception):
    """Stands for the end of a process."""


def test_as_many_writes_as_allowed_are_under_way_at_once() -> None:
    stage = Stage(40)
    meeting, lock, most, inside = threading.Barrier(4, timeout=10), threading.Lock(), [0], [0]

    def met(request: Any) -> None:
        if request.method != "PATCH":
            return
        with lock:
            inside[0] += 1
            most[0] = max(most[0], inside[0])
        meeting.wait()
        with lock:
            inside[0] -= 1

    stage.server.before_write(met)
    report = migrate_storage(stage.kube, NAME, to=NEW, chunk=20, concurrency=4)
    assert (report.finished, report.left, report.objects, most) == (True, 0, 40, [4])
    assert (stage.left(), stage.versions(), stage.stored_versions()) == ([], [NEW], [NEW])


def test_many_at_a_time_over_sockets_with_live_writers_and_kills_lose_nothing(tmp_path: Path) -> None:
    stage, dice, kills = Stage(200, flip_race=9), random.Random(11), [0]
    writers = Writers(stage)

    def deadly(progress: Progress) -> None:
        assert stage.stored_versions() != [NEW] or not stage.left()
        if kills[0] < 10 and dice.random() < 0.5:
            kills[0] += 1
            raise Killed

    with stage.server.serve() as url:
        while True:
            try:
                with KubernetesClient(url, token="t", clock=stage.server.clock) as kube:
                    report = migrate_storage(
                        kube, NAME, to=NEW, chunk=10, concurrency=8, journal=tmp_path / "j", on_progress=deadly
                    )
            except Killed:
                continue
            break
    assert (kills, report.finished, report.left, report.objects) == ([10], True, 0, 200)
    assert (stage.left(), stage.versions()) == ([], [NEW])
    assert stage.hits() == writers.written


def test_the_last_writes_of_a_chunk_close_their_connections() -> None:
    stage = Stage(9)
    closing: list[str] = []

    def look(request: Any) -> None:
        if request.headers.get("connection") == "close":
            closing.append(request.url.rpartition("/")[2][:5])

    stage.server.before_write(look)
    with Migration(stage.kube, NAME, to=NEW, chunk=5, concurrency=2) as migration:
        migration.flip()
        migration.rewrite()
    assert sorted(closing) == ["w0003", "w0004", "w0007", "w0008"]


def test_places_of_a_rate_are_taken_once_whoever_asks() -> None:
    pace, taken, start = Pace(wall=lambda: 0.0, rate=10.0), [], threading.Barrier(8)

    def take() -> None:
        start.wait()
        for _ in range(500):
            taken.append(round(pace._place(0.0), 6))

    threads = [threading.Thread(target=take) for _ in range(8)]
    often, usual = 1e-6, sys.getswitchinterval()
    sys.setswitchinterval(often)
    try:
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    finally:
        sys.setswitchinterval(usual)
    assert sorted(taken) == [round(number / 10, 6) for number in range(4000)]


@pytest.mark.parametrize("concurrency", [0, -1, True, 1.5])
def test_a_concurrency_that_could_never_work_is_refused(concurrency: Any) -> None:
    with pytest.raises(ValueError, match="concurrency"):
        Migration(Stage(0).kube, NAME, to=NEW, concurrency=concurrency)


@pytest.mark.parametrize("concurrency", [1, 8])
def test_the_asynchronous_twin_does_the_same(concurrency: int, tmp_path: Path) -> None:
    stage = Stage(60, flip_race=5)
    writers = Writers(stage)
    seen: list[Progress] = []

    async def main() -> None:
        transport, clock = stage.server.httpx_transport(), stage.server.clock
        async with AsyncKubernetesClient(stage.server.url, token="t", transport=transport, clock=clock) as kube:
            async with AsyncMigration(kube, NAME, to=NEW) as migration:
                found = await migration.preflight()
                assert (found.objects, found.clean) == (60, True)
                assert not (await migration.check(OLD)).removable
            report = await migration_aio.migrate_storage(
                kube, NAME, to=NEW, chunk=20, concurrency=concurrency, journal=tmp_path / "j", on_progress=seen.append
            )
            assert (report.finished, report.left, report.removed) == (True, 0, (OLD,))
            assert (await migration_aio.check_storage(kube, NAME, OLD)).removable

    asyncio.run(main())
    assert (stage.left(), stage.versions(), stage.stored_versions()) == ([], [NEW], [NEW])
    assert stage.hits() == writers.written
    assert [each.done for each in seen if each.phase == "rewrite"] == [20, 40, 60]


def test_the_steps_of_the_twin_are_the_whole_run() -> None:
    stage = Stage(5)

    async def main() -> None:
        transport, clock = stage.server.httpx_transport(), stage.server.clock
        async with AsyncKubernetesClient(stage.server.url, token="t", transport=transport, clock=clock) as kube:
            async with AsyncMigration(kube, NAME, to=NEW) as migration:
                await migration.deprecate()
                await migration.flip()
                await migration.settle()
                assert (await migration.rewrite()).moved == 5
                assert (await migration.verify()).moved == 0
                await migration.trim()
                await migration.unserve()
                assert (await migration.clean_managers()).problems == 0
                assert await migration.remove() == (OLD,)
                assert (await migration.report()).finished

    asyncio.run(main())
    assert (stage.left(), stage.versions()) == ([], [NEW])
