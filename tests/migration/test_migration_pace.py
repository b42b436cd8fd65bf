# SPDX-License-Identifier: MIT
"""When writes go out: rate, window and settling, in virtual time."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta, timezone
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from aks_etag.kubernetes.migration import Migration, Progress, migrate_storage
from aks_etag.kubernetes.migration._pace import until_open

from .stage import NAME, NEW, Stage

EPOCH = datetime(2025, 1, 1, tzinfo=UTC).timestamp()
NOON = EPOCH + 12 * 3600
HOUR = 3600.0
EAST = timezone(timedelta(hours=5))


@pytest.mark.parametrize(
    ("start", "end", "hours"),
    [
        pytest.param(time(11), time(13), 0.0, id="open"),
        pytest.param(time(12), time(13), 0.0, id="opens now"),
        pytest.param(time(11), time(12), 23.0, id="closes now"),
        pytest.param(time(22), time(23), 10.0, id="later"),
        pytest.param(time(3), time(5), 15.0, id="tomorrow"),
        pytest.param(time(22), time(4), 10.0, id="over midnight"),
        pytest.param(time(22), time(13), 0.0, id="open over midnight"),
        pytest.param(time(18, tzinfo=EAST), time(20, tzinfo=EAST), 1.0, id="another zone"),
    ],
)
def test_a_window_opens_in(start: time, end: time, hours: float) -> None:
    assert until_open((start, end), NOON) == hours * HOUR


@pytest.mark.parametrize(("month", "hours"), [(3, 7.0), (10, 9.0), (6, 8.0)])
def test_a_night_in_which_the_clocks_change_is_shorter_or_longer(month: int, hours: float) -> None:
    berlin = ZoneInfo("Europe/Berlin")
    evening = {3: datetime(2025, 3, 29, 20, tzinfo=berlin), 10: datetime(2025, 10, 25, 20, tzinfo=berlin)}
    moment = evening.get(month, datetime(2025, 6, 1, 20, tzinfo=berlin))
    assert until_open((time(4, tzinfo=berlin), time(5, tzinfo=berlin)), moment.timestamp()) == hours * HOUR


def patches(stage: Stage) -> list[float]:
    """List when objects were written, in virtual seconds."""
    return [entry.at for entry in stage.server.journal if entry.method == "PATCH"]


def test_a_rate_spaces_the_writes() -> None:
    stage = Stage(10)
    seen: list[Progress] = []
    with Migration(stage.kube, NAME, to=NEW, rate=2.0, chunk=5, on_progress=seen.append) as migration:
        migration.flip()
        migration.rewrite()
    times = patches(stage)
    assert [round(later - earlier, 6) for earlier, later in pairwise(times)] == [0.5] * 9
    assert [each.eta for each in seen][-1] == 0.0
    assert seen[0].rate == pytest.approx(2.5, rel=0.3)
    assert seen[0].eta == pytest.approx(2.0, rel=0.3)


def test_nothing_is_written_outside_of_the_window() -> None:
    stage = Stage(10)
    # The virtual day begins at midnight; ten writes at one in ten minutes take more than the hour that is open.
    stage.server.inject("PATCH", effect=503, nth=6, times=2)
    report = migrate_storage(stage.kube, NAME, to=NEW, window=(time(2), time(3)), rate=1 / 600)
    assert report.finished
    writes = [entry for entry in stage.server.journal if entry.method in ("PATCH", "PUT")]
    hours = {int(entry.at % 86_400 // 3600) for entry in writes}
    assert hours == {2}
    assert len({int(entry.at // 86_400) for entry in writes}) > 2


@pytest.mark.parametrize("settings", [{"rate": 0}, {"rate": -1}, {"window": (time(1), time(1))}, {"chunk": 0}])
def test_settings_that_could_never_work_are_refused(settings: dict[str, Any]) -> None:
    stage = Stage(0)
    with pytest.raises(ValueError, match=r"needed|window"):
        Migration(stage.kube, NAME, to=NEW, **settings)


def test_the_last_verification_starts_after_the_settle() -> None:
    stage = Stage(5, flip_race=4.5)
    stage.server.clock.sleep(100)
    assert migrate_storage(stage.kube, NAME, to=NEW, settle=5.0).left == 0
    flips = [each.at for each in stage.server.commits if each.key.name == NAME and stores_new(each.body_after)]
    assert (min(flips), min(patches(stage))) == (EPOCH + 100, EPOCH + 105)
    assert stage.left() == []


def stores_new(body: Any) -> bool:
    """Whether a definition stores the new version."""
    return any(each["name"] == NEW and each["storage"] for each in body["spec"]["versions"])


def test_settling_waits_once_for_each_state_of_the_definition() -> None:
    stage = Stage(1)
    clock = stage.server.clock
    with Migration(stage.kube, NAME, to=NEW, settle=7.0) as migration:
        migration.flip()
        migration.settle()
        migration.settle()
        assert clock.monotonic() == 7.0
        migration.deprecate()
        migration.rewrite()
        assert clock.monotonic() == 14.0
