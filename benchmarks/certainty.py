# SPDX-License-Identifier: MIT
"""CPU time that the decisions of one update cost, without any I/O: plain, and with what makes it certain or shared.

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
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from aks_etag import AksClient
from aks_etag._core.messages import Outcome, Request, Response
from aks_etag.mock import FakeCredential

WIRE = Path(__file__).resolve().parent.parent / "tests" / "data" / "wire"
ROUNDS = 15
# What a lane may add to an update that nobody else waits for, in microseconds.
LANE = 30.0
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


def updates(lanes: NoLanes | None = None, **settings: Any) -> Callable[[int], None]:
    aks = AksClient(FakeCredential(), "s1", clock=Still(), **settings)  # type: ignore[arg-type]
    aks._transport = Memory()  # type: ignore[assignment]
    if lanes is not None:
        aks._parts = replace(aks._parts, lanes=lanes)  # type: ignore[arg-type]
    cluster = aks.cluster("rg", "prod")

    def run(count: int) -> None:
        for _ in range(count):
            assert cluster.update(tagged).outcome == "updated"

    return run


class NoLanes:
    """Whoever asks has the turn at once: what an update costs where nobody keeps an order."""

    valid = True

    def turns(self) -> Self:
        return self

    def take(self, *_: object) -> bool:
        return True

    def give_back(self) -> None:
        pass


def main() -> None:
    """Measure all in turns, and print microseconds and what each adds to an update without lanes."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    ways = {
        "without lanes": updates(lanes=NoLanes()),
        "plain": updates(),
        "exactly_once": updates(exactly_once=True),
        "group_commit": updates(group_commit=True),
    }
    spent: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, run in ways.items():
            begun = time.process_time()
            run(count)
            spent[name].append((time.process_time() - begun) * 1e6 / count)
    # Beside what was measured right before it, since the speed of a machine comes and goes.
    adds = {name: statistics.median(map(float.__sub__, times, spent["without lanes"])) for name, times in spent.items()}
    for name, times in spent.items():
        print(f"{name:14} {statistics.median(times):7.1f} µs CPU per update, {adds[name]:+6.1f}")
    if adds["plain"] > LANE:
        raise SystemExit(f"a lane costs more than {LANE:g} µs")


if __name__ == "__main__":
    main()
