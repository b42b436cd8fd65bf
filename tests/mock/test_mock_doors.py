# SPDX-License-Identifier: MIT
"""The doors: a real server on loopback, both kinds of httpx clients, respx, and a credential."""

from __future__ import annotations

import asyncio
import http.client
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import respx

from aks_etag.mock import FakeCredential, MockAks

VERSION = "?api-version=2026-05-01"


def test_many_threads_keep_their_connections(mock: MockAks, aks: Any) -> None:
    together = threading.Barrier(32)

    def visit(url: str, number: int) -> set[int]:
        connection = http.client.HTTPConnection(urlsplit(url).netloc)
        path, ports = f"{aks.cluster}/agentPools/pool{number}{VERSION}", set()
        together.wait(30)
        for method in ("PUT", "GET", "GET", "DELETE", "GET"):
            connection.request(method, path, body="{}" if method == "PUT" else None)
            connection.getresponse().read()
            ports.add(connection.sock.getsockname()[1])
        connection.close()
        return ports

    with mock.serve() as url, ThreadPoolExecutor(32) as pool:
        ports = list(pool.map(lambda number: visit(url, number), range(32)))
    assert [len(each) for each in ports] == [1] * 32
    assert sorted(entry.status or 0 for entry in mock.journal) == sorted([201, 200, 200, 202, 404] * 32)
    assert len(mock.body("rg1", "aks1")["properties"]["agentPoolProfiles"]) == 1


def test_a_stopped_server_leaves_nothing_behind(mock: MockAks, aks: Any) -> None:
    before = set(threading.enumerate())
    with mock.serve() as url:
        address = urlsplit(url)
        idle = socket.create_connection((address.hostname, address.port))
        client = httpx.Client(base_url=url)
        assert client.get(f"{aks.cluster}{VERSION}").status_code == 200
    assert set(threading.enumerate()) == before
    assert idle.recv(1) == b""
    idle.close()
    client.close()
    with pytest.raises(OSError, match="refused"):
        socket.create_connection((address.hostname, address.port))


def test_links_lead_back_to_the_door_they_came_from(mock: MockAks, aks: Any) -> None:
    with mock.serve() as url, type(aks)(base_url=url) as served:
        response = served.ask("DELETE", aks.np1)
        assert response.headers["Azure-AsyncOperation"].startswith(f"{url}/subscriptions/")
        assert response.headers["Location"].startswith(f"{url}/subscriptions/")
        assert served.settle(response).json()["status"] == "Succeeded"


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        pytest.param(
            b"PUT {} HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n", 200, id="chunked"
        ),
        pytest.param(b"PUT {} HTTP/1.1\r\nHost: h\r\nContent-Length: two\r\n\r\n", 400, id="bad-length"),
        pytest.param(b"PUT {} HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400, id="bad-chunk"),
        pytest.param(b"GET {} HTTP/1.1\r\nHost: [\r\n\r\n", 501, id="bad-host"),
        pytest.param(b"BREW {} HTTP/1.1\r\nHost: h\r\n\r\n", 501, id="bad-method"),
    ],
)
def test_odd_requests_get_an_answer(request_bytes: bytes, status: int, mock: MockAks, aks: Any) -> None:
    with mock.serve() as url, socket.create_connection((urlsplit(url).hostname, urlsplit(url).port)) as raw:
        raw.sendall(request_bytes.replace(b"{}", f"{aks.np1}{VERSION}".encode(), 1).replace(b"{{}}", b"{}"))
        assert raw.recv(65536).split(b"\r\n")[0].split(b" ")[1] == str(status).encode()


def test_a_client_that_asks_first_is_told_to_go_on(mock: MockAks, aks: Any) -> None:
    head = f"PUT {aks.np1}{VERSION} HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
    with mock.serve() as url, socket.create_connection((urlsplit(url).hostname, urlsplit(url).port)) as raw:
        raw.settimeout(30)
        raw.sendall(head.encode())
        assert raw.recv(65536).startswith(b"HTTP/1.1 100 ")
        raw.sendall(b"{}")
        assert raw.recv(65536).startswith(b"HTTP/1.1 200 ")


def test_both_kinds_of_httpx_clients_share_one_state(mock: MockAks, aks: Any) -> None:
    async def tag() -> Any:
        async with httpx.AsyncClient(
            transport=mock.httpx_transport(), base_url="https://management.azure.com"
        ) as client:
            return (await client.get(f"{aks.cluster}{VERSION}")).json()["eTag"]

    assert asyncio.run(tag()) == aks.ask("GET", aks.cluster).json()["eTag"]


def test_respx_answers_for_azure_and_for_nothing_else(mock: MockAks, aks: Any) -> None:
    async def status() -> int:
        async with httpx.AsyncClient() as client:
            return (await client.get(f"https://management.azure.com{aks.cluster}{VERSION}")).status_code

    with mock.respx_router() as router:
        written = httpx.put(f"https://management.azure.com{aks.np1}{VERSION}", json={})
        polled = httpx.get(written.headers["Azure-AsyncOperation"])
        mock.inject("PUT", phase="after")
        with pytest.raises(httpx.ReadError):
            httpx.put(f"https://management.azure.com{aks.np1}{VERSION}", json={})
        assert asyncio.run(status()) == 200
        with pytest.raises(respx.models.AllMockedAssertionError):
            httpx.get("https://example.org")
        assert (polled.json()["status"], len(mock.commits), len(router.calls)) == ("Succeeded", 2, 4)


def test_the_credential_suits_sync_and_async_policies() -> None:
    credential = FakeCredential()

    async def entered() -> str:
        async with credential as same:
            return same.get_token("scope", claims="x").token

    with credential as same:
        assert same.get_token_info("scope", options={}).expires_on > 10**11
    assert asyncio.run(entered()) == "fake"


PLAIN_HTTP: dict[str, Any] = {"enforce_https": False}


@pytest.mark.parametrize("asynchronous", [False, True])
def test_the_real_sdk_talks_to_the_mock(asynchronous: bool, mock: MockAks) -> None:
    mock.switches.require_token = True
    with mock.serve() as url:
        assert (asyncio.run(_aio_counts(mock, url)) if asynchronous else _counts(mock, url)) == [3, 4]
    assert mock.body("rg1", "aks1", "np1")["properties"]["count"] == 4


def _counts(mock: MockAks, url: str) -> list[int | None]:
    from azure.mgmt.containerservice import ContainerServiceClient

    with ContainerServiceClient(FakeCredential(), mock.subscription_id, base_url=url, polling_interval=0) as sdk:
        pool = sdk.agent_pools.get("rg1", "aks1", "np1", **PLAIN_HTTP)
        before, pool.count = pool.count, 4
        poller = sdk.agent_pools.begin_create_or_update("rg1", "aks1", "np1", pool, **PLAIN_HTTP)
        return [before, poller.result().count]


async def _aio_counts(mock: MockAks, url: str) -> list[int | None]:
    from azure.mgmt.containerservice.aio import ContainerServiceClient

    credential: Any = FakeCredential()
    async with ContainerServiceClient(credential, mock.subscription_id, base_url=url, polling_interval=0) as sdk:
        pool = await sdk.agent_pools.get("rg1", "aks1", "np1", **PLAIN_HTTP)
        before, pool.count = pool.count, 4
        poller = await sdk.agent_pools.begin_create_or_update("rg1", "aks1", "np1", pool, **PLAIN_HTTP)
        return [before, (await poller.result()).count]


@pytest.mark.parametrize("door", ["in process", "asgi", "served"])
def test_a_condition_that_is_sent_twice_is_a_list_at_every_door(door: str, mock: MockAks, aks: Any) -> None:
    twice = [("If-Match", "*"), ("If-Match", "x")]
    app: Any = mock.asgi_app()

    async def through(transport: httpx.AsyncBaseTransport, base: str) -> int:
        async with httpx.AsyncClient(transport=transport, base_url=base) as client:
            return (await client.put(f"{aks.np1}{VERSION}", json={}, headers=twice)).status_code

    with mock.serve() as url:
        base = url if door == "served" else "https://management.azure.com"
        doors = {"in process": mock.httpx_transport(), "asgi": httpx.ASGITransport(app)}
        assert asyncio.run(through(doors.get(door) or httpx.AsyncHTTPTransport(), base)) == 412
    assert [entry.if_match for entry in mock.journal] == ["*, x"]
