# SPDX-License-Identifier: MIT
"""From the ``transport=`` argument to a transport of azure-core: chosen by the caller, never by what is installed."""

from __future__ import annotations

from typing import Any

import httpx
from azure.core.pipeline.transport import AsyncHttpTransport, HttpTransport

from .._clock import Clock
from . import _aiohttp
from ._httpx import AsyncHttpxTransport, HttpxTransport


def for_threads(transport: object, clock: Clock) -> HttpTransport[Any, Any]:
    """Return the transport of a synchronous client; an httpx client that was given is not closed by us."""
    if transport == "httpx":
        return HttpxTransport(sleep=clock.sleep)
    if isinstance(transport, httpx.BaseTransport):
        return HttpxTransport(httpx.Client(transport=transport), owned=True, sleep=clock.sleep)
    if isinstance(transport, httpx.Client):
        return HttpxTransport(transport, owned=False, sleep=clock.sleep)
    if isinstance(transport, HttpTransport):
        return transport
    raise TypeError(
        f'transport={transport!r}: it takes "httpx", an httpx transport or Client, or an azure-core transport'
    )


def for_tasks(transport: object, clock: Clock) -> AsyncHttpTransport[Any, Any]:
    """Return the transport of an asynchronous client; an httpx client that was given is not closed by us."""
    if transport == "httpx":
        return AsyncHttpxTransport(sleep=clock.asleep)
    if transport == "aiohttp":
        made: AsyncHttpTransport[Any, Any] = _aiohttp.make()
        return made
    if isinstance(transport, httpx.AsyncBaseTransport):
        return AsyncHttpxTransport(httpx.AsyncClient(transport=transport), owned=True, sleep=clock.asleep)
    if isinstance(transport, httpx.AsyncClient):
        return AsyncHttpxTransport(transport, owned=False, sleep=clock.asleep)
    if isinstance(transport, AsyncHttpTransport):
        return transport
    raise TypeError(
        f'transport={transport!r}: it takes "httpx", "aiohttp", an async httpx transport or client, or an azure one'
    )
