# SPDX-License-Identifier: MIT
"""delete: once, and absent is found out by reading."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag._core.events import Recovered
from aks_etag._core.precondition import Condition

from .harness import (
    BUSY,
    CLUSTER,
    GONE,
    LOST,
    POOL,
    STALE,
    UNSENT,
    accepted,
    cluster,
    polled,
    pool,
    recorded,
    refused,
    tried,
)

START = ["UNDECIDED r1", "DELETE pool If-Match=t1 r1"]


@pytest.mark.parametrize(("status", "outcome"), [(204, "absent"), (200, "deleted")])
def test_an_answer_without_an_operation_is_the_end(status: int, outcome: str) -> None:
    run = tried("delete", accepted(status, None))
    assert run.steps == [*START, "UNDECIDED -"]
    result = run.result
    assert (result.outcome, result.snapshot, result.status, result.fenced) == (outcome, None, status, None)
    assert result.condition == "If-Match: t1"


def test_a_forced_delete_carries_nothing() -> None:
    run = tried("delete", accepted(204, None), condition=Condition())
    assert (run.wire, run.result.condition) == (["DELETE pool r1"], None)


def test_a_delete_is_followed_to_the_end_of_its_operation_and_not_read() -> None:
    run = tried("delete", recorded("delete_pool_202"), polled("InProgress"), polled())
    operation = "GET 11111111-2222-4333-8444-555555555555"
    polls = ["SLEEP 1", operation, "OperationProgress", "SLEEP 1.5", operation, "OperationProgress", "UNDECIDED -"]
    assert run.steps == [*START, *polls]
    assert (run.ended, run.result.status) == ("deleted", 202)


@pytest.mark.parametrize(
    ("looks", "ended"),
    [
        pytest.param([GONE], "deleted", id="gone-at-once"),
        pytest.param([pool("t1", "Deleting"), pool("t1", "Deleting"), GONE], "deleted", id="goes"),
        pytest.param([pool("t1", "Deleting"), pool("t1", "Failed"), GONE], "OperationFailedError", id="fails"),
    ],
)
def test_a_202_without_links_is_followed_by_looking(looks: Any, ended: str) -> None:
    run = tried("delete", accepted(202, None), *looks)
    assert (run.ended, run.wire[1:]) == (ended, ["GET pool"] * len(looks))


def test_a_202_without_links_that_leaves_another_version_there_is_unknown() -> None:
    run = tried("delete", accepted(202, None), pool("t2"), pool("t2"))
    assert (run.ended, run.error.pending, run.error.equivalent) == ("WriteOutcomeUnknownError", False, False)


def test_a_202_without_links_that_leaves_it_there_is_sent_again() -> None:
    run = tried("delete", accepted(202, None), pool("t1"), pool("t1"), accepted(202), polled())
    assert (run.ended, run.result.attempts) == ("deleted", 2)


@pytest.mark.parametrize("unclear", [LOST, refused(503), refused(409, "EtagMismatch")])
def test_a_delete_in_doubt_that_is_absent_is_recovered(unclear: Any) -> None:
    run = tried("delete", unclear, pool("t1", "Deleting"), GONE)
    looked = ["GET pool", "SLEEP 1", "GET pool"]
    assert run.steps[2:] == ["Doubt", "SLEEP 1", *looked, "UNDECIDED -", "Recovered"]
    assert (run.ended, run.result.recovered, run.result.snapshot) == ("deleted", "absent", None)
    assert run.told(Recovered) == [Recovered(resource_id=POOL.id, how="absent", request_ids=("r1",))]


@pytest.mark.parametrize(("tag", "pending"), [(None, True), ("t2", False)], ids=["no-tag", "moved"])
def test_a_delete_in_doubt_of_what_may_be_another_is_unknown(tag: str | None, pending: bool) -> None:
    run = tried("delete", LOST, pool(tag))
    assert (run.ended, run.error.pending, run.error.sent) == ("WriteOutcomeUnknownError", pending, "t1")


@pytest.mark.parametrize("condition", [Condition(), Condition(tag="*")], ids=["forced", "any"])
def test_a_delete_of_whatever_is_there_is_never_sent_again(condition: Condition) -> None:
    run = tried("delete", LOST, pool("t1"), condition=condition)
    assert (run.ended, run.error.pending, len(run.wire)) == ("WriteOutcomeUnknownError", True, 2)


def test_a_delete_in_doubt_that_moved_nothing_is_sent_again_under_the_same_tag() -> None:
    run = tried("delete", LOST, pool("t1"), accepted(202), polled())
    again = ["UNDECIDED r1", "UNDECIDED r1 r2", "DELETE pool If-Match=t1 r2"]
    assert run.steps[:8] == [*START, "Doubt", "SLEEP 1", "GET pool", *again]
    assert (run.ended, run.result.attempts, run.result.request_id) == ("deleted", 2, "r2")


@pytest.mark.parametrize(
    ("second", "slept"),
    [(STALE, "SLEEP 2"), (BUSY, "SLEEP 2"), (UNSENT, "SLEEP 2"), (LOST, "SLEEP 2")],
    ids=["stale", "busy", "not-sent", "lost"],
)
def test_a_repeated_delete_that_is_refused_may_have_been_overtaken_by_its_fellow(second: Any, slept: str) -> None:
    run = tried("delete", LOST, pool("t1"), second, GONE)
    assert (run.ended, run.result.recovered, slept in run.steps) == ("deleted", "absent", True)
    assert run.told(Recovered)[0].request_ids == (("r1", "r2") if second is LOST else ("r1",))


def test_a_repeated_delete_that_is_throttled_waits_and_is_sent_again() -> None:
    run = tried("delete", LOST, pool("t1"), refused(429, retry_after="9"), accepted(202), polled())
    assert (run.ended, run.result.attempts, "SLEEP 9" in run.steps) == ("deleted", 3, True)


def test_a_repeated_delete_that_is_denied_leaves_the_first_one_open() -> None:
    run = tried("delete", LOST, pool("t1"), refused(403))
    assert (run.ended, run.error.pending, run.error.request_ids) == ("WriteOutcomeUnknownError", True, ("r1",))


def test_a_preempted_delete_that_moved_nothing_is_dead_and_sent_again() -> None:
    preempted = polled("Failed", code="OperationPreempted")
    run = tried("delete", accepted(202), preempted, pool("t1"), accepted(202), polled())
    assert "UNDECIDED r2" in run.steps
    assert (run.ended, run.result.attempts) == ("deleted", 2)


SEEN = CLUSTER.snapshot(cluster("t1", uid="u1"))


@pytest.mark.parametrize(
    ("there", "ended", "applied"),
    [
        pytest.param(cluster("t9", uid="u2"), "ResourceReplacedError", None, id="another"),
        pytest.param(cluster("t1", uid="u2"), "ResourceReplacedError", None, id="another-under-the-same-tag"),
        pytest.param(cluster("t2", uid="u1"), "PreconditionFailedError", False, id="the-same-moved-on"),
    ],
)
def test_a_delete_in_doubt_tells_a_resource_from_its_namesake(there: Any, ended: str, applied: bool | None) -> None:
    run = tried("delete", LOST, there, on=CLUSTER, seen=SEEN)
    assert (run.ended, run.error.applied) == (ended, applied)


@pytest.mark.parametrize(
    ("there", "ended", "pending"),
    [
        pytest.param(cluster("t2", uid="u1"), "WriteOutcomeUnknownError", False, id="the-same-moved-on"),
        pytest.param(cluster(None, uid="u1"), "WriteOutcomeUnknownError", True, id="the-same-without-a-tag"),
        pytest.param(cluster("t2", uid="u2"), "ResourceReplacedError", None, id="another"),
    ],
)
def test_a_patient_delete_in_doubt_is_not_asked_about_again(there: Any, ended: str, pending: bool | None) -> None:
    run = tried("delete", LOST, there, on=CLUSTER, seen=SEEN, patient=True)
    assert (run.ended, getattr(run.error, "pending", None), run.error.applied) == (ended, pending, None)


@pytest.mark.parametrize("refusal", [BUSY, refused(429, retry_after="5")], ids=["busy", "throttled"])
def test_a_patient_delete_waits_for_what_blocks_it(refusal: Any) -> None:
    looks = [cluster()] if refusal is BUSY else []
    run = tried("delete", refusal, *looks, accepted(204, None), patient=True)
    assert (run.ended, run.result.attempts) == ("absent", 2)


def test_a_patient_delete_is_not_patient_with_a_plain_refusal() -> None:
    assert tried("delete", refused(403), patient=True).ended == "AccessDeniedError"


def test_an_operation_that_is_gone_is_decided_by_the_resource() -> None:
    run = tried("delete", accepted(202), GONE, GONE)
    assert (run.ended, run.result.recovered) == ("deleted", "absent")


def test_a_failed_delete_is_a_failed_operation() -> None:
    run = tried("delete", accepted(202), polled("Failed", code="Locked"), pool("t1"))
    assert (run.ended, run.error.code, run.error.applied) == ("OperationFailedError", "Locked", None)


def test_a_delete_of_another_version_is_refused() -> None:
    run = tried("delete", STALE, pool("t2"))
    assert (run.ended, run.error.current.etag, run.error.applied) == ("PreconditionFailedError", "t2", False)


def test_a_delete_still_running_at_the_deadline_says_so() -> None:
    run = tried("delete", accepted(202), polled("InProgress"), deadline=1.0)
    assert (run.ended, run.error.operation) == ("DeadlineExceededError", "op1")


def test_a_repeated_delete_that_finds_nothing_is_recovered() -> None:
    run = tried("delete", LOST, pool("t1"), accepted(204, None))
    assert (run.ended, run.result.recovered) == ("deleted", "absent")
