# SPDX-License-Identifier: MIT
"""The door for httpx: one transport for both kinds of clients, in process."""

from __future__ import annotations

import math

import httpx

from aks_etag.mock._core.answers import Answer, ConnectionLostError
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
        answer = _asked(self._core, request)
        if answer.seconds:
            await self._core.clock.asleep(min(answer.seconds, _patience(request)))
        return _delivered(answer, request)


def answer_httpx(core: Service, request: httpx.Request) -> httpx.Response:
    """Hand one request, already read, to the core; a slow answer takes virtual time."""
    answer = _asked(core, request)
    if answer.seconds:
        core.clock.sleep(min(answer.seconds, _patience(request)))
    return _delivered(answer, request)


def _asked(core: Service, request: httpx.Request) -> Answer:
    try:
        return core.handle(request.method, str(request.url), dict(request.headers.items()), request.content)
    except ConnectionLostError as lost:
        kind = httpx.RemoteProtocolError if lost.closed else httpx.ReadError
        raise kind("the mock dropped the connection", request=request) from lost


def _patience(request: httpx.Request) -> float:
    """Return for how long the client waits for the next bytes."""
    read = request.extensions.get("timeout", {}).get("read")
    return math.inf if read is None else float(read)


def _delivered(answer: Answer, request: httpx.Request) -> httpx.Response:
    """Build the response as it comes out at the other end of a connection."""
    if answer.seconds > _patience(request):
        raise httpx.ReadTimeout("the mock is slow", request=request)
    if answer.cut:
        raise httpx.RemoteProtocolError("the mock closed the connection in the middle of a body", request=request)
    return httpx.Response(answer.status, headers=dict(answer.headers), content=answer.body, request=request)
