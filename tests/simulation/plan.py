# SPDX-License-Identifier: MIT
"""Everything that happens in one history, as plain data drawn from one integer."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

Fault = tuple[str, float]

POOL_OPS: Final = (
    "increment", "increment", "append", "append list", "claim", "set", "set", "default", "put", "recreate", "drop",
)  # fmt: skip
LIFE_OPS: Final = ("create", "create", "adopt", "ensure", "ensure", "delete seen", "delete if", "increment", "append")
CLUSTER_OPS: Final = ("cluster append", "cluster claim", "cluster set", "tags", "tags", "untag", "patch", "cluster put")
# What can happen to a request, how often beside each other, and whether it takes a time.
WRITE_FAULTS: Final[Mapping[str, int]] = {
    "lost before": 3, "lost after": 5, "late": 5, "500 before": 1, "503 after": 2, "504 after": 2, "408 before": 1,
    "page before": 1, "page after": 1, "400 before": 1, "429": 1, "429 asks": 1, "raced before": 1, "raced after": 1,
    "busy": 1, "unsent": 1, "slow": 2,
}  # fmt: skip
READ_FAULTS: Final[Mapping[str, int]] = {"lost after": 3, "503 after": 2, "page after": 1, "429 asks": 1, "slow": 1}
POLL_FAULTS: Final[Mapping[str, int]] = {"lost after": 2, "503 after": 1, "page after": 1, "404": 1}
DOOMS: Final = (
    ("OriginalEtagNotExpect", "Failed"),
    ("AKSOperationPreempted", "Failed"),
    ("OperationPreempted", "Failed"),
    ("QuotaExceeded", "Failed"),
    ("Canceled", "Canceled"),
)
PREEMPTED: Final = ("OriginalEtagNotExpect", "AKSOperationPreempted", "OperationPreempted")
# How many writers mark their writes.
EXACTLY_ONCE: Final = 0.25
# The registry as somebody has begun it, and what others do who leave it alone.
REGISTRY: Final = "1.7"
COOPERATIVE: Final = ("policy tag", "autoscale", "cluster tag", "busy", "idle")
MARKED_OPS: Final[Mapping[str, Sequence[str]]] = {
    "pool": ("increment", "append", "append list", "claim", "set", "default", "drop"),
    "cluster": ("cluster append", "cluster claim", "cluster set", "tags", "untag"),
}
BACKGROUND: Final = (
    "policy tag",
    "policy untag",
    "autoscale",
    "autoscale",
    "revert",
    "cluster tag",
    "delete",
    "busy",
    "idle",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Doom:
    """How the n-th accepted operation ends badly."""

    nth: int
    code: str
    status: str
    stored: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """One writer: what it does one after the other, as which client, and how it was told to go about it.

    ``dies``: with which of its requests Ctrl-C comes, or after how many seconds of waiting for a shared write; 0 is
    never. ``within``: the deadline of each of its updates, where that is not the one of its options.
    """

    number: int
    client: int
    ops: tuple[str, ...]
    options: Mapping[str, Any]
    starts: float
    dies: int = 0
    within: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One history. ``faults`` are drawn as it goes where they are not given, by writer and number of its request."""

    seed: int
    stage: str
    writers: tuple[Writer, ...]
    switches: Mapping[str, Any]
    background: tuple[tuple[float, str], ...] = ()
    dooms: tuple[Doom, ...] = ()
    rate: float = 0.15
    registry: str | None = None
    faults: Mapping[tuple[int, int], Fault] | None = field(default=None)


def by_hand(seed: int) -> Plan:
    """Draw a history of what a loop written by hand can do, too."""
    return _plan(seed, "pool", ("increment", "append", "claim", "set"))


def plan_of(seed: int) -> Plan:
    """Draw a history from a seed."""
    stage = random.Random(-seed - 1).choices(("pool", "life", "cluster"), (5, 3, 3))[0]
    return _plan(seed, stage, {"pool": POOL_OPS, "life": LIFE_OPS, "cluster": CLUSTER_OPS}[stage])


def _plan(seed: int, stage: str, ops: Sequence[str]) -> Plan:
    dice = random.Random(seed)
    quiet = dice.random() < 0.3
    return Plan(
        seed=seed,
        stage=stage,
        writers=tuple(_writer(dice, number, ops) for number in range(dice.choice((2, 2, 3, 3, 4)))),
        switches=_switches(dice),
        background=() if quiet else _background(dice, stage),
        dooms=() if dice.random() < 0.6 else tuple(_doom(dice) for _ in range(dice.choice((1, 1, 2)))),
        rate=dice.choice((0.0, 0.1, 0.2, 0.4)),
    )


def drawn(seed: int) -> Plan:
    """Draw a history of any kind; in each eighth, all writers note what they write, and in others they share writes."""
    if seed % 8 == 7:
        return in_company(cooperative(seed)) if seed % 32 == 15 else cooperative(seed)
    return in_company(plan_of(seed)) if seed % 32 == 5 else plan_of(seed)


def in_company(plan: Plan) -> Plan:
    """Let most of the writers of a history, and some more, be of one client whose updates go out together."""
    dice = random.Random(plan.seed + 1)
    ops, first = MARKED_OPS["cluster" if plan.stage == "cluster" else "pool"], plan.writers[0]
    told = {**first.options, "group_commit": True, "linger": dice.choice((0.0, 0.0, 1.0))}
    crowd = tuple(
        Writer(
            number=number,
            client=0,
            ops=tuple(dice.choice(ops) for _ in range(dice.choice((1, 1, 2)))),
            options=told,
            starts=round(dice.choice((0.0, dice.expovariate(1.0))), 2),
            dies=0 if plan.registry is not None else dice.choice((0,) * 12 + (1, 2, 5)),
            within=None if plan.registry is not None else dice.choice((None, None, None, 3.0, 30.0)),
        )
        for number in range(dice.choice((3, 4, 6, 9)))
    )
    alone = (
        replace(
            writer,
            number=20 + writer.number,
            client=20 + writer.number,
            ops=ops[:2] if plan.stage == "life" else writer.ops,
        )
        for writer in plan.writers[1:]
    )
    others = tuple((when, kind) for when, kind in plan.background if kind != "delete")
    stage = "cluster" if plan.stage == "cluster" else "pool"
    return replace(plan, stage=stage, writers=(*crowd, *alone), background=others)


def cooperative(seed: int) -> Plan:
    """Draw a history in which all writers note their writes, have time, and nobody takes the notes away."""
    plan, dice = plan_of(seed), random.Random(seed)
    stage = "cluster" if plan.stage == "cluster" else "pool"
    told = {"exactly_once": True, "attempts": 100, "deadline": 100_000.0}
    writers = (
        replace(
            writer,
            ops=tuple(dice.choice(MARKED_OPS[stage]) for _ in writer.ops),
            options={**writer.options, **told},
            dies=0,
        )
        for writer in plan.writers
    )
    others = tuple((when, kind) for when, kind in plan.background if kind in COOPERATIVE)
    # After another failure an older write can still come, and no note tells.
    dooms = tuple(doom for doom in plan.dooms if doom.code in PREEMPTED)
    return replace(plan, stage=stage, writers=tuple(writers), background=others, dooms=dooms, registry=REGISTRY)


def _writer(dice: random.Random, number: int, ops: Sequence[str]) -> Writer:
    options = {
        "on_doubt": dice.choice(("untouched", "untouched", "reapply", "raise")),
        "on_busy": dice.choice(("wait", "wait", "wait", "raise")),
        "polling_interval": dice.choice((1.0, 5.0, 30.0)),
        "attempts": dice.choice((2, 20, 20)),
        "deadline": dice.choice((4.0, 20.0, 90.0, 600.0, 1800.0)),
        "exactly_once": dice.random() < EXACTLY_ONCE,
    }
    return Writer(
        number=number,
        client=dice.choice((number, number, 0)),
        ops=tuple(dice.choice(ops) for _ in range(dice.choice((1, 1, 2, 3)))),
        options=options,
        starts=round(dice.expovariate(0.5), 2),
        dies=dice.choice((0,) * 40 + (1, 2, 3, 4, 6)),
    )


def _switches(dice: random.Random) -> dict[str, Any]:
    return {
        "operation_polls": dice.choice((0, 1, 1, 2, 4)),
        "busy_first": dice.random() < 0.3,
        "cluster_tag_moves": dice.choice(("completion", "completion", "accept")),
        "failed_moves_tag": dice.random() < 0.3,
        "keep_empty_maps": dice.random() < 0.2,
        "omitted_pools_move": dice.random() < 0.7,
        "patch_tags": dice.choice(("replace", "replace", "merge")),
        "pools_block_each_other": dice.random() < 0.2,
    }


def _background(dice: random.Random, stage: str) -> tuple[tuple[float, str], ...]:
    kinds = BACKGROUND if stage != "cluster" else ("cluster tag", "cluster untag", "cluster revert", "busy", "idle")
    events = [(round(dice.expovariate(0.1), 2), dice.choice(kinds)) for _ in range(dice.choice((1, 2, 3, 4)))]
    # Whatever was made busy is idle again in the end.
    return tuple(sorted([*events, (60.0, "idle")]))


def _doom(dice: random.Random) -> Doom:
    code, status = dice.choice(DOOMS)
    return Doom(nth=dice.choice((1, 1, 2, 3)), code=code, status=status, stored=dice.random() < 0.5)


def drawn_fault(dice: random.Random, plan: Plan, method: str, url: str) -> Fault | None:
    """Draw what happens to one request; always the same number of draws, so that a replay keeps its latencies."""
    chance, which, seconds = dice.random(), dice.random(), dice.expovariate(1.0)
    if method != "GET":
        table, rate = WRITE_FAULTS, plan.rate * 1.5
    elif "/operations/" in url or "/operationresults/" in url:
        table, rate = POLL_FAULTS, plan.rate / 2
    else:
        table, rate = READ_FAULTS, plan.rate / 2
    if chance >= rate:
        return None
    left = which * sum(table.values())
    for kind, weight in table.items():
        left -= weight
        if left < 0:
            if kind == "400 before" and plan.registry is not None:
                # Refused for good while an older write can still land: that is unknown, and no note tells.
                return None
            return kind, round(seconds * (40 if kind in ("late", "slow") else 2), 2)
    return None
