# SPDX-License-Identifier: MIT
"""A shared write that is definitely refused is split, until the change is found that it is refused for."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag import OperationInProgressError, RequestRefusedError, ThrottledError, merge_patch
from aks_etag._core.messages import Outcome
from aks_etag._flows.commit import commit
from aks_etag._flows.effects import Send
from aks_etag._flows.group import Group, Member
from aks_etag._flows.options import Options
from aks_etag._writers import Writers

from .company import Hall, member, said, shared
from .harness import LOST, POOL, STALE, accepted, polled, pool, refused

REFUSED = refused(400, "BadRequest", "one of these labels is not allowed")


def label(name: str) -> Any:
    return merge_patch({"properties": {"nodeLabels": {name: "1"}}})


def crowd(size: int) -> list[Member]:
    return [member(label(f"l{number}"), str(number)) for number in range(size)]


def written(before: str, after: str, **properties: Any) -> tuple[Outcome, ...]:
    return pool(before), accepted(), polled(), pool(after, **properties)


def test_left_half_fresh_read_right_half() -> None:
    members = crowd(4)
    left, right = written("t1", "t2"), written("t2", "t3")
    script = [pool("t1"), REFUSED, *left, pool("t2"), REFUSED, *right, pool("t3"), REFUSED]
    done = shared(*script, comes={1: members})
    assert done.told == ["0 updated", "1 updated", "2 updated", "3 RequestRefusedError"]
    bodies = [request.body["properties"]["nodeLabels"] for request in done.trace.requests if request.method == "PUT"]
    assert [sorted(each.keys() - {"read"}) for each in bodies] == [
        ["l0", "l1", "l2", "l3"], ["l0", "l1"], ["l2", "l3"], ["l2"], ["l3"],
    ]  # fmt: skip
    assert done.ended[members[0]].result.batch.calls == ("0", "1")
    error = done.ended[members[3]].error
    assert isinstance(error, RequestRefusedError)
    assert error.applied is False
    assert not error.joint


def test_nobody_joins_a_half() -> None:
    members, late = crowd(2), member(label("late"), "late")
    done = shared(pool("t1"), REFUSED, *written("t1", "t2"), *written("t2", "t3"), comes={1: members, 5: [late]})
    assert done.told == ["0 updated", "1 updated"]


def test_how_often_is_bounded() -> None:
    members = crowd(8)
    # As often as it takes to find one among them, and once more.
    script = [pool("t1"), REFUSED] * 9
    done = shared(*script, comes={1: members})
    assert len(done.told) == 8
    assert {type(ended.error) for ended in done.ended.values()} == {RequestRefusedError}
    assert {ended.error.applied for ended in done.ended.values()} == {False}
    puts = sum(step.startswith("PUT") for step in done.trace.steps)
    assert puts == 9 == 1 + 2 * 4
    joint = [name for name, ended in ((each.name, done.ended[each]) for each in members) if ended.error.joint]
    assert joint == ["4", "5", "6", "7"]


def served(members: list[Member], bad: str) -> tuple[int, dict[str, str]]:
    """Play a service that refuses whatever has a certain label in it; count the writes it was sent."""
    labels: dict[str, str] = {}
    puts, version = 0, 1
    flow = commit(POOL, Options(group_commit=True), Group())
    hall = Hall(answers=iter(()), comes={1: members})
    reply: Any = None
    while True:
        try:
            effect = flow.send(reply)
        except StopIteration:
            return puts, {who.name: said(ended) for who, ended in hall.ended.items()}
        if not isinstance(effect, Send):
            reply = hall.play(effect)
        elif effect.request.method == "GET":
            reply = polled() if "operations" in effect.request.url else pool(f"t{version}", nodeLabels=dict(labels))
        else:
            puts += 1
            asked = effect.request.body["properties"]["nodeLabels"]
            if bad not in asked:
                labels, version = asked, version + 1
            reply = REFUSED if bad in asked else accepted()


@pytest.mark.parametrize("size", [2, 3, 5, 8, 13, 64, 128])
def test_one_among_many_is_always_found(size: int) -> None:
    for bad in {0, 1, size // 2, size - 1}:
        members = crowd(size)
        puts, told = served(members, f"l{bad}")
        assert told == {str(each): "updated" for each in range(size)} | {str(bad): "RequestRefusedError"}
        assert puts <= 20


def test_what_is_throttled_or_busy_is_not_split() -> None:
    members = crowd(2)
    busy = refused(409, "OperationNotAllowed", "an upgrade is in progress")
    answers = (refused(429, "Throttled", retry_after="4000"), ThrottledError), (busy, OperationInProgressError)
    for answer, kind in answers:
        done = shared(pool("t1"), answer, comes={1: members}, on_busy="raise")
        assert [type(done.ended[each].error) for each in members] == [kind, kind]
        assert all(done.ended[each].error.joint for each in members)


def test_what_may_have_landed_is_not_split() -> None:
    members = crowd(2)
    done = shared(pool("t1"), LOST, pool("t1"), REFUSED, comes={1: members})
    assert done.told == ["0 WriteOutcomeUnknownError", "1 WriteOutcomeUnknownError"]
    assert all(done.ended[each].error.pending for each in members)


def test_after_a_conflict_it_is() -> None:
    members = crowd(2)
    done = shared(
        pool("t1"), STALE, pool("t2"), REFUSED, *written("t2", "t3"), *written("t3", "t4"), comes={1: members}
    )
    assert done.told == ["0 updated", "1 updated"]


def test_where_there_is_no_room_for_the_note_of_all_there_may_be_for_some() -> None:
    full = {f"t{number}": "x" for number in range(48)}

    def tag(name: str) -> Any:
        return merge_patch({"properties": {"tags": {name: "1"}}})

    a, b = member(tag("a"), "a"), member(tag("b"), "b")
    more = {**full, "a": "1"}
    script = [*[pool("t1", tags=full)] * 2, accepted(), polled(), *[pool("t2", tags=more)] * 2]
    done = shared(*script, comes={1: [a, b]}, exactly_once=Writers())
    assert done.told == ["a updated", "b InvalidPreconditionError"]
