# SPDX-License-Identifier: MIT
"""16 writers, 8 read-modify-writes each, one cluster, a real socket, a fifth of the answers lost after the commit."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from azure.core.exceptions import AzureError
from azure.core.pipeline.policies import RetryPolicy
from azure.core.rest import HttpRequest
from azure.mgmt.containerservice import ContainerServiceClient
from azure.mgmt.containerservice.aio import ContainerServiceClient as AsyncContainerServiceClient

from aks_etag import AksClient, AsyncAksClient
from aks_etag.mock import FakeCredential
from aks_etag.transports._httpx import HttpxTransport

from .checker import Operation
from .workload import PATIENT, ROUNDS, SUBSCRIPTION, WRITERS, acontend, awrite_all, begun, contend, listener, write_all

SETTINGS: dict[str, Any] = {"polling_interval": 0, "conflict_retry": PATIENT}


def through_httpx(url: str, n: int, operations: list[Operation]) -> None:
    with AksClient(FakeCredential(), SUBSCRIPTION, base_url=url, on_event=listener(operations), **SETTINGS) as aks:
        write_all(aks.cluster("rg", "prod"), n, operations)


def through_sdk(url: str, n: int, operations: list[Operation]) -> None:
    with ContainerServiceClient(FakeCredential(), SUBSCRIPTION, url) as sdk:
        aks = AksClient.from_sdk(sdk, SUBSCRIPTION, on_event=listener(operations), **SETTINGS)
        write_all(aks.cluster("rg", "prod"), n, operations)


async def through_async_httpx(url: str, n: int, operations: list[Operation]) -> None:
    async with AsyncAksClient(
        FakeCredential(), SUBSCRIPTION, base_url=url, on_event=listener(operations), **SETTINGS
    ) as aks:
        await awrite_all(aks.cluster("rg", "prod"), n, operations)


async def through_aiohttp(url: str, n: int, operations: list[Operation]) -> None:
    async with AsyncAksClient(
        FakeCredential(), SUBSCRIPTION, base_url=url, transport="aiohttp", on_event=listener(operations), **SETTINGS
    ) as aks:
        await awrite_all(aks.cluster("rg", "prod"), n, operations)


async def through_async_sdk(url: str, n: int, operations: list[Operation]) -> None:
    async with AsyncContainerServiceClient(FakeCredential(), SUBSCRIPTION, url) as sdk:
        aks = AsyncAksClient.from_sdk(sdk, SUBSCRIPTION, on_event=listener(operations), **SETTINGS)
        await awrite_all(aks.cluster("rg", "prod"), n, operations)


RUNS: list[tuple[Callable[..., Any], Any]] = [
    (contend, through_httpx),
    (contend, through_sdk),
    (acontend, through_async_httpx),
    (acontend, through_aiohttp),
    (acontend, through_async_sdk),
]


@pytest.mark.parametrize(("run", "writer"), RUNS, ids=[writer.__name__ for _, writer in RUNS])
@pytest.mark.parametrize("dropped", [0.0, 0.2])
def test_no_update_is_lost_doubled_invented_or_falsely_failed(run: Any, writer: Any, dropped: float) -> None:
    verdict, tags = run(writer, dropped=dropped)
    assert verdict.clean, verdict
    assert len(tags["log"].split(";")) == len(set(tags["log"].split(";")))
    assert verdict.unknown == 0 if dropped == 0 else verdict.unknown < WRITERS * ROUNDS


def by_hand(url: str, thread: int, operations: list[Operation], *, guarded: bool, retrying: bool) -> None:
    """Write as scripts do: GET, change, PUT, and again after whatever went wrong."""
    path = f"{url}/subscriptions/{SUBSCRIPTION}/resourceGroups/rg/providers"
    path += "/Microsoft.ContainerService/managedClusters/prod?api-version=2026-08-01"
    for turn in range(ROUNDS):
        operation = begun(thread, turn, operations)
        with httpx.Client() as http:
            while operation.ended == "running":
                body = http.get(path).json()
                tag = body.pop("eTag")
                body.get("properties", {}).pop("provisioningState", None)
                body["properties"].pop("agentPoolProfiles", None)
                operation.change(body.setdefault("tags", {}))
                request_id = str(uuid.uuid4())
                operation.request_ids.add(request_id)
                headers = {"x-ms-client-request-id": request_id} | ({"If-Match": tag} if guarded else {})
                try:
                    answer = http.put(path, json=body, headers=headers)
                except httpx.TransportError:
                    operation.ended = "running" if retrying else "TransportError"
                    continue
                operation.ended = "updated" if answer.is_success else "running"


def sdk_writer(url: str, thread: int, operations: list[Operation]) -> None:
    """Write through the SDK's pipeline with its retries on, and read again after a 412."""
    with httpx.Client() as http:
        transport = HttpxTransport(http, sleep=lambda seconds: None)
        sdk = ContainerServiceClient(
            FakeCredential(),
            SUBSCRIPTION,
            url,
            transport=transport,
            retry_policy=RetryPolicy(retry_total=5, retry_backoff_factor=0),
        )
        path = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/rg/providers"
        path += "/Microsoft.ContainerService/managedClusters/prod?api-version=2026-08-01"
        for turn in range(ROUNDS):
            operation = begun(thread, turn, operations)
            while operation.ended == "running":
                body = sdk.send_request(HttpRequest("GET", path), enforce_https=False).json()
                tag = body.pop("eTag")
                body["properties"].pop("provisioningState", None)
                body["properties"].pop("agentPoolProfiles", None)
                operation.change(body.setdefault("tags", {}))
                request_id = str(uuid.uuid4())
                operation.request_ids.add(request_id)
                headers = {"If-Match": tag, "x-ms-client-request-id": request_id}
                try:
                    answer = sdk.send_request(HttpRequest("PUT", path, json=body, headers=headers), enforce_https=False)
                except AzureError:
                    operation.ended = "unknown"
                    continue
                operation.ended = "updated" if answer.status_code < 300 else "running"


def test_without_the_header_updates_are_lost() -> None:
    verdict, _ = contend(lambda url, n, calls: by_hand(url, n, calls, guarded=False, retrying=False), dropped=0.0)
    assert verdict.lost > 0


def test_with_blind_retry_updates_are_doubled() -> None:
    verdict, _ = contend(lambda url, n, calls: by_hand(url, n, calls, guarded=True, retrying=True), dropped=0.2)
    assert verdict.doubled > 0


def test_with_azure_cores_retries_updates_are_doubled() -> None:
    verdict, _ = contend(sdk_writer, dropped=0.2)
    assert verdict.doubled > 0
