# SPDX-License-Identifier: MIT
"""Somebody else was faster, the resource is gone, or it is another one."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag import ConflictRetry, merge_patch
from aks_etag._core.events import Conflict, Retrying
from aks_etag._flows.options import Options

from .harness import (
    BUSY,
    CLUSTER,
    FIVE,
    GONE,
    LOST,
    POOL,
    STALE,
    UNSENT,
    accepted,
    breaches,
    cluster,
    looped,
    more,
    polled,
    pool,
    recorded,
    refused,
    trace,
    traced,
)

READ = "GET pool"
TAGGED = merge_patch({"tags": {"a": "1"}})


def writes(tag: str, number: int) -> list[str]:
    return [f"UNDECIDED r{number}", f"PUT pool If-Match={tag} r{number}"]


FOLLOWED = ["SLEEP 1", "GET op1", "OperationProgress", "UNDECIDED -"]
BACKED_OFF = ["UNDECIDED -", "Conflict", "SLEEP 1"]


@pytest.mark.parametrize(
    "stale",
    [
        pytest.param(STALE, id="PreconditionFailed"),
        pytest.param(refused(412, "PreConditionFailed"), id="spelled-otherwise"),
        pytest.param(refused(412), id="no-code"),
        pytest.param(recorded("error_412_mismatch"), id="recorded"),
    ],
)
def test_a_stale_write_is_made_again_from_a_fresh_read(stale: Any) -> None:
    run = traced(more, pool("t1", count=3), stale, pool("t2", count=7), accepted(), polled(), pool("t3", count=8))
    retried = [READ, "Retrying", *writes("t2", 2), *FOLLOWED, READ]
    assert run.steps == [READ, *writes("t1", 1), *BACKED_OFF, *retried]
    assert run.requests[3].body["properties"]["count"] == 8
    assert (run.ended, run.result.attempts, run.result.conflicts, run.result.request_id) == ("updated", 2, 1, "r2")
    assert run.told(Conflict) == [Conflict(resource_id=POOL.id, attempt=1, sent="t1")]
    assert run.told(Retrying) == [Retrying(resource_id=POOL.id, attempt=2, reason="read again")]


def test_the_change_may_find_nothing_left_to_do() -> None:
    run = traced(FIVE, pool("t1"), STALE, pool("t2", count=5))
    assert (run.ended, run.result.attempts, run.result.conflicts) == ("unchanged", 1, 1)


def test_conflicts_back_off_longer_each_time() -> None:
    lost = [answer for n in range(1, 8) for answer in (pool(f"t{n}"), STALE)]
    run = traced(FIVE, *lost, pool("t8"), accepted(), polled(), pool("t9"))
    assert [step for step in run.steps if step.startswith("SLEEP")][:-1] == [
        "SLEEP 1", "SLEEP 2", "SLEEP 4", "SLEEP 8", "SLEEP 16", "SLEEP 30", "SLEEP 30",
    ]  # fmt: skip


def test_a_412_that_asks_for_a_pause_gets_it() -> None:
    run = traced(FIVE, pool("t1"), refused(412, "PreconditionFailed", retry_after="7"), pool("t2", count=5))
    assert "SLEEP 7" in run.steps


def test_conflicts_without_end_are_given_up() -> None:
    script = [pool("t1"), STALE, pool("t2"), STALE, pool("t3")]
    run = traced(FIVE, *script, conflict_retry=ConflictRetry(attempts=2))
    assert run.wire == [READ, "PUT pool If-Match=t1 r1", READ, "PUT pool If-Match=t2 r2", READ]
    error = run.error
    assert (run.ended, error.attempts, error.sent) == ("ConflictRetriesExhaustedError", 2, "t2")
    assert (error.last_seen.etag, error.current.etag, error.applied, error.status_code) == ("t3", "t3", False, 412)


@pytest.mark.parametrize("last", [LOST, refused(503)], ids=["lost", "503"])
def test_giving_up_does_not_need_the_last_look(last: Any) -> None:
    run = traced(FIVE, pool("t1"), STALE, last, conflict_retry=ConflictRetry(attempts=1))
    assert (run.ended, run.error.last_seen) == ("ConflictRetriesExhaustedError", None)


def test_a_last_look_that_finds_nothing_says_gone() -> None:
    run = traced(FIVE, pool("t1"), STALE, GONE, conflict_retry=ConflictRetry(attempts=1))
    assert (run.ended, run.error.status_code) == ("ResourceGoneError", 404)


def test_waiting_and_throttling_do_not_count_as_conflicts() -> None:
    script = [pool("t1"), BUSY, cluster(), pool("t2"), refused(429, "Throttled"), pool("t3"), UNSENT, pool("t4")]
    run = traced(FIVE, *script, accepted(), polled(), pool("t5"), conflict_retry=ConflictRetry(attempts=1))
    assert (run.ended, run.result.attempts, run.result.conflicts) == ("updated", 4, 0)


def test_a_412_is_final_for_a_pinned_update() -> None:
    run = traced(FIVE, pool("t1"), STALE, pool("t2"), pin="t1")
    assert (run.wire, run.slept) == ([READ, "PUT pool If-Match=t1 r1", READ], 0.0)
    assert (run.ended, run.error.sent, run.error.current.etag) == ("PreconditionFailedError", "t1", "t2")


def test_a_412_is_final_for_a_pinned_update_even_if_the_tag_is_still_shown() -> None:
    run = traced(FIVE, pool("t1"), STALE, pool("t1"), pin="t1")
    assert (run.ended, run.error.current.etag) == ("PreconditionFailedError", "t1")


def test_a_pinned_update_that_finds_nothing_says_gone() -> None:
    assert traced(FIVE, pool("t1"), STALE, GONE, pin="t1").ended == "ResourceGoneError"


def test_the_very_tag_refused_twice_is_no_conflict() -> None:
    run = traced(FIVE, pool("t1"), STALE, pool("t1"), STALE, pool("t1"))
    assert run.wire == [READ, "PUT pool If-Match=t1 r1", READ, "PUT pool If-Match=t1 r2", READ]
    assert (run.ended, run.error.sent, run.error.current.etag) == ("PreconditionFailedError", "t1", "t1")
    assert 'etag_format="quoted"' in str(run.error)


def test_one_equal_read_may_be_a_running_operation_and_is_tried_once_more() -> None:
    run = traced(FIVE, pool("t1"), STALE, pool("t1"), STALE, pool("t2"), accepted(), polled(), pool("t3"))
    assert (run.ended, run.result.conflicts) == ("updated", 2)


def test_equal_reads_count_only_in_a_row() -> None:
    script = [pool("t1"), STALE, pool("t1"), STALE, pool("t2"), STALE, pool("t2"), STALE, pool("t3")]
    assert traced(FIVE, *script, accepted(), polled(), pool("t4")).ended == "updated"


@pytest.mark.parametrize(
    "gone",
    [
        pytest.param(GONE, id="plain"),
        pytest.param(recorded("error_404_pool_aks_rp"), id="pool"),
        pytest.param(recorded("error_404_resource_group"), id="group"),
    ],
)
@pytest.mark.parametrize("first", [STALE, recorded("error_412_not_found_with_if_match"), GONE, UNSENT])
def test_what_is_gone_is_never_created_again(first: Any, gone: Any) -> None:
    run = traced(FIVE, pool("t1"), first, gone)
    assert run.wire == [READ, "PUT pool If-Match=t1 r1", READ]
    assert (run.ended, run.error.applied, run.error.status_code) == ("ResourceGoneError", False, 404)
    assert run.error.code == gone.body.get("error", gone.body)["code"]


def test_a_404_to_a_write_is_decided_by_a_read() -> None:
    run = traced(FIVE, pool("t1"), GONE, pool("t1"), accepted(), polled(), pool("t2"))
    assert run.steps[:6] == [READ, *writes("t1", 1), "UNDECIDED -", READ, "Retrying"]
    assert (run.ended, run.result.attempts) == ("updated", 2)


def test_a_404_again_is_raised() -> None:
    run = traced(FIVE, pool("t1"), GONE, pool("t1"), GONE)
    assert (run.ended, run.error.applied, run.result) == ("NotFoundError", False, None)


def test_another_cluster_of_the_same_name_is_not_changed() -> None:
    run = traced(TAGGED, cluster("t1", uid="u1"), STALE, cluster("t2", uid="u2"), on=CLUSTER)
    assert run.wire == ["GET cluster", "PUT cluster If-Match=t1 r1", "GET cluster"]
    assert (run.ended, run.error.applied) == ("ResourceReplacedError", False)


def created_at(tag: str, moment: str) -> Any:
    answer = cluster(tag)
    answer.body["systemData"] = {"createdAt": moment}
    return answer


@pytest.mark.parametrize(
    ("first", "then", "ended"),
    [
        pytest.param(created_at("t1", "a"), created_at("t2", "b"), "ResourceReplacedError", id="created-later"),
        pytest.param(created_at("t1", "a"), cluster("t2"), "updated", id="no-longer-shown"),
        pytest.param(cluster("t1"), created_at("t2", "b"), "updated", id="shown-only-now"),
    ],
)
def test_an_identity_counts_where_both_reads_show_it(first: Any, then: Any, ended: str) -> None:
    rest = [accepted(), polled(), cluster("t3")] if ended == "updated" else []
    run = trace(looped(CLUSTER, TAGGED, Options()), first, STALE, then, *rest)
    assert (run.ended, list(breaches(run))) == (ended, [])


def test_a_pool_has_no_identity_and_is_gone_on_with() -> None:
    run = traced(FIVE, pool("t1"), STALE, pool("t2", creationData="other"), accepted(), polled(), pool("t3"))
    assert run.ended == "updated"


def test_a_tag_that_vanishes_stops_the_loop() -> None:
    run = traced(FIVE, pool("t1"), STALE, pool(None))
    assert (run.ended, run.wire[-1]) == ("MissingETagError", READ)
