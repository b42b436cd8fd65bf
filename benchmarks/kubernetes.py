# SPDX-License-Identifier: MIT
"""Requests and CPU time of one ConfigMap increment under a rival, beside the official client, in one run.

All do the same against the same fake API server, which runs in another process behind a socket: read, add one, PUT
under the version of the read, and again after a 409. The official client has no retry on conflict, so that its loop is
written here by hand. The rival is part of the server, and overtakes every fourth write of anybody. Needs the package
``kubernetes``: ``pip install kubernetes && python benchmarks/kubernetes.py [updates]``.
"""

from __future__ import annotations

import json
import multiprocessing
import statistics
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

# This file is called like the package that it measures against, and its directory comes first.
sys.path = [each for each in sys.path if Path(each or ".").resolve() != Path(__file__).resolve().parent]

EVERY = 4
ROUNDS = 7
NAMES = ("ours", "official", "httpx")
Increment = Callable[[int], None]


def one_more(body: Any) -> None:
    body["data"]["n"] = str(int(body["data"]["n"]) + 1)


def serve(pipe: Connection) -> None:
    """Be the server and the rival; answer each question with the requests since the last one, and all values."""
    from aks_etag.mock import MockKubernetes

    server = MockKubernetes()
    for name in NAMES:
        data = {"n": "0", **{f"key-{number}": "a value of some length" for number in range(30)}}
        metadata = {"name": name, "namespace": "default", "labels": {"app": "counter"}}
        server.add({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})
    seen = {"writes": 0, "rival": 0}

    def overtake(request: Any) -> None:
        seen["writes"] += 1
        if seen["writes"] % EVERY == 1:
            seen["rival"] += 1
            server.edit("v1", "ConfigMap", "default", request.url.partition("?")[0].rsplit("/")[-1], one_more)

    server.before_write(overtake)
    with server.serve() as url:
        pipe.send(url)
        while pipe.recv():
            values = [server.object("v1", "ConfigMap", "default", name) for name in NAMES]
            total = sum(int(value["data"]["n"]) for value in values if value)
            pipe.send((len(server.journal), total - seen["rival"]))
            server.journal.clear()


def ours(url: str) -> Increment:
    """Increment through this library."""
    from aks_etag.kubernetes import KubernetesClient

    handle = KubernetesClient(url, token="t", polling_interval=0).object("v1", "ConfigMap", "default", "ours")

    def increments(count: int) -> None:
        for _ in range(count):
            handle.update(one_more)

    return increments


def official(url: str) -> Increment:
    """Increment through the official client, with a retry written by hand."""
    from kubernetes import client

    configuration = client.Configuration(host=url)
    configuration.api_key = {"authorization": "Bearer t"}
    api = client.CoreV1Api(client.ApiClient(configuration))

    def increment() -> None:
        while True:
            body = api.read_namespaced_config_map("official", "default")
            body.data["n"] = str(int(body.data["n"]) + 1)
            try:
                api.replace_namespaced_config_map("official", "default", body)
            except client.ApiException as error:
                if error.status != 409:
                    raise
            else:
                return

    def increments(count: int) -> None:
        for _ in range(count):
            increment()

    return increments


def bare(url: str) -> Increment:
    """Increment with httpx and nothing else: the floor under every client that is built on it."""
    import httpx

    http = httpx.Client(headers={"Authorization": "Bearer t", "Content-Type": "application/json"})
    path = f"{url}/api/v1/namespaces/default/configmaps/httpx"

    def increments(count: int) -> None:
        for _ in range(count):
            status = 409
            while status == 409:
                body = http.get(path).json()
                one_more(body)
                status = http.put(path, content=json.dumps(body)).status_code

    return increments


def measured(increments: Increment, count: int, pipe: Connection) -> tuple[float, float]:
    """Return the CPU milliseconds and the requests of one update."""
    pipe.send("count")
    pipe.recv()
    begun = time.process_time()
    increments(count)
    spent = time.process_time() - begun
    pipe.send("count")
    requests, _ = pipe.recv()
    return spent * 1000 / count, requests / count


def main() -> None:
    """Measure all in turns, and print what each took, and the ratios."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    context = multiprocessing.get_context("spawn")
    pipe, far = context.Pipe()
    server = context.Process(target=serve, args=(far,), daemon=True)
    server.start()
    url = pipe.recv()
    clients = {"ours": ours(url), "official": official(url), "httpx": bare(url)}
    for increments in clients.values():
        increments(1)
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in clients}
    for _ in range(ROUNDS):
        for name, increments in clients.items():
            found[name].append(measured(increments, count, pipe))
    pipe.send("count")
    _, total = pipe.recv()
    pipe.send("")
    server.join()
    assert total == len(clients) * (1 + ROUNDS * count), "an increment was lost"
    report({name: tuple(map(statistics.median, zip(*each, strict=True))) for name, each in found.items()}, count)


def report(found: dict[str, tuple[float, ...]], count: int) -> None:
    """Print a table."""
    print(f"one increment, every {EVERY}th write overtaken; medians of {ROUNDS} rounds of {count} updates")
    mine = found["ours"]
    for name, (spent, requests) in found.items():
        ratios = f"ours is {mine[0] / spent:.2f} times the CPU, {mine[1] / requests:.2f} times the requests"
        print(f"{name:9} {spent:6.3f} ms CPU  {requests:5.2f} requests" + ("" if name == "ours" else f"   {ratios}"))


if __name__ == "__main__":
    main()
