# SPDX-License-Identifier: MIT
"""``exactly_once`` on the mock: writers that are interrupted at every turn, and always know what they did."""

from __future__ import annotations

import os
import random
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from aks_etag import ConflictRetry, Doubt, Event, InvalidPreconditionError, WriteOutcomeUnknownError, merge_patch
from aks_etag._core.marker import SLOTS, registry
from aks_etag._writers import Writers
from aks_etag.kubernetes import KubernetesClient
from aks_etag.kubernetes.migration import migrate_storage
from aks_etag.mock import MockAks, MockKubernetes

from ..flows.harness import more
from ..migration.stage import NAME, NEW, Stage

PATIENT = ConflictRetry(attempts=10_000, deadline=10**6)
TAG = "aks-etag"


@pytest.fixture
def mock() -> MockAks:
    fake = MockAks()
    fake.add_cluster("rg", "prod")
    return fake


def count(mock: MockAks) -> int:
    return int(mock.body("rg", "prod", "np1")["properties"]["count"])


def pool_tags(mock: MockAks) -> dict[str, str]:
    return dict(mock.body("rg", "prod", "np1")["properties"].get("tags") or {})


def on_doubt(then: Callable[[], object]) -> Callable[[Event], None]:
    """Let somebody else write once a write is in doubt, and before it is looked into."""
    left = [then]

    def listen(event: Event) -> None:
        if isinstance(event, Doubt) and left:
            left.pop()()

    return listen


@pytest.mark.parametrize(
    ("phase", "exact", "outcome", "nodes"),
    [
        pytest.param("after", True, ("updated", "marker"), 20, id="landed"),
        pytest.param("before", True, ("updated", None), 21, id="never-arrived"),
        pytest.param("after", False, "unknown", 20, id="landed-without-a-note"),
        pytest.param("before", False, "unknown", 20, id="never-arrived-without-a-note"),
    ],
)
def test_a_lost_answer_is_found_out_though_others_have_written_since(
    mock: MockAks, phase: Any, exact: bool, outcome: Any, nodes: int
) -> None:
    listen = on_doubt(lambda: mock.edit("rg", "prod", "np1", lambda body: body["properties"].update(count=20)))
    with mock.client(exactly_once=exact, on_event=listen) as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        pool.update(more)
        mock.inject("PUT", phase=phase)
        if outcome == "unknown":
            with pytest.raises(WriteOutcomeUnknownError):
                pool.update(more)
        else:
            result = pool.update(more)
            assert (result.outcome, result.recovered) == outcome
    assert count(mock) == nodes


def test_writers_that_lose_answers_all_the_time_lose_and_double_nothing() -> None:
    mock = MockAks(operation_polls=0)
    mock.add_cluster("rg", "prod")
    start = count(mock)
    for phase, seed in (("before", 1), ("after", 2)):
        mock.inject("PUT", phase=phase, probability=0.15, seed=seed)  # type: ignore[arg-type]
    # There from the beginning: without a registry to compare with, a first write could stay in doubt.
    with mock.client(exactly_once=True, conflict_retry=PATIENT) as aks:
        aks.cluster("rg", "prod").agent_pool("np1").update(merge_patch({"properties": {"mode": "User"}}))

    def work(_: int) -> Counter[str]:
        with mock.client(exactly_once=True, conflict_retry=PATIENT, polling_interval=0) as aks:
            pool, told = aks.cluster("rg", "prod").agent_pool("np1"), Counter[str]()
            for _ in range(25):
                result = pool.update(more)
                told[result.recovered or result.outcome] += 1
            return told

    with ThreadPoolExecutor(6) as threads:
        told = sum(threads.map(work, range(6)), Counter[str]())
    assert told.total() == 150
    assert count(mock) == start + 150
    assert told["marker"] > 0


def test_more_writers_than_slots_still_know(mock: MockAks) -> None:
    clients = [mock.client(exactly_once=True) for _ in range(SLOTS + 3)]
    for client in clients:
        client.cluster("rg", "prod").agent_pool("np1").update(more)
    known = registry(pool_tags(mock)[TAG])
    assert known is not None
    assert len(known.slots) == SLOTS
    mock.inject("PUT", phase="after")
    result = clients[0].cluster("rg", "prod").agent_pool("np1").update(more)
    assert (result.outcome, count(mock)) == ("updated", 3 + SLOTS + 4)


def test_the_tag_of_a_cluster_goes_along_with_tags_that_are_patched(mock: MockAks) -> None:
    with mock.client(exactly_once=True) as aks:
        cluster = aks.cluster("rg", "prod")
        cluster.update_tags({"team": "red"})
        mock.inject("PATCH", phase="after")
        assert cluster.update_tags({"team": "blue", "old": None}).outcome == "updated"
        tags = mock.body("rg", "prod")["tags"]
        assert (tags["team"], registry(tags[TAG]) is not None) == ("blue", True)
        assert cluster.update_tags({"team": "blue"}).outcome == "unchanged"


def test_a_create_in_doubt_is_known_by_its_note(mock: MockAks) -> None:
    with mock.client(exactly_once=True) as aks:
        mock.inject("PUT", phase="after")
        body = {"properties": {"count": 1, "vmSize": "Standard_D2s_v3", "osType": "Linux", "mode": "User"}}
        result = aks.cluster("rg", "prod").agent_pool("np9").create(body)
    assert (result.outcome, result.recovered) == ("created", "marker")


def test_with_other_options_a_handle_notes_or_does_not(mock: MockAks) -> None:
    with mock.client() as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        pool.update(more)
        assert TAG not in pool_tags(mock)
        pool.with_options(exactly_once=True).update(more)
        first = pool_tags(mock)[TAG]
        pool.with_options(exactly_once=True).update(more)
        (one,), (two,) = (registry(text).writers for text in (first, pool_tags(mock)[TAG]))  # type: ignore[union-attr]
        assert one == two
        with pytest.raises(TypeError, match="exactly_once"):
            pool.with_options(exactly_once="yes")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="exactly_once"):
        mock.client(exactly_once=1)


def test_an_object_of_kubernetes_is_noted_in_an_annotation() -> None:
    server = MockKubernetes()
    metadata = {"name": "cm", "namespace": "d"}
    server.add({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"n": "0"}})
    seen: list[bool] = []

    def one_more(body: dict[str, Any]) -> None:
        seen.append("annotations" in body["metadata"])
        body["data"]["n"] = str(int(body["data"]["n"]) + 1)

    def rival(body: dict[str, Any]) -> None:
        body["data"]["n"] = "99"

    listen = on_doubt(lambda: server.edit("v1", "ConfigMap", "d", "cm", rival))
    transport, clock = server.httpx_transport(), server.clock
    with KubernetesClient(
        server.url, token="t", transport=transport, clock=clock, exactly_once=True, on_event=listen
    ) as kube:
        config = kube.object("v1", "ConfigMap", "d", "cm")
        assert config.update(one_more).outcome == "updated"
        server.inject("PUT", phase="after")
        assert config.update(one_more).recovered == "marker"
        with pytest.raises(InvalidPreconditionError, match="exactly_once"):
            config.subresource("status").update(one_more)
        assert config.with_options(exactly_once=False).update(merge_patch({"data": {"m": "1"}})).outcome == "updated"
    stored = server.object("v1", "ConfigMap", "d", "cm")
    assert stored is not None
    assert stored["data"] == {"n": "99", "m": "1"}
    assert registry(stored["metadata"]["annotations"]["aks-etag/writers"]) is not None
    assert seen == [False] * len(seen)


def test_ids_are_never_with_two_writes_at_once_and_come_back() -> None:
    writers = Writers(random.Random(1))
    one, two = writers.take("/a", ()), writers.take("/A", ())
    assert one != two
    writers.give_back("/a", one)
    assert writers.take("/a", ()) == one
    assert writers.take("/b", ()) == one
    assert writers.take("/c", {one}) != one
    writers.give_back("/never", "zzzzzz")
    writers.give_back("/a", "zzzzzz")
    assert writers.take("/a", ()) not in (one, two, "zzzzzz")


def test_threads_are_handed_different_ids() -> None:
    writers, taken = Writers(), []
    threads = [threading.Thread(target=lambda: taken.append(writers.take("/a", ()))) for _ in range(50)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(set(taken)) == 50


def test_a_forked_process_writes_under_ids_of_its_own() -> None:
    writers = Writers()
    mine = writers.take("/a", ())
    writers.give_back("/a", mine)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, writers.take("/a", ()).encode())
        os._exit(0)
    os.waitpid(child, 0)
    theirs = os.read(read, 100).decode()
    os.close(read)
    os.close(write)
    assert len(theirs) == len(mine)
    assert theirs != mine
    assert writers.take("/a", ()) == mine


def test_a_fork_while_another_thread_takes_an_id_does_not_hang() -> None:
    writers = Writers()
    with writers._lock:
        child = os.fork()
        if child == 0:
            writers.take("/a", ())
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_definition_is_migrated_by_a_client_that_notes_its_writes() -> None:
    stage = Stage(3)
    transport, clock = stage.server.httpx_transport(), stage.server.clock
    with KubernetesClient(stage.server.url, token="t", transport=transport, clock=clock, exactly_once=True) as kube:
        assert migrate_storage(kube, NAME, to=NEW).finished


def test_threads_of_one_client_are_never_in_doubt_about_each_other(mock: MockAks) -> None:
    start = count(mock)
    mock.inject("PUT", phase="after", probability=0.2, seed=3)
    with mock.client(exactly_once=True, conflict_retry=PATIENT, polling_interval=0) as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        pool.update(merge_patch({"properties": {"mode": "User"}}))
        with ThreadPoolExecutor(5) as threads:
            outcomes = list(threads.map(lambda _: pool.update(more).outcome, range(60)))
    assert set(outcomes) == {"updated"}
    assert count(mock) == start + 60


def test_clients_write_under_different_ids() -> None:
    assert len({Writers().take("/a", ()) for _ in range(100)}) == 100
