# SPDX-License-Identifier: MIT
"""Programs as users write them: type-checked, never run."""

from __future__ import annotations

from pathlib import Path
from typing import Any, assert_type

import httpx
from azure.identity import DefaultAzureCredential
from azure.identity.aio import DefaultAzureCredential as AsyncDefaultAzureCredential
from azure.mgmt.containerservice import ContainerServiceClient, models
from azure.mgmt.containerservice.aio import ContainerServiceClient as AioContainerServiceClient

from aks_etag import (
    AgentPool,
    AksClient,
    AsyncAgentPool,
    AsyncAksClient,
    AsyncOperation,
    Batch,
    Cluster,
    Conflict,
    ConflictRetry,
    Difference,
    Event,
    MergeConflict,
    MergeConflictError,
    Operation,
    PreconditionFailedError,
    Snapshot,
    WriteOutcomeUnknownError,
    WriteResult,
    diff,
    json_patch,
    merge_patch,
    no_scale_down,
    rebase,
    typed,
)
from aks_etag.mock import MockAks


def in_place(body: dict[str, Any]) -> None:
    body["properties"]["count"] += 1


def anew(body: dict[str, Any]) -> dict[str, Any]:
    return {**body, "tags": {"team": "red"}}


def retag(tags: dict[str, Any]) -> None:
    tags["team"] = "red"


def edit(pool: models.AgentPool) -> None:
    pool.count = 5


def wrapped(sdk: ContainerServiceClient, subscription_id: str) -> AksClient:
    return AksClient.from_sdk(sdk, subscription_id, on_busy="raise")


def wrapped_aio(sdk: AioContainerServiceClient, subscription_id: str) -> AsyncAksClient:
    return AsyncAksClient.from_sdk(sdk, subscription_id)


def listen(event: Event) -> None:
    if isinstance(event, Conflict):
        assert_type(event.sent, str)


def threads(subscription_id: str) -> None:
    with AksClient(
        DefaultAzureCredential(),
        subscription_id,
        cloud_setting="AZURE_CHINA_CLOUD",
        conflict_retry=ConflictRetry(attempts=5, deadline=600),
        on_event=listen,
        etag_format="quoted",
        history=Path("history.jsonl"),
    ) as aks:
        cluster = aks.cluster("rg", "prod")
        assert_type(cluster, Cluster)
        pool = cluster.agent_pool("np1").with_options(on_busy="raise")
        assert_type(pool, AgentPool)
        assert_type(pool.update(in_place), WriteResult)
        assert_type(pool.with_options(group_commit=True, linger=0.5).update(in_place).batch, Batch | None)
        assert_type(cluster.update(anew, if_match=cluster.get(), deadline=60), WriteResult)
        cluster.update(merge_patch({"tags": {"team": "red"}}))
        cluster.patch({"tags": {}}, if_match="abc")
        assert_type(cluster.update_tags({"team": "red", "old": None}), WriteResult)
        assert_type(cluster.update_tags(retag, deadline=5), WriteResult)
        assert_type(pool.create_or_update({"properties": {}}, in_place), WriteResult)
        assert_type(pool.delete(only_if=lambda seen: seen.settled), WriteResult)
        assert_type(pool.get_or_none(), Snapshot | None)
        assert_type(cluster.read_consistent().pools, tuple[Snapshot, ...])
        pool.update(typed(models.AgentPool, edit))
        pool.update(json_patch([{"op": "test", "path": "/properties/count", "value": 3}]))
        seen = pool.get()
        pool.update(no_scale_down(rebase(seen, {**seen.body, "tags": {}}, on_conflict="theirs")))
        pool.create_or_update({"properties": {}}, rebase(seen.body, seen))
        assert_type(diff(seen, {"tags": {}}, include_owned=True), tuple[Difference, ...])
        pool.create({"properties": {}}, adopt=True)
        pool.put({"properties": {}}, if_none_match="*")
        pool.delete(force=True)
        begun = pool.begin_update(in_place, verify=lambda seen: seen.settled)
        assert_type(begun, Operation[WriteResult])
        assert_type(begun.result(timeout=5), WriteResult)
        assert_type(aks.operation(begun.continuation_token()).done(), bool)
        pool.with_options(exactly_once=True).begin_delete(force=True)
        for snapshot in aks.clusters("rg"):
            assert_type(snapshot, Snapshot)
            assert_type(snapshot.etag, str)
        assert_type(aks.sdk, ContainerServiceClient)
        assert_type(aks.stats.conflict_rate, float)


async def tasks(subscription_id: str) -> None:
    async with AsyncAksClient(AsyncDefaultAzureCredential(), subscription_id, transport="aiohttp") as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        assert_type(pool, AsyncAgentPool)
        assert_type(await pool.update(in_place), WriteResult)
        begun = await pool.begin_create({"properties": {}})
        assert_type(begun, AsyncOperation[WriteResult])
        assert_type(await begun.result(), WriteResult)
        async for snapshot in aks.clusters():
            assert_type(snapshot, Snapshot)


def failures(pool: AgentPool) -> None:
    try:
        pool.update(in_place)
    except PreconditionFailedError as error:
        assert_type(error.current, Snapshot | None)
    except MergeConflictError as error:
        paths = [each.path for each in error.conflicts if isinstance(each, MergeConflict)]
        assert_type(paths, list[str])
    except WriteOutcomeUnknownError as error:
        assert_type(error.request_ids, tuple[str, ...])


def unit_test() -> None:
    mock = MockAks(operation_polls=2)
    mock.add_cluster("rg", "prod", pools={"np1": {"count": 3}})
    with mock.client(polling_interval=1) as aks:
        assert_type(aks, AksClient)
    with mock.serve() as url:
        assert_type(url, str)
    with httpx.Client(transport=mock.httpx_transport()) as http:
        http.get("https://management.azure.com/")
