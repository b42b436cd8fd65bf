# SPDX-License-Identifier: MIT
"""httpx under azure-core sends a write exactly once: proved over a socket that drops connections after the commit."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from azure.core.exceptions import HttpResponseError
from azure.core.pipeline.policies import RetryPolicy
from azure.core.pipeline.transport import RequestsTransport

from aks_etag import AksClient, AsyncAksClient, RequestRefusedError, WriteOutcomeUnknownError
from aks_etag.mock import FakeCredential

from .rude_server import Answer, RudeServer, Script, rude

SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"
DROPS = ["reset", "fin", "truncate"]


def pool(tag: str = "t1", count: int = 3) -> Answer:
    return 200, {}, {"properties": {"provisioningState": "Succeeded", "eTag": tag, "count": count}}


def dropping_writes(how: str, *, landed: bool) -> Any:
    """Answer reads, drop writes; ``landed``: what is read afterwards shows the write under another tag."""
    seen: list[str] = []

    def script(method: str, count: int) -> Answer | str:
        if method == "GET":
            return pool("t2", 4) if seen and landed else pool()
        seen.append(method)
        return how

    return script


def client(server: RudeServer, **settings: Any) -> AksClient:
    return AksClient(FakeCredential(), SUBSCRIPTION, base_url=server.url, polling_interval=0, **settings)


def one_more(body: dict[str, Any]) -> None:
    body["properties"]["count"] += 1


def four(body: dict[str, Any]) -> None:
    body["properties"]["count"] = 4


@pytest.mark.parametrize("transport", ["httpx", "requests"])
@pytest.mark.parametrize("how", DROPS)
def test_a_dropped_put_is_sent_once(how: str, transport: str) -> None:
    chosen = RequestsTransport() if transport == "requests" else transport
    with rude(dropping_writes(how, landed=False)) as server, client(server, transport=chosen) as aks:
        handle = aks.cluster("rg", "prod").agent_pool("np1")
        with pytest.raises(WriteOutcomeUnknownError) as raised:
            handle.put({"properties": {"count": 4}}, if_match="t1")
    assert server.methods() == ["PUT", "GET"]
    assert raised.value.pending is True
    assert raised.value.request_ids != ()


@pytest.mark.parametrize("how", DROPS)
def test_a_dropped_delete_is_sent_again_only_after_a_look(how: str) -> None:
    def script(method: str, count: int) -> Answer | str:
        return pool() if method == "GET" else how if count == 1 else (204, {}, None)

    with rude(script) as server, client(server) as aks:
        result = aks.cluster("rg", "prod").agent_pool("np1").delete(if_match="t1")
    assert server.methods() == ["DELETE", "GET", "DELETE"]
    assert (result.outcome, result.recovered) == ("deleted", "absent")


@pytest.mark.parametrize("how", DROPS)
def test_an_update_whose_answer_is_dropped_finds_its_own_write(how: str) -> None:
    with rude(dropping_writes(how, landed=True)) as server, client(server) as aks:
        result = aks.cluster("rg", "prod").agent_pool("np1").update(four)
    assert server.methods() == ["GET", "PUT", "GET"]
    assert (result.outcome, result.recovered) == ("updated", "equivalent")


@pytest.mark.parametrize("how", DROPS)
def test_an_increment_whose_answer_is_dropped_is_not_repeated(how: str) -> None:
    with rude(dropping_writes(how, landed=True)) as server, client(server) as aks:
        with pytest.raises(WriteOutcomeUnknownError) as raised:
            aks.cluster("rg", "prod").agent_pool("np1").update(one_more)
    assert server.methods() == ["GET", "PUT", "GET"]
    assert raised.value.pending is False


@pytest.mark.anyio
@pytest.mark.parametrize("how", DROPS)
async def test_a_dropped_put_is_sent_once_in_asyncio(how: str) -> None:
    with rude(dropping_writes(how, landed=False)) as server:
        async with AsyncAksClient(FakeCredential(), SUBSCRIPTION, base_url=server.url, polling_interval=0) as aks:
            with pytest.raises(WriteOutcomeUnknownError):
                await aks.cluster("rg", "prod").agent_pool("np1").put({"properties": {"count": 4}}, if_match="t1")
    assert server.methods() == ["PUT", "GET"]


def closing_after_reads() -> Script:
    """Offer a connection that is already dead when the write wants to use it again."""
    arrived: list[str] = []

    def script(method: str, count: int) -> Answer | str:
        if method == "PUT":
            arrived.append(method)
            return 200, {}, None
        status, _, body = pool("t2", 4) if arrived else pool()
        return status, {"x-then": "close"}, body

    return script


def test_a_write_on_a_stale_connection_arrives_once() -> None:
    with rude(closing_after_reads()) as server, client(server) as aks:
        result = aks.cluster("rg", "prod").agent_pool("np1").update(four)
    assert server.methods().count("PUT") == 1
    assert result.outcome == "updated"


@pytest.mark.anyio
async def test_a_write_on_a_stale_connection_arrives_once_in_asyncio() -> None:
    with rude(closing_after_reads()) as server:
        async with AsyncAksClient(FakeCredential(), SUBSCRIPTION, base_url=server.url, polling_interval=0) as aks:
            result = await aks.cluster("rg", "prod").agent_pool("np1").update(four)
    assert server.methods().count("PUT") == 1
    assert result.outcome == "updated"


def test_a_redirected_write_is_not_followed() -> None:
    def script(method: str, count: int) -> Answer | str:
        return (307, {"Location": "/elsewhere"}, None) if method == "PUT" else pool()

    with rude(script) as server, client(server) as aks:
        with pytest.raises(RequestRefusedError, match="307"):
            aks.cluster("rg", "prod").agent_pool("np1").put({"properties": {"count": 4}}, if_match="t1")
    assert server.methods() == ["PUT"]


def test_azure_cores_retries_would_send_it_again() -> None:
    """The negative control: the stock SDK on the same server sends the same PUT more than once."""
    from azure.mgmt.containerservice import ContainerServiceClient

    from aks_etag.transports._httpx import HttpxTransport

    def always_unavailable(method: str, count: int) -> Answer | str:
        return 503, {"Retry-After": "0"}, None

    with rude(always_unavailable) as server, httpx.Client() as http:
        stock = ContainerServiceClient(
            FakeCredential(),
            SUBSCRIPTION,
            server.url,
            transport=HttpxTransport(http, sleep=lambda seconds: None),
            retry_policy=RetryPolicy(retry_total=2),
        )
        with pytest.raises(HttpResponseError) as raised:
            stock.agent_pools.begin_create_or_update(
                "rg", "prod", "np1", {"properties": {"count": 4}}, enforce_https=False
            )
    assert raised.value.status_code == 503
    assert server.methods() == ["PUT", "PUT", "PUT"]
