# SPDX-License-Identifier: MIT
"""Many writers on one cluster: PUTs, refusals and time, beside the policies that others use; all in virtual time.

The client's own flows, lanes and shared writes run against the mock's core, from fixed seeds and without sockets, so
that the numbers are the same on every machine. It ends with 1 where a target is missed. ``--quick`` takes fewer seeds.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.contention.peers import PEERS
from tests.contention.scenarios import Count, Scenario, deadline, mean, others, processes
from tests.contention.stage import READ, WRITE
from tests.contention.targets import TARGETS, Target

OPERATIONS = (5.0, 120.0)
PEERS_MANY = 32
ASSUMPTIONS = """\
A GET takes {read}, a PUT {write}, both at random; the service decides at a random moment in it. An
operation takes 5 s or 120 s, and is polled after 1 s, then 1.5 times as long each time, up to 30 s. Everybody tries for
three times as long as all writes take one after the other, with 30 s for polls: {short} and {long} for 32 writers;
whoever has a number of tries stops there. Each writer sets a tag of its own (at a pool: adds a node). Wasted is a PUT
that was refused. A process alone knows nothing of the others; a lease is a queue that costs nothing. Times are in
seconds, and all numbers means over the seeds."""


def assumptions() -> str:
    """Say under which assumptions the numbers hold."""
    return ASSUMPTIONS.format(
        read="{:g} to {:g} s".format(*READ),
        write="{:g} to {:g} s".format(*WRITE),
        short=f"{deadline(PEERS_MANY, OPERATIONS[0]):g} s",
        long=f"{deadline(PEERS_MANY, OPERATIONS[1]):g} s",
    )


def peers() -> Iterator[tuple[str, Scenario]]:
    """List how 32 processes that know nothing of each other fare, by policy."""
    for within, when in ((0.0, "at the same instant"), (60.0, "within a minute")):
        yield f"aks-etag, {when}", partial(processes, clients=PEERS_MANY, within=within)
        for peer in PEERS:
            yield f"{peer.name}, {when}", partial(others, clients=PEERS_MANY, peer=peer, within=within)
        yield f"ideal lease, {when}", partial(processes, clients=PEERS_MANY, within=within, lease=True)


def row(name: str, operation: float, count: Count, verdict: str = "") -> str:
    """Return a line of a table."""
    return (
        f"{name:52} {operation:5g} {count.puts:8.1f} {count.wasted:8.1f} {count.success:8.1f} {count.makespan:9.0f} "
        f"{count.gets:8.0f}  {verdict}"
    ).rstrip()


def main() -> int:
    """Print both tables; return whether a target was missed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="few seeds, and others only with operations of 5 s")
    quick = parser.parse_args().quick
    print(assumptions())
    head = f"\n{'':52} {'op':>5} {'PUTs':>8} {'wasted':>8} {'success%':>8} {'makespan':>9} {'GETs':>8}"
    print(head)
    missed = [target for target in TARGETS for operation in OPERATIONS if not met(target, operation, quick=quick)]
    print(head)
    for operation in OPERATIONS[: 1 if quick else None]:
        for name, scenario in peers():
            seeds = 1 if quick else 10 if operation == OPERATIONS[0] else 3
            print(row(name, operation, mean(scenario, operation, range(seeds))), flush=True)
    return 1 if missed else 0


def met(target: Target, operation: float, *, quick: bool) -> bool:
    """Run what a target is about, and print what it came to."""
    seeds = target.seeds(operation)
    count = mean(target.scenario, operation, range(max(1, seeds // 4) if quick else seeds))
    failed = target.missed(count, operation)
    print(row(target.name, operation, count, "MISSED: " + ", ".join(failed) if failed else "ok"), flush=True)
    return not failed


if __name__ == "__main__":
    raise SystemExit(main())
