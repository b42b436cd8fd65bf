# SPDX-License-Identifier: MIT
"""delete: once, and absent is found out by reading."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag._core.events import Recovered
from aks_etag._core.precondition import Condition

from .harness import GONE, LOST, POOL, STALE, accepted, polled, pool, recorded, refused, tried

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


@pytest.mark.parametrize(
    ("tag", "pending"), [pytest.param("t1", True, id="still-there"), pytest.param("t2", False, id="another")]
)
def test_a_202_without_links_that_leaves_it_there_is_doubt(tag: str, pending: bool) -> None:
    run = tried("delete", accepted(202, None), pool(tag), pool(tag))
    assert (run.ended, run.error.pending, run.error.equivalent) == ("WriteOutcomeUnknownError", pending, False)


@pytest.mark.parametrize("unclear", [LOST, refused(503), refused(409, "EtagMismatch")])
def test_a_delete_in_doubt_that_is_absent_is_recovered(unclear: Any) -> None:
    run = tried("delete", unclear, pool("t1", "Deleting"), GONE)
    assert run.steps[2:] == ["Doubt", "GET pool", "SLEEP 1", "GET pool", "UNDECIDED -", "Recovered"]
    assert (run.ended, run.result.recovered, run.result.snapshot) == ("deleted", "absent", None)
    assert run.told(Recovered) == [Recovered(resource_id=POOL.id, how="absent", request_ids=("r1",))]


@pytest.mark.parametrize(("tag", "pending"), [("t1", True), ("t2", False)], ids=["unmoved", "moved"])
def test_a_delete_in_doubt_that_is_there_is_unknown(tag: str, pending: bool) -> None:
    run = tried("delete", LOST, pool(tag))
    assert (run.ended, run.error.pending, run.error.sent) == ("WriteOutcomeUnknownError", pending, "t1")


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
