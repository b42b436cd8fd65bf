# SPDX-License-Identifier: MIT
"""The door for ASGI: an application for any server, and for the test clients of web frameworks."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeAlias

from aks_etag.mock._core.answers import BODILESS, ConnectionLostError
from aks_etag.mock._core.service import Service
from aks_etag.mock.control import PREFIX, Control

Scope: TypeAlias = dict[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[dict[str, Any]]]
Send: TypeAlias = Callable[[dict[str, Any]], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]


def app(core: Service, control: Control) -> App:
    """Build the application; at a lost answer it fails in the middle of one, and servers close the connection."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
        elif scope["type"] == "http":
            await _http(core, control, scope, receive, send)

    return answer


async def _lifespan(receive: Receive, send: Send) -> None:
    for phase in ("startup", "shutdown"):
        await receive()
        await send({"type": f"lifespan.{phase}.complete"})


async def _http(core: Service, control: Control, scope: Scope, receive: Receive, send: Send) -> None:
    headers = _joined(scope["headers"])
    path = (scope.get("raw_path") or scope["path"].encode()).decode("latin-1").partition("?")[0]
    query = scope.get("query_string", b"").decode("latin-1")
    url = f"{scope.get('scheme', 'http')}://{headers.get('host', '127.0.0.1')}{path}" + (f"?{query}" if query else "")
    body = await _whole(receive)
    if path.startswith(PREFIX):
        answer = control.answer(scope["method"], url, headers, body)
    else:
        try:
            # A hook of a test may send requests of its own, so this must not hold up the loop.
            answer = await asyncio.to_thread(core.handle, scope["method"], url, headers, body, remote=True)
        except ConnectionLostError as lost:
            # A server answers 500 for an application that fails before it has begun: begun, it can only hang up.
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"1")]})
            raise OSError("the mock drops the connection") from lost
    length = [] if answer.status in BODILESS else [(b"content-length", str(len(answer.body)).encode())]
    named = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in answer.headers.items()]
    await send({"type": "http.response.start", "status": answer.status, "headers": [*named, *length]})
    half = len(answer.body) // 2 if answer.cut or answer.seconds else len(answer.body)
    shown = answer.body if scope["method"] != "HEAD" else b""
    await send({"type": "http.response.body", "body": shown[:half], "more_body": True})
    if answer.cut:
        raise OSError("the mock closes the connection in the middle of a body")
    if answer.seconds:
        await asyncio.sleep(answer.seconds)
    await send({"type": "http.response.body", "body": shown[half:]})


def _joined(raw: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Read the headers; what is sent twice is a list, as at every door."""
    headers: dict[str, str] = {}
    for name, value in raw:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        headers[key] = f"{headers[key]}, {text}" if key in headers else text
    return headers


async def _whole(receive: Receive) -> bytes:
    parts = []
    more = True
    while more:
        message = await receive()
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(parts)
