# SPDX-License-Identifier: MIT
"""Run the flow of a shared write against a script: who comes and goes is told, as the answers are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from aks_etag._core.messages import Outcome
from aks_etag._flows.commit import commit
from aks_etag._flows.effects import Answer, Effect, Gather, Seal, Turn, Undecided
from aks_etag._flows.group import Ended, Group, Member
from aks_etag._flows.options import Options
from aks_etag._tokens import Tokens

from .harness import POOL, Stage, Trace, breaches


def member(change: Any, name: str = "", *, until: float = 1800.0) -> Member:
    """One call that waits."""
    return Member(change=change, since=0.0, until=until, name=name)


@dataclass
class Hall(Stage):
    """A driver that lets members in and out, the n-th time that the flow asks who is there.

    It asks first of all, after the linger, before each read, after it, and right before the write.
    """

    comes: dict[int, Sequence[Member]] = field(default_factory=dict)
    goes: dict[int, Sequence[Member]] = field(default_factory=dict)
    turn: bool = True
    asked: int = 0
    queue: list[Member] = field(default_factory=list)
    ended: dict[Member, Ended] = field(default_factory=dict)
    refused: int = 0

    def play(self, effect: Effect) -> Any:
        match effect:
            case Gather(group):
                self._step(group)
                if not group.closed:
                    group.members += self.queue
                    self.queue = []
            case Seal(group):
                there = len(group.members)
                self._step(group)
                return len(group.members) == there
            case Answer(who, ended):
                assert who not in self.ended, "answered twice"
                self.ended[who] = ended
                self.done.steps.append(f"ANSWER {who.name} {said(ended)}")
            case Turn():
                return self.turn
            case Undecided(_, request_ids, refused, sharers):
                assert len(sharers) == len(request_ids)
                assert not (refused and request_ids), "what is undecided is not refused"
                self.refused += refused
                return super().play(effect)
            case _:
                return super().play(effect)
        return None

    def _step(self, group: Group) -> None:
        self.asked += 1
        self.queue += self.comes.get(self.asked, ())
        gone = self.goes.get(self.asked, ())
        group.members = [each for each in group.members if each not in gone]


def said(ended: Ended) -> str:
    """How it ended, in a word or two."""
    if ended.error is not None:
        return type(ended.error).__name__
    assert ended.result is not None
    return f"{ended.result.outcome}" + (f" by {ended.result.recovered}" if ended.result.recovered else "")


@dataclass
class Shared:
    """What a shared write did, and what each was told."""

    trace: Trace
    ended: dict[Member, Ended]
    refused: int = 0

    @property
    def told(self) -> list[str]:
        """What each was told, in the order of the answers."""
        return [step.removeprefix("ANSWER ") for step in self.trace.steps if step.startswith("ANSWER")]


def shared(
    *script: Outcome,
    comes: dict[int, Sequence[Member]],
    goes: dict[int, Sequence[Member]] | None = None,
    on: Any = POOL,
    turn: bool = True,
    tokens: Tokens | None = None,
    **options: Any,
) -> Shared:
    """Trace ``commit``, and hold its run of effects against what must hold of every update."""
    hall = Hall(answers=iter(script), comes=comes, goes=goes or {}, turn=turn, tokens=tokens or Tokens())
    flow = commit(on, Options(group_commit=True, **options), Group())
    reply: Any = None
    while True:
        try:
            effect = flow.send(reply)
        except StopIteration:
            break
        reply = hall.play(effect)
    assert list(hall.answers) == [], f"not asked for, after {hall.done.steps}"
    assert list(breaches(hall.done)) == []
    return Shared(hall.done, hall.ended, hall.refused)
