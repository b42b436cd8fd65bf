# SPDX-License-Identifier: MIT
"""The ways into a mock: in process for httpx, respx, ASGI and ready-made clients, or on loopback for anything."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from aks_etag.mock import _clients
from aks_etag.mock._core.service import Service

if TYPE_CHECKING:
    import respx
    from azure.mgmt.containerservice import ContainerServiceClient
    from azure.mgmt.containerservice.aio import ContainerServiceClient as AsyncContainerServiceClient

    from aks_etag.aio import AsyncAksClient
    from aks_etag.client import AksClient
    from aks_etag.mock._mock import MockAks
    from aks_etag.mock.asgi_door import App
    from aks_etag.mock.httpx_door import HttpxDoor


class Doors:
    """The ways in; every door shows the same state."""

    core: Service

    def httpx_transport(self) -> HttpxDoor:
        """Return a transport for sync and async httpx clients, in process."""
        from aks_etag.mock.httpx_door import HttpxDoor

        return HttpxDoor(self.core)

    def respx_router(self) -> respx.MockRouter:
        """Return a router that, while it is entered, answers for management.azure.com."""
        from aks_etag.mock.respx_door import respx_router

        return respx_router(self.core)

    def asgi_app(self) -> App:
        """Return an ASGI application, for a server of your own and for test clients; ``/_mock/`` is in it."""
        from aks_etag.mock.asgi_door import app
        from aks_etag.mock.control import Control

        return app(self.core, Control(self._mock))

    @contextmanager
    def serve(self, port: int = 0, *, tls_ca: str | os.PathLike[str] | None = None) -> Iterator[str]:
        """Serve on loopback, by default on a free port; yield the base URL.

        ``tls_ca``: serve https, and write the CA that clients have to trust for it to this file.
        """
        from aks_etag.mock.control import Control
        from aks_etag.mock.server import serve

        context = None
        if tls_ca is not None:
            from aks_etag.mock.tls import server_context

            context = server_context(tls_ca)
        with serve(self.core, port, control=Control(self._mock), tls=context) as url:
            yield url

    def client(self, **settings: Any) -> AksClient:
        """Return a client that talks to this mock in process; its waits cost no real time."""
        return _clients.client(self._mock, **settings)

    def async_client(self, **settings: Any) -> AsyncAksClient:
        """Return an asynchronous client that talks to this mock in process; its waits cost no real time."""
        return _clients.async_client(self._mock, **settings)

    def sdk_client(self, **settings: Any) -> ContainerServiceClient:
        """Return the SDK's own client, talking to this mock in process; its pollers cost no real time."""
        return _clients.sdk_client(self._mock, **settings)

    def async_sdk_client(self, **settings: Any) -> AsyncContainerServiceClient:
        """Return the SDK's own asynchronous client, talking to this mock in process."""
        return _clients.async_sdk_client(self._mock, **settings)

    @property
    def _mock(self) -> MockAks:
        return cast("MockAks", self)
