# SPDX-License-Identifier: MIT
"""A server on a bare socket that counts the requests it has read to the end, and answers or drops each by a script."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

# What to do with a request: answer with (status, headers, body), or drop the connection ("reset", "fin", "truncate").
Answer = tuple[int, dict[str, str], Any]
Script = Callable[[str, int], "Answer | str"]


@dataclass
class RudeServer:
    """``requests`` has the first line of every request that arrived whole; ``script`` gets the method and its count."""

    script: Script
    requests: list[str] = field(default_factory=list)
    url: str = ""
    _listener: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))
    _open: list[socket.socket] = field(default_factory=list)

    def methods(self) -> list[str]:
        return [request.split()[0] for request in self.requests]

    def accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._open.append(connection)
            threading.Thread(target=self.converse, args=(connection,), daemon=True).start()

    def converse(self, connection: socket.socket) -> None:
        reader = connection.makefile("rb")
        while True:
            line = reader.readline().decode()
            if not line:
                return
            headers = {}
            while (header := reader.readline().decode().strip()) != "":
                name, _, value = header.partition(":")
                headers[name.lower()] = value.strip()
            reader.read(int(headers.get("content-length", 0)))
            method = line.split()[0]
            self.requests.append(line.strip())
            answer = self.script(method, self.methods().count(method))
            if isinstance(answer, str):
                self.drop(connection, reader, answer)
                return
            connection.sendall(encoded(*answer))
            if answer[1].get("x-then") == "close":
                reader.close()
                connection.close()
                return

    def drop(self, connection: socket.socket, reader: Any, how: str) -> None:
        if how == "truncate":
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{")
        if how == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        reader.close()
        connection.close()

    def stop(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in self._open:
            connection.close()


def encoded(status: int, headers: dict[str, str], body: Any) -> bytes:
    content = b"" if body is None else json.dumps(body).encode()
    head = [f"HTTP/1.1 {status} X", "Content-Type: application/json", f"Content-Length: {len(content)}"]
    return "\r\n".join([*head, *(f"{name}: {value}" for name, value in headers.items()), "", ""]).encode() + content


@contextmanager
def rude(script: Script) -> Iterator[RudeServer]:
    server = RudeServer(script)
    server.url = f"http://127.0.0.1:{server._listener.getsockname()[1]}"
    thread = threading.Thread(target=server.accept, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join()
