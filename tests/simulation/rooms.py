# SPDX-License-Identifier: MIT
"""Shared writes in a history: the rooms of the real client, and a worker for each, in virtual time."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aks_etag._core.events import Event
from aks_etag._flows.effects import Join, Seal
from aks_etag._flows.group import Ended, Group, Member
from aks_etag._groups import Groups, Room

from .plan import Writer
from .task import Task

if TYPE_CHECKING:
    from .world import World

# Workers are numbered on from here, so that what happens to their requests can be replayed.
_FIRST = 50
SLOW = 0.05


@dataclass(slots=True)
class Rooms:
    """Who waits for a shared write, by client."""

    groups: dict[int, Groups] = field(default_factory=dict)
    workers: int = 0

    def takes_time(self, world: World, task: Task, effect: Join | Seal) -> bool:
        """Let a writer wait for a shared write, or for a change in it that is slow, as few are; whether he has to."""
        if isinstance(effect, Join):
            self._join(world, task, effect)
            return True
        if task.dice.random() >= SLOW:
            return False
        world.at(world.now + task.dice.expovariate(0.05), lambda: world.go(task, answered(task, effect)))
        return True

    def _join(self, world: World, task: Task, effect: Join) -> None:
        """Let a writer wait for a shared write; he goes on when he is answered, or his time is up."""
        effect.member.name = f"w{task.writer.number}"
        groups = self.groups.setdefault(task.writer.client, Groups())
        room, first = groups.entered(effect, self._post(world, task))
        if first:
            self._hire(world, task, room)
        self._look(world, task, room, effect.member, effect.member.until)
        if task.writer.dies:
            world.at(world.now + task.writer.dies, lambda: self._interrupted(world, task, room, effect.member))

    def more(self, world: World, worker: Task) -> bool:
        """Begin the next shared write of a worker, if somebody waits for one."""
        room = worker.room
        assert isinstance(room, Room)
        if not room.more():
            return False
        worker.flow = room.begin(Group())
        return True

    def _hire(self, world: World, task: Task, room: Room) -> None:
        number, self.workers = _FIRST + self.workers, self.workers + 1
        seed = world.plan.seed * 64 + number * 2
        writer = Writer(number=number, client=task.writer.client, ops=(), options={}, starts=world.now)
        worker = Task(writer, random.Random(seed), random.Random(seed + 1), task.settings, room=room)
        # Whoever comes at the same time is there when it begins.
        world.at(world.now, lambda: world.begin(worker))

    def _post(self, world: World, task: Task) -> Callable[[Event | Ended], None]:
        def post(message: Event | Ended) -> None:
            if isinstance(message, Ended):
                world.after(0.0, task, message)

        return post

    def _look(self, world: World, task: Task, room: Room, member: Member, when: float) -> None:
        world.at(max(world.now, when), lambda: self._late(world, task, room, member))

    def _late(self, world: World, task: Task, room: Room, member: Member) -> None:
        late = room.late(member, world.now)
        if late is not None:
            world.go(task, late)
        elif member in room.posts:
            self._look(world, task, room, member, world.now + 1.0)

    def _interrupted(self, world: World, task: Task, room: Room, member: Member) -> None:
        """Let Ctrl-C come while a writer waits: the write of the others goes on."""
        if member not in room.posts or task.flow is None:
            return
        room.leave(member)
        task.dead = True
        world.note(f"w{task.writer.number} is interrupted while it waits")
        world.current = task
        with suppress(KeyboardInterrupt):
            task.flow.throw(KeyboardInterrupt())


def answered(task: Task, effect: Any) -> Any:
    """Answer what the flow of a shared write asks for."""
    return None if task.room is None else task.room.answer(effect)
