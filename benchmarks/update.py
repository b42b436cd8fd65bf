# SPDX-License-Identifier: MIT
"""CPU time of one whole guarded update beside the SDK's own get and begin_create_or_update(...).result(), in one run.

Both do the same on the same canned service: GET, PUT, one poll, final GET of an 11 KB cluster, in process, or on a bare
server in another process, so that neither the mock nor a network is measured. Run it with ``nox -s benchmark``.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import logging
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
from azure.core import MatchConditions
from azure.core.credentials import AccessToken
from azure.mgmt.containerservice import ContainerServiceClient
from azure.mgmt.containerservice.aio import ContainerServiceClient as AsyncContainerServiceClient

from aks_etag import AksClient, AsyncAksClient
from aks_etag._core.messages import Request

SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"
IN_FLIGHT = 64
OPERATION = "/subscriptions/s/providers/Microsoft.ContainerService/locations/r/operations/o?api-version=1&s=x"


class Token:
    """A credential that costs nothing."""

    def get_token(self, *scopes: str, **options: Any) -> AccessToken:
        return AccessToken("t", int(time.time()) + 86400)


class AsyncToken(Token):
    """The same for asyncio."""

    async def get_token(self, *scopes: str, **options: Any) -> AccessToken:  # type: ignore[override]  # awaited
        return super().get_token(*scopes, **options)

    async def close(self) -> None: ...
    async def __aenter__(self) -> AsyncToken:
        return self

    async def __aexit__(self, *_: object) -> None: ...


def cluster() -> bytes:
    """Return a settled cluster of about 11 KB with ten pools."""
    pool = {
        "count": 3, "vmSize": "Standard_DS2_v2", "osDiskSizeGB": 128, "osDiskType": "Managed", "maxPods": 250,
        "type": "VirtualMachineScaleSets", "scaleDownMode": "Delete", "provisioningState": "Succeeded",
        "powerState": {"code": "Running"}, "orchestratorVersion": "1.35", "currentOrchestratorVersion": "1.35.7",
        "enableNodePublicIP": False, "mode": "User", "osType": "Linux", "osSKU": "Ubuntu", "enableFIPS": False,
        "nodeLabels": {f"label-{n}": "a-value" for n in range(18)}, "nodeTaints": ["a=b:NoSchedule"],
        "upgradeSettings": {"maxSurge": "10%"}, "eTag": "bbbbbbbb-0001-4000-8000-bbbbbbbbbbbb",
        "nodeImageVersion": "AKSUbuntu-2204gen2containerd-202511.07.0",
    }  # fmt: skip
    body = {
        "id": f"/subscriptions/{SUBSCRIPTION}/resourcegroups/rg/providers/Microsoft.ContainerService/managedClusters/c",
        "location": "region1", "name": "c", "type": "Microsoft.ContainerService/ManagedClusters",
        "tags": {"team": "red"}, "identity": {"type": "SystemAssigned", "principalId": "p", "tenantId": "t"},
        "properties": {
            "provisioningState": "Succeeded", "kubernetesVersion": "1.35", "dnsPrefix": "c", "enableRBAC": True,
            "agentPoolProfiles": [{"name": f"np{n}", **pool} for n in range(10)],
            "networkProfile": {"networkPlugin": "azure", "podCidr": "10.244.0.0/16", "loadBalancerSku": "standard"},
        },
        "sku": {"name": "Base", "tier": "Free"}, "eTag": "aaaaaaaa-0001-4000-8000-aaaaaaaaaaaa",
    }  # fmt: skip
    return json.dumps(body).encode()


BODY = cluster()


def answer(method: str, path: str) -> tuple[dict[str, str], bytes]:
    """Answer as a service would, without thinking."""
    if "/operations/" in path:
        return {}, b'{"name":"o","status":"Succeeded"}'
    return ({"azure-asyncoperation": f"{{base}}{OPERATION}"} if method == "PUT" else {}), BODY


class Canned(httpx.BaseTransport):
    """Answers in process."""

    sends_once = True

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        headers, body = answer(request.method, request.url.path)
        base = f"{request.url.scheme}://{request.url.host}"
        found = {name: value.replace("{base}", base) for name, value in headers.items()}
        return httpx.Response(200, headers={"content-type": "application/json", **found}, content=body)


class NoWait:
    """A clock whose sleeps are over at once."""

    def monotonic(self) -> float:
        return time.monotonic()

    def time(self) -> float:
        return time.time()

    def sleep(self, seconds: float) -> None: ...

    async def asleep(self, seconds: float) -> None:
        await asyncio.sleep(0)


def tagged() -> Callable[[Any], None]:
    """Return a change that is a change every time."""
    count = iter(range(10**9))

    def change(body: Any) -> None:
        body["tags"] = {"turn": str(next(count))}

    return change


def ours() -> Callable[[int], None]:
    """Update through this library."""
    aks = AksClient(Token(), SUBSCRIPTION, transport=Canned(), clock=NoWait())
    handle, change = aks.cluster("rg", "c"), tagged()

    def rounds(count: int) -> None:
        for _ in range(count):
            handle.update(change)

    return rounds


def theirs() -> Callable[[int], None]:
    """Update through the SDK: models, its own pipeline, its own poller, on the same canned transport."""
    from aks_etag.transports._httpx import HttpxTransport

    transport = HttpxTransport(httpx.Client(transport=Canned()), sleep=lambda seconds: None)
    sdk = ContainerServiceClient(Token(), SUBSCRIPTION, transport=transport, polling_interval=0)
    change = tagged()

    def rounds(count: int) -> None:
        for _ in range(count):
            body = sdk.managed_clusters.get("rg", "c")
            change(body)
            condition: Any = {"etag": body.e_tag, "match_condition": MatchConditions.IfNotModified}
            sdk.managed_clusters.begin_create_or_update("rg", "c", body, **condition).result()

    return rounds


async def converse(base: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            for line in head:
                if line.lower().startswith("content-length:"):
                    await reader.readexactly(int(line.split(":")[1]))
            method, path, _ = head[0].split(" ")
            headers, body = answer(method, path)
            lines = [f"{name}: {value.replace('{base}', base)}" for name, value in headers.items()]
            start = ["HTTP/1.1 200 OK", "content-type: application/json", f"content-length: {len(body)}", *lines]
            writer.write("\r\n".join([*start, "", ""]).encode() + body)


def bare() -> Callable[[int], None]:
    """Send the same four requests with httpx alone: nobody can do with less."""
    http = httpx.Client(transport=Canned())
    path = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/rg/providers/Microsoft.ContainerService/managedClusters/c"
    url = f"https://management.azure.com{path}?api-version=1"

    def rounds(count: int) -> None:
        for _ in range(count):
            http.get(url)
            http.put(url, content=BODY)
            http.get(f"https://management.azure.com{OPERATION}")
            http.get(url)

    return rounds


def piped() -> Callable[[int], None]:
    """Send the same four requests through our pipeline, bodies parsed and written, without any flow."""
    aks = AksClient(Token(), SUBSCRIPTION, transport=Canned(), clock=NoWait())
    path = f"{aks.cluster('rg', 'c').id}?api-version=1"
    read, poll = Request(method="GET", url=path), Request(method="GET", url=OPERATION)
    write = Request(method="PUT", url=path, body=json.loads(BODY), headers={"If-Match": "x"})

    def rounds(count: int) -> None:
        for _ in range(count):
            for request in (read, write, poll, read):
                aks._transport.send(request)

    return rounds


async def serve() -> None:
    """Serve on loopback, print the URL, and stop with the process that started it."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    server = await asyncio.start_server(functools.partial(converse, url), sock=listener)
    print(url, flush=True)
    async with server:
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


async def async_ours(url: str, count: int) -> None:
    """Update through this library and aiohttp, 64 in flight."""
    async with AsyncAksClient(AsyncToken(), SUBSCRIPTION, base_url=url, transport="aiohttp", clock=NoWait()) as aks:
        handle, change = aks.cluster("rg", "c"), tagged()
        async for _ in in_flight(count, lambda: handle.update(change)):
            pass


async def async_theirs(url: str, count: int) -> None:
    """Update through the SDK and aiohttp, 64 in flight."""
    async with AsyncContainerServiceClient(AsyncToken(), SUBSCRIPTION, url, polling_interval=0) as sdk:
        change = tagged()

        async def one() -> None:
            body = await sdk.managed_clusters.get("rg", "c", enforce_https=False)
            change(body)
            condition: Any = {"etag": body.e_tag, "match_condition": MatchConditions.IfNotModified}
            poller = await sdk.managed_clusters.begin_create_or_update(
                "rg", "c", body, enforce_https=False, **condition
            )
            await poller.result()

        async for _ in in_flight(count, one):
            pass


async def in_flight(count: int, one: Callable[[], Any]) -> AsyncIterator[None]:
    """Run ``count`` calls, 64 at a time."""
    gate = asyncio.Semaphore(IN_FLIGHT)

    async def gated() -> None:
        async with gate:
            await one()

    await asyncio.gather(*(gated() for _ in range(count)))
    yield


def cpu(call: Callable[[], None]) -> float:
    """Return the CPU seconds of this process that a call takes."""
    start = time.process_time()
    call()
    return time.process_time() - start


def main() -> int:
    """Print milliseconds and ratios; return 1 if a ratio is below 2."""
    if sys.argv[1:] == ["--serve"]:
        asyncio.run(serve())
        return 0
    logging.disable(logging.CRITICAL)
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    print(f"one guarded update of a cluster of {len(BODY) / 1024:.1f} KB: GET, PUT, one poll, GET; {rounds} rounds\n")
    mine, sdk = ours(), theirs()
    mine(20), sdk(20)
    pairs = [(cpu(lambda: mine(rounds // 3)), cpu(lambda: sdk(rounds // 3))) for _ in range(3)]
    sync = report("sync, httpx under both, in process", pairs, rounds // 3)
    breakdown(min(pair[0] for pair in pairs) / (rounds // 3), rounds // 3)
    with subprocess.Popen(
        [sys.executable, __file__, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        asyncio.run(async_ours(url, 64)), asyncio.run(async_theirs(url, 64))
        runs = [
            (cpu(lambda: asyncio.run(async_ours(url, rounds))), cpu(lambda: asyncio.run(async_theirs(url, rounds))))
            for _ in range(3)
        ]
        server.communicate()
    tasks = report(f"async, aiohttp under both, {IN_FLIGHT} in flight, over a socket", runs, rounds)
    return 0 if min(sync, tasks) >= 2 else 1


def breakdown(whole: float, count: int) -> None:
    """Say what the rest of our time goes into, in layers."""
    http, pipe = bare(), piped()
    http(20), pipe(20)
    wire = min(cpu(lambda: http(count)) for _ in range(3)) / count
    sent = min(cpu(lambda: pipe(count)) for _ in range(3)) / count
    layers = {
        "httpx": wire,
        "azure-core's pipeline and JSON": sent - wire,
        "the flow: copies, compares, decisions": whole - sent,
    }
    print("  of which " + ", ".join(f"{name} {100 * seconds / whole:.0f} %" for name, seconds in layers.items()))


def report(what: str, pairs: list[tuple[float, float]], count: int) -> float:
    """Print the best of the runs, and the ratio."""
    mine, sdk = min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
    print(f"{what}:")
    print(f"  aks-etag {1000 * mine / count:6.2f} ms   SDK {1000 * sdk / count:6.2f} ms   ratio {sdk / mine:.2f}")
    return sdk / mine


if __name__ == "__main__":
    sys.exit(main())
