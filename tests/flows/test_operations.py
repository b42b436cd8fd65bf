# SPDX-License-Identifier: MIT
"""An accepted write is followed to the end of its operation, and read only then."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

import pytest

from aks_etag._core.events import Doubt, OperationProgress
from aks_etag._core.messages import Response
from aks_etag._core.snapshot import Snapshot
from aks_etag._flows.aftermath import verified
from aks_etag._flows.options import Options

from .harness import (
    ENDPOINT,
    EPOCH,
    FIVE,
    GONE,
    LOST,
    NO_TOKEN,
    POOL,
    T1,
    UNSENT,
    accepted,
    attempt,
    looped,
    more,
    polled,
    pool,
    recorded,
    refused,
    trace,
    traced,
)

READ, POLL = "GET pool", ["GET op1", "OperationProgress"]
START = [READ, "UNDECIDED r1", "PUT pool If-Match=t1 r1"]
DONE = pool("t2", count=5)


def after_start(run: Any) -> list[str]:
    assert run.steps[:3] == START
    return run.steps[3:]


@pytest.mark.parametrize("status", [200, 201, 202])
def test_any_2xx_with_an_operation_is_followed(status: int) -> None:
    run = traced(FIVE, pool(), accepted(status), polled("InProgress"), polled("Succeeded"), DONE)
    assert after_start(run) == ["SLEEP 1", *POLL, "SLEEP 1.5", *POLL, "UNDECIDED -", READ]
    assert (run.ended, run.result.status) == ("updated", status)
    assert run.told(OperationProgress) == [
        OperationProgress(resource_id=POOL.id, operation="op1", status="InProgress", elapsed=1.0),
        OperationProgress(resource_id=POOL.id, operation="op1", status="Succeeded", elapsed=2.5),
    ]


def test_the_operation_is_asked_at_the_url_that_was_handed_out() -> None:
    run = traced(FIVE, pool(), accepted(), polled(), DONE)
    assert (run.requests[2].url, run.requests[2].headers) == (f"{ENDPOINT}/operations/op1?t=SIGNED", {})


def test_polls_grow_further_apart_up_to_the_interval() -> None:
    run = traced(FIVE, pool(), accepted(), *[polled("InProgress")] * 6, polled(), DONE, polling_interval=6.0)
    slept = [float(step.split()[1]) for step in run.steps if step.startswith("SLEEP")]
    assert slept == pytest.approx([1, 1.5, 2.25, 3.375, 5.0625, 6, 6], abs=0.001)


@pytest.mark.parametrize("status", ["InProgress", "Creating", "Accepted", "", None, 7, "succeeded-ish"])
def test_every_word_that_is_no_end_means_still_running(status: Any) -> None:
    run = traced(FIVE, pool(), accepted(), polled(status), polled("sUCCEEDED"), DONE)
    assert run.ended == "updated"


@pytest.mark.parametrize(
    "failed",
    [
        pytest.param(LOST, id="lost"),
        pytest.param(UNSENT, id="not-sent"),
        pytest.param(refused(500), id="500"),
        pytest.param(refused(503, "ServiceUnavailable"), id="503"),
        pytest.param(refused(408), id="408"),
        pytest.param(refused(200), id="null-body"),
        pytest.param(refused(202), id="202-without-a-status"),
    ],
)
def test_a_poll_that_fails_is_repeated(failed: Any) -> None:
    run = traced(FIVE, pool(), accepted(), failed, polled(), DONE)
    assert after_start(run) == ["SLEEP 1", "GET op1", "SLEEP 1.5", *POLL, "UNDECIDED -", READ]


def test_a_throttled_poll_is_silent_as_long_as_asked() -> None:
    run = traced(FIVE, pool(), accepted(), refused(429, retry_after="20"), polled(), DONE)
    assert after_start(run)[:5] == ["SLEEP 1", "GET op1", "Throttled", "SLEEP 20", "SLEEP 1.5"]


def test_a_retry_after_sets_the_pace_of_the_polls() -> None:
    soon = format_datetime(datetime.fromtimestamp(EPOCH + 9, UTC), usegmt=True)
    script = [accepted(retry_after="15"), polled("InProgress", retry_after=soon), polled("InProgress"), polled(), DONE]
    run = traced(FIVE, pool(), *script)
    assert [step for step in run.steps if step.startswith("SLEEP")] == ["SLEEP 15", "SLEEP 9", "SLEEP 2.25"]


def located(status: int = 202, **headers: str) -> Response:
    return accepted(status, None, location=f"{ENDPOINT}/results/op2?t=SIGNED", **headers)


@pytest.mark.parametrize("end", [refused(200), refused(204), pool("t2")])
def test_a_202_with_only_a_location_runs_until_it_answers_otherwise(end: Any) -> None:
    run = traced(FIVE, pool(), located(), refused(202), end, DONE)
    assert after_start(run) == [
        "SLEEP 1",
        "GET op2",
        "OperationProgress",
        "SLEEP 1.5",
        "GET op2",
        "OperationProgress",
        "UNDECIDED -",
        READ,
    ]


@pytest.mark.parametrize("status", [200, 202])
@pytest.mark.parametrize(
    ("word", "ended"),
    [("Succeeded", "updated"), ("Failed", "OperationFailedError"), ("Canceled", "OperationFailedError")],
)
def test_a_location_that_says_how_it_is_goes_by_that(status: int, word: str, ended: str) -> None:
    polls = [replace(polled(said), status=status) for said in ("InProgress", word)]
    run = traced(FIVE, pool(), located(), *polls, DONE)
    assert (run.ended, run.wire[2:4]) == (ended, ["GET op2"] * 2)
    assert [told.status for told in run.told(OperationProgress)] == ["InProgress", word]


def test_a_location_on_a_200_leads_nowhere() -> None:
    run = traced(FIVE, pool(), located(200), DONE)
    assert after_start(run) == [READ, "UNDECIDED -"]


@pytest.mark.parametrize(
    ("states", "ended"),
    [
        pytest.param(["Succeeded"], "updated", id="done-at-once"),
        pytest.param(["Failed"], "updated", id="failed-before-and-still"),
        pytest.param(["Updating", "Updating", "Succeeded"], "updated", id="works-and-ends"),
        pytest.param(["Updating", "Failed"], "OperationFailedError", id="works-and-fails"),
        pytest.param(["Updating", "Canceled"], "OperationFailedError", id="works-and-is-canceled"),
        pytest.param([None], "updated", id="no-state-means-succeeded"),
    ],
)
def test_without_an_operation_the_state_of_the_resource_tells(states: Any, ended: str) -> None:
    looks = [pool("t2", state, count=5) for state in states]
    run = traced(FIVE, pool(), accepted(200, None), *looks, *([] if ended == "updated" else [DONE]))
    assert run.ended == ended
    assert run.wire[2 : 2 + len(states)] == [READ] * len(states)


@pytest.mark.parametrize(
    ("poll", "code", "status"),
    [
        pytest.param(polled("Failed", code="QuotaExceeded"), "QuotaExceeded", "Failed", id="failed"),
        pytest.param(polled("Failed"), "Failed", "Failed", id="failed-without-an-error"),
        pytest.param(polled("Canceled"), "Canceled", "Canceled", id="canceled"),
        pytest.param(polled("cancelled", code="Aborted"), "Aborted", "cancelled", id="two-ls"),
    ],
)
@pytest.mark.parametrize(
    ("seen", "applied"),
    [
        pytest.param(pool("t2", "Failed", count=5), True, id="stored"),
        pytest.param(pool("t2", "Failed", count=3), None, id="not-seen"),
        pytest.param(GONE, None, id="gone"),
        pytest.param(LOST, None, id="unreadable"),
    ],
)
def test_a_failed_operation_says_whether_the_write_is_stored(
    poll: Any, code: str, status: str, seen: Any, applied: bool | None
) -> None:
    run = traced(FIVE, pool(), accepted(), poll, seen)
    assert after_start(run) == ["SLEEP 1", *POLL, READ]
    error = run.error
    assert (run.ended, error.code, error.operation, error.applied) == ("OperationFailedError", code, "op1", applied)
    assert (error.status_code, f"ended as {status}" in str(error)) == (200, True)


PREEMPTED = [
    pytest.param(recorded("op_poll_failed_200"), id="recorded"),
    pytest.param(polled("Failed", code="AKSOperationPreempted"), id="preempted"),
    pytest.param(polled("Failed", code="AKSOperationPreemptedByDelete"), id="by-delete"),
    pytest.param(polled("Failed", code="OperationPreempted"), id="arm"),
    pytest.param(
        polled("Failed", code="ResourceOperationFailure", details=[{"code": "OriginalEtagNotExpect"}]), id="in-details"
    ),
]


@pytest.mark.parametrize("poll", PREEMPTED)
def test_a_preempted_operation_that_moved_nothing_is_dead(poll: Any) -> None:
    run = traced(more, pool(), accepted(), poll, pool("t1"), accepted(), polled(), pool("t2"))
    assert after_start(run)[:7] == ["SLEEP 1", *POLL, "Doubt", "SLEEP 1", READ, "UNDECIDED -"]
    assert after_start(run)[7:10] == ["Retrying", "UNDECIDED r2", "PUT pool If-Match=t1 r2"]
    assert (run.ended, run.result.attempts) == ("updated", 2)


@pytest.mark.parametrize("poll", PREEMPTED)
def test_a_preempted_operation_may_be_stored(poll: Any) -> None:
    run = traced(more, pool(), accepted(), poll, pool("t2", count=4))
    assert (run.ended, run.error.pending, run.error.request_ids) == ("WriteOutcomeUnknownError", False, ("r1",))
    assert traced(FIVE, pool(), accepted(), poll, DONE).result.recovered == "equivalent"


@pytest.mark.parametrize(
    "lost",
    [
        pytest.param(GONE, id="404"),
        pytest.param(refused(400, "X"), id="400"),
        pytest.param(refused(302), id="302"),
        pytest.param(refused(401), id="401"),
        pytest.param(refused(403, "AuthorizationFailed"), id="403"),
        pytest.param(NO_TOKEN, id="no-token"),
        pytest.param(replace(LOST, final=True), id="a-defect"),
    ],
)
def test_an_operation_that_cannot_be_followed_is_doubt(lost: Any) -> None:
    run = traced(FIVE, pool(), accepted(), lost, DONE)
    assert after_start(run) == ["SLEEP 1", *POLL, "Doubt", "SLEEP 1", READ, "UNDECIDED -", "Recovered"]
    assert (run.ended, run.result.recovered) == ("updated", "equivalent")
    assert run.told(Doubt)[0].reason == "its operation could not be followed to its end"


@pytest.mark.parametrize(
    "url",
    ["https://evil.example/operations/op1", "http://management.azure.com/operations/op1", "//evil.example/op1", "op1"],
)
def test_a_link_to_another_host_is_not_followed(url: str) -> None:
    stray = Response(status=200, headers={"azure-asyncoperation": url}, body={})
    run = traced(FIVE, pool(), stray, DONE)
    assert after_start(run) == ["Doubt", "SLEEP 1", READ, "UNDECIDED -", "Recovered"]


@pytest.mark.parametrize("url", [f"{ENDPOINT}/x/op1", "https://eastus.management.azure.com/x/op1", "/x/op1"])
def test_a_link_to_our_own_endpoint_is_followed(url: str) -> None:
    own = Response(status=200, headers={"azure-asyncoperation": url}, body={})
    assert traced(FIVE, pool(), own, polled(), DONE).wire[2] == "GET op1"


def test_a_denied_poll_and_a_denied_read_leave_the_outcome_open() -> None:
    run = traced(FIVE, pool(), accepted(), refused(403, "AuthorizationFailed"), refused(403, "AuthorizationFailed"))
    assert (run.ended, run.error.pending, run.error.request_ids) == ("WriteOutcomeUnknownError", True, ("r1",))
    assert type(run.error.__cause__).__name__ == "AccessDeniedError"


@pytest.mark.parametrize(
    ("last", "ended"),
    [
        pytest.param([refused(403, "AuthorizationFailed")], "AccessDeniedError", id="denied"),
        pytest.param([refused(400, "BadRequest")], "RequestRefusedError", id="refused"),
        pytest.param([GONE], "ResourceGoneError", id="gone"),
        pytest.param([refused(429, retry_after="99")], "ThrottledError", id="throttled"),
        pytest.param([LOST] * 5, "DeadlineExceededError", id="deadline"),
    ],
)
def test_a_final_read_that_fails_says_that_the_write_was_applied(last: Any, ended: str) -> None:
    run = traced(FIVE, pool(), accepted(), polled(), *last, deadline=12.0)
    assert (run.ended, run.error.applied) == (ended, True)
    assert "carried out" in "".join(getattr(run.error, "__notes__", ())) or "was written" in str(run.error)


def test_a_final_read_is_tried_again() -> None:
    run = traced(FIVE, pool(), accepted(), polled(), LOST, refused(500), DONE)
    assert after_start(run)[4:] == [READ, "SLEEP 1", READ, "SLEEP 2", READ]
    assert run.ended == "updated"


@pytest.mark.parametrize("script", [[LOST], [refused(500)], [refused(503, retry_after="20")]])
def test_a_poll_that_fails_sets_no_pace_but_its_own(script: Any) -> None:
    run = traced(FIVE, pool(), accepted(retry_after="7"), *script, polled(), DONE)
    asked = script[0].headers.get("retry-after") if script[0] is not LOST else None
    assert [step for step in run.steps if step.startswith("SLEEP")] == ["SLEEP 7", f"SLEEP {asked or 1.5}"]


@pytest.mark.parametrize(("holds", "ended"), [(True, "updated"), (False, "OperationFailedError")])
def test_a_success_is_held_against_what_was_expected(holds: bool, ended: str) -> None:
    asked: list[str] = []

    def verify(seen: Snapshot) -> bool:
        asked.append(seen.etag)
        return holds

    run = trace(verified(looped(POOL, FIVE, Options()), verify), pool("t1"), accepted(), polled(), pool("t2", count=5))
    assert (run.ended, asked) == (ended, ["t2"])
    if not holds:
        assert (run.error.code, run.error.applied, run.error.status_code) == ("NotApplied", None, 200)


def test_what_is_gone_is_held_against_nothing() -> None:
    script = [accepted(202), polled()]
    flow = attempt(POOL, "delete", POOL.remove(T1), T1, Options())
    assert trace(verified(flow, lambda seen: False), *script).ended == "deleted"


def test_what_an_increment_would_have_made_may_be_the_work_of_another_one() -> None:
    run = traced(more, pool("t1"), accepted(), polled("Failed", code="X"), pool("t2", "Failed", count=4))
    assert (run.ended, run.error.applied) == ("OperationFailedError", None)
