# SPDX-License-Identifier: MIT
"""The door for httpx: one transport for both kinds of clients, in process."""

from __future__ import annotations

import httpx

from aks_etag.mock._core.answers import ConnectionLostError
from aks_etag.mock._core.service import Service


class HttpxDoor(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """A transport that asks the mock instead of the network."""

    # Said to clients that trust a 412 only where a write is known to be sent once.
    sends_once = True

    def __init__(self, core: Service) -> None:
        self._core = core

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer a sync client."""
        request.read()
        return answer_httpx(self._core, request)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer an async client."""
        await request.aread()
        return answer_httpx(self._core, request)


def answer_httpx(core: Service, request: httpx.Request) -> httpx.Response:
    """Hand one request, already read, to the core."""
    try:
        answer = core.handle(request.method, str(request.url), dict(request.headers), request.content)
    except ConnectionLostError as lost:
        raise httpx.ReadError("the mock dropped the connection", request=request) from lost
    return httpx.Response(answer.status, headers=dict(answer.headers), content=answer.body, request=request)
