# SPDX-License-Identifier: MIT
"""A shared write: changes in order on one fresh body, one PUT, and each caller told what came of it for him."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag import (
    ConflictRetriesExhaustedError,
    ConflictRetry,
    InlinePoolEditError,
    OperationFailedError,
    RequestRefusedError,
    ResourceGoneError,
    merge_patch,
)
from aks_etag._core.messages import NoResponse
from aks_etag._core.snapshot import Batch

from .company import Shared, member, shared
from .harness import BUSY, CLUSTER, FIVE, GONE, LOST, NO_TOKEN, STALE, accepted, cluster, more, polled, pool, refused

DONE = (accepted(), polled(), pool("t2", count=5))


def label(name: str, value: str = "1") -> Any:
    return merge_patch({"properties": {"nodeLabels": {name: value}}})


def fails(body: dict[str, Any]) -> None:
    raise ZeroDivisionError


def result(done: Shared, who: Any) -> Any:
    return done.ended[who].result


def error(done: Shared, who: Any) -> Any:
    return done.ended[who].error


def sent(done: Shared) -> list[Any]:
    return [request.body["properties"] for request in done.trace.requests if request.method == "PUT"]


def test_all_changes_go_out_in_order_in_one_write() -> None:
    a, b, c = member(more, "a"), member(more, "b"), member(label("x"), "c")
    done = shared(pool("t1"), *DONE, comes={1: [a, b, c]})
    assert done.trace.wire == ["GET pool", "PUT pool If-Match=t1 r1", "GET op1", "GET pool"]
    assert sent(done)[0]["count"] == 5
    assert sent(done)[0]["nodeLabels"] == {"read": "t1", "x": "1"}
    assert done.told == ["a updated", "b updated", "c updated"]
    assert [result(done, each).batch for each in (a, b, c)] == [
        Batch(calls=("a", "b", "c"), place=place) for place in range(3)
    ]
    assert {result(done, each).request_id for each in (a, b, c)} == {"r1"}
    assert result(done, a).condition == "If-Match: t1"


def test_thousands_go_out_together() -> None:
    crowd = [member(more if number % 2 else label(f"l{number % 50}"), str(number)) for number in range(3000)]
    done = shared(pool("t1"), *DONE, comes={1: crowd})
    assert sent(done)[0]["count"] == 3 + 1500
    outcomes = [each.partition(" ")[2] for each in done.told]
    assert (outcomes.count("updated"), outcomes.count("unchanged")) == (1500 + 25, 1500 - 25)


def test_nobody_is_answered_before_the_fate_of_the_write_is_known() -> None:
    a, b = member(more, "a"), member(more, "b")
    done = shared(pool("t1"), *DONE, comes={1: [a, b]})
    assert done.trace.steps.index("ANSWER a updated") > done.trace.steps.index("GET op1")


def test_who_comes_during_the_read_goes_along() -> None:
    a, b = member(more, "a"), member(more, "b")
    done = shared(pool("t1"), *DONE, comes={1: [a], 3: [b]})
    assert done.told == ["a updated", "b updated"]


def test_who_comes_before_the_read_is_told_that_nothing_is_to_do() -> None:
    a, b = member(merge_patch({"properties": {"count": 3}}), "a"), member(lambda body: None, "b")
    done = shared(pool("t1"), comes={1: [a, b]})
    assert done.trace.wire == ["GET pool"]
    assert done.told == ["a unchanged", "b unchanged"]
    assert result(done, a).batch is None


def test_who_comes_during_it_is_not_and_reads_again() -> None:
    a, b = member(lambda body: None, "a"), member(lambda body: None, "b")
    done = shared(pool("t1"), pool("t1"), comes={1: [a], 3: [b]})
    assert done.told == ["a unchanged", "b unchanged"]
    assert done.trace.wire == ["GET pool", "GET pool"]
    assert done.trace.steps.index("ANSWER a unchanged") < done.trace.steps.index("GET pool", 1)


def test_who_asks_for_what_another_asked_for_has_written_nothing() -> None:
    a, b, c = member(FIVE, "a"), member(FIVE, "b"), member(label("x"), "c")
    done = shared(pool("t1"), *DONE, comes={1: [a, b, c]})
    assert done.told == ["a updated", "b unchanged", "c updated"]
    assert result(done, b).batch is None
    assert result(done, b).attempts == 0
    assert result(done, b).snapshot.etag == "t2"
    assert result(done, c).batch == Batch(calls=("a", "c"), place=1)


def test_changes_that_undo_each_other_are_written_all_the_same() -> None:
    def fewer(body: dict[str, Any]) -> None:
        body["properties"]["count"] -= 1

    a, b = member(more, "a"), member(fewer, "b")
    done = shared(pool("t1"), *DONE, comes={1: [a, b]})
    assert done.told == ["a updated", "b updated"]
    assert sent(done)[0]["count"] == 3


def test_a_change_that_raises_fails_its_caller_only() -> None:
    a, b, c = member(more, "a"), member(fails, "b"), member(more, "c")
    done = shared(pool("t1"), *DONE, comes={1: [a, b, c]})
    assert done.told == ["b ZeroDivisionError", "a updated", "c updated"]
    assert sent(done)[0]["count"] == 5


def test_a_change_that_may_not_be_written_fails_its_caller_only() -> None:
    def pools(body: dict[str, Any]) -> None:
        body["properties"]["agentPoolProfiles"] = []

    def owned(body: dict[str, Any]) -> None:
        body["properties"]["provisioningState"] = "Failed"

    a, b, c = member(pools, "a"), member(owned, "b"), member(merge_patch({"tags": {"x": "1"}}), "c")
    done = shared(cluster("t1"), accepted(), polled(), cluster("t2"), comes={1: [a, b, c]}, on=CLUSTER)
    assert done.told == ["a InlinePoolEditError", "b ReadOnlyEditError", "c updated"]
    assert isinstance(error(done, a), InlinePoolEditError)
    assert error(done, a).applied is False
    assert not error(done, a).joint


def test_if_every_change_raises_nothing_is_sent() -> None:
    a = member(fails, "a")
    done = shared(pool("t1"), comes={1: [a]})
    assert done.told == ["a ZeroDivisionError"]


def test_nobody_joins_after_a_write_has_left() -> None:
    a, late = member(more, "a"), member(more, "late")
    done = shared(pool("t1"), STALE, pool("t2"), *DONE, comes={1: [a], 5: [late]})
    assert done.told == ["a updated"]
    assert result(done, a).conflicts == 1


def test_all_changes_are_made_again_on_the_newer_body() -> None:
    a, b = member(more, "a"), member(more, "b")
    done = shared(pool("t1"), STALE, pool("t2", count=7), *DONE, comes={1: [a, b]})
    assert [each["count"] for each in sent(done)] == [5, 9]
    assert done.told == ["a updated", "b updated"]


def test_who_goes_before_a_write_leaves_is_not_in_it() -> None:
    a, b, c = member(more, "a"), member(more, "b"), member(more, "c")
    done = shared(pool("t1"), *DONE, comes={1: [a, b, c]}, goes={4: [b]})
    assert done.told == ["a updated", "c updated"]
    assert sent(done)[0]["count"] == 5


def test_nor_is_who_goes_between_two() -> None:
    a, b = member(more, "a"), member(more, "b")
    done = shared(pool("t1"), STALE, pool("t2"), *DONE, comes={1: [a, b]}, goes={5: [a]})
    assert done.told == ["b updated"]
    assert [each["count"] for each in sent(done)] == [5, 4]


def test_whoever_goes_is_looked_for_until_all_are_there() -> None:
    a, b, c = member(more, "a"), member(more, "b"), member(more, "c")
    done = shared(pool("t1"), *DONE, comes={1: [a, b, c]}, goes={4: [b], 5: [c]})
    assert done.told == ["a updated"]
    assert sent(done)[0]["count"] == 4


def test_a_refused_write_is_told_to_the_driver_so_that_it_may_let_callers_go() -> None:
    a = member(label("x"), "a")
    assert shared(pool("t1"), STALE, pool("t2"), *DONE, comes={1: [a]}).refused == 1
    assert shared(pool("t1"), *DONE, comes={1: [a]}).refused == 0
    # One that went for dead may have been carried out, whatever came of the next one.
    assert shared(pool("t1"), LOST, pool("t2"), STALE, pool("t3"), *DONE, comes={1: [a]}).refused == 0


@pytest.mark.parametrize(("when", "reads"), [(2, 0), (3, 1), (4, 1)])
def test_if_all_have_gone_nothing_is_sent(when: int, reads: int) -> None:
    a = member(more, "a")
    done = shared(*[pool("t1")] * reads, comes={1: [a]}, goes={when: [a]})
    assert done.told == []
    assert done.trace.wire == ["GET pool"] * reads


def test_the_lane_waits_for_company() -> None:
    a, b = member(more, "a"), member(more, "b")
    done = shared(pool("t1"), *DONE, comes={1: [a], 2: [b]}, linger=1.0)
    assert done.trace.steps[0] == "SLEEP 1"
    assert done.trace.waits[0] == "company for a shared write"
    assert done.told == ["a updated", "b updated"]
    assert result(done, a).waited >= 1.0


def test_the_deadline_is_that_of_who_waits_longest() -> None:
    a, b = member(more, "a", until=5.0), member(more, "b", until=9.0)
    done = shared(*[refused(503)] * 5, comes={1: [a, b]}, polling_interval=30.0)
    assert done.told == ["a DeadlineExceededError", "b DeadlineExceededError"]
    assert done.trace.slept == 9.0
    assert error(done, a) is not error(done, b)
    assert error(done, a).joint
    assert error(done, a).applied is False


def test_who_is_alone_gets_the_error_itself() -> None:
    a = member(more, "a")
    done = shared(GONE, comes={1: [a]})
    assert done.told == ["a NotFoundError"]
    assert not error(done, a).joint


def test_an_operation_that_fails_is_everybodys_and_is_never_split() -> None:
    a, b = member(label("x"), "a"), member(FIVE, "b")
    done = shared(
        pool("t1"),
        accepted(),
        polled("Failed", code="QuotaExceeded"),
        pool("t2", "Failed", count=5, nodeLabels={"read": "t1", "x": "1"}),
        comes={1: [a, b]},
    )
    assert done.told == ["a OperationFailedError", "b OperationFailedError"]
    for each in (a, b):
        assert isinstance(error(done, each), OperationFailedError)
        assert error(done, each).joint
        assert error(done, each).applied is True


def test_too_many_conflicts_are_everybodys() -> None:
    a, b = member(more, "a"), member(more, "b")
    done = shared(pool("t1"), STALE, pool("t2"), comes={1: [a, b]}, conflict_retry=ConflictRetry(attempts=1))
    assert [type(error(done, each)) for each in (a, b)] == [ConflictRetriesExhaustedError] * 2


def test_what_blocks_is_waited_for_or_raised_for_all() -> None:
    a, b = member(more, "a"), member(more, "b")
    done = shared(pool("t1"), BUSY, cluster("c1"), pool("t1"), *DONE, comes={1: [a, b]})
    assert done.told == ["a updated", "b updated"]
    done = shared(pool("t1"), BUSY, comes={1: [a, b]}, on_busy="raise")
    assert done.told == ["a OperationInProgressError", "b OperationInProgressError"]


def test_what_is_gone_meanwhile_is_gone_for_all() -> None:
    a, b = member(more, "a"), member(more, "b")
    done = shared(pool("t1"), STALE, GONE, comes={1: [a, b]})
    assert [type(error(done, each)) for each in (a, b)] == [ResourceGoneError] * 2


def test_a_turn_that_does_not_come_in_time_fails_all() -> None:
    a, b = member(more, "a"), member(more, "b")
    done = shared(comes={1: [a, b]}, turn=False)
    assert done.told == ["a DeadlineExceededError", "b DeadlineExceededError"]
    assert error(done, a).applied is False
    assert error(done, b).waiting_for == "its turn: other calls of this client write to it"


def test_an_error_of_others_is_copied_too() -> None:
    a, b = member(more, "a"), member(more, "b")
    done = shared(pool("t1"), NO_TOKEN, comes={1: [a, b]})
    assert done.told == ["a PermissionError", "b PermissionError"]
    assert error(done, a) is not error(done, b)


def test_an_error_that_cannot_be_copied_is_shared() -> None:
    class Odd(Exception):
        def __init__(self, one: int, two: int) -> None:
            super().__init__()

    a, b = member(more, "a"), member(more, "b")
    done = shared(pool("t1"), NoResponse(error=Odd(1, 2), sent=False, final=True), comes={1: [a, b]})
    assert error(done, a) is error(done, b)
    assert isinstance(error(done, a), Odd)


def test_a_refusal_of_the_caller_is_not_split() -> None:
    a, b = member(more, "a"), member(more, "b")
    for answer in (
        refused(401, "Unauthorized"),
        refused(403, "InvalidAuthenticationToken"),
        refused(403, "AuthorizationFailed"),
    ):
        done = shared(pool("t1"), answer, comes={1: [a, b]})
        assert done.told == ["a AccessDeniedError", "b AccessDeniedError"]
        assert error(done, a).joint


def test_nor_is_one_of_a_read() -> None:
    a, b = member(more, "a"), member(more, "b")
    done = shared(refused(400, "BadRequest"), comes={1: [a, b]})
    assert [type(error(done, each)) for each in (a, b)] == [RequestRefusedError] * 2
