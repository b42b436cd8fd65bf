# SPDX-License-Identifier: MIT
"""Group commit inside the cluster: objects have no long operations, but as many writers."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from aks_etag import Event
from aks_etag.history import check
from aks_etag.kubernetes import AsyncKubernetesClient, Flapping, KubernetesClient
from aks_etag.mock.kubernetes import MockKubernetes

from ..client.test_lanes import started

MANY = 40


CONFIG: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "c", "namespace": "default"},
    "data": {"n": "0"},
}


@pytest.fixture
def mock() -> MockKubernetes:
    mock = MockKubernetes()
    mock.add(CONFIG)
    return mock


def client(mock: MockKubernetes, kind: Any = KubernetesClient, **settings: Any) -> Any:
    return kind(mock.url, transport=mock.httpx_transport(), clock=mock.clock, **settings)


def more(body: dict[str, Any]) -> None:
    body["data"]["n"] = str(int(body["data"]["n"]) + 1)


def config(kube: Any) -> Any:
    return kube.object("v1", "ConfigMap", "default", "c")


def number(mock: MockKubernetes) -> int:
    with client(mock) as kube:
        return int(config(kube).get().body["data"]["n"])


@pytest.mark.anyio
async def test_tasks_that_want_to_write_at_once_write_once(mock: MockKubernetes) -> None:
    async with client(mock, AsyncKubernetesClient, group_commit=True) as kube:
        done = await asyncio.gather(*(config(kube).update(more) for _ in range(MANY)))
        assert kube._parts.groups._rooms == {}
    assert [entry.method for entry in mock.journal].count("PUT") == 1
    assert sorted(result.batch.place for result in done) == list(range(MANY))
    assert number(mock) == MANY


def test_threads_lose_nothing_either(mock: MockKubernetes) -> None:
    with client(mock, group_commit=True, linger=0.5) as kube:
        with started(*[lambda: config(kube).update(more)] * MANY):
            pass
        assert kube.stats.conflicts == 0
    assert number(mock) == MANY


def test_it_waits_in_the_lane_of_all_writes(mock: MockKubernetes) -> None:
    with client(mock, group_commit=True) as kube:
        one = config(kube)
        seen = one.get()
        with started(*[lambda: one.update(more)] * 4, *[lambda: one.with_options(group_commit=False).update(more)] * 4):
            pass
        assert kube.stats.conflicts == 0
        assert one.update(more).batch is not None
        assert one.update(more, if_match=one.get()).batch is None
        assert seen.etag != one.get().etag
    assert number(mock) == 10


def test_its_history_is_clean(mock: MockKubernetes, tmp_path: Any) -> None:
    path = tmp_path / "history.jsonl"
    with client(mock, group_commit=True, linger=0.5, history=path) as kube:
        with started(*[lambda: config(kube).update(more)] * 6):
            pass
    report = check(path)
    assert (report.operations, report.unknown, report.clean) == (6, 0, True)


def test_what_goes_to_and_fro_is_told_to_all_who_write_it(mock: MockKubernetes) -> None:
    heard: list[Event] = []

    def switch(body: dict[str, Any]) -> None:
        body["data"]["mode"] = "b" if body["data"].get("mode") == "a" else "a"

    with client(mock, group_commit=True, on_event=heard.append) as kube:
        for _ in range(4):
            config(kube).update(switch)
    assert [event.path for event in heard if isinstance(event, Flapping)] == [".data.mode"]
