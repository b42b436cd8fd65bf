# SPDX-License-Identifier: MIT
"""What a client notices of quarrels: taken often enough is told, changed to and fro is told, values never are."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag import Event
from aks_etag.kubernetes import Fighting, Flapping, KubernetesClient, Object, merge_patch
from aks_etag.kubernetes._watchdog import Watchdog
from aks_etag.mock.kubernetes import MockKubernetes

X, Y = (".data.x", "them"), (".data.y", "them")


FORCED = [
    pytest.param([[X]] * 2, [], id="twice"),
    pytest.param([[X]] * 3, [(".data.x", 3)], id="three times"),
    pytest.param([[X]] * 7, [(".data.x", 3), (".data.x", 6)], id="told each third time"),
    pytest.param([[X], [Y], [X], [Y]], [], id="two fields"),
    pytest.param([[X, Y]] * 3, [(".data.x", 3), (".data.y", 3)], id="both at once"),
    pytest.param([[X], [(".data.x", "others")], [X]], [], id="two managers"),
    pytest.param([[]] * 9, [], id="nothing taken"),
]


@pytest.mark.parametrize(("takings", "told"), FORCED)
def test_the_third_taking_of_a_field_from_the_same_manager_is_a_fight(takings: Any, told: Any) -> None:
    dog = Watchdog()
    events = [event for taken in takings for event in dog.forced("/x", taken)]
    assert [(event.field, event.times) for event in events] == told


def test_other_objects_are_other_fights() -> None:
    dog = Watchdog(times=2)
    assert [dog.forced(f"/{name}", [X]) for name in "abc"] == [(), (), ()]
    assert [event.resource_id for event in dog.forced("/b", [X])] == ["/b"]


UPDATES = [
    pytest.param(["AB", "AB"], [3], id="set back each time"),
    pytest.param(["AB", "BA", "AB"], [3], id="by this client alone"),
    pytest.param(["AB", "AB", "AB"], [3], id="told once for a turn"),
    pytest.param(["AB", "AB", "AB", "AB"], [3, 6], id="told again after the next turn"),
    pytest.param(["AB"], [], id="one change"),
    pytest.param(["AB", "BA"], [], id="one correction"),
    pytest.param(["AB", "BC", "CD", "DE"], [], id="a counter"),
    pytest.param(["AB", "CB", "AB"], [], id="three values"),
    pytest.param(["AB", "AC", "AB"], [], id="two answers"),
]


@pytest.mark.parametrize(("updates", "flips"), UPDATES)
def test_a_value_that_goes_to_and_fro_between_the_same_two_is_told(updates: list[str], flips: list[int]) -> None:
    dog = Watchdog()
    events = [event for each in updates for event in dog.updated("/x", {"d": {"v": each[0]}}, {"d": {"v": each[1]}})]
    assert [(event.path, event.values, event.flips) for event in events] == [(".d.v", 2, count) for count in flips]


@pytest.mark.parametrize(
    ("a", "path"), [(None, ".v"), (1, ".v"), ({"deep": [1]}, ".v.deep"), ([], ".v"), ("", ".v")], ids=repr
)
def test_being_absent_is_a_value_and_so_is_everything_else(a: Any, path: str) -> None:
    dog = Watchdog()
    dog.updated("/x", {"v": a}, {})
    assert [event.path for event in dog.updated("/x", {"v": a}, {})] == [path]


def test_a_replaced_object_is_not_watched_field_by_field() -> None:
    dog = Watchdog()
    many = {str(number): number for number in range(17)}
    assert [dog.updated("/x", {}, many) for _ in range(9)] == [()] * 9
    assert len(dog) == 0


def test_memory_is_bounded_and_what_was_touched_last_is_kept() -> None:
    dog = Watchdog(times=2, most=10)
    for number in range(1000):
        dog.forced(f"/{number}", [X])
        dog.updated(f"/{number}", {"v": 0}, {"v": 1})
    assert len(dog) == 20
    assert len(dog.forced("/999", [X])) == 1
    assert dog.forced("/1", [X]) == ()


def test_no_value_is_kept_or_told() -> None:
    dog = Watchdog()
    dog.updated("/x", {"v": "SECRET-A"}, {"v": "SECRET-B"})
    told = dog.updated("/x", {"v": "SECRET-A"}, {"v": "SECRET-B"})
    assert "SECRET" not in repr((told, vars(dog), vars(dog._courses)))


CONFIG: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "cm", "namespace": "default"},
    "data": {"mode": "calm"},
}


class Quarrel:
    """A client, its events, and a rival that undoes what it does."""

    def __init__(self) -> None:
        self.server = MockKubernetes()
        self.server.add(CONFIG, manager="rival")
        self.events: list[Event] = []
        self.kube = KubernetesClient(
            self.server.url,
            transport=self.server.httpx_transport(),
            clock=self.server.clock,
            on_event=self.events.append,
        )

    @property
    def handle(self) -> Object:
        return self.kube.object("v1", "ConfigMap", "default", "cm")

    def undo(self) -> None:
        def change(body: dict[str, Any]) -> None:
            body["data"]["mode"] = "calm"

        self.server.edit("v1", "ConfigMap", "default", "cm", change)

    def told(self) -> list[Event]:
        return [event for event in self.events if isinstance(event, Fighting | Flapping)]


WILD = {"data": {"mode": "wild"}}
PLACE = "/api/v1/namespaces/default/configmaps/cm"


@pytest.mark.parametrize(("dry_run", "told"), [(False, 1), (True, 0)], ids=["for real", "dry run"])
def test_forcing_against_a_rival_that_writes_back_is_told(dry_run: bool, told: int) -> None:
    quarrel = Quarrel()
    with quarrel.kube:
        for _ in range(3):
            quarrel.handle.with_options(dry_run=dry_run).apply(WILD, "us", force=True)
            quarrel.undo()
    fight = Fighting(resource_id=PLACE, field=".data.mode", manager="rival", times=3)
    assert quarrel.told() == [fight] * told


def test_force_is_sent_only_where_something_is_to_be_taken() -> None:
    quarrel = Quarrel()
    with quarrel.kube:
        taken = quarrel.handle.apply(WILD, "us", force=True)
        again = quarrel.handle.apply(WILD, "us", force=True)
    patches = [entry.status for entry in quarrel.server.journal if entry.method == "PATCH"]
    assert (taken.attempts, again.attempts, patches) == (2, 1, [409, 200, 200])


@pytest.mark.parametrize("verb", ["update", "create_or_update"])
def test_updates_that_are_undone_each_time_are_told(verb: str) -> None:
    quarrel = Quarrel()
    with quarrel.kube:
        for _ in range(2):
            given = [merge_patch(WILD)] if verb == "update" else [CONFIG, merge_patch(WILD)]
            getattr(quarrel.handle, verb)(*given)
            quarrel.undo()
    assert quarrel.told() == [Flapping(resource_id=PLACE, path=".data.mode", values=2, flips=3)]


def test_a_dry_run_and_a_creation_are_not_watched() -> None:
    quarrel = Quarrel()
    with quarrel.kube:
        for _ in range(4):
            quarrel.handle.with_options(dry_run=True).update(merge_patch(WILD))
        quarrel.kube.object("v1", "ConfigMap", "default", "new").create_or_update(
            CONFIG["data"] and {}, merge_patch({})
        )
    assert quarrel.told() == []


def test_a_quarrel_is_logged_by_its_facts(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "aks_etag")
    quarrel = Quarrel()
    with quarrel.kube:
        for _ in range(3):
            quarrel.handle.apply(WILD, "us", force=True)
            quarrel.undo()
    logged = [record for record in caplog.records if getattr(record, "aks_event", "") == "Fighting"]
    assert [(vars(record)["aks_field"], vars(record)["aks_manager"]) for record in logged] == [(".data.mode", "rival")]
    assert "wild" not in caplog.text
