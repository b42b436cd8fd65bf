# SPDX-License-Identifier: MIT
"""The status table through the plain SDK over a socket, quoted tags and all, and through users of raw headers."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
from azure.core import MatchConditions
from azure.core.exceptions import HttpResponseError
from azure.core.rest import HttpRequest
from azure.mgmt.containerservice import ContainerServiceClient
from azure.mgmt.containerservice.models import AgentPool, ManagedCluster

from aks_etag._status_table import PREFLIGHT, ROWS, Kind, Row
from aks_etag.cli.table import BODIES, TAGS, stage
from aks_etag.mock import FakeCredential

# The SDK has no way to say If-Match with If-None-Match, nor If-None-Match with a tag of its own that it does not quote.
BY_SDK = [
    pytest.param(row, kind, id=f"{kind}: {row.name}")
    for kind in ("cluster", "pool")
    for row in ROWS
    if not (kind == "pool" and row.method == "PATCH")
]
BY_HAND = [
    pytest.param(row, kind, spelled, id=f"{kind}: {row.name}, {spelled}")
    for kind in ("cluster", "pool")
    for row in (*ROWS, *PREFLIGHT)
    for spelled in ("bare", "quoted", "weak")
    if row.if_match in ("current", "stale") or spelled == "bare"
]


def sdk_of(url: str, subscription: str) -> ContainerServiceClient:
    return ContainerServiceClient(FakeCredential(), subscription, url, polling_interval=0, retry_total=0)


def condition(row: Row, tag: str) -> dict[str, Any]:
    """Say a condition as the SDK wants it said."""
    headers = row.headers(tag)
    if headers.get("If-None-Match") == "*":
        return {"match_condition": MatchConditions.IfMissing, "etag": "*"}
    match = headers.get("If-Match")
    if match is None:
        return {}
    if match == "*":
        return {"match_condition": MatchConditions.IfPresent, "etag": "*"}
    return {"match_condition": MatchConditions.IfNotModified, "etag": match}


def call_of(sdk: ContainerServiceClient, row: Row, kind: Kind) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    clusters, pools = sdk.managed_clusters, sdk.agent_pools
    match kind, row.method:
        case "cluster", "PUT":
            return clusters.begin_create_or_update, ("rg", "c1", ManagedCluster(BODIES["cluster"]))
        case "cluster", "PATCH":
            return clusters.begin_update_tags, ("rg", "c1", TAGS)
        case "cluster", _:
            return clusters.begin_delete, ("rg", "c1")
        case _, "PUT":
            return pools.begin_create_or_update, ("rg", "c1", "np2", AgentPool(BODIES["pool"]))
        case _:
            return pools.begin_delete, ("rg", "c1", "np2")


@pytest.mark.parametrize(("row", "kind"), BY_SDK)
def test_the_plain_sdk_is_answered_as_the_table_says(row: Row, kind: Kind) -> None:
    mock, tag = stage(row, kind)
    with mock.serve() as url, sdk_of(url, mock.subscription_id) as sdk:
        call, arguments = call_of(sdk, row, kind)
        with contextlib.suppress(HttpResponseError):
            call(*arguments, **condition(row, tag), enforce_https=False)
    (sent,) = [entry for entry in mock.journal if entry.method == row.method]
    assert sent.status == row.status(kind)
    if row.if_match in ("current", "stale"):
        assert sent.if_match is not None
        assert sent.if_match.startswith('"')


@pytest.mark.parametrize(("row", "kind", "spelled"), BY_HAND)
def test_users_of_raw_headers_are_answered_as_the_table_says(row: Row, kind: Kind, spelled: str) -> None:
    mock, tag = stage(row, kind)
    style = {"bare": "{}", "quoted": '"{}"', "weak": 'W/"{}"'}[spelled]
    headers = {
        name: style.format(value) if name == "If-Match" and value != "*" else value
        for name, value in row.headers(tag).items()
    }
    body = {"PUT": BODIES[kind], "PATCH": TAGS, "DELETE": None}[row.method]
    with mock.serve() as url, sdk_of(url, mock.subscription_id) as sdk:
        path = f"/subscriptions/{mock.subscription_id}/resourceGroups/rg/providers/Microsoft.ContainerService"
        path += "/managedClusters/c1" + ("" if kind == "cluster" else "/agentPools/np2")
        request = HttpRequest(row.method, f"{path}?api-version=2026-08-01", headers=headers, json=body)
        answer = sdk.send_request(request, enforce_https=False)
    assert answer.status_code == row.status(kind)
