# SPDX-License-Identifier: MIT
"""What is hardly HTTP, over a real socket: an answer or the end of the connection, no hang, and nothing is stored."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aks_etag.mock import MockAks

from .conftest import CLUSTER

# Only for what never happens: nothing here is timed.
PATIENCE = 30.0
VERSION = "?api-version=2026-05-01"
NP1 = f"{CLUSTER}/agentPools/np1{VERSION}".encode()
# Written out only when they are sent.
LONG = {b"<long>": b"x" * 70_000, b"<digits>": b"9" * 5000, b"<many>": b"A: b\r\n" * 200}
LINES = st.sampled_from(
    [
        b"PUT " + NP1 + b" HTTP/1.1",
        b"GET " + NP1 + b" HTTP/1.1",
        b"GET " + NP1 + b" HTTP/1.0",
        b"GET " + NP1,
        b"GET  HTTP/1.1",
        b"PUT " + NP1 + b" HTTP/9.9",
        b"PUT http://[/ HTTP/1.1",
        b"GET /_mock/state HTTP/1.1",
        b"GET /<long> HTTP/1.1",
        b"\xff\xfe",
        b"",
    ]
)
HEADERS = st.lists(
    st.sampled_from(
        [
            b"Host: h",
            b"Host: [",
            b"Host: \xff",
            b"Content-Length: 2",
            b"Content-Length: 99",
            b"Content-Length: -1",
            b"Content-Length: 99999999999999999999",
            b"Content-Length: <digits>",
            b"Content-Length: \xb2",
            b"Transfer-Encoding: chunked",
            b"Transfer-Encoding: gzip",
            b"If-Match: \xe4",
            b"If-Match: a\r\nIf-Match: b",
            b"Connection: close",
            b"no colon",
            b": ",
            b" folded",
            b"Expect: 100-continue",
            b"X: <long>",
            b"<many>B: c",
        ]
    ),
    max_size=4,
)
CHUNKS = st.lists(
    st.sampled_from(
        [b"2\r\n{}\r\n", b"0\r\n\r\n", b"0\r\n", b"-5\r\n", b"ffffffffffffffffffff\r\n", b"1_0\r\n", b"2\r\n{}"]
    ),
    max_size=3,
).map(b"".join)
TAILS = CHUNKS | st.binary(max_size=30) | st.just(b"{}")
REQUESTS = st.builds(
    lambda line, headers, tail: b"\r\n".join([line, *headers, b"", tail]), LINES, HEADERS, TAILS
) | st.binary(max_size=60)


@pytest.fixture
def failures() -> Iterator[list[Any]]:
    """What threads have died of."""
    found: list[Any] = []
    hook, threading.excepthook = threading.excepthook, found.append
    yield found
    threading.excepthook = hook


@given(request=REQUESTS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_hardly_http_is_answered_or_hung_up_on(request: bytes, failures: list[Any]) -> None:
    mock = MockAks()
    mock.add_cluster("rg1", "aks1")
    with mock.serve() as url:
        answered = exchange(url, request)
        assert exchange(url, b"GET " + NP1 + b" HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").startswith(
            b"HTTP/1.1 200"
        )
    assert failures == []
    assert answered == b"" or answered.startswith(b"HTTP/1.1 ")
    assert b"HTTP/1.1 500" not in answered
    assert b"text/html" not in answered


@pytest.mark.parametrize(
    "tail",
    [
        pytest.param(b"Content-Length: 99\r\n\r\n{}", id="shorter than announced"),
        pytest.param(b"Content-Length: 99999999999999999999\r\n\r\n{}", id="more than there is room for"),
        pytest.param(b"Content-Length: <digits>\r\n\r\n{}", id="a length of 5,000 digits"),
        pytest.param(b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n", id="no last chunk"),
        pytest.param(b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n", id="no end of the trailers"),
        pytest.param(b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}__0\r\n\r\n", id="a chunk that does not end"),
        pytest.param(b"Transfer-Encoding: chunked\r\n\r\n-1\r\n{}\r\n0\r\n\r\n", id="a negative chunk"),
        pytest.param(b"Transfer-Encoding: gzip\r\n\r\n{}", id="a coding that the mock does not know"),
    ],
)
def test_a_body_that_did_not_arrive_whole_is_not_stored(tail: bytes, mock: MockAks, failures: list[Any]) -> None:
    with mock.serve() as url:
        answered = exchange(url, b"PUT " + NP1 + b" HTTP/1.1\r\nHost: h\r\n" + tail)
    head, _, body = answered.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert json.loads(body)["error"]["code"] == "BadRequest"
    assert (mock.commits, mock.journal, failures) == ([], [], [])


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"NONSENSE\r\n\r\n", 400),
        (b"GET / HTTP/9.9\r\n\r\n", 505),
        (b"BREW / HTTP/1.1\r\n\r\n", 501),
        (b"GET /<long> HTTP/1.1\r\n\r\n", 414),
        (b"GET / HTTP/1.1\r\n<many>\r\n", 431),
    ],
)
def test_refusals_of_http_itself_have_the_shape_of_the_gateway(
    request_bytes: bytes, status: int, mock: MockAks
) -> None:
    with mock.serve() as url:
        head, _, body = exchange(url, request_bytes).partition(b"\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} ".encode())
    error = json.loads(body)["error"]
    assert (error["code"], error["message"] != "") == (HTTPStatus(status).phrase.replace(" ", ""), True)


def test_a_body_that_is_too_large_is_not_waited_for(mock: MockAks) -> None:
    with mock.serve() as url, socket.create_connection((urlsplit(url).hostname, urlsplit(url).port), PATIENCE) as raw:
        raw.sendall(b"PUT " + NP1 + b" HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999\r\n\r\n")
        assert raw.recv(65536).startswith(b"HTTP/1.1 400 ")
    assert mock.journal == []


def exchange(url: str, request: bytes) -> bytes:
    """Send all of it, say that this was all, and read to the end; a reset is an end, too."""
    parts, answered = urlsplit(url), b""
    for short, long in LONG.items():
        request = request.replace(short, long)
    with socket.create_connection((parts.hostname, parts.port), PATIENCE) as raw:
        try:
            raw.sendall(request)
            raw.shutdown(socket.SHUT_WR)
            while part := raw.recv(65536):
                answered += part
        except (ConnectionResetError, BrokenPipeError):
            pass
    return answered
