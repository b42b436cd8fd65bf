# SPDX-License-Identifier: MIT
"""Others want to write, too: after a refusal and an operation, each looks again at a moment of its own."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag import merge_patch
from aks_etag._flows.budget import Budget
from aks_etag._flows.crowd import OTHERS
from aks_etag._flows.effects import MOVED, Afford, Chance, Now, Send

from .harness import BUSY, CLUSTER, FIVE, POOL, RACED, STALE, accepted, cluster, polled, pool, traced

READ = "GET pool"
DONE = (accepted(), polled(), pool("t9", count=5))
TAGGED = merge_patch({"tags": {"a": "1"}})
RUNS = pool("t1", "Updating")


def pauses(*script: Any, **options: Any) -> list[str]:
    """List how long a call has waited to let others be first."""
    run = traced(FIVE, *script, **options)
    sleeps = [step for step in run.steps if step.startswith("SLEEP")]
    assert run.ended == "updated"
    return [sleep for sleep, what in zip(sleeps, run.waits, strict=True) if what == OTHERS]


@pytest.mark.parametrize(
    "script",
    [
        pytest.param([pool("t1")], id="nobody"),
        pytest.param([RUNS, pool("t1")], id="busy-at-first"),
        pytest.param([RUNS, RUNS, pool("t1")], id="busy-at-first-for-long"),
    ],
)
def test_the_first_write_waits_for_nobody_but_the_operation(script: Any) -> None:
    assert pauses(*script, *DONE) == []


@pytest.mark.parametrize("refused", [STALE, BUSY], ids=["412", "409"])
def test_where_operations_are_over_at_once_nobody_pauses(refused: Any) -> None:
    blocker = [cluster()] if refused is BUSY else []
    rounds = [answer for n in range(3) for answer in (pool(f"t{n}"), refused, *blocker)]
    assert pauses(*rounds, pool("t8"), *DONE) == []


def test_after_a_refusal_and_an_operation_the_look_that_counts_is_a_later_one() -> None:
    run = traced(FIVE, pool("t1"), STALE, RUNS, pool("t2"), pool("t3"), *DONE)
    looks = ["SLEEP 1", READ, "SLEEP 1", READ, "SLEEP 20", READ, "Retrying"]
    assert run.steps[3:13] == ["UNDECIDED -", "Conflict", *looks, "UNDECIDED r2"]
    assert (run.wire[5], run.ended) == ("PUT pool If-Match=t3 r2", "updated")


def test_whoever_finds_it_busy_again_waits_for_twice_as_much_at_most_twice() -> None:
    later = [answer for n in range(2, 6) for answer in (pool(f"t{n}", "Updating"), pool(f"t{n}"))]
    assert pauses(pool("t1"), STALE, RUNS, pool("t1"), *later, pool("t6"), *DONE) == [
        "SLEEP 20", "SLEEP 40", "SLEEP 80", "SLEEP 80", "SLEEP 80",
    ]  # fmt: skip


def test_each_refusal_counts_and_what_was_learned_of_the_operations_stays() -> None:
    """Nobody has to see the next operation running, and no backoff grows beside the pauses."""
    run = traced(FIVE, pool("t1"), STALE, RUNS, pool("t2"), pool("t2"), STALE, pool("t3"), pool("t4"), *DONE)
    assert [step for step in run.steps if step.startswith("SLEEP")] == [
        "SLEEP 1", "SLEEP 1", "SLEEP 20", "SLEEP 1", "SLEEP 40", "SLEEP 1",
    ]  # fmt: skip


def test_the_longest_operation_that_was_waited_for_counts_before_a_refusal_as_well() -> None:
    assert pauses(RUNS, RUNS, pool("t1"), STALE, pool("t2"), pool("t3"), *DONE) == ["SLEEP 25"]


def test_a_cluster_is_busy_itself() -> None:
    script = [cluster("t1"), BUSY, cluster("t1", "Updating"), cluster("t2"), cluster("t3")]
    run = traced(TAGGED, *script, accepted(), polled(), cluster("t4"), on=CLUSTER)
    assert [step for step in run.steps if step.startswith("SLEEP")] == ["SLEEP 1", "SLEEP 1", "SLEEP 20", "SLEEP 1"]
    assert run.wire[5] == "PUT cluster If-Match=t3 r2"


def test_a_pause_leaves_time_to_write() -> None:
    assert pauses(pool("t1"), STALE, RUNS, pool("t2"), pool("t3"), *DONE, deadline=12.0) == ["SLEEP 5"]


def test_a_write_in_doubt_is_looked_into_without_a_pause() -> None:
    run = traced(FIVE, pool("t1"), RACED, cluster("c1", "Updating"), cluster(), pool("t2", count=5))
    assert (run.ended, run.result.recovered, OTHERS in run.waits) == ("updated", "equivalent", False)


def test_a_write_whose_turn_has_moved_was_none_and_is_made_from_a_fresh_read() -> None:
    run = traced(FIVE, pool("t1"), MOVED, pool("t2"), *DONE)
    assert run.steps[:6] == [READ, "UNDECIDED r1", "PUT pool If-Match=t1 r1", "UNDECIDED -", READ, "UNDECIDED r2"]
    assert (run.ended, run.result.attempts, run.result.conflicts, run.slept) == ("updated", 1, 0, 1.0)


def test_polls_for_what_others_wait_for_as_well_are_at_random() -> None:
    answers = {Now: 0.0, Chance: 0.0, Afford: 0.0}
    flow = Budget(resource_id=POOL.id, started=0.0, deadline=9.0, ceiling=30.0).look(POOL.read(), 0, "it")
    effects = [next(flow)]
    while not isinstance(effects[-1], Send):
        effects.append(flow.send(answers.get(type(effects[-1]))))
    assert (effects[-1].after, effects[-1].request.timeout) == (0.5, 8.5)
