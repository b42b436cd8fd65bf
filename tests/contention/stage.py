# SPDX-License-Identifier: MIT
"""Many writers in virtual time and one thread: the client's own flows, lanes and rooms, and the service of the mock."""

from __future__ import annotations

import heapq
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from aks_etag import AksEtagError
from aks_etag._calls import Calls
from aks_etag._core.events import Event
from aks_etag._core.messages import Request, Response
from aks_etag._core.resource_id import ResourceId
from aks_etag._flows.effects import MOVED, Effect, Flow, Join, Send, Sleep, Turn
from aks_etag._flows.group import Ended, Group
from aks_etag._flows.options import Options
from aks_etag._groups import Room
from aks_etag._lanes import Lanes
from aks_etag._settings import Settings, arm_settings
from aks_etag._stats import Stats
from aks_etag._surroundings import Surroundings
from aks_etag.mock import MockAks

ENDPOINT: Final = "https://management.azure.com"
# How long a request takes, in seconds; the service decides at a random moment in it.
READ: Final = (0.15, 0.35)
WRITE: Final = (0.5, 1.0)


@dataclass(slots=True, eq=False)
class Task:
    """A flow at work: what it holds, and how it ended."""

    flow: Flow[Any]
    around: Surroundings
    held: list[str] = field(default_factory=list)
    resources: set[str] = field(default_factory=set)
    ended: float | None = None
    succeeded: bool = False

    @property
    def valid(self) -> bool:
        """Whether it writes in the lane that is the right one now."""
        return all(self.around.lanes.of(resource_id) in self.held for resource_id in self.resources)


@dataclass
class Stage:
    """The service, the time, and what is still to happen."""

    seed: int
    switches: dict[str, Any]
    now: float = 0.0
    tasks: list[Task] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.mock = MockAks(etag_seed=self.seed, **self.switches)
        self.mock.add_cluster("rg", "prod", pools={"np1": {"count": 3}})
        self.dice = random.Random(self.seed)
        self._queue: list[tuple[float, int, Callable[[], None]]] = []
        self._order = 0

    def process(self, lanes: Lanes | None = None) -> Surroundings:
        """Begin a process with one client in it."""
        rng = random.Random(self.dice.random())
        return Surroundings(clock=self, stats=Stats(), rng=rng, lanes=lanes or Lanes())

    def calls(self, options: Options, pool: str | None = None) -> Calls:
        """Return the calls of the cluster, or of one of its pools."""
        cluster = ResourceId(self.mock.subscription_id, "rg", "prod")
        settings = Settings(arm=arm_settings(ENDPOINT, "2026-08-01", "raw"), options=options)
        return Calls(address=cluster if pool is None else cluster.agent_pool(pool), settings=settings)

    def begin(self, when: float, around: Surroundings, flow: Flow[Any]) -> None:
        """Let a call be made at a time."""
        task = Task(flow, around)
        self.tasks.append(task)
        self._at(when, partial(self._go, task, None))

    def run(self) -> Stage:
        """Let everything happen that will."""
        while self._queue:
            self.now, _, what = heapq.heappop(self._queue)
            what()
        return self

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        """Return the seconds since the epoch, and let the service's clock show the same."""
        clock = self.mock.clock
        clock.sleep(max(0.0, self.now - clock.monotonic()))
        return clock.time()

    def sleep(self, seconds: float) -> None:
        raise AssertionError("nobody really waits here")

    async def asleep(self, seconds: float) -> None:
        raise AssertionError("nobody really waits here")

    def _at(self, when: float, what: Callable[[], None]) -> None:
        self._order += 1
        heapq.heappush(self._queue, (when, self._order, what))

    def _after(self, seconds: float, task: Task, reply: Any) -> None:
        self._at(self.now + seconds, partial(self._go, task, reply))

    def _go(self, task: Task, reply: Any) -> None:
        """Let a flow go on until it waits for time, an answer, or others."""
        while True:
            effect = self._stepped(task, reply)
            match effect:
                case None:
                    return None
                case Send():
                    return self._at(self.now + (effect.after or 0.0), partial(self._send, task, effect))
                case Sleep(seconds):
                    return self._after(seconds, task, None)
                case Turn(resource_id, until):
                    task.resources.add(resource_id)
                    if not self._turn(task, resource_id, until, partial(self._go, task, True)):
                        return None
                    reply = True
                case Join():
                    return self._join(task, effect)
                case _:
                    reply = task.around.answer(effect)  # type: ignore[arg-type]

    def _stepped(self, task: Task, reply: Any) -> Effect | None:
        """Give a flow a reply; return what it asks for next, ``None`` where it has ended."""
        try:
            return task.flow.send(reply)
        except StopIteration:
            self._over(task, succeeded=True)
        except AksEtagError:
            self._over(task, succeeded=False)
        return None

    def _send(self, task: Task, effect: Send) -> None:
        """Send a request as soon as its gate is open."""
        request = effect.request
        until = self.now + (request.timeout or 0.0)
        if not request.gate or self._turn(task, request.gate, until, partial(self._passed, task, effect)):
            self._passed(task, effect)

    def _passed(self, task: Task, effect: Send) -> None:
        if effect.in_turn and not task.valid:
            self._leave(task, effect.request.gate)
            self._after(0.0, task, MOVED)
        else:
            self._carry(task, effect.request)

    def _over(self, task: Task, *, succeeded: bool) -> None:
        task.ended, task.succeeded = self.now, succeeded
        while task.held:
            task.around.lanes._left(task.held.pop())
        room = task.around.room
        if room is not None and room.more():
            self._begin_worker(room, task.around)

    def _turn(self, task: Task, resource_id: str, until: float, then: Callable[[], None]) -> bool:
        """Take a turn, now or later; whether it is there at once."""
        lanes = task.around.lanes
        key = lanes.of(resource_id)

        def called() -> None:
            task.held.append(key)
            self._at(self.now, then)

        ticket = lanes._joined(key, task, called)
        if ticket is None:
            task.held.append(key)
            return True

        def late() -> None:
            assert ticket.called or not lanes._gone(key, ticket), "here, everybody has the time to wait for his turn"

        self._at(until, late)
        return False

    def _carry(self, task: Task, request: Request) -> None:
        """Carry a request to the service and its answer back; then its gate is open for the next one."""
        latency = self.dice.uniform(*(WRITE if request.is_write else READ))
        there = latency * self.dice.random()

        def arrives() -> None:
            answer = self._delivered(request)
            self._at(self.now + latency - there, partial(answered, answer))

        def answered(answer: Response) -> None:
            self._leave(task, request.gate)
            self._go(task, answer)

        self._at(self.now + there, arrives)

    def _leave(self, task: Task, gate: str) -> None:
        """Let the next one through a gate."""
        if gate:
            key = task.around.lanes.of(gate)
            task.held.remove(key)
            task.around.lanes._left(key)

    def _delivered(self, request: Request) -> Response:
        url = request.url if "://" in request.url else ENDPOINT + request.url
        body = b"" if request.body is None else json.dumps(request.body).encode()
        headers = {**request.headers, "x-ms-client-request-id": request.request_id}
        now = self.time()
        answer = self.mock.core.handle(request.method, url, headers, body)
        named = {name.lower(): value for name, value in answer.headers.items()}
        shown = json.loads(answer.body) if answer.body else None
        return Response(status=answer.status, headers=named, body=shown, received_at=now)

    def _join(self, task: Task, join: Join) -> None:
        """Let a call wait for a shared write, whose worker begins once all who come now are there."""

        def post(message: Event | Ended) -> None:
            if isinstance(message, Ended):
                self._after(0.0, task, message)

        room, first = task.around.groups.entered(join, post)
        if first:
            inside = replace(task.around, on_event=room.tell, room=room)
            self._at(self.now, lambda: self._begin_worker(room, inside) if room.more() else None)

    def _begin_worker(self, room: Room, inside: Surroundings) -> None:
        self._at(self.now, partial(self._go, Task(room.begin(Group()), inside), None))
