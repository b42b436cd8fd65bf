# SPDX-License-Identifier: MIT
"""16 threads, 8 read-modify-writes each, one cluster, a real socket, a fifth of the answers lost after the commit."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from azure.core.exceptions import AzureError
from azure.core.pipeline.policies import RetryPolicy
from azure.core.rest import HttpRequest
from azure.mgmt.containerservice import ContainerServiceClient

from aks_etag import AksClient, AksEtagError, ConflictRetry, Doubt, Event, WriteOutcomeUnknownError
from aks_etag.mock import FakeCredential, MockAks
from aks_etag.transports._httpx import HttpxTransport

from .checker import Operation, Tags, Verdict, check, tags_of

THREADS, ROUNDS = 16, 8
Writer = Callable[[str, int, list[Operation]], None]


def change_of(thread: int, turn: int) -> Callable[[Tags], None]:
    """Return a change that can tell: +1, an append that shows its doubles, or a key of its own."""

    def one_more(tags: Tags) -> None:
        tags["counter"] = str(int(tags.get("counter", "0")) + 1)

    def append(tags: Tags) -> None:
        tags["log"] = tags.get("log", "") + f"{thread}.{turn};"

    def claim(tags: Tags) -> None:
        tags[f"w{thread}-{turn}"] = "done"

    return (one_more, append, claim, claim)[turn % 4]


def on_body(change: Callable[[Tags], None]) -> Callable[[dict[str, Any]], None]:
    def edit(body: dict[str, Any]) -> None:
        change(body.setdefault("tags", {}))

    return edit


def our_writer(url: str, thread: int, operations: list[Operation]) -> None:
    def heard(event: Event) -> None:
        if isinstance(event, Doubt):
            operations[-1].request_ids.add(event.request_id)

    retry = ConflictRetry(attempts=10_000, deadline=300)
    credential, subscription = FakeCredential(), MockAks().subscription_id
    with AksClient(
        credential, subscription, base_url=url, polling_interval=0, conflict_retry=retry, on_event=heard
    ) as aks:
        cluster = aks.cluster("rg", "prod")
        for turn in range(ROUNDS):
            operation = Operation(change_of(thread, turn))
            operations.append(operation)
            try:
                result = cluster.update(on_body(operation.change))
            except WriteOutcomeUnknownError as error:
                operation.ended = "unknown"
                operation.request_ids |= set(error.request_ids)
            except AksEtagError as error:
                operation.ended = type(error).__name__
            else:
                operation.ended, operation.recovered = result.outcome, result.recovered is not None
                operation.request_ids |= {result.request_id} if result.request_id else set()


def by_hand(url: str, thread: int, operations: list[Operation], *, guarded: bool, retrying: bool) -> None:
    """Write as scripts do: GET, change, PUT, and again after whatever went wrong."""
    path = f"{url}/subscriptions/{MockAks().subscription_id}/resourceGroups/rg/providers"
    path += "/Microsoft.ContainerService/managedClusters/prod?api-version=2026-08-01"
    for turn in range(ROUNDS):
        operation = Operation(change_of(thread, turn))
        operations.append(operation)
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
            MockAks().subscription_id,
            url,
            transport=transport,
            retry_policy=RetryPolicy(retry_total=5, retry_backoff_factor=0),
        )
        path = f"/subscriptions/{MockAks().subscription_id}/resourceGroups/rg/providers"
        path += "/Microsoft.ContainerService/managedClusters/prod?api-version=2026-08-01"
        for turn in range(ROUNDS):
            operation = Operation(change_of(thread, turn))
            operations.append(operation)
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


def contend(writer: Callable[[str, int, list[Operation]], None], *, dropped: float) -> tuple[Verdict, Tags]:
    mock = MockAks()
    mock.add_cluster("rg", "prod")
    start = mock.body("rg", "prod")
    mock.inject(method="PUT", phase="after", effect="reset", probability=dropped, seed=16)
    calls: list[list[Operation]] = [[] for _ in range(THREADS)]
    with mock.serve() as url:
        threads = [threading.Thread(target=writer, args=(url, n, calls[n])) for n in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    operations = [operation for mine in calls for operation in mine]
    assert len(operations) == THREADS * ROUNDS
    return check(operations, mock.commits, start), tags_of(mock.body("rg", "prod"))


@pytest.mark.parametrize("dropped", [0.0, 0.2])
def test_no_update_is_lost_doubled_invented_or_falsely_failed(dropped: float) -> None:
    verdict, tags = contend(our_writer, dropped=dropped)
    assert verdict.clean, verdict
    assert len(tags["log"].split(";")) == len(set(tags["log"].split(";")))
    assert verdict.unknown == 0 if dropped == 0 else verdict.unknown < THREADS * ROUNDS


def test_without_the_header_updates_are_lost() -> None:
    verdict, _ = contend(lambda url, n, calls: by_hand(url, n, calls, guarded=False, retrying=False), dropped=0.0)
    assert verdict.lost > 0


def test_with_blind_retry_updates_are_doubled() -> None:
    verdict, _ = contend(lambda url, n, calls: by_hand(url, n, calls, guarded=True, retrying=True), dropped=0.2)
    assert verdict.doubled > 0


def test_with_azure_cores_retries_updates_are_doubled() -> None:
    verdict, _ = contend(sdk_writer, dropped=0.2)
    assert verdict.doubled > 0
