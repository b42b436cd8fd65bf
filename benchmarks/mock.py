# SPDX-License-Identifier: MIT
"""What a request to the mock costs: in process beside httpx.MockTransport, served beside moto's server, in one run.

In process, the floor is MockTransport with a canned answer of the same size, and CPU time counts; what must reach half
of it is one request of each kind. Served, each server is a process of its own, asked over one connection that is kept
alive where the server keeps it, and the clock on the wall counts; where moto is not installed, the standard library's
server with a canned answer takes its place. Operations are over at once. Run it with ``nox -s benchmark``.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import httpx

from aks_etag.mock import MockAks

SLICES = 60
SLICE = 40
SERVED = 1500
STARTS = 60
FLOOR_SHARE = 0.5
START_LIMIT = 0.010
VERSION = "?api-version=2026-05-01"


def main() -> int:
    """Measure; return 1 where a target is missed."""
    if sys.argv[1:2] == ["--serve"]:
        SERVERS[sys.argv[2]]()
        return 0
    return 0 if all([in_process(), served(), starts()]) else 1


def mocked() -> tuple[MockAks, str]:
    """Return a mock whose operations are over at once, and the id of its cluster."""
    mock = MockAks(operation_polls=0)
    return mock, mock.add_cluster("rg", "prod")


def in_process() -> bool:
    """Compare requests through our transport with the same ones through MockTransport."""
    mock, cluster = mocked()
    bodies = {"cluster": mock.body("rg", "prod"), "agent pool": mock.body("rg", "prod", "np1")}
    urls = {"cluster": cluster + VERSION, "agent pool": f"{cluster}/agentPools/np1{VERSION}"}
    ours = httpx.Client(transport=mock.httpx_transport(), base_url="https://management.azure.com")
    print(f"{'in process':<18}{'mock':>10}{'floor':>10}  requests per second of CPU")
    spent = [0.0, 0.0]
    for name, url in urls.items():
        content = json.dumps(bodies[name]).encode()
        for method, sent in (("GET", None), ("PUT", content)):
            canned = canned_client(ours.request(method, url, content=sent))
            pair = best(asking(ours, method, url, sent), asking(canned, method, url, sent))
            mock.journal.clear(), mock.commits.clear()
            spent = [total + seconds for total, seconds in zip(spent, pair, strict=True)]
            shown(f"{method} {name}", *pair)
    share = shown("one of each", *(total / 4 for total in spent))
    return said(f"at least {FLOOR_SHARE:.0%} of the floor", share >= FLOOR_SHARE)


def canned_client(like: httpx.Response) -> httpx.Client:
    """Return a client whose transport gives the same answer to everything."""
    headers, content = dict(like.headers), like.content
    answer = httpx.MockTransport(lambda _: httpx.Response(200, headers=headers, content=content))
    return httpx.Client(transport=answer, base_url="https://management.azure.com")


def asking(http: httpx.Client, method: str, url: str, content: bytes | None) -> Callable[[], object]:
    return lambda: http.request(method, url, content=content)


def best(*calls: Callable[[], object]) -> list[float]:
    """Return the CPU seconds of each call in its best slice; the slices take turns."""
    slices = [[slice_of(call) for call in calls] for _ in range(SLICES)]
    return [min(each) for each in zip(*slices, strict=True)]


def slice_of(call: Callable[[], object]) -> float:
    start = time.process_time()
    for _ in range(SLICE):
        call()
    return (time.process_time() - start) / SLICE


def shown(what: str, ours: float, floor: float) -> float:
    print(f"  {what:<16}{1 / ours:>10.0f}{1 / floor:>10.0f}  {floor / ours:.2f}")
    return floor / ours


def said(target: str, reached: bool) -> bool:
    print(f"  {target}: {'yes' if reached else 'MISSED'}\n")
    return reached


def served() -> bool:
    """Compare the threaded server with moto's, or with the standard library's."""
    other = "moto" if importlib.util.find_spec("moto") else "canned"
    label = "moto's server, S3" if other == "moto" else "http.server, canned (moto is not installed)"
    rates = {name: rates_of(name) for name in ("aks", other)}
    print(f"{'served':<18}{'mock':>10}{'other':>10}  requests per second, one client; other: {label}")
    for method in ("GET", "PUT"):
        ours, theirs = rates["aks"][method], rates[other][method]
        print(f"  {method:<16}{ours:>10.0f}{theirs:>10.0f}  {ours / theirs:.2f}")
    print()
    return True


def rates_of(name: str) -> dict[str, float]:
    with running(name) as told:
        base = urlsplit(told["url"])
        line = HTTPConnection(base.hostname or "", base.port)
        return {method: rate(line, method, told) for method in ("GET", "PUT")}


def rate(line: HTTPConnection, method: str, told: Mapping[str, Any]) -> float:
    """Return the requests per second in the best of five rounds."""
    body = json.dumps(told["body"]).encode() if method == "PUT" else None
    headers = {**told["headers"], **({"Content-Type": "application/json"} if body else {})}

    def one() -> None:
        line.request(method, told["path"], body, headers)
        answer = line.getresponse()
        answer.read()
        assert answer.status == 200, answer.status

    rounds = []
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(SERVED // 5):
            one()
        rounds.append(SERVED // 5 / (time.perf_counter() - start))
    return max(rounds)


@contextmanager
def running(name: str) -> Iterator[Mapping[str, Any]]:
    """Run a server in another process until the block ends; yield where it is and what to ask it."""
    command = [sys.executable, __file__, "--serve", name]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())
        finally:
            process.communicate()


def tell(url: str, path: str, body: Any, headers: Mapping[str, str] | None = None) -> None:
    """Say what is served, and wait until whoever started this has enough."""
    print(json.dumps({"url": url, "path": path, "body": body, "headers": headers or {}}), flush=True)
    sys.stdin.read()


def serve_aks() -> None:
    mock, cluster = mocked()
    with mock.serve() as url:
        tell(url, f"{cluster}/agentPools/np1{VERSION}", mock.body("rg", "prod", "np1"))


def serve_moto() -> None:
    from moto.server import ThreadedMotoServer

    logging.disable(logging.CRITICAL)
    mock, _ = mocked()
    body = mock.body("rg", "prod", "np1")
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    signed = {"Authorization": "AWS4-HMAC-SHA256 Credential=a/20250101/us-east-1/s3/aws4_request"}
    for path, content in (("/bucket", None), ("/bucket/key", json.dumps(body).encode())):
        httpx.put(f"http://{host}:{port}{path}", content=content, headers=signed).raise_for_status()
    tell(f"http://{host}:{port}", "/bucket/key", body, signed)
    server.stop()


def serve_canned() -> None:
    mock, _ = mocked()
    body = mock.body("rg", "prod", "np1")
    content = json.dumps(body).encode()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", "0")))
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_PUT = do_GET  # noqa: N815 - the base class looks for this name

        def log_message(self, format: str, *args: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    tell(f"http://127.0.0.1:{server.server_port}", "/", body)


SERVERS = {"aks": serve_aks, "moto": serve_moto, "canned": serve_canned}


def starts() -> bool:
    """Measure what the fixture ``aks_server`` adds to a test: the start and the stop of the server."""
    mock, _ = mocked()
    times = []
    for _ in range(STARTS + 1):
        start = time.perf_counter()
        with mock.serve():
            pass
        times.append(time.perf_counter() - start)
    # The first one imports the server.
    spent = statistics.median(times[1:])
    print(f"start and stop of aks_server: {1000 * spent:.2f} ms")
    return said(f"under {1000 * START_LIMIT:.0f} ms", spent < START_LIMIT)


if __name__ == "__main__":
    sys.exit(main())
