# SPDX-License-Identifier: MIT
"""put, patch and create: one conditional write, never sent twice, never waiting on a 409."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from aks_etag._core.events import NotFenced, OutcomeUnknown, Recovered
from aks_etag._core.precondition import CREATE, Condition

from .harness import (
    BUSY,
    CLUSTER,
    GONE,
    INLINE,
    LOST,
    NO_TOKEN,
    POOL,
    RACED,
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

FORCE, ANY = Condition(), Condition(tag="*")
DONE = pool("t2", count=5)
FOLLOWED = ["SLEEP 1", "GET op1", "OperationProgress", "UNDECIDED -", "GET pool"]


@pytest.mark.parametrize(
    ("condition", "header", "fenced"),
    [
        pytest.param(Condition(tag="t1"), "If-Match: t1", True, id="if-match"),
        pytest.param(ANY, "If-Match: *", None, id="any"),
        pytest.param(FORCE, None, None, id="force"),
    ],
)
def test_a_put_carries_exactly_its_condition(condition: Condition, header: str | None, fenced: bool | None) -> None:
    run = tried("put", accepted(), polled(), DONE, condition=condition)
    sent = "" if header is None else " " + header.replace(": ", "=")
    assert run.steps == ["UNDECIDED r1", f"PUT pool{sent} r1", *FOLLOWED]
    result = run.result
    assert (result.outcome, result.snapshot.etag, result.status, result.attempts) == ("updated", "t2", 200, 1)
    assert (result.condition, result.fenced, result.request_id) == (header, fenced, "r1")


@pytest.mark.parametrize("status", [200, 201])
def test_a_create_is_created(status: int) -> None:
    run = tried("put", accepted(status), polled(), DONE, condition=CREATE)
    assert run.steps == ["UNDECIDED r1", "PUT pool If-None-Match=* r1", *FOLLOWED]
    assert (run.ended, run.result.condition, run.result.fenced) == ("created", "If-None-Match: *", None)


def test_a_forced_put_of_something_new_is_created() -> None:
    assert tried("put", accepted(201), polled(), DONE, condition=FORCE).ended == "created"


@pytest.mark.parametrize("status", [200, 202])
def test_a_patch_is_followed_like_a_put(status: int) -> None:
    run = tried("patch", accepted(status), polled(), cluster("t2"), on=CLUSTER)
    assert run.wire == ["PATCH cluster If-Match=t1 r1", "GET op1", "GET cluster"]
    assert (run.ended, run.requests[0].body) == ("updated", {"tags": {"a": "1"}})


def test_a_patch_answered_202_without_a_link_is_followed_by_its_state() -> None:
    run = tried("patch", accepted(202, None), cluster("t1", "Updating"), cluster("t2"), on=CLUSTER)
    assert run.steps[1:] == ["PATCH cluster If-Match=t1 r1", "GET cluster", "SLEEP 1", "GET cluster", "UNDECIDED -"]


def test_a_put_that_moves_no_tag_is_not_fenced() -> None:
    run = tried("put", accepted(), polled(), pool("t1", count=5))
    assert (run.result.fenced, run.told(NotFenced)) == (False, [NotFenced(resource_id=POOL.id, etag="t1")])


def test_a_create_carries_its_pools_and_a_put_of_a_cluster_only_if_told() -> None:
    body = {"properties": {"agentPoolProfiles": [{"name": "np1"}]}}
    for on, condition in ((CLUSTER, CREATE), (INLINE, Condition(tag="t1"))):
        run = tried("put", accepted(), polled(), cluster("t2"), on=on, condition=condition, body=body)
        assert run.requests[0].body == body


VERDICTS = [
    pytest.param(BUSY, "OperationInProgressError", id="busy"),
    pytest.param(recorded("error_409_operation_not_allowed_pool"), "OperationInProgressError", id="recorded-busy"),
    pytest.param(refused(409, "OperationNotAllowed", "stopped"), "RequestRefusedError", id="wrong-state"),
    pytest.param(recorded("error_429_throttled"), "ThrottledError", id="throttled"),
    pytest.param(refused(429), "ThrottledError", id="throttled-no-hint"),
    pytest.param(recorded("error_404_pool_aks_rp"), "NotFoundError", id="absent"),
    pytest.param(refused(401), "AccessDeniedError", id="401"),
    pytest.param(refused(403), "AccessDeniedError", id="403"),
    pytest.param(recorded("error_400_header_combination"), "RequestRefusedError", id="400"),
    pytest.param(recorded("error_400_generic_recorded"), "RequestRefusedError", id="recorded-400"),
    pytest.param(recorded("error_400_new_pool_via_cluster_put"), "RequestRefusedError", id="new-pool"),
    pytest.param(refused(412, "PreconditionCheckTimeOut"), "RequestRefusedError", id="412-fault"),
]


@pytest.mark.parametrize("verb", ["put", "patch", "delete"])
@pytest.mark.parametrize(("answer", "ended"), VERDICTS)
def test_a_refusal_is_raised_at_once_and_was_not_applied(verb: str, answer: Any, ended: str) -> None:
    run = tried(verb, answer, on=CLUSTER)
    assert run.steps[2:] == ["UNDECIDED -"]
    assert (run.ended, run.error.applied, run.error.status_code) == (ended, False, answer.status)
    assert str(run.error).startswith(CLUSTER.id)


@pytest.mark.parametrize("unsent", [UNSENT, NO_TOKEN])
def test_what_never_left_is_raised_as_it_is(unsent: Any) -> None:
    run = tried("put", unsent)
    assert (run.error, run.steps[2:]) == (unsent.error, ["UNDECIDED -"])


@pytest.mark.parametrize(
    ("seen", "current"),
    [(pool("t2"), "t2"), (LOST, None), (refused(500), None), (refused(403), None)],
    ids=["seen", "lost", "500", "denied"],
)
def test_a_412_shows_what_is_there_if_one_look_can_tell(seen: Any, current: str | None) -> None:
    run = tried("put", STALE, seen)
    assert run.steps[2:] == ["UNDECIDED -", "GET pool"]
    there = None if run.error.current is None else run.error.current.etag
    assert (run.ended, run.error.sent, there, run.error.applied) == ("PreconditionFailedError", "t1", current, False)


@pytest.mark.parametrize("verb", ["put", "delete"])
def test_a_412_and_nothing_there_is_not_found(verb: str) -> None:
    run = tried(verb, recorded("error_412_not_found_with_if_match"), GONE)
    assert (run.ended, run.error.applied) == ("NotFoundError", False)


@pytest.mark.parametrize(("seen", "current"), [(pool("t7"), "t7"), (GONE, None)], ids=["seen", "gone-again"])
def test_a_create_of_what_exists_says_so(seen: Any, current: str | None) -> None:
    run = tried("put", STALE, seen, condition=CREATE)
    there = None if run.error.current is None else run.error.current.etag
    assert (run.ended, there, run.error.applied, run.error.status_code) == ("AlreadyExistsError", current, False, 412)


UNPROVED = [replace(answer, sent_once=False) for answer in (STALE, BUSY, GONE, refused(429, "Throttled"))]
DOUBTS = [LOST, refused(500), refused(408), RACED, *UNPROVED]
DOUBT_IDS = ["lost", "500", "408", "EtagMismatch", "412-unproved", "409-unproved", "404-unproved", "429-unproved"]


@pytest.mark.parametrize("unclear", DOUBTS, ids=DOUBT_IDS)
def test_a_put_in_doubt_that_is_there_is_recovered(unclear: Any) -> None:
    run = tried("put", unclear, pool("t1", "Updating", count=5), DONE)
    assert run.steps[2:] == ["Doubt", "GET pool", "SLEEP 1", "GET pool", "UNDECIDED -", "Recovered"]
    assert (run.ended, run.result.recovered, run.result.fenced) == ("updated", "equivalent", True)
    assert run.told(Recovered)[0].request_ids == ("r1",)


@pytest.mark.parametrize(
    ("condition", "seen", "pending", "equivalent"),
    [
        pytest.param(Condition(tag="t1"), pool("t1"), True, False, id="unmoved"),
        pytest.param(Condition(tag="t1"), pool("t1", count=5), True, True, id="unmoved-and-equivalent"),
        pytest.param(Condition(tag="t1"), pool("t2"), False, False, id="moved-by-whom"),
        pytest.param(FORCE, pool("t2", count=5), True, True, id="forced-and-equivalent"),
        pytest.param(ANY, pool("t2"), True, False, id="any-and-not"),
        pytest.param(FORCE, GONE, True, False, id="forced-and-absent"),
    ],
)
def test_a_put_in_doubt_is_never_sent_again(condition: Any, seen: Any, pending: bool, equivalent: bool) -> None:
    run = tried("put", LOST, seen, condition=condition)
    assert run.steps[2:] == ["Doubt", "GET pool", "OutcomeUnknown"]
    error = run.error
    assert (run.ended, error.pending, error.equivalent) == ("WriteOutcomeUnknownError", pending, equivalent)
    assert (error.request_ids, error.sent) == (("r1",), condition.version)
    assert run.told(OutcomeUnknown)[0].pending is pending


@pytest.mark.parametrize(
    ("seen", "equivalent"), [(pool("t7", count=5), True), (pool("t7"), False)], ids=["like-ours", "other"]
)
def test_a_create_in_doubt_cannot_tell_an_identical_creator(seen: Any, equivalent: bool) -> None:
    run = tried("put", LOST, seen, condition=CREATE)
    assert (run.ended, run.error.equivalent) == ("WriteOutcomeUnknownError", equivalent)


def test_a_create_in_doubt_is_tried_again_where_nothing_is_there() -> None:
    run = tried("put", LOST, GONE, accepted(201), polled(), DONE, condition=CREATE)
    again = ["UNDECIDED r1", "UNDECIDED r1 r2", "PUT pool If-None-Match=* r2"]
    assert run.steps[2:8] == ["Doubt", "SLEEP 1", "GET pool", *again]
    assert (run.ended, run.result.attempts) == ("created", 2)


@pytest.mark.parametrize(
    "end",
    [polled("Failed", code="OperationPreempted"), recorded("op_poll_failed_200"), GONE, refused(403)],
    ids=["preempted", "recorded-preempted", "lost", "denied"],
)
@pytest.mark.parametrize("before", [[], [LOST, GONE]], ids=["at-once", "after-doubt"])
def test_a_create_that_was_accepted_and_is_not_there_was_deleted_by_somebody(before: Any, end: Any) -> None:
    run = tried("put", *before, accepted(201), end, GONE, condition=CREATE)
    assert (run.ended, run.error.applied, run.wire[-1]) == ("ResourceGoneError", None, "GET pool")
    assert sum(step.startswith("PUT") for step in run.steps) == (2 if before else 1)


@pytest.mark.parametrize(("script", "recovered"), [([STALE], None), ([LOST], "equivalent")], ids=["412", "in-doubt"])
@pytest.mark.parametrize(("count", "ended"), [(5, "satisfied"), (4, None)], ids=["what-was-wanted", "something-else"])
def test_a_create_that_adopts_takes_what_it_wanted(script: Any, recovered: Any, count: int, ended: str | None) -> None:
    run = tried("put", *script, pool("t7", count=count), condition=CREATE, adopt=True)
    if ended is None:
        assert run.ended in ("AlreadyExistsError", "WriteOutcomeUnknownError")
        return
    assert (run.ended, run.result.recovered, run.result.snapshot.etag) == (ended, recovered, "t7")


def test_secrets_are_no_part_of_what_a_read_must_show() -> None:
    body = {"tags": {"read": "t2"}, "properties": {"windowsProfile": {"adminUsername": "a", "adminPassword": "s3cret"}}}
    seen = cluster("t2", windowsProfile={"adminUsername": "a"})
    run = tried("put", LOST, seen, on=CLUSTER, condition=CREATE, body=body)
    assert (run.error.equivalent, "s3cret" in str(run.error)) == (True, False)


def test_a_put_in_doubt_whose_resource_is_gone_says_so() -> None:
    run = tried("put", LOST, GONE)
    assert (run.ended, run.error.applied) == ("ResourceGoneError", None)


@pytest.mark.parametrize(
    ("looks", "cause"),
    [([refused(403)], "AccessDeniedError"), ([pool("t1", "Updating")] * 2, "DeadlineExceededError")],
    ids=["denied", "never-settles"],
)
def test_a_put_in_doubt_that_cannot_be_read_is_unknown(looks: Any, cause: str) -> None:
    run = tried("put", LOST, *looks, deadline=1.0)
    assert (run.ended, run.error.pending) == ("WriteOutcomeUnknownError", True)
    assert type(run.error.__cause__).__name__ == cause


def test_doubt_is_waited_for_even_by_a_caller_who_does_not_wait() -> None:
    run = tried("put", LOST, pool("t1", "Updating", count=5), DONE, on_busy="raise")
    assert run.result.recovered == "equivalent"


@pytest.mark.parametrize("lost", [GONE, refused(401), refused(403), NO_TOKEN], ids=["404", "401", "403", "no-token"])
@pytest.mark.parametrize("verb", ["put", "patch"])
def test_an_operation_that_cannot_be_followed_is_doubt(verb: str, lost: Any) -> None:
    patched = cluster("t2", count=5)
    patched.body["tags"]["a"] = "1"
    run = tried(verb, accepted(), lost, patched, on=CLUSTER)
    assert (run.ended, run.result.recovered) == ("updated", "equivalent")


@pytest.mark.parametrize(("seen", "applied"), [(DONE, True), (pool("t2"), None)], ids=["stored", "not-seen"])
@pytest.mark.parametrize(
    ("poll", "ended"),
    [
        (polled("Failed", code="Quota"), "OperationFailedError"),
        (polled("Canceled"), "OperationFailedError"),
        (recorded("op_poll_failed_200"), "OperationPreemptedError"),
    ],
    ids=["failed", "canceled", "preempted"],
)
def test_a_failed_operation_says_whether_it_is_stored(poll: Any, ended: str, seen: Any, applied: bool | None) -> None:
    run = tried("put", accepted(), poll, seen)
    assert (run.ended, run.error.applied) == (ended, applied)


def test_a_put_still_running_at_the_deadline_is_no_doubt() -> None:
    run = tried("put", accepted(), polled("InProgress"), deadline=1.0)
    assert (run.ended, run.error.operation, run.error.applied) == ("DeadlineExceededError", "op1", None)


def test_a_throttled_poll_of_a_put_leaves_it_accepted() -> None:
    run = tried("put", accepted(), refused(429, retry_after="99"), deadline=9.0)
    assert (run.ended, run.error.applied, run.error.retry_after) == ("ThrottledError", None, 99.0)


def test_a_final_read_that_finds_nothing_says_that_the_write_was_applied() -> None:
    run = tried("put", accepted(), polled(), GONE)
    assert (run.ended, run.error.applied) == ("ResourceGoneError", True)


@pytest.mark.parametrize("state", ["Failed", "Canceled"])
def test_a_put_in_doubt_that_is_stored_but_failed_is_no_success(state: str) -> None:
    run = tried("put", LOST, pool("t2", state, count=5))
    assert (run.ended, run.error.applied) == ("OperationFailedError", None)


def test_a_patient_create_waits_for_a_connection() -> None:
    run = tried("put", UNSENT, accepted(201), polled(), DONE, condition=CREATE, patient=True)
    assert (run.ended, run.result.attempts) == ("created", 2)


def test_a_create_that_was_seen_and_is_gone_is_not_sent_again() -> None:
    run = tried("put", LOST, pool("t1", "Creating"), GONE, condition=CREATE)
    assert (run.ended, run.error.applied) == ("ResourceGoneError", None)


def test_who_wants_no_risk_in_doubt_has_no_create_repeated() -> None:
    run = tried("put", LOST, GONE, condition=CREATE, on_doubt="raise")
    assert (run.ended, run.error.pending) == ("WriteOutcomeUnknownError", True)


def test_who_wants_no_risk_in_doubt_has_no_delete_repeated() -> None:
    run = tried("delete", LOST, pool("t1"), on_doubt="raise")
    assert (run.ended, run.error.pending) == ("WriteOutcomeUnknownError", True)
