# SPDX-License-Identifier: MIT
"""The door for anything that speaks HTTP: a threaded server on loopback that starts and stops in milliseconds."""

from __future__ import annotations

import re
import select
import selectors
import socket
import ssl
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import Any, Final, cast

from aks_etag.mock._core import errors
from aks_etag.mock._core.answers import BODILESS, Answer, ConnectionLostError
from aks_etag.mock._core.service import Service
from aks_etag.mock.control import PREFIX, Control

BACKLOG: Final = 256
PATIENCE: Final = 5.0  # Seconds to wait for a thread that is still answering when the server stops.
LARGEST_BODY: Final = 16 * 1024 * 1024  # Far beyond any cluster: whoever announces more is not waited for.
_NO_LINGER: Final = struct.pack("ii", 1, 0)


@contextmanager
def serve(
    core: Service, port: int = 0, *, control: Control | None = None, tls: ssl.SSLContext | None = None
) -> Iterator[str]:
    """Serve the mock on a port of this machine, by default a free one; yield the base URL."""
    server = Server(core, port, control, tls)
    server.start()
    try:
        yield server.url
    finally:
        server.stop()


class Server:
    """Accepts connections until it is stopped; one daemon thread for each."""

    def __init__(
        self, core: Service, port: int, control: Control | None = None, tls: ssl.SSLContext | None = None
    ) -> None:
        self._core = core
        self._control = control
        self._tls = tls
        self._listener = socket.create_server(("127.0.0.1", port), backlog=BACKLOG)
        self._wakeup, self._woken = socket.socketpair()
        self._lock = threading.Lock()
        self._connections: dict[socket.socket, threading.Thread] = {}
        self._acceptor = threading.Thread(target=self._accept, name="aks-etag-mock", daemon=True)
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self._listener.getsockname()[1]}"

    def start(self) -> None:
        """Begin to accept; the port is open already."""
        self._acceptor.start()

    def stop(self) -> None:
        """Close the port and every connection, and wait for the threads."""
        # A byte wakes the selector at once, where http.server would poll.
        self._wakeup.send(b"x")
        self._acceptor.join(PATIENCE)
        with self._lock:
            connections = dict(self._connections)
        for connection in connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in connections.values():
            thread.join(PATIENCE)
        for each in (self._listener, self._wakeup, self._woken):
            each.close()

    def _accept(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._listener, selectors.EVENT_READ)
            selector.register(self._woken, selectors.EVENT_READ)
            while all(key.fileobj is self._listener for key, _ in selector.select()):
                with suppress(OSError):
                    self._open(self._listener.accept()[0])

    def _open(self, connection: socket.socket) -> None:
        if self._tls is not None:
            # Whoever connects and says nothing holds up his own thread only.
            connection = self._tls.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        thread = threading.Thread(target=self._talk, args=(connection,), name="aks-etag-mock-connection", daemon=True)
        with self._lock:
            self._connections[connection] = thread
        thread.start()

    def _talk(self, connection: socket.socket) -> None:
        try:
            with suppress(OSError):
                if isinstance(connection, ssl.SSLSocket):
                    connection.do_handshake()
                _Handler(connection, ("127.0.0.1", 0), self._core, self._control)
        finally:
            with self._lock:
                self._connections.pop(connection, None)
            connection.close()


class _Handler(BaseHTTPRequestHandler):
    """Speaks HTTP/1.1 over one connection."""

    protocol_version = "HTTP/1.1"
    default_request_version = "HTTP/1.1"  # Of a line that cannot be read: its refusal needs a head.
    disable_nagle_algorithm = True
    wbufsize = -1  # Head and body leave in one packet.

    def __init__(
        self, connection: socket.socket, address: tuple[str, int], core: Service, control: Control | None
    ) -> None:
        self._core = core
        self._control = control
        # The base class keeps its third argument and never looks at it.
        super().__init__(connection, address, cast("Any", core))

    def answer(self) -> None:
        """Answer one request, or reset the connection."""
        body = self._read_body()
        if body is None:
            self.send_error(400, "The length of the request's body is not known, too large, or not what was sent.")
            return
        if self._control is not None and self.path.startswith(PREFIX):
            self._send(self._control.answer(self.command, self.path, dict(self._joined()), body))
            return
        try:
            answer = self._core.handle(self.command, self._url(), dict(self._joined()), body, remote=True)
        except ConnectionLostError as lost:
            self.close_connection = True
            if not lost.closed:
                self._reset()
            return
        self._send(answer)

    def handle_expect_100(self) -> bool:
        """Let the client send its body now: the buffer would hold the permission back."""
        allowed = super().handle_expect_100()
        self.wfile.flush()
        return allowed

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse what is no HTTP, in the shape of ARM's gateway, and hang up."""
        self.close_connection = True
        phrase = HTTPStatus(code).phrase
        told = ": ".join(each for each in (message or phrase, explain) if each)
        self._send(errors.gateway(code, phrase.replace(" ", ""), told, row="", headers={"Connection": "close"}))

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the journal holds what a test needs."""

    def _url(self) -> str:
        host = self.headers.get("Host", "127.0.0.1")
        scheme = "https" if isinstance(self.connection, ssl.SSLSocket) else "http"
        return self.path if self.path.startswith("http") else f"{scheme}://{host}{self.path}"

    def _joined(self) -> Iterator[tuple[str, str]]:
        for name in self.headers:
            yield name, ", ".join(str(value) for value in self.headers.get_all(name, []))

    def _read_body(self) -> bytes | None:
        coding = self.headers.get("Transfer-Encoding")
        if coding is not None:
            return self._read_chunks() if coding.strip().lower() == "chunked" else None
        length = self.headers.get("Content-Length", "0").strip()
        return self._read(int(length)) if re.fullmatch("[0-9]{1,9}", length) else None

    def _read(self, size: int) -> bytes | None:
        """Read so many bytes; None where there are too many, or the client stops before."""
        body = self.rfile.read(size) if size <= LARGEST_BODY else b""
        return body if len(body) == size else None

    def _read_chunks(self) -> bytes | None:
        whole = b""
        while size := re.fullmatch(rb"([0-9A-Fa-f]{1,8})[ \t]*(;.*)?\r?\n", self.rfile.readline(256)):
            part = self._read(int(size[1], 16))
            whole += part or b""
            if part is None or len(whole) > LARGEST_BODY:
                return None
            if part == b"":
                return whole if self._skip_trailers() else None
            if self.rfile.readline(3) not in (b"\r\n", b"\n"):
                return None
        return None

    def _skip_trailers(self) -> bool:
        """Read to the empty line; False where there is none."""
        while line := self.rfile.readline(8192):
            if not line.strip():
                return True
        return False

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.status not in BODILESS:
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if self.command != "HEAD":
            self._send_body(answer)
        self.wfile.flush()

    def _send_body(self, answer: Answer) -> None:
        half = len(answer.body) // 2
        if not answer.cut and not answer.seconds:
            self.wfile.write(answer.body)
            return
        self.wfile.write(answer.body[:half])
        self.wfile.flush()
        if answer.cut:
            self.close_connection = True
            return
        # Whoever has gone, and the end of the server, make it readable at once.
        select.select([self.connection], [], [], answer.seconds)
        self.wfile.write(answer.body[half:])

    def _reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
        # The files over the socket would keep it open; a detached descriptor closes at once, with a RST.
        socket.close(self.connection.detach())


for _method in ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"):
    setattr(_Handler, f"do_{_method}", _Handler.answer)
