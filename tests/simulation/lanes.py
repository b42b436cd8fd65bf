# SPDX-License-Identifier: MIT
"""The lanes of the clients of a history, in its virtual time: one write at a time, first come, first served."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aks_etag._flows.effects import Turn

if TYPE_CHECKING:
    from .task import Task
    from .world import World

Key = tuple[int, str]


@dataclass(slots=True)
class Lanes:
    """Who writes, and who waits for him, by client and resource."""

    queues: dict[Key, list[Task]] = field(default_factory=dict)

    def take(self, world: World, task: Task, turn: Turn) -> bool:
        """Queue; whether the turn is there at once. Else the task goes on when it comes, or when its time is up."""
        key = (task.writer.client, turn.resource_id.casefold())
        queue = self.queues.setdefault(key, [])
        if queue and queue[0] is task:
            return True
        queue.append(task)
        if queue[0] is task:
            return True
        world.note(f"w{task.writer.number} waits for its turn")
        world.at(max(world.now, turn.until), lambda: self._late(world, task, key))
        return False

    def leave(self, world: World, task: Task) -> None:
        """End the turn of a task, and give it to the next one."""
        for key, queue in list(self.queues.items()):
            if task in queue:
                first = queue[0] is task
                queue.remove(task)
                if first and queue:
                    world.after(0.0, queue[0], True)
                if not queue:
                    del self.queues[key]

    def _late(self, world: World, task: Task, key: Key) -> None:
        queue = self.queues.get(key, [])
        if task in queue[1:]:
            queue.remove(task)
            world.go(task, False)
