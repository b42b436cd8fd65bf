# SPDX-License-Identifier: MIT
"""Every door sends a write once: dropped behind the commit, before the answer, on a stale keep-alive connection."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from azure.core.exceptions import AzureError
from azure.core.pipeline.transport import RequestsTransport
from azure.core.rest import HttpRequest
from azure.mgmt.containerservice import ContainerServiceClient
from azure.mgmt.containerservice.aio import ContainerServiceClient as AsyncContainerServiceClient

from aks_etag import AksClient, AsyncAksClient, WriteOutcomeUnknownError, WriteResult
from aks_etag.mock import FakeCredential

from .rude_server import Answer, RudeServer, Script, rude

SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"
FIVE = {"properties": {"count": 5}}
Act = Callable[[Any], Any]


def pool(tag: str = "t1", count: int = 3) -> Answer:
    return 200, {}, {"properties": {"provisioningState": "Succeeded", "eTag": tag, "count": count}}


def five(body: dict[str, Any]) -> None:
    body["properties"]["count"] = 5


def through_httpx(url: str, act: Act) -> Any:
    with AksClient(FakeCredential(), SUBSCRIPTION, base_url=url, polling_interval=0) as aks:
        return act(aks.cluster("rg", "prod").agent_pool("np1"))


def through_requests(url: str, act: Act) -> Any:
    with AksClient(
        FakeCredential(), SUBSCRIPTION, base_url=url, polling_interval=0, transport=RequestsTransport()
    ) as aks:
        return act(aks.cluster("rg", "prod").agent_pool("np1"))


def through_sdk(url: str, act: Act) -> Any:
    with ContainerServiceClient(FakeCredential(), SUBSCRIPTION, url) as sdk:
        aks = AksClient.from_sdk(sdk, SUBSCRIPTION, polling_interval=0)
        return act(aks.cluster("rg", "prod").agent_pool("np1"))


async def through_async_httpx(url: str, act: Act) -> Any:
    async with AsyncAksClient(FakeCredential(), SUBSCRIPTION, base_url=url, polling_interval=0) as aks:
        return await act(aks.cluster("rg", "prod").agent_pool("np1"))


async def through_aiohttp(url: str, act: Act) -> Any:
    async with AsyncAksClient(
        FakeCredential(), SUBSCRIPTION, base_url=url, polling_interval=0, transport="aiohttp"
    ) as aks:
        return await act(aks.cluster("rg", "prod").agent_pool("np1"))


async def through_async_sdk(url: str, act: Act) -> Any:
    async with AsyncContainerServiceClient(FakeCredential(), SUBSCRIPTION, url) as sdk:
        aks = AsyncAksClient.from_sdk(sdk, SUBSCRIPTION, polling_interval=0)
        return await act(aks.cluster("rg", "prod").agent_pool("np1"))


DOORS = [through_httpx, through_requests, through_sdk, through_async_httpx, through_aiohttp, through_async_sdk]
DROPS = ["reset", "fin", "truncate"]
each_door = pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
each_drop = pytest.mark.parametrize("how", DROPS)


async def through(door: Callable[[str, Act], Any], server: RudeServer, act: Act) -> Any:
    result = door(server.url, act)
    return await result if isinstance(result, Awaitable) else result


def dropping(how: str, *, landed: bool) -> Script:
    arrived: list[str] = []

    def script(method: str, count: int) -> Answer | str:
        if method == "GET":
            return pool("t2", 5) if arrived and landed else pool()
        arrived.append(method)
        return how

    return script


@pytest.mark.anyio
@each_door
@each_drop
async def test_a_put_that_is_dropped_arrives_once(door: Any, how: str) -> None:
    with rude(dropping(how, landed=False)) as server:
        with pytest.raises(WriteOutcomeUnknownError) as raised:
            await through(door, server, lambda pool: pool.put(FIVE, if_match="t1"))
    assert server.methods() == ["PUT", "GET"]
    assert raised.value.pending is True


@pytest.mark.anyio
@each_door
@each_drop
async def test_an_update_that_is_dropped_behind_the_commit_arrives_once(door: Any, how: str) -> None:
    with rude(dropping(how, landed=True)) as server:
        result: WriteResult = await through(door, server, lambda pool: pool.update(five))
    assert server.methods() == ["GET", "PUT", "GET"]
    assert (result.outcome, result.recovered) == ("updated", "equivalent")


def stale(kind: str) -> Script:
    """Offer a connection that is dead when the write wants to use it; or that dies as soon as it is used."""
    arrived: list[str] = []

    def script(method: str, count: int) -> Answer | str:
        if method != "GET":
            arrived.append(method)
            return ("fin" if len(arrived) == 1 else (200, {}, None)) if kind == "dies" else (200, {}, None)
        status, _, body = pool("t2", 5) if arrived else pool()
        return status, {"x-then": "close"} if kind == "dead" else {}, body

    return script


@pytest.mark.anyio
@each_door
@pytest.mark.parametrize("kind", ["dead", "dies"])
async def test_a_write_on_a_stale_connection_arrives_once(door: Any, kind: str) -> None:
    with rude(stale(kind)) as server:
        result: WriteResult = await through(door, server, lambda pool: pool.update(five))
    assert server.methods().count("PUT") == 1
    assert result.outcome == "updated"


@pytest.mark.anyio
async def test_aiohttp_by_itself_would_send_it_twice() -> None:
    """The negative control: the SDK's default transport with azure-core's retries off, on a kept-alive connection."""
    with rude(stale("dies")) as server:
        async with AsyncContainerServiceClient(FakeCredential(), SUBSCRIPTION, server.url, retry_total=0) as sdk:
            path = f"/subscriptions/{SUBSCRIPTION}/x?api-version=1"
            await sdk.send_request(HttpRequest("GET", path), enforce_https=False)
            try:
                await sdk.send_request(HttpRequest("PUT", path, json=FIVE), enforce_https=False)
            except AzureError as error:
                pytest.fail(f"it was not sent again, so that the guard is not needed any more: {error}")
    assert server.methods() == ["GET", "PUT", "PUT"]
