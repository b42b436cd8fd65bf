# SPDX-License-Identifier: MIT
"""What many writers cost stays within its targets; ``benchmarks/contention.py`` takes more seeds."""

from __future__ import annotations

from functools import partial

import pytest

from .peers import PEERS, Peer
from .scenarios import Count, mean, others, processes
from .targets import TARGETS, Target, last_poll

SHORT, LONG = 5.0, 120.0
ALONE = next(target for target in TARGETS if "same instant" in target.name)


def few(target: Target, operation: float) -> range:
    return range(1 if operation == LONG else max(1, target.seeds(operation) // 5))


@pytest.mark.parametrize("operation", [SHORT, LONG])
@pytest.mark.parametrize("target", TARGETS, ids=[target.name.strip() for target in TARGETS])
def test_many_writers_cost_no_more_than_they_have_to(target: Target, operation: float) -> None:
    count = mean(target.scenario, operation, few(target, operation))
    assert target.missed(count, operation) == [], count


@pytest.mark.parametrize("peer", PEERS, ids=[peer.name for peer in PEERS])
def test_the_policies_of_others_miss_what_is_asked_of_writers_alone(peer: Peer) -> None:
    count = others(0, SHORT, clients=32, peer=peer)
    assert ALONE.missed(count, SHORT) != []


def test_a_client_go_policy_gives_up() -> None:
    assert others(0, SHORT, clients=32, peer=PEERS[0]).success < 10


def test_an_ideal_lease_wastes_nothing() -> None:
    count = processes(0, SHORT, clients=32, lease=True)
    assert (count.puts, count.wasted, count.success) == (32, 0, 100)


def test_two_processes_that_meet_cost_one_refusal_and_no_long_wait() -> None:
    count = mean(partial(processes, clients=2), SHORT, range(10))
    assert (count.puts, count.wasted, count.success) == (3, 1, 100)
    assert count.makespan < 60


def test_a_run_happens_the_same_way_again() -> None:
    first, again, other = (processes(seed, SHORT, clients=8) for seed in (1, 1, 2))
    assert first == again != other


def test_a_target_says_what_is_missed() -> None:
    target = Target(name="", scenario=ALONE.scenario, puts=2, wasted=0, rounds=1)
    missed = target.missed(Count(puts=3, wasted=1, gets=0, success=50, makespan=60), SHORT)
    assert missed == ["puts 3.0 > 2", "wasted 1.0 > 0", "makespan 60.0 > 9.725", "success 50.0 %"]
    assert target.missed(Count(puts=2, wasted=0, gets=9, success=100, makespan=9), SHORT) == []


@pytest.mark.parametrize(("operation", "seconds"), [(0.5, 1.0), (5.0, 3.375), (120.0, 30.0)])
def test_the_poll_that_sees_the_end_is_known(operation: float, seconds: float) -> None:
    assert last_poll(operation) == seconds
