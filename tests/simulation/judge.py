# SPDX-License-Identifier: MIT
"""Run histories by the thousand, and judge each; make the first that fails as small as it can be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from aks_etag.history import Anomaly, Report, check

from .network import carry
from .plan import Plan, drawn
from .world import World

# Left out of a body, this comes back as the service's default.
NORMALISED = ("/properties/maxPods",)
# Plays a history; with a trace, where it is asked for one.
Play = Callable[[Plan, bool], World]


def played(plan: Plan, tracing: bool = False) -> World:
    """Let a history happen."""
    return World(plan, carry, tracing=tracing).run()


def judged(world: World) -> Report:
    """Hold what its callers were told against what was committed."""
    states = {"initial": world.initial, "final": world.final} if world.closed else {}
    report = check(world.lines, world.mock.commits, changes=world.changes, normalised=NORMALISED, **states)
    return replace(report, anomalies=(*report.anomalies, *late(world), *unknown_though_noted(world)))


def late(world: World) -> Iterator[Anomaly]:
    """Name the writes that were carried out after an error that did not say that they still might be."""
    owners: dict[str, list[str]] = {}
    for line in world.lines:
        if line["line"] == "attempt":
            owners.setdefault(line["request"], []).append(line["op"])
    for n, commit in enumerate(world.mock.commits):
        for op in owners.get(commit.request_id, ()):
            end, commits = world.ended.get(op, ({}, n + 1))
            # A create that comes late, after somebody deleted the one repeated for it, is a risk that is accepted.
            silent = end.get("error") not in (None, "KeyboardInterrupt", "ResourceGoneError") and not end.get("pending")
            if n >= commits and silent and not end.get("applied"):
                text = f"{op} raised {end['error']}, applied={end['applied']}, and {commit.request_id} came after it"
                yield Anomaly(kind="falsely failed", op=op, lines=(text,))


def unknown_though_noted(world: World) -> Iterator[Anomaly]:
    """Name what is not known, where a registry is there, all note their writes, and nobody takes the notes away."""
    if world.plan.registry is None:
        return
    for op, (end, _) in world.ended.items():
        if end.get("error") == "WriteOutcomeUnknownError":
            yield Anomaly(kind="needless unknown", op=op, lines=(f"{op} does not know, and there is a note",))


def wrong(world: World, report: Report) -> list[Anomaly]:
    """Return what must not be: a write is re-asserted only for those who allow it, and never where it is noted."""
    calls = [line for line in world.lines if line["line"] == "call"]
    noted = {line["op"] for line in calls if line.get("exactly_once") and line["verb"] == "update"}
    never = {line["op"] for line in calls if line["on_doubt"] == "raise"} | noted
    fine = [each for each in report.anomalies if each.kind == "re-asserted" and each.op not in never]
    # The final state shows these again, in other words.
    return [each for each in report.anomalies if each not in fine and not (fine and each.kind == "unexplained")]


@dataclass(slots=True)
class Tally:
    """What many histories came to; ``failing`` has their seeds."""

    histories: int = 0
    operations: int = 0
    writes: int = 0
    commits: int = 0
    unknown: int = 0
    found: Counter[str] = field(default_factory=Counter)
    failing: list[int] = field(default_factory=list)

    def add(self, seed: int, world: World) -> None:
        """Judge one, and count what was found."""
        report = judged(world)
        self.histories += 1
        self.operations += report.operations
        self.writes += report.attempts
        self.commits += report.commits
        self.unknown += report.unknown
        self.found.update(anomaly.kind for anomaly in report.anomalies)
        if wrong(world, report):
            self.failing.append(seed)

    def joined(self, other: Tally) -> Tally:
        """Count two runs as one."""
        return Tally(
            histories=self.histories + other.histories,
            operations=self.operations + other.operations,
            writes=self.writes + other.writes,
            commits=self.commits + other.commits,
            unknown=self.unknown + other.unknown,
            found=self.found + other.found,
            failing=self.failing + other.failing,
        )


def tally(seeds: Iterable[int], play: Play = played, plan: Callable[[int], Plan] = drawn) -> Tally:
    """Run one history for each seed."""
    counts = Tally()
    for seed in seeds:
        counts.add(seed, play(plan(seed), False))
    return counts


def shrunk(plan: Plan, play: Play = played) -> Plan:
    """Drop writers, things to do, others and faults for as long as a failure of the same kind remains."""
    world = play(plan, False)
    kinds = _kinds(world)
    smaller: Plan | None = replace(plan, faults=dict(world.faults))
    while smaller is not None:
        plan = smaller
        smaller = next((each for each in _smaller(plan) if kinds & _kinds(play(each, False))), None)
    return plan


def _kinds(world: World) -> set[str]:
    return {anomaly.kind for anomaly in wrong(world, judged(world))}


def _smaller(plan: Plan) -> Iterator[Plan]:
    for n in range(len(plan.writers)):
        yield replace(plan, writers=plan.writers[:n] + plan.writers[n + 1 :])
    for n in range(len(plan.background)):
        yield replace(plan, background=plan.background[:n] + plan.background[n + 1 :])
    for n in range(len(plan.dooms)):
        yield replace(plan, dooms=plan.dooms[:n] + plan.dooms[n + 1 :])
    for key in plan.faults or ():
        yield replace(plan, faults={other: fault for other, fault in (plan.faults or {}).items() if other != key})
    for n, writer in enumerate(plan.writers):
        for m in range(len(writer.ops)):
            fewer = replace(writer, ops=writer.ops[:m] + writer.ops[m + 1 :])
            yield replace(plan, writers=(*plan.writers[:n], fewer, *plan.writers[n + 1 :]))


def story(plan: Plan, play: Play = played) -> str:
    """Tell a history: the plan to replay it by, what happened in which order, and what is wrong with it."""
    world = play(plan, True)
    return "\n".join([repr(plan), *world.trace, str(judged(world))])
