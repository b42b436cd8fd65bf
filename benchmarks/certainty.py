# SPDX-License-Identifier: MIT
"""CPU time that the decisions of one update cost, without any I/O: plain, and with what makes it certain.

The answers are recorded ones and come from memory, so that nothing but flow, driver and change is measured; the rest
of an update's cost is in ``update.py``. Run it on two versions of the library to compare them: it uses nothing else.
"""

from __future__ import annotations

import copy
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from aks_etag import AksClient
from aks_etag._core.messages import Outcome, Request, Response
from aks_etag.mock import FakeCredential

WIRE = Path(__file__).resolve().parent.parent / "tests" / "data" / "wire"
ROUNDS = 15
OPERATION = "https://management.azure.com/operations/op1?t=SIGNED"


def recorded(name: str) -> Any:
    return json.loads((WIRE / f"{name}.json").read_text("utf-8"))["body"]


class Memory:
    """Answers an update of a cluster: read, write, one poll, read."""

    def __init__(self) -> None:
        before = recorded("get_cluster_200")
        after = copy.deepcopy(before)
        after["eTag"] = "moved"
        self.reads = [Response(status=200, body=before), Response(status=200, body=after)]
        self.put = Response(status=200, headers={"azure-asyncoperation": OPERATION}, body=before)
        self.poll = Response(status=200, body={"status": "Succeeded"})
        self.number = 0

    def send(self, request: Request) -> Outcome:
        if request.method != "GET":
            return self.put
        if "operations" in request.url:
            return self.poll
        self.number += 1
        return self.reads[self.number % 2 - 1]

    def close(self) -> None:
        pass


class Still:
    """A clock that only jumps."""

    at = 0.0

    def monotonic(self) -> float:
        return self.at

    def time(self) -> float:
        return self.at

    def sleep(self, seconds: float) -> None:
        self.at += seconds


def tagged(body: dict[str, Any]) -> None:
    tags = body["tags"] = dict(body.get("tags") or {})
    tags["turn"] = "1"


def updates(**settings: Any) -> Callable[[int], None]:
    aks = AksClient(FakeCredential(), "s1", clock=Still(), **settings)  # type: ignore[arg-type]
    aks._transport = Memory()  # type: ignore[assignment]
    cluster = aks.cluster("rg", "prod")

    def run(count: int) -> None:
        for _ in range(count):
            assert cluster.update(tagged).outcome == "updated"

    return run


def main() -> None:
    """Measure all in turns, and print microseconds and what each adds."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    ways = {"plain": updates()}
    try:
        ways["exactly_once"] = updates(exactly_once=True)
    except TypeError:
        print("this version knows no exactly_once")
    spent: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, run in ways.items():
            begun = time.process_time()
            run(count)
            spent[name].append((time.process_time() - begun) * 1e6 / count)
    plain = statistics.median(spent["plain"])
    for name, times in spent.items():
        found = statistics.median(times)
        print(f"{name:14} {found:7.1f} µs CPU per update, {found - plain:+6.1f}")


if __name__ == "__main__":
    main()
