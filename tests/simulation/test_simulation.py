# SPDX-License-Identifier: MIT
"""Thousands of histories from seeds: nothing is lost, doubled, invented or wrongly called failed, whatever breaks."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from . import controls
from .controls import CONTROLS, HONEST
from .crowd import crowd
from .judge import Tally, judged, played, shrunk, story, tally, wrong
from .plan import by_hand, cooperative, drawn, in_company, plan_of
from .world import World

# The fixture takes its time before the first test that asks for it.
pytestmark = pytest.mark.timeout(900)

HISTORIES = 20_000


@pytest.fixture(scope="module")
def counts() -> Tally:
    """Run the histories in two processes."""
    return crowd(0, HISTORIES, 2, share=HISTORIES // 4)


def test_nothing_is_lost_doubled_invented_or_wrongly_called_failed(counts: Tally) -> None:
    assert counts.histories == HISTORIES
    assert counts.failing == [], story(shrunk(drawn(counts.failing[0])))


def test_the_histories_are_worth_something(counts: Tally) -> None:
    assert counts.commits > 3 * HISTORIES
    assert counts.writes > counts.commits
    assert 0 < counts.unknown < counts.operations / 4
    assert 0 < counts.found["re-asserted"] < counts.commits / 100


@pytest.mark.parametrize("name", CONTROLS)
def test_each_way_to_do_it_wrong_is_caught_within_a_thousand_histories(name: str) -> None:
    play, kinds = CONTROLS[name]
    for seed in range(1000):
        world = play(by_hand(seed), False)
        if kinds & {anomaly.kind for anomaly in wrong(world, judged(world))}:
            return
    pytest.fail("not caught")


def test_of_a_ring_only_what_falls_out_of_it_is_doubled(monkeypatch: pytest.MonkeyPatch) -> None:
    play, kinds = CONTROLS["a ring of eight ids, and writers that stall"]
    alone = [replace(by_hand(seed), background=()) for seed in range(100)]

    def doubled() -> int:
        worlds = (play(plan, False) for plan in alone)
        return sum(bool(kinds & {each.kind for each in wrong(world, judged(world))}) for world in worlds)

    assert doubled() > 0
    monkeypatch.setattr(controls, "RING", 10_000)
    assert doubled() == 0


def test_with_a_registry_and_writers_that_note_what_they_write_nothing_is_unknown() -> None:
    recovered: Counter[str] = Counter()
    for seed in range(800):
        world = played(cooperative(seed))
        assert wrong(world, judged(world)) == [], story(shrunk(cooperative(seed)))
        recovered.update(end.get("recovered", "") for end, _ in world.ended.values())
    assert recovered["marker"] > 250


def test_a_registry_that_is_lost_is_known_for_what_it_is() -> None:
    """Take the notes away meanwhile, and some writes are unknown: the test above is not blind."""
    plans = (
        replace(plan, background=((5.0, "policy untag"), (10.0, "policy untag")), rate=0.4)
        for plan in map(cooperative, range(300))
        if plan.stage == "pool"
    )
    found = [wrong(world, judged(world)) for world in map(played, plans)]
    assert any(anomaly.kind == "needless unknown" for each in found for anomaly in each)
    assert not any(anomaly.kind in ("lost", "doubled", "phantom") for each in found for anomaly in each)


def test_a_loop_by_hand_that_does_it_right_is_clean() -> None:
    assert tally(range(300), HONEST, by_hand).failing == []


def test_where_nothing_breaks_nothing_is_unknown() -> None:
    for seed in range(300):
        plan = plan_of(seed)
        whole = tuple(replace(writer, dies=0) for writer in plan.writers)
        world = played(replace(plan, writers=whole, rate=0.0, dooms=()))
        assert wrong(world, judged(world)) == []
        assert "WriteOutcomeUnknownError" not in {end.get("error") for end, _ in world.ended.values()}


def test_everything_that_can_happen_does() -> None:
    """Look into some histories, so that a simulation that has become blind does not pass for a quiet one."""
    faults: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    rules: Counter[int | None] = Counter()
    for seed in range(800):
        world = played(plan_of(seed))
        faults.update(kind for kind, _ in world.faults.values())
        ends.update(line.get("outcome") or line["error"] for line in world.lines if line["line"] == "end")
        ends.update(f"recovered: {line['recovered']}" for line in world.lines if line.get("recovered"))
        rules.update(entry.decided for entry in world.mock.journal if entry.method != "GET")
    assert len(faults) == 18
    assert set(rules) == {200, 201, 202, 204, 409, 412}
    assert {"created", "updated", "unchanged", "satisfied", "deleted", "absent"} <= set(ends)
    assert {"recovered: equivalent", "recovered: absent", "recovered: marker"} <= set(ends)
    assert {
        "AlreadyExistsError", "ConflictRetriesExhaustedError", "DeadlineExceededError", "OperationFailedError",
        "KeyboardInterrupt", "OperationInProgressError", "OperationPreemptedError", "PreconditionFailedError",
        "ResourceGoneError", "ThrottledError", "WriteOutcomeUnknownError",
    } <= set(ends)  # fmt: skip


def test_a_history_happens_the_same_way_again() -> None:
    for plan in (plan_of(3), plan_of(17), in_company(plan_of(42)), in_company(plan_of(43))):
        first, second = played(plan, True), played(plan, True)
        again = played(replace(plan, faults=dict(first.faults)), True)
        assert first.trace == second.trace == again.trace
        assert first.lines == second.lines == again.lines
        assert _commits(first) == _commits(second) == _commits(again)


def _commits(world: World) -> list[Any]:
    return [(commit, commit.body_before, commit.body_after) for commit in world.mock.commits]


def test_a_failing_history_is_made_small_and_told() -> None:
    play, kinds = CONTROLS["blind retry after doubt"]
    plan = by_hand(tally(range(30), play, by_hand).failing[0])
    small, first = shrunk(plan, play), play(plan, False)
    assert len(small.faults or ()) < len(first.faults)
    assert sum(len(writer.ops) for writer in small.writers) < sum(len(writer.ops) for writer in plan.writers)
    told = story(small, play)
    assert told.splitlines()[0] == repr(small)
    assert "doubled: update" in told
    assert kinds & {anomaly.kind for anomaly in judged(play(small, False)).anomalies}


def test_late_requests_are_delivered_before_anybody_judges() -> None:
    late = 0
    for seed in range(40):
        world = played(plan_of(seed), True)
        late += sum(kind == "late" for kind, _ in world.faults.values())
        sent = {line["request"] for line in world.lines if line["line"] == "attempt"}
        kept = {
            key
            for key, (kind, _) in world.faults.items()
            if not kind.endswith("after") and kind not in ("late", "slow")
        }
        arrived = {entry.request_id for entry in world.mock.journal if entry.method != "GET"}
        assert len(sent - arrived) <= len(kept)
    assert late > 0


def test_writers_of_one_client_never_refuse_each_other() -> None:
    waited = 0
    for plan in filter(lambda plan: plan.stage == "pool", map(plan_of, range(300))):
        writers = tuple(replace(each, client=0, dies=0, ops=("increment", "append") * 2) for each in plan.writers)
        world = played(replace(plan, writers=writers, background=(), dooms=(), rate=0.0), True)
        assert 412 not in {entry.status for entry in world.mock.journal}, world.trace
        waited += sum("waits for its turn" in line for line in world.trace)
    assert waited > 100


def test_a_thousand_writers_share_a_few_writes_whatever_breaks() -> None:
    for seed in range(2):
        plan = in_company(plan_of(seed))
        crowd = tuple(
            replace(plan.writers[0], number=100 + n, starts=n % 7, ops=("append", "increment")) for n in range(1000)
        )
        world = played(replace(plan, stage="pool", writers=crowd, rate=0.4))
        report = judged(world)
        assert wrong(world, report) == [], report
        assert report.operations == 2000
        assert len(world.mock.commits) < 60


def test_writes_are_shared_and_every_way_to_leave_one_is_taken() -> None:
    shared: Counter[int] = Counter()
    ends: Counter[str] = Counter()
    split = 0
    for seed in range(400):
        world = played(in_company(plan_of(seed)), True)
        assert wrong(world, judged(world)) == [], story(shrunk(in_company(plan_of(seed))))
        attempts = [line for line in world.lines if line["line"] == "attempt" and "place" in line]
        shared.update(Counter(line["request"] for line in attempts).values())
        parts = {line["op"] for line in attempts}
        ends.update(
            line.get("outcome") or line["error"]
            for line in world.lines
            if line["line"] == "end" and line["op"] in parts
        )
        ends.update(
            f"recovered: {line['recovered']}" for line in world.lines if line.get("recovered") and line["op"] in parts
        )
        split += sum("400 before" in line for line in world.trace)
    assert sum(count for size, count in shared.items() if size > 2) > 200
    assert split > 10
    assert {"updated", "unchanged", "satisfied", "recovered: equivalent", "recovered: marker"} <= set(ends)
    assert {
        "ConflictRetriesExhaustedError", "DeadlineExceededError", "KeyboardInterrupt", "OperationFailedError",
        "OperationInProgressError", "WriteOutcomeUnknownError",
    } <= set(ends)  # fmt: skip
