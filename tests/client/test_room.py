# SPDX-License-Identifier: MIT
"""What a call may say that leaves a shared write, at each moment of it: with a part in it, or without one."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from aks_etag import Conflict, WriteResult
from aks_etag._core.events import Doubt
from aks_etag._core.evidence import Attempt
from aks_etag._core.operation import Link
from aks_etag._flows.effects import Accepted, Answer, Gather, Join, Seal, Undecided
from aks_etag._flows.group import Ended, Group, Late, Member
from aks_etag._groups import Groups, Room

from ..flows.harness import POOL

PATIENCE = 30.0
LINK = Link(url="https://management.azure.com/operations/op1?t=1", is_location=False)


class Play:
    """A room with members a and b: a has a part in what is written, b asks for nothing, c waits in the queue."""

    def __init__(self) -> None:
        self.heard: dict[str, list[Any]] = {"a": [], "b": [], "c": []}
        self.closed = threading.Event()
        self.room = Room(threading.Lock(), lambda group: iter(()), self.closed.set)  # type: ignore[arg-type,return-value]
        self.members = {name: Member(change=dict, since=0.0, until=10.0, name=name) for name in "abc"}
        self.group = Group()
        self.enters("a")
        self.enters("b")
        assert self.room.more()
        self.gather()
        self.enters("c")

    def enters(self, name: str) -> None:
        self.room.posts[self.members[name]] = self.heard[name].append
        self.room.queue.append(self.members[name])

    def gather(self) -> None:
        self.room.answer(Gather(self.group))

    def seal(self) -> None:
        self.group.closed = True
        assert self.room.answer(Seal(self.group)) is True

    def undecided(self, *ids: str, refused: bool = False, sharers: str = "a") -> None:
        each = tuple(self.members[name] for name in sharers)
        self.room.answer(Undecided(POOL.id, ids, refused, (each,) * len(ids)))

    def accepted(self, request_id: str, sharers: str = "a", link: Link | None = LINK) -> None:
        parts = tuple((self.members[name], (("x",),)) for name in sharers)
        attempt = Attempt(request_id=request_id, tag="t1", before={}, after={}, paths=(("x",),), parts=parts)
        self.room.answer(Accepted(POOL, "updated", link, attempt, ()))

    def doubt(self) -> None:
        self.room.tell(Doubt(resource_id=POOL.id, request_id="r1", reason="lost"))

    def late(self, name: str, now: float = 10.0) -> Late | None:
        return self.room.late(self.members[name], now)


NOTHING = Late()
AFTER = 10.0 + PATIENCE


def leaving(play: Play) -> None:
    play.seal()


def out(play: Play) -> None:
    play.seal()
    play.undecided("r1")


def running(play: Play) -> None:
    out(play)
    play.accepted("r1")


def running_without_a_name(play: Play) -> None:
    out(play)
    play.accepted("r1", link=None)


def over(play: Play) -> None:
    running(play)
    play.undecided()


def preempted(play: Play) -> None:
    running(play)
    play.doubt()


def refused(play: Play) -> None:
    out(play)
    play.undecided(refused=True)


def again(play: Play) -> None:
    """Refused, and looked again."""
    refused(play)
    play.gather()


def given_up(play: Play) -> None:
    """A write that went for dead, on evidence that is no proof, and a fresh look."""
    out(play)
    play.doubt()
    play.undecided("r1")
    play.gather()


def given_up_and_another_was_called_off(play: Play) -> None:
    """There was no token for it."""
    given_up(play)
    play.seal()
    play.gather()


def given_up_and_another_is_out(play: Play) -> None:
    given_up(play)
    play.seal()
    play.room.answer(Undecided(POOL.id, ("r1", "r2"), sharers=((play.members["a"],), (play.members["b"],))))


def given_up_and_another_is_over(play: Play) -> None:
    given_up_and_another_is_out(play)
    play.accepted("r2", "b")
    play.undecided()


def made_out(play: Play) -> None:
    """Out, in doubt, and just found out to be carried out."""
    out(play)
    play.doubt()
    play.undecided()


@pytest.mark.parametrize(
    ("moment", "a", "b"),
    [
        pytest.param(lambda play: None, NOTHING, NOTHING, id="before"),
        pytest.param(leaving, None, None, id="leaving"),
        pytest.param(out, None, NOTHING, id="out"),
        pytest.param(running, Late(applied=None, operation="op1"), NOTHING, id="running"),
        pytest.param(running_without_a_name, Late(applied=None), NOTHING, id="running, by a state"),
        pytest.param(over, Late(applied=True), NOTHING, id="over"),
        pytest.param(preempted, None, NOTHING, id="preempted"),
        pytest.param(refused, NOTHING, NOTHING, id="refused"),
        pytest.param(again, NOTHING, NOTHING, id="refused, and looked again"),
        pytest.param(given_up, None, NOTHING, id="given up for dead"),
        pytest.param(given_up_and_another_was_called_off, None, NOTHING, id="given up, and another was called off"),
        pytest.param(given_up_and_another_is_out, None, None, id="given up, and another is out"),
        pytest.param(given_up_and_another_is_over, Late(applied=None), Late(applied=True), id="the other one is over"),
        pytest.param(made_out, None, None, id="made out"),
    ],
)
def test_what_is_said_when_the_time_is_up(moment: Any, a: Late | None, b: Late | None) -> None:
    play = Play()
    moment(play)
    assert play.late("a", 9.9) is None
    assert play.late("c") == NOTHING
    assert (play.late("a"), play.late("b")) == (a, b)


@pytest.mark.parametrize(
    ("moment", "a", "b"),
    [
        pytest.param(leaving, None, None, id="leaving"),
        pytest.param(out, Late(applied=None, pending=("r1",)), NOTHING, id="out"),
        pytest.param(preempted, Late(applied=None, pending=("r1",)), NOTHING, id="preempted"),
        pytest.param(given_up, Late(applied=None, pending=("r1",)), NOTHING, id="given up for dead"),
        pytest.param(
            given_up_and_another_was_called_off, Late(applied=None, pending=("r1",)), NOTHING, id="and called off"
        ),
        pytest.param(
            given_up_and_another_is_out,
            Late(applied=None, pending=("r1",)),
            Late(applied=None, pending=("r2",)),
            id="given up, and another is out",
        ),
        pytest.param(made_out, None, None, id="made out"),
    ],
)
def test_and_when_no_answer_came_in_time_either(moment: Any, a: Late | None, b: Late | None) -> None:
    play = Play()
    moment(play)
    assert (play.late("a", AFTER - 0.1), play.late("a", AFTER), play.late("b", AFTER)) == (None, a, b)


@pytest.mark.parametrize(
    ("moment", "ids"),
    [(out, ("r1",)), (running, ("r1",)), (over, None), (refused, None), (leaving, None), (given_up, ("r1",))],
)
def test_whoever_is_interrupted_hears_which_writes_are_open(moment: Any, ids: Any) -> None:
    play = Play()
    moment(play)
    left = play.room.leave(play.members["a"])
    assert (None if left is None else left.request_ids) == ids
    assert play.room.leave(play.members["b"]) is None
    assert play.room.leave(play.members["c"]) is None
    assert play.room.queue == []
    play.gather()
    assert play.group.members == []


def test_nobody_joins_a_closed_group() -> None:
    play = Play()
    play.gather()
    assert [member.name for member in play.group.members] == ["a", "b", "c"]
    play.seal()
    late = Member(change=dict, since=0.0, until=10.0, name="late")
    play.room.posts[late] = print
    play.room.queue.append(late)
    play.gather()
    assert late not in play.group.members
    assert play.room.queue == [late]


def test_a_seal_says_whether_somebody_has_gone_and_leaves_him_out() -> None:
    play = Play()
    play.late("b")
    assert play.room.answer(Seal(play.group)) is False
    assert [member.name for member in play.group.members] == ["a"]
    assert play.room.answer(Seal(play.group)) is True


def test_the_right_half_of_a_group_that_was_split_is_not_what_the_left_half_was() -> None:
    play = Play()
    over(play)
    play.room.answer(Seal(Group(members=[play.members["b"]], closed=True)))
    assert play.late("b") is None


def test_an_answer_reaches_its_caller_and_only_him_and_only_once() -> None:
    play = Play()
    ended = Ended(result=WriteResult(outcome="updated", snapshot=None))
    play.room.answer(Answer(play.members["a"], ended))
    play.room.answer(Answer(play.members["a"], ended))
    assert play.heard == {"a": [ended], "b": [], "c": []}
    assert play.late("a") is None


def test_events_reach_those_whose_changes_are_being_written() -> None:
    play = Play()
    event = Conflict(resource_id=POOL.id, attempt=1, sent="t1")
    play.room.tell(event)
    assert play.heard == {"a": [event], "b": [event], "c": []}


def test_the_next_write_knows_nothing_of_the_last_one() -> None:
    play = Play()
    out(play)
    assert play.room.more()
    assert play.late("a") == NOTHING


def test_a_room_without_anybody_is_closed() -> None:
    play = Play()
    play.late("c")
    assert not play.room.more()
    assert play.closed.is_set()


def test_if_its_worker_stops_everybody_hears_what_that_means_for_him() -> None:
    play = Play()
    out(play)
    play.room.stop(SystemExit())
    errors = [play.heard[name][0].error for name in "abc"]
    assert [type(error).__name__ for error in errors] == ["WriteOutcomeUnknownError", "AksEtagError", "AksEtagError"]
    assert [error.applied for error in errors] == [None, False, False]
    assert errors[0].request_ids == ("r1",)
    assert play.closed.is_set()
    assert play.room.posts == {}


def test_calls_with_the_same_key_share_a_room_and_the_first_one_starts_its_worker() -> None:
    groups = Groups()

    def join(key: str) -> Join:
        return Join(Member(change=dict, since=0.0, until=1.0), key, lambda group: iter(()))  # type: ignore[arg-type,return-value]

    first, second, other = join("k"), join("k"), join("other")
    room, starts = groups.entered(first, print)
    assert starts
    assert groups.entered(second, print) == (room, False)
    assert groups.entered(other, print)[1]
    room.worker = "me"
    assert [groups.serving(second, who) for who in ("me", "you")] == [True, False]
    assert not groups.serving(join("none"), "me")
    for each in (first, second):
        room.leave(each.member)
    assert not room.more()
    assert groups.entered(join("k"), print)[1]
