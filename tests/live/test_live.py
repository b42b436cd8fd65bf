# SPDX-License-Identifier: MIT
"""The same checks against a mock, always, and against a real cluster, where somebody names one.

    AKS_ETAG_TEST_SUBSCRIPTION=… AKS_ETAG_TEST_RESOURCE_GROUP=… AKS_ETAG_TEST_CLUSTER=… nox -s live

Only the cluster's tags and the labels of its first pool are touched, and put back at the end.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from aks_etag import AksClient
from aks_etag._status_table import PREFLIGHT, ROWS, Row
from aks_etag.mock import MockAks

from .probes import STALE, SWITCHES, Target, restored, statuses, texts, writable

NAMES = ("AKS_ETAG_TEST_SUBSCRIPTION", "AKS_ETAG_TEST_RESOURCE_GROUP", "AKS_ETAG_TEST_CLUSTER")
MISSING = [name for name in NAMES if not os.environ.get(name)]
# A create or a delete is not for a cluster that somebody uses.
HARMLESS = [
    row
    for row in (*ROWS, *PREFLIGHT)
    if not (row.method == "DELETE" and row.exists)
    and not (row.method == "PUT" and not row.exists and row.status("pool") == 201)
]


def of_a_mock(**switches: Any) -> Target:
    mock = MockAks(operation_polls=3, **switches)
    mock.add_cluster("rg", "prod", pools={"np1": {"count": 3}})
    aks = mock.client()
    cluster = aks.cluster("rg", "prod")
    return Target(aks, cluster, cluster.agent_pool("np1"))


def of_a_real_one() -> Target:
    subscription, group, name = (os.environ[name] for name in NAMES)
    aks = AksClient(None, subscription)
    cluster = aks.cluster(group, name)
    pool = next(cluster.agent_pools())
    return Target(aks, cluster, cluster.agent_pool(pool.name))


@pytest.fixture(
    params=[
        "mock",
        pytest.param(
            "real", marks=pytest.mark.skipif(bool(MISSING), reason=f"no real cluster: {', '.join(MISSING)} not set")
        ),
    ]
)
def target(request: pytest.FixtureRequest) -> Iterator[Target]:
    found = of_a_mock() if request.param == "mock" else of_a_real_one()
    with restored(found):
        yield found
    found.aks.close()


@pytest.mark.parametrize("row", HARMLESS, ids=lambda row: row.name)
def test_the_status_table(target: Target, row: Row) -> None:
    for kind in ("cluster", "pool"):
        handle = target.cluster if kind == "cluster" else target.pool
        seen = handle.wait()
        path = handle.id if row.exists else f"{target.cluster.id}/agentPools/nosuchpool"
        if kind == "cluster" and (row.method == "PUT" or not row.exists):
            continue  # a whole body of a real cluster is not put for a test, and a pool stands for what is absent
        body = {"PUT": writable(target.pool), "PATCH": {"tags": seen.body.get("tags") or {}}, "DELETE": None}[
            row.method
        ]
        headers = {name.replace("-", "_"): value for name, value in row.headers(seen.etag).items()}
        if row.if_match == "stale":
            headers["If_Match"] = STALE
        answer = target.send(row.method, path, body, **headers)
        assert answer.status_code in (row.status(kind), 202 if row.method == "PATCH" else row.status(kind))


def test_the_switches(target: Target, capsys: pytest.CaptureFixture[str]) -> None:
    observed = {name: probe(target) for name, probe in SWITCHES.items()}
    said = {**statuses(target), **texts(target)}
    with capsys.disabled():
        print("\nobserved values of the mock's switches:")
        for name, value in observed.items():
            print(f"  MockAks({name}={value!r})")
        for name, value in said.items():
            print(f"  {name}: {value}")
    assert set(observed) == set(SWITCHES)
    assert said["412"].startswith("412")


SET = [
    {"accept_quotes": False},
    {"patch_moves_tag": False},
    {"patch_tags": "merge"},
    {"cluster_tag_moves": "accept"},
    {"omitted_pools_move": False},
    {"busy_first": True},
    {"tagless_api_versions": ["2024-09-01", "2025-08-01"]},
]


@pytest.mark.parametrize("switches", SET, ids=str)
def test_a_probe_finds_how_a_switch_is_set(switches: dict[str, Any]) -> None:
    ((name, value),) = switches.items()
    assert SWITCHES[name](of_a_mock(**switches)) == value


@pytest.mark.parametrize("name", SWITCHES)
def test_a_probe_finds_how_a_switch_is_not_set(name: str) -> None:
    assert SWITCHES[name](of_a_mock()) in (
        getattr(MockAks().switches, name),
        list(MockAks().switches.tagless_api_versions),
    )


def test_what_was_touched_is_put_back() -> None:
    target = of_a_mock()
    before = (target.cluster.get().body.get("tags"), target.pool.get().body["properties"].get("nodeLabels"))
    with restored(target):
        for probe in SWITCHES.values():
            probe(target)
    assert (target.cluster.get().body.get("tags"), target.pool.get().body["properties"].get("nodeLabels")) == before
