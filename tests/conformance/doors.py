# SPDX-License-Identifier: MIT
"""The doors of a mock, all with the same handle: one request in, one answer out."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import httpx
import uvicorn
from azure.core.exceptions import AzureError
from azure.core.rest import HttpRequest

from aks_etag.mock import MockAks
from aks_etag.mock._core.answers import ConnectionLostError
from aks_etag.mock.control import Control
from aks_etag.transports._httpx import AsyncHttpxTransport, HttpxTransport

from .case import SEED, Behind

AZURE: Final = "https://management.azure.com"
LOST: Final = (ConnectionLostError, httpx.HTTPError, AzureError, OSError)
# What the way adds to an answer, and no service.
_OF_THE_WAY: Final = frozenset({"date", "server", "content-length", "connection"})

Asked: TypeAlias = tuple[str, str, Mapping[str, str], bytes]
Answered: TypeAlias = tuple[int, Mapping[str, str], bytes]
Send: TypeAlias = Callable[[Asked], Answered]
Play: TypeAlias = Callable[[Behind], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """A way to ask: ``send`` from the outside, ``behind`` the scenes; ``fresh`` unless other cases came through it."""

    base: str
    send: Send
    behind: Play
    fresh: bool = True

    def ask(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Answered | None:
        """Ask; None where the answer is lost."""
        try:
            status, answered, content = self.send((method, url, headers, body))
        except LOST:
            return None
        return (
            status,
            {name.lower(): each for name, each in answered.items() if name.lower() not in _OF_THE_WAY},
            content,
        )


def new_mock() -> MockAks:
    """Build what every case begins with."""
    mock = MockAks()
    mock.seed(SEED)
    return mock


def in_process_control(mock: MockAks) -> Play:
    """Ask the control API of a mock of this process."""
    control = Control(mock)

    def play(step: Behind) -> Any:
        headers = {"Host": "127.0.0.1", "Content-Type": "application/json"}
        answer = control.answer(step.verb, f"/_mock/{step.what}", headers, json.dumps(step.sent).encode())
        assert answer.status == 200, answer.body
        return json.loads(answer.body)

    return play


@contextmanager
def no_door(mock: MockAks) -> Iterator[tuple[str, Send]]:
    """Ask the core itself: what the doors are compared with."""

    def send(asked: Asked) -> Answered:
        answer = mock.core.handle(*asked)
        if answer.cut:
            raise ConnectionLostError(asked[0], asked[1])
        return answer.status, answer.headers, answer.body

    yield AZURE, send


@contextmanager
def httpx_sync(mock: MockAks) -> Iterator[tuple[str, Send]]:
    with httpx.Client(transport=mock.httpx_transport()) as client:
        yield AZURE, through(client)


@contextmanager
def httpx_async(mock: MockAks) -> Iterator[tuple[str, Send]]:
    with through_async(mock.httpx_transport()) as send:
        yield AZURE, send


@contextmanager
def respx_router(mock: MockAks) -> Iterator[tuple[str, Send]]:
    with mock.respx_router(), httpx.Client(transport=httpx.HTTPTransport(verify=False)) as client:
        yield AZURE, through(client)


@contextmanager
def azure_sync(mock: MockAks) -> Iterator[tuple[str, Send]]:
    with HttpxTransport(httpx.Client(transport=mock.httpx_transport()), owned=True) as transport:

        def send(asked: Asked) -> Answered:
            answer = transport.send(_azure_request(asked))
            return answer.status_code, answer.headers, answer.content

        yield AZURE, send


@contextmanager
def azure_async(mock: MockAks) -> Iterator[tuple[str, Send]]:
    transport = AsyncHttpxTransport(httpx.AsyncClient(transport=mock.httpx_transport()), owned=True)
    with asyncio.Runner() as loop:

        def send(asked: Asked) -> Answered:
            answer = loop.run(transport.send(_azure_request(asked)))
            return answer.status_code, answer.headers, answer.content

        yield AZURE, send
        loop.run(transport.close())


@contextmanager
def asgi_app(mock: MockAks) -> Iterator[tuple[str, Send]]:
    app: Any = mock.asgi_app()
    with through_async(httpx.ASGITransport(app)) as send:
        yield AZURE, send


@contextmanager
def threaded_server(mock: MockAks) -> Iterator[tuple[str, Send]]:
    with mock.serve() as url, httpx.Client(transport=httpx.HTTPTransport(verify=False)) as client:
        yield url, through(client)


IN_PROCESS: Final = (httpx_sync, httpx_async, respx_router, azure_sync, azure_async, asgi_app, threaded_server)


@contextmanager
def served_process() -> Iterator[Door]:
    """Run ``aks-etag mock serve`` as a process of its own."""
    with ExitStack() as stack:
        process = stack.enter_context(
            subprocess.Popen(
                [sys.executable, "-P", "-m", "aks_etag", "mock", "serve", "--seed", "-"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        )
        stack.callback(process.kill)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(SEED).encode())
        process.stdin.close()
        yield stack.enter_context(_served(json.loads(process.stdout.readline())["endpoint"]))


@contextmanager
def served_uvicorn() -> Iterator[Door]:
    """Run the ASGI application under uvicorn."""
    app: Any = new_mock().asgi_app()
    # Named as TCP, so that asyncio turns off Nagle's algorithm: every answer would take 40 milliseconds.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=5))
        thread = threading.Thread(target=server.run, args=([listener],))
        # Who connects before it accepts waits in the backlog of the listener.
        thread.start()
        with _served(f"http://127.0.0.1:{listener.getsockname()[1]}") as door:
            yield door
        server.should_exit = True
        thread.join()


@contextmanager
def _served(base: str) -> Iterator[Door]:
    with httpx.Client(transport=httpx.HTTPTransport(verify=False), timeout=60) as client:

        def play(step: Behind) -> Any:
            answer = client.request(step.verb, f"{base}/_mock/{step.what}", json=step.sent)
            assert answer.status_code == 200, answer.text
            return answer.json()

        yield Door(base=base, send=through(client), behind=play, fresh=False)


def through(client: httpx.Client) -> Send:
    """Send with a client of httpx."""

    def send(asked: Asked) -> Answered:
        method, url, headers, body = asked
        answer = client.request(method, url, headers=dict(headers), content=body)
        return answer.status_code, answer.headers, answer.content

    return send


@contextmanager
def through_async(transport: httpx.AsyncBaseTransport) -> Iterator[Send]:
    """Send with an asynchronous client of httpx, in a loop of its own."""
    client = httpx.AsyncClient(transport=transport)
    with asyncio.Runner() as loop:

        def send(asked: Asked) -> Answered:
            method, url, headers, body = asked
            answer = loop.run(client.request(method, url, headers=dict(headers), content=body))
            return answer.status_code, answer.headers, answer.content

        yield send
        loop.run(client.aclose())


def _azure_request(asked: Asked) -> HttpRequest:
    method, url, headers, body = asked
    return HttpRequest(method, url, headers=dict(headers), content=body)
