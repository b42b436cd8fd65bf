# SPDX-License-Identifier: MIT
"""A shared write in doubt: judged once for all where that tells, else by what each caller asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from aks_etag import WriteOutcomeUnknownError, merge_patch
from aks_etag._core.events import OutcomeUnknown, Recovered
from aks_etag._core.snapshot import WriteResult
from aks_etag._flows.budget import Budget
from aks_etag._flows.commit import in_company
from aks_etag._flows.effects import Flow, Join, Turn
from aks_etag._flows.group import Ended, Group, Late, Member
from aks_etag._flows.options import Options
from aks_etag._resources.owned import MARKER
from aks_etag._writers import Writers

from .company import Shared, member, shared
from .harness import FIVE, LOST, POOL, STALE, accepted, more, polled, pool, refused, trace

ROUND = (accepted(), polled())


def label(name: str, value: str = "1") -> Any:
    return merge_patch({"properties": {"nodeLabels": {name: value}}})


def error(done: Shared, who: Member) -> Any:
    return done.ended[who].error


def labels(**more_of_them: str) -> dict[str, str]:
    return {"read": "t1", **more_of_them}


def test_what_holds_for_all_was_written_for_all() -> None:
    a, b, c = member(FIVE, "a"), member(label("x"), "b"), member(FIVE, "c")
    done = shared(pool("t1"), LOST, pool("t2", count=5, nodeLabels=labels(x="1")), comes={1: [a, b, c]})
    assert done.told == ["a updated by equivalent", "b updated by equivalent", "c unchanged"]
    assert done.ended[a].result.batch.calls == ("a", "b")
    assert len(done.trace.told(Recovered)) == 1


def test_what_has_not_moved_is_sent_again_for_all() -> None:
    a, b = member(FIVE, "a"), member(more, "b")
    done = shared(pool("t1"), LOST, pool("t1"), *ROUND, pool("t2", count=6), comes={1: [a, b]})
    assert done.told == ["a updated", "b updated"]
    assert done.trace.wire.count("PUT pool If-Match=t1 r2") == 1


def test_who_goes_while_it_is_in_doubt_is_not_in_the_next_write_and_nobody_joins_it() -> None:
    a, b, late = member(FIVE, "a"), member(label("x"), "b"), member(more, "late")
    script = [pool("t1"), LOST, pool("t1"), *ROUND, pool("t2")]
    done = shared(*script, comes={1: [a, b], 5: [late]}, goes={5: [a]})
    assert done.told == ["b updated"]
    bodies = [request.body["properties"] for request in done.trace.requests if request.method == "PUT"]
    assert [(body["count"], body["nodeLabels"]) for body in bodies] == [(5, labels(x="1")), (3, labels(x="1"))]


def test_who_asks_for_nothing_any_more_after_a_write_that_went_for_dead_is_satisfied() -> None:
    """It may have landed, and have been put back, and somebody else may have done the same again."""
    calls: list[int] = []

    def at_first(body: dict[str, Any]) -> None:
        calls.append(1)
        if len(calls) < 8:
            body["properties"]["maxPods"] = 50

    a, b = member(label("x"), "a"), member(at_first, "b")
    done = shared(pool("t1"), LOST, pool("t2"), *ROUND, pool("t3"), comes={1: [a, b]})
    assert done.told == ["a updated", "b satisfied"]


def test_if_all_go_while_it_is_in_doubt_nothing_more_is_sent() -> None:
    a, writers = member(FIVE, "a"), Writers()
    done = shared(pool("t1"), LOST, pool("t1"), comes={1: [a]}, goes={5: [a]}, exactly_once=writers)
    assert done.told == []
    # The id that it was noted under is not used again.
    assert writers.take(POOL.id, ()) not in str(done.trace.requests[1].body)


def test_who_asked_for_nothing_is_told_that_nothing_was_written() -> None:
    a, b, c = member(more, "a"), member(label("read", "t1"), "b"), member(label("read", "t1"), "c")
    failed = [polled("Failed", code="QuotaExceeded"), pool("t2", "Failed", count=4)]
    for script, said in (
        ([LOST, *[refused(503)] * 5], "DeadlineExceededError"),
        ([LOST, pool("t1", count=9)], "AksEtagError"),
        ([accepted(), *failed], "OperationFailedError"),
        ([accepted(), polled(), refused(429, retry_after="4000")], "ThrottledError"),
    ):
        members = [member(each.change, each.name, until=9.0) for each in (a, b, c)]
        done = shared(pool("t1"), *script, comes={1: members})
        assert {f"b {said}", f"c {said}"} <= {*done.told}
        assert [error(done, each).applied for each in members[1:]] == [False, False]
        assert error(done, members[0]).applied is (True if said == "ThrottledError" else None)
        assert error(done, members[1]) is not error(done, members[2])


def test_each_is_told_of_the_writes_that_he_has_a_part_in() -> None:
    calls: list[int] = []

    def at_first(body: dict[str, Any]) -> None:
        calls.append(1)
        if len(calls) < 3:
            body["properties"]["maxPods"] = 50

    a, b = member(FIVE, "a", until=12.0), member(at_first, "b", until=12.0)
    done = shared(pool("t1"), LOST, pool("t1"), LOST, *[refused(503)] * 5, comes={1: [a, b]})
    assert [error(done, each).request_ids for each in (a, b)] == [("r1", "r2"), ("r1",)]


def test_where_a_transport_may_have_sent_twice_not_even_who_asked_for_nothing_is_sure() -> None:
    a, b = member(FIVE, "a", until=12.0), member(label("read", "t1"), "b", until=12.0)
    twice = replace(STALE, sent_once=False)
    script = [pool("t1"), twice, pool("t2", nodeLabels=labels()), LOST, *[refused(503)] * 5]
    done = shared(*script, comes={1: [a, b]})
    assert done.told == ["b DeadlineExceededError", "a WriteOutcomeUnknownError"]
    assert error(done, b).applied is None


def test_each_is_judged_by_what_he_asked_for() -> None:
    """Somebody has written meanwhile, so that as a whole it does not tell; a part of it does."""
    a, b, c = member(FIVE, "a"), member(label("x"), "b"), member(more, "c")
    there = pool("t2", count=9, nodeLabels=labels(x="1"))
    done = shared(pool("t1"), LOST, there, comes={1: [a, b, c]})
    assert done.told == ["a WriteOutcomeUnknownError", "b updated by equivalent", "c WriteOutcomeUnknownError"]
    assert error(done, a).request_ids == ("r1",)
    assert not error(done, a).pending
    assert done.ended[b].result.batch is None
    assert len(done.trace.told(OutcomeUnknown)) == 2


def test_what_was_not_touched_and_can_be_made_again_is_made_again() -> None:
    a, b = member(label("x"), "a"), member(more, "b")
    there = pool("t2", count=9, nodeLabels=labels())
    again = pool("t3", count=9, nodeLabels={"read": "t2", "x": "1"})
    done = shared(pool("t1"), LOST, there, *ROUND, again, comes={1: [a, b]})
    assert done.told == ["b WriteOutcomeUnknownError", "a updated"]
    assert done.ended[a].result.request_id == "r2"


def test_what_can_be_made_again_only_as_a_whole_is_not() -> None:
    """Set to five, then add one: that comes to six, however often; but the one would have been added twice."""
    a, b = member(FIVE, "a"), member(more, "b")
    done = shared(pool("t1"), LOST, pool("t2"), *ROUND, pool("t3", count=5), comes={1: [a, b]})
    assert done.told == ["b WriteOutcomeUnknownError", "a updated"]


def test_who_is_left_is_judged_by_what_he_asked_for_too() -> None:
    a, b = member(more, "a"), member(label("x"), "b")
    again = pool("t3", count=9, nodeLabels={"read": "t2", "x": "1"})
    script = [pool("t1"), LOST, pool("t1"), LOST, pool("t2", count=9), *ROUND, again]
    done = shared(*script, comes={1: [a, b]}, goes={5: [a]})
    assert done.told == ["b updated"]


def test_but_not_with_on_doubt_raise() -> None:
    a, b = member(label("x"), "a"), member(more, "b")
    done = shared(pool("t1"), LOST, pool("t2", count=9), comes={1: [a, b]}, on_doubt="raise")
    assert done.told == ["a WriteOutcomeUnknownError", "b WriteOutcomeUnknownError"]


def test_what_holds_by_somebody_else_is_satisfied() -> None:
    def at_least_five(body: dict[str, Any]) -> None:
        body["properties"]["count"] = max(5, body["properties"]["count"])

    a, b = member(at_least_five, "a"), member(more, "b")
    done = shared(pool("t1"), LOST, pool("t2", count=9), comes={1: [a, b]})
    assert done.told == ["a satisfied", "b WriteOutcomeUnknownError"]
    assert done.ended[a].result.recovered is None


def test_who_asked_for_nothing_is_in_no_doubt() -> None:
    a, b, c = member(more, "a"), member(label("read", "t1"), "b"), member(label("y"), "c")
    there = pool("t2", count=9, nodeLabels=labels(y="other"))
    done = shared(pool("t1"), LOST, there, comes={1: [a, b, c]})
    assert done.told == ["a WriteOutcomeUnknownError", "c WriteOutcomeUnknownError", "b unchanged"]


def test_a_change_that_raises_then_is_unknown() -> None:
    def once(body: dict[str, Any]) -> None:
        if body["properties"]["count"] != 3:
            raise ZeroDivisionError
        body["properties"]["maxPods"] = 50

    a, b = member(once, "a"), member(more, "b")
    done = shared(pool("t1"), LOST, pool("t2", count=9), comes={1: [a, b]})
    assert done.told == ["a WriteOutcomeUnknownError", "b WriteOutcomeUnknownError"]
    assert isinstance(error(done, a).__cause__, ZeroDivisionError)


def test_a_change_that_raises_while_only_writes_of_others_are_in_doubt_fails_as_it_did() -> None:
    def later(body: dict[str, Any]) -> None:
        if body["properties"]["count"] == 7:
            raise ZeroDivisionError

    a, b = member(label("x"), "a"), member(later, "b")
    there = pool("t2", count=7, nodeLabels=labels())
    done = shared(pool("t1"), LOST, there, *ROUND, pool("t3", count=7), comes={1: [a, b]})
    assert done.told == ["b ZeroDivisionError", "a updated"]
    there = pool("t2", count=7, nodeLabels=labels(x="1"))
    assert shared(pool("t1"), LOST, there, comes={1: [a, b]}).told == ["b ZeroDivisionError", "a updated by equivalent"]


def test_also_where_all_others_are_known() -> None:
    def once(body: dict[str, Any]) -> None:
        if body["properties"].get("maxPods"):
            raise ZeroDivisionError
        body["properties"]["maxPods"] = 50

    a, b = member(FIVE, "a"), member(once, "b")
    done = shared(pool("t1"), LOST, pool("t2", count=5, maxPods=50), comes={1: [a, b]})
    assert done.told == ["b WriteOutcomeUnknownError", "a updated by equivalent"]
    assert error(done, b).request_ids == ("r1",)


def test_while_it_can_still_land_it_is_unknown_to_all() -> None:
    a, b = member(label("x"), "a"), member(more, "b")
    done = shared(pool("t1"), LOST, pool("t1", count=9), comes={1: [a, b]})
    assert [error(done, each).pending for each in (a, b)] == [True, True]


def test_while_it_can_still_land_a_change_that_raises_is_unknown() -> None:
    calls = []

    def at_first(body: dict[str, Any]) -> None:
        calls.append(1)
        if len(calls) > 2:
            raise ZeroDivisionError
        body["properties"]["maxPods"] = 50

    a, b = member(at_first, "a"), member(FIVE, "b")
    done = shared(pool("t1"), LOST, pool("t1"), *ROUND, pool("t2", count=5), comes={1: [a, b]})
    assert done.told == ["a WriteOutcomeUnknownError", "b updated"]
    assert error(done, a).pending


def test_nothing_left_to_ask_for_is_no_way_out_of_a_doubt() -> None:
    def at_first(name: str) -> Any:
        calls: list[int] = []

        def change(body: dict[str, Any]) -> None:
            calls.append(1)
            if len(calls) < 3:
                body["properties"][name] = 50

        return change

    a, b = member(at_first("maxPods"), "a"), member(at_first("osDiskSizeGB"), "b")
    done = shared(pool("t1"), LOST, pool("t1"), comes={1: [a, b]})
    assert [error(done, each).pending for each in (a, b)] == [True, True]


def test_what_is_stored_by_an_operation_that_failed_is_no_success() -> None:
    a, b = member(label("x"), "a"), member(more, "b")
    done = shared(pool("t1"), LOST, pool("t2", "Failed", count=9, nodeLabels=labels(x="1")), comes={1: [a, b]})
    assert done.told == ["a OperationFailedError", "b WriteOutcomeUnknownError"]


def test_a_preempted_operation_is_resolved_for_all() -> None:
    a, b = member(FIVE, "a"), member(label("x"), "b")
    lost_race = polled("Failed", code="OriginalEtagNotExpect")
    done = shared(pool("t1"), accepted(), lost_race, pool("t1"), *ROUND, pool("t2", count=5), comes={1: [a, b]})
    assert done.told == ["a updated", "b updated"]


def test_one_note_settles_all() -> None:
    class Once(Writers):
        def take(self, resource_id: str, taken: Any) -> str:
            return "abcdef"

    probe = shared(pool("t1"), *ROUND, pool("t2"), comes={1: [member(more)]}, exactly_once=Once())
    noted = next(r for r in probe.trace.requests if r.method == "PUT").body["properties"]["tags"][MARKER]
    landed = pool("t2", count=9, tags={MARKER: noted})
    d, e = member(more, "d"), member(more, "e")
    done = shared(pool("t1"), LOST, landed, comes={1: [d, e]}, exactly_once=Once())
    assert done.told == ["d updated by marker", "e updated by marker"]


def test_a_note_that_does_not_tell_leaves_all_unknown() -> None:
    a, b = member(label("x"), "a"), member(more, "b")
    done = shared(
        pool("t1", tags={MARKER: "1.5"}), LOST, pool("t2", count=9, nodeLabels=labels(x="1")),
        comes={1: [a, b]}, exactly_once=Writers(),
    )  # fmt: skip
    assert done.told == ["a WriteOutcomeUnknownError", "b WriteOutcomeUnknownError"]


def test_after_a_doubt_that_went_round_no_error_claims_that_nothing_was_written() -> None:
    a, b = member(label("x"), "a"), member(label("y"), "b")
    done = shared(pool("t1"), LOST, pool("t2"), STALE, refused(403, "AuthorizationFailed"), comes={1: [a, b]})
    assert done.told == ["a WriteOutcomeUnknownError", "b WriteOutcomeUnknownError"]
    done = shared(pool("t1"), LOST, pool("t2"), refused(400, "BadRequest"), comes={1: [a, b]})
    assert done.told == ["a WriteOutcomeUnknownError", "b WriteOutcomeUnknownError"]


def answered(reply: Any, **told: Any) -> Any:
    """Trace a call that waits for a shared write, which ends in a certain way for it."""

    def flow() -> Flow[WriteResult]:
        budget = yield from Budget.start(POOL.id, Options(), 10.0)
        inner = in_company(POOL, FIVE, Options(), budget, "key", lambda group: iter(()))  # type: ignore[arg-type,return-value]
        effect = next(inner)
        while True:
            try:
                if isinstance(effect, Turn):
                    effect = inner.send(True)
                elif isinstance(effect, Join):
                    assert effect.member.until == 10.0
                    effect = inner.send(reply)
                else:
                    effect = inner.send((yield effect))
            except StopIteration as end:
                return end.value

    return trace(flow(), *told.get("script", ()))


def test_a_call_ends_as_it_was_told() -> None:
    done = answered(Ended(result=WriteResult(outcome="updated", snapshot=None)))
    assert done.ended == "updated"
    assert answered(Ended(error=KeyError("x"))).ended == "KeyError"


@pytest.mark.parametrize(
    ("late", "kind", "applied"),
    [
        (Late(), "DeadlineExceededError", False),
        (Late(applied=None, operation="op1"), "DeadlineExceededError", None),
        (Late(applied=True, operation="op1"), "DeadlineExceededError", True),
        (Late(applied=None, pending=("r1",)), "WriteOutcomeUnknownError", None),
    ],
)
def test_a_call_whose_time_is_up_says_what_may_come(late: Late, kind: str, applied: bool | None) -> None:
    done = answered(late)
    assert done.ended == kind
    assert done.error.applied is applied
    if kind == "WriteOutcomeUnknownError":
        assert isinstance(done.error, WriteOutcomeUnknownError)
        assert done.error.pending
        assert done.error.request_ids == ("r1",)
        assert [event.request_ids for event in done.told(OutcomeUnknown)] == [("r1",)]
    else:
        assert done.error.operation == late.operation


def test_a_call_made_by_another_one_writes_alone() -> None:
    done = answered(None, script=[pool("t1"), *ROUND, pool("t2", count=5)])
    assert done.ended == "updated"
    assert done.result.batch is None


def test_a_group_makes_all_changes_and_notes_who_fails() -> None:
    def broken(body: dict[str, Any]) -> None:
        raise ZeroDivisionError

    a, b, c = member(more, "a"), member(broken, "b"), member(lambda body: {}, "c")
    group = Group(members=[a, b])
    assert group({"properties": {"count": 1}}) == {"properties": {"count": 2}}
    assert list(group.failing) == [b]
    assert Group(members=[a, c])({"properties": {"count": 1}}) == {}
