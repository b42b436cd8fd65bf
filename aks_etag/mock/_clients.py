# SPDX-License-Identifier: MIT
"""Ready-made clients that talk to a mock in process, in its virtual time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._credential import FakeCredential

if TYPE_CHECKING:
    from azure.mgmt.containerservice import ContainerServiceClient
    from azure.mgmt.containerservice.aio import ContainerServiceClient as AsyncContainerServiceClient

    from ..aio import AsyncAksClient
    from ..client import AksClient
    from ._mock import MockAks


def client(mock: MockAks, **settings: Any) -> AksClient:
    """Return a client of this library."""
    from ..client import AksClient

    return AksClient(**_ours(mock, settings))


def async_client(mock: MockAks, **settings: Any) -> AsyncAksClient:
    """Return an asynchronous client of this library."""
    from ..aio import AsyncAksClient

    return AsyncAksClient(**_ours(mock, settings))


def sdk_client(mock: MockAks, **settings: Any) -> ContainerServiceClient:
    """Return the SDK's own client."""
    import httpx
    from azure.mgmt.containerservice import ContainerServiceClient

    from ..transports._httpx import HttpxTransport

    inner = httpx.Client(transport=mock.httpx_transport())
    transport = HttpxTransport(inner, owned=True, sleep=mock.clock.sleep)
    return ContainerServiceClient(**{**_theirs(mock, transport), **settings})


def async_sdk_client(mock: MockAks, **settings: Any) -> AsyncContainerServiceClient:
    """Return the SDK's own asynchronous client."""
    import httpx
    from azure.mgmt.containerservice.aio import ContainerServiceClient

    from ..transports._httpx import AsyncHttpxTransport

    inner = httpx.AsyncClient(transport=mock.httpx_transport())
    transport = AsyncHttpxTransport(inner, owned=True, sleep=mock.clock.asleep)
    return ContainerServiceClient(**{**_theirs(mock, transport), **settings})


def _ours(mock: MockAks, settings: dict[str, Any]) -> dict[str, Any]:
    return {
        "credential": FakeCredential(),
        "subscription_id": mock.subscription_id,
        "transport": mock.httpx_transport(),
        "clock": mock.clock,
        **settings,
    }


def _theirs(mock: MockAks, transport: object) -> dict[str, Any]:
    return {"credential": FakeCredential(), "subscription_id": mock.subscription_id, "transport": transport}
