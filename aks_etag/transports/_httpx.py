# SPDX-License-Identifier: MIT
"""httpx as a transport of azure-core. It sends a request exactly once: no retries, no redirects."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any, Final, Self

import httpx
from azure.core.exceptions import ServiceRequestError, ServiceResponseError, ServiceResponseTimeoutError
from azure.core.pipeline.transport import AsyncHttpTransport, HttpTransport
from azure.core.rest import HttpRequest

from ._httpx_response import AsyncHttpxResponse, HttpxResponse

# A PUT of a cluster may take long to be accepted; azure-core's own transports allow 300 seconds, too.
CONNECT_TIMEOUT: Final = 30.0
READ_TIMEOUT: Final = 300.0

# Raised before the first byte of the request can have left. WriteError is not among them.
_NEVER_SENT: Final = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
    httpx.InvalidURL,
)
# Its own words may show a header's value; and with HTTP/2 it may come while the answer is being read.
_AGAINST_PROTOCOL: Final = "the request or its answer broke the rules of HTTP"


class NeverSentError(ServiceRequestError):
    """It is proved that the request never left this machine."""


class HttpxTransport(HttpTransport[HttpRequest, HttpxResponse]):
    """A synchronous transport; closes the client only if it made it."""

    def __init__(
        self,
        client: httpx.Client | None = None,
        *,
        owned: bool | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client = httpx.Client(limits=_LIMITS) if client is None else client
        self._owned = client is None if owned is None else owned
        self._sleep = sleep

    @property
    def sends_once(self) -> bool:
        """Whether everything below is httpx's own, or says that it sends once."""
        return all_proved(self._client)

    def open(self) -> None:
        """Do nothing: connections are made when needed."""

    def close(self) -> None:
        """Close the connections."""
        if self._owned:
            self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def sleep(self, duration: float) -> None:
        """Let time pass, for azure-core's pollers."""
        self._sleep(duration)

    def send(self, request: HttpRequest, **options: Any) -> HttpxResponse:
        """Send one request and read the whole answer."""
        built = self._client.build_request(**_arguments(request, options))
        try:
            answer = self._client.send(built, auth=None, follow_redirects=False)
        except httpx.LocalProtocolError:
            raise ServiceResponseError(_AGAINST_PROTOCOL) from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise translated(error) from error
        return HttpxResponse(request, answer)


class AsyncHttpxTransport(AsyncHttpTransport[HttpRequest, AsyncHttpxResponse]):
    """The same for asyncio."""

    def __init__(
        self,
        client: httpx.AsyncClient | None = None,
        *,
        owned: bool | None = None,
        sleep: Callable[[float], Any] = asyncio.sleep,
    ) -> None:
        self._client = httpx.AsyncClient(limits=_LIMITS) if client is None else client
        self._owned = client is None if owned is None else owned
        self._sleep = sleep

    @property
    def sends_once(self) -> bool:
        """Whether everything below is httpx's own, or says that it sends once."""
        return all_proved(self._client)

    async def open(self) -> None:
        """Do nothing: connections are made when needed."""

    async def close(self) -> None:
        """Close the connections."""
        if self._owned:
            await self._client.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def sleep(self, duration: float) -> None:
        """Let time pass, for azure-core's pollers."""
        await self._sleep(duration)

    async def send(self, request: HttpRequest, **options: Any) -> AsyncHttpxResponse:
        """Send one request and read the whole answer."""
        built = self._client.build_request(**_arguments(request, options))
        try:
            answer = await self._client.send(built, auth=None, follow_redirects=False)
        except httpx.LocalProtocolError:
            raise ServiceResponseError(_AGAINST_PROTOCOL) from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise translated(error) from error
        return AsyncHttpxResponse(request, answer)


_LIMITS: Final = httpx.Limits(max_connections=None, max_keepalive_connections=20)


_PROVED: Final = (
    httpx.HTTPTransport,
    httpx.AsyncHTTPTransport,
    httpx.MockTransport,
    httpx.ASGITransport,
    httpx.WSGITransport,
)


def never_left(error: Exception) -> bool:
    """Whether it is proved that the request never left this machine."""
    return isinstance(error, _NEVER_SENT)


def all_proved(client: httpx.Client | httpx.AsyncClient) -> bool:
    """Whether everything below a client is httpx's own, or says that it sends once."""
    if type(client) not in (httpx.Client, httpx.AsyncClient):
        return False
    below = [client._transport, *client._mounts.values()]
    return all(
        transport is None or type(transport) in _PROVED or getattr(transport, "sends_once", False) is True
        for transport in below
    )


def _arguments(request: HttpRequest, options: Mapping[str, Any]) -> dict[str, Any]:
    read = min(float(options.get("read_timeout") or READ_TIMEOUT), READ_TIMEOUT)
    connect = min(float(options.get("connection_timeout") or CONNECT_TIMEOUT), CONNECT_TIMEOUT)
    content = getattr(request, "content", None)
    return {
        "method": request.method,
        "url": request.url,
        "headers": list(request.headers.items()),
        # Requests of azure-core's older kind keep their body in ``data``.
        "content": content if content is not None else getattr(request, "data", None),
        "timeout": httpx.Timeout(connect=connect, read=read, write=read, pool=read),
    }


def translated(error: Exception) -> ServiceRequestError | ServiceResponseError:
    """Return azure-core's word for an error of httpx, saying apart what never left from what may have arrived."""
    text = f"{type(error).__name__}: {error}"
    if never_left(error):
        return NeverSentError(text, error=error)
    if isinstance(error, httpx.TimeoutException):
        return ServiceResponseTimeoutError(text, error=error)
    return ServiceResponseError(text, error=error)
