# SPDX-License-Identifier: MIT
"""A mock with one cluster, and short words for talking to it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from aks_etag.mock import MockAks

WIRE = Path(__file__).parent.parent / "data" / "wire"
GROUP = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/rg1"
CLUSTER = f"{GROUP}/providers/Microsoft.ContainerService/managedClusters/aks1"


class Client(httpx.Client):
    """An httpx client that knows the paths of the one cluster, and always names an api-version."""

    group = GROUP
    cluster = CLUSTER
    np1 = f"{CLUSTER}/agentPools/np1"
    np2 = f"{CLUSTER}/agentPools/np2"

    def ask(
        self, method: str, path: str, body: Any = None, version: str = "2026-05-01", **headers: str
    ) -> httpx.Response:
        """Send one request; header names are written with underscores."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.request(method, path, params={"api-version": version}, json=body, headers=named)

    def settle(self, response: httpx.Response) -> httpx.Response:
        """Follow the operation of a write by one poll."""
        return self.get(response.headers["Azure-AsyncOperation"])


def client_of(mock: MockAks) -> Client:
    """Connect a client in process."""
    return Client(transport=mock.httpx_transport(), base_url="https://management.azure.com")


@pytest.fixture
def mock() -> MockAks:
    """An AKS with the recorded cluster."""
    mock = MockAks()
    mock.add_cluster("rg1", "aks1")
    return mock


@pytest.fixture
def aks(mock: MockAks) -> Iterator[Client]:
    """A client of that AKS."""
    with client_of(mock) as client:
        yield client


@pytest.fixture
def connect() -> Iterator[Callable[[MockAks], Client]]:
    """Connect a client to another mock."""
    clients: list[Client] = []

    def connected(mock: MockAks) -> Client:
        clients.append(client_of(mock))
        return clients[-1]

    yield connected
    for client in clients:
        client.close()


@pytest.fixture
def recorded() -> Callable[[str], Any]:
    """Read one of the recorded payloads."""
    return lambda name: json.loads((WIRE / f"{name}.json").read_text())
