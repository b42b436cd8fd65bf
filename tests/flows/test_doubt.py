# SPDX-License-Identifier: MIT
"""A write without a clear answer is looked into, and repeated only where the first one is dead or harmless."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from aks_etag import merge_patch
from aks_etag._core.events import Conflict, Doubt, OutcomeUnknown, Recovered

from .harness import (
    CLUSTER,
    FIVE,
    GONE,
    LOST,
    NO_TOKEN,
    POOL,
    STALE,
    UNSENT,
    accepted,
    cluster,
    more,
    polled,
    pool,
    refused,
    traced,
    tried,
)

READ = "GET pool"
START = [READ, "UNDECIDED r1", "PUT pool If-Match=t1 r1", "Doubt", "SLEEP 1", READ]
DONE = (accepted(), polled(), pool("t9", count=5))


def toggled(body: dict[str, Any]) -> None:
    body["properties"]["count"] = 5 if body["properties"]["count"] == 3 else 3


UNCLEAR = [
    pytest.param(LOST, "no answer (TimeoutError)", id="no-answer"),
    pytest.param(refused(408), "408", id="408"),
    pytest.param(refused(500, "InternalError"), "500 InternalError: no", id="500"),
    pytest.param(refused(503), "503", id="503"),
    pytest.param(refused(504, "GatewayTimeout"), "504 GatewayTimeout: no", id="504"),
    pytest.param(replace(LOST, final=True), "no answer (TimeoutError)", id="a-defect-after-sending"),
    pytest.param(replace(STALE, sent_once=False), "412 PreconditionFailed: no", id="412-of-an-unproved-transport"),
    pytest.param(replace(refused(409), sent_once=False), "409", id="409-of-an-unproved-transport"),
    pytest.param(replace(GONE, sent_once=False), "404 NotFound: no", id="404-of-an-unproved-transport"),
    pytest.param(replace(refused(429, retry_after="1"), sent_once=False), "429", id="429-of-an-unproved-transport"),
]


@pytest.mark.parametrize(("unclear", "reason"), UNCLEAR)
def test_our_own_write_is_recognised(unclear: Any, reason: str) -> None:
    run = traced(FIVE, pool("t1"), unclear, pool("t2", count=5))
    assert run.steps == [*START, "UNDECIDED -", "Recovered"]
    result = run.result
    assert (result.outcome, result.recovered, result.snapshot.etag) == ("updated", "equivalent", "t2")
    assert (result.attempts, result.conflicts, result.condition, result.fenced) == (1, 0, "If-Match: t1", True)
    assert (result.status, result.request_id) == (None, None)
    assert run.told(Doubt) == [Doubt(resource_id=POOL.id, request_id="r1", reason=reason)]
    assert run.told(Recovered) == [Recovered(resource_id=POOL.id, how="equivalent", request_ids=("r1",))]


@pytest.mark.parametrize(("unclear", "reason"), UNCLEAR)
def test_nothing_moved_yet_sends_the_same_tag_again(unclear: Any, reason: str) -> None:
    run = traced(more, pool("t1"), unclear, pool("t1"), accepted(), polled(), pool("t2", count=4))
    again = ["UNDECIDED r1", "Retrying", "UNDECIDED r1 r2", "PUT pool If-Match=t1 r2"]
    assert run.steps[:10] == [*START, *again]
    assert (run.ended, run.result.attempts, run.result.recovered) == ("updated", 2, None)


def test_the_first_write_may_overtake_the_second() -> None:
    run = traced(FIVE, pool("t1"), LOST, pool("t1"), STALE, pool("t2", count=5))
    assert run.steps[10:] == ["UNDECIDED r1", "SLEEP 2", READ, "UNDECIDED -", "Recovered"]
    assert (run.ended, run.result.recovered, run.result.attempts, run.result.conflicts) == (
        "updated",
        "equivalent",
        2,
        0,
    )
    assert run.told(Conflict) == []


def test_two_writes_in_doubt_exclude_each_other_and_are_decided_together() -> None:
    run = traced(FIVE, pool("t1"), LOST, pool("t1"), refused(503), pool("t2", count=5))
    assert run.told(Recovered) == [Recovered(resource_id=POOL.id, how="equivalent", request_ids=("r1", "r2"))]
    assert "SLEEP 2" in run.steps


def test_two_writes_in_doubt_stay_unknown_together() -> None:
    run = traced(more, pool("t1"), LOST, pool("t1"), LOST, pool("t2", count=4))
    assert (run.ended, run.error.request_ids, run.error.pending) == ("WriteOutcomeUnknownError", ("r1", "r2"), False)


def test_the_412_of_a_second_write_does_not_make_the_first_a_conflict() -> None:
    run = traced(more, pool("t1"), LOST, pool("t1"), STALE, pool("t2", count=4))
    assert (run.ended, run.error.request_ids) == ("WriteOutcomeUnknownError", ("r1",))


@pytest.mark.parametrize(
    ("unclear", "looks", "ended", "applied"),
    [
        pytest.param([LOST], [pool("t2", "Failed", count=5)], "OperationFailedError", None, id="failed"),
        pytest.param([LOST], [pool("t2", "cANCELED", count=5)], "OperationFailedError", None, id="canceled"),
        pytest.param(
            [LOST], [pool("t2", "Updating", count=5), pool("t2", "Failed", count=5)], "OperationFailedError", None,
            id="fails-while-watched",
        ),
        pytest.param([accepted(), GONE], [pool("t2", "Failed", count=5)], "OperationFailedError", None, id="lost"),
        pytest.param([LOST], [pool("t2", None, count=5)], "updated", None, id="no-state"),
        pytest.param(
            [accepted(), polled("Failed", code="OperationPreempted")], [pool("t2", "Failed", count=5)], "updated", None,
            id="preempted",
        ),
        pytest.param([LOST], [pool("t2", "Failed", count=7)], "WriteOutcomeUnknownError", None, id="not-there"),
    ],
)  # fmt: skip
def test_what_is_stored_and_whose_operation_failed_is_no_success(
    unclear: Any, looks: Any, ended: str, applied: bool | None
) -> None:
    run = traced(FIVE, pool("t1"), *unclear, *looks)
    assert (run.ended, getattr(run.error, "applied", None)) == (ended, applied)
    assert ended != "OperationFailedError" or "may be stored" in str(run.error)


def test_what_holds_by_another_hand_though_the_resource_failed_is_satisfied() -> None:
    def at_least(body: dict[str, Any]) -> None:
        body["properties"]["count"] = max(5, body["properties"]["count"])

    assert traced(at_least, pool("t1"), LOST, pool("t2", "Failed", count=8)).ended == "satisfied"


def test_what_holds_by_another_hand_is_satisfied() -> None:
    ensure = merge_patch({"properties": {"count": 5, "mode": "User"}})

    def at_least(body: dict[str, Any]) -> None:
        body["properties"]["count"] = max(5, body["properties"]["count"])

    assert traced(ensure, pool("t1"), LOST, pool("t2", count=5, mode="User")).ended == "updated"
    run = traced(at_least, pool("t1"), LOST, pool("t2", count=8))
    assert (run.ended, run.result.recovered, run.result.fenced) == ("satisfied", None, True)
    assert run.told(Recovered) == [Recovered(resource_id=POOL.id, how="satisfied", request_ids=("r1",))]


def test_an_untouched_place_and_an_idempotent_change_go_round() -> None:
    run = traced(FIVE, pool("t1"), LOST, pool("t2", count=3, mode="User"), *DONE)
    again = ["UNDECIDED r1", "Retrying", "UNDECIDED r1 r2", "PUT pool If-Match=t2 r2"]
    assert run.steps[:10] == [*START, *again]
    assert (run.ended, run.result.attempts) == ("updated", 2)


@pytest.mark.parametrize("change", [pytest.param(more, id="adds"), pytest.param(toggled, id="toggles")])
@pytest.mark.parametrize("doubt", ["untouched", "reapply", "raise"])
def test_a_change_that_is_not_idempotent_is_never_repeated(change: Any, doubt: Any) -> None:
    run = traced(change, pool("t1"), LOST, pool("t2", count=3), on_doubt=doubt)
    assert (run.ended, len(run.wire)) == ("WriteOutcomeUnknownError", 3)
    error = run.error
    assert (error.pending, error.equivalent, error.sent, error.observed.etag) == (False, False, "t1", "t2")
    assert run.told(OutcomeUnknown) == [OutcomeUnknown(resource_id=POOL.id, request_ids=("r1",), pending=False)]
    assert "x-ms-client-request-id r1" in str(error)


def test_a_change_that_is_not_deterministic_is_never_repeated() -> None:
    numbers = iter(range(100, 200))

    def counted(body: dict[str, Any]) -> None:
        body["properties"]["count"] = next(numbers)

    assert traced(counted, pool("t1"), LOST, pool("t2")).ended == "WriteOutcomeUnknownError"


def idempotent_only(mode: str | None) -> Any:
    def change(body: dict[str, Any]) -> None:
        properties = body["properties"]
        properties["count"] = 5 if properties.get("mode") == mode else properties["count"] + 1

    return change


@pytest.mark.parametrize("mode", [pytest.param(None, id="where-it-started"), pytest.param("User", id="where-it-is")])
def test_a_change_that_is_idempotent_at_one_place_only_is_never_repeated(mode: str | None) -> None:
    run = traced(idempotent_only(mode), pool("t1"), LOST, pool("t2", mode="User"))
    assert (run.ended, run.error.pending) == ("WriteOutcomeUnknownError", False)


@pytest.mark.parametrize(
    ("doubt", "count", "ended"),
    [
        pytest.param("untouched", 3, "updated", id="untouched-place"),
        pytest.param("untouched", 7, "WriteOutcomeUnknownError", id="touched-place"),
        pytest.param("reapply", 3, "updated", id="reapply-untouched"),
        pytest.param("reapply", 7, "updated", id="reapply-touched"),
        pytest.param("raise", 3, "WriteOutcomeUnknownError", id="raise-untouched"),
        pytest.param("raise", 7, "WriteOutcomeUnknownError", id="raise-touched"),
    ],
)
def test_what_to_do_in_doubt_is_the_callers_choice(doubt: Any, count: int, ended: str) -> None:
    rest = DONE if ended == "updated" else ()
    assert traced(FIVE, pool("t1"), LOST, pool("t2", count=count), *rest, on_doubt=doubt).ended == ended


@pytest.mark.parametrize("doubt", ["untouched", "reapply", "raise"])
def test_an_unmoved_tag_and_an_equivalent_result_need_no_choice(doubt: Any) -> None:
    assert traced(FIVE, pool("t1"), LOST, pool("t1"), *DONE, on_doubt=doubt).result.attempts == 2
    assert traced(FIVE, pool("t1"), LOST, pool("t2", count=5), on_doubt=doubt).result.recovered == "equivalent"


def test_a_moved_body_under_the_same_tag_counts_as_moved_but_leaves_the_write_pending() -> None:
    run = traced(FIVE, pool("t1"), LOST, pool("t1", mode="User"), *DONE)
    assert run.steps[6:8] == ["Retrying", "UNDECIDED r1 r2"]
    assert run.ended == "updated"


def test_the_landed_write_is_found_though_the_tag_has_not_moved() -> None:
    run = traced(FIVE, pool("t1"), LOST, pool("t1", count=5))
    assert (run.ended, run.result.recovered, run.result.fenced) == ("updated", "equivalent", False)


def test_a_busy_resource_is_waited_for_before_it_is_judged() -> None:
    run = traced(FIVE, pool("t1"), LOST, pool("t1", "Updating", count=5), pool("t2", count=5))
    assert run.wire == [READ, "PUT pool If-Match=t1 r1", READ, READ]
    assert (run.ended, run.result.recovered) == ("updated", "equivalent")


def test_what_was_never_sent_is_dropped_beside_what_is_in_doubt() -> None:
    run = traced(FIVE, pool("t1"), LOST, pool("t1"), UNSENT, pool("t2", count=5))
    assert run.told(Recovered)[0].request_ids == ("r1",)


def test_what_cannot_be_sent_at_all_is_raised_as_it_is() -> None:
    run = traced(FIVE, pool("t1"), NO_TOKEN)
    assert (run.error, run.steps[-1]) == (NO_TOKEN.error, "UNDECIDED -")


@pytest.mark.parametrize("unclear", [LOST, refused(503)])
def test_what_is_gone_while_in_doubt_says_that_nobody_knows(unclear: Any) -> None:
    run = traced(FIVE, pool("t1"), unclear, GONE)
    assert (run.ended, run.error.applied) == ("ResourceGoneError", None)


def test_what_is_replaced_while_in_doubt_says_that_nobody_knows() -> None:
    tagged = merge_patch({"tags": {"a": "1"}})
    run = traced(tagged, cluster("t1"), LOST, cluster("t2", uid="u2"), on=CLUSTER)
    assert (run.ended, run.error.applied) == ("ResourceReplacedError", None)


def test_a_secret_is_never_shown_again_and_is_sent_again() -> None:
    secret = merge_patch({"properties": {"windowsProfile": {"adminPassword": "s3cret"}}})
    run = traced(secret, cluster("t1"), LOST, cluster("t2"), accepted(), polled(), cluster("t3"), on=CLUSTER)
    assert (run.ended, run.result.attempts) == ("updated", 2)


@pytest.mark.parametrize("kind", ["update", "put"])
def test_a_write_is_known_by_the_id_under_which_it_really_went(kind: str) -> None:
    renamed = replace(refused(503), request_id="other")
    script = [pool("t2", count=8)]
    run = traced(more, pool("t1"), renamed, *script) if kind == "update" else tried("put", renamed, *script)
    assert (run.ended, run.error.request_ids) == ("WriteOutcomeUnknownError", ("other",))


@pytest.mark.parametrize("request_id", ["", "r1"])
def test_an_answer_that_names_no_other_id_changes_nothing(request_id: str) -> None:
    run = traced(more, pool("t1"), replace(refused(503), request_id=request_id), pool("t2"))
    assert run.error.request_ids == ("r1",)
