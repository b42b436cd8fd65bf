# SPDX-License-Identifier: MIT
"""One history: writers, a network that breaks, others behind the service's back, in virtual time and one thread."""

from __future__ import annotations

import heapq
import json
import random
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from aks_etag import AksEtagError, ConflictRetry
from aks_etag._calls import Calls
from aks_etag._core.messages import NoResponse, Outcome, Request, Response
from aks_etag._core.resource_id import ResourceId
from aks_etag._flows.effects import (
    Accepted,
    Afford,
    Answer,
    Chance,
    Effect,
    Emit,
    Gather,
    Join,
    NewRequestId,
    Now,
    Seal,
    Send,
    Sleep,
    Turn,
    Undecided,
)
from aks_etag._flows.options import Options
from aks_etag._resources.owned import MARKER
from aks_etag._settings import Settings, arm_settings
from aks_etag._tokens import Tokens
from aks_etag._writers import Writers
from aks_etag.history._leaves import Digests
from aks_etag.history._recorder import Recorder
from aks_etag.mock import MockAks

from . import work
from .background import happen
from .lanes import Lanes
from .plan import Fault, Plan, Writer, drawn_fault
from .rooms import Rooms, answered
from .task import Task

ENDPOINT: Final = "https://management.azure.com"
KEY: Final = bytes(16)
HEAD: Final = {"line": "history", "version": 1, "key": KEY.hex()}
# The real ways to the service give up in the end; a simulation that does not is a defect.
MOST_REQUESTS: Final = 5000


@dataclass
class World:
    """What there is, and what is still to happen."""

    plan: Plan
    carry: Callable[[World, Task, Request], None]
    steps: Callable[[str, work.Job], work.Steps] = work.steps
    writers: Callable[[random.Random], Any] = Writers
    tracing: bool = False
    now: float = 0.0
    lines: list[Mapping[str, Any]] = field(default_factory=lambda: [HEAD])
    ended: dict[str, tuple[Mapping[str, Any], int]] = field(default_factory=dict)
    changes: dict[str, work.Change] = field(default_factory=dict)
    faults: dict[tuple[int, int], Fault] = field(default_factory=dict)
    trace: list[str] = field(default_factory=list)
    current: Task | None = None
    requests: int = 0
    initial: Mapping[str, Any] = field(default_factory=dict)
    final: Mapping[str, Any] = field(default_factory=dict)
    lanes: Lanes = field(default_factory=Lanes)
    rooms: Rooms = field(default_factory=Rooms)
    tokens: Tokens | None = None

    def __post_init__(self) -> None:
        plan = self.plan
        # In some histories the writers are one process, and hold to what a 429 has taught one of them.
        self.tokens = Tokens() if plan.seed % 3 == 0 else None
        self.mock = MockAks(etag_seed=plan.seed, **plan.switches)
        noted = {} if plan.registry is None else {"tags": {MARKER: plan.registry}}
        self.mock.add_cluster("rg", "prod", pools={"np1": {"count": 3, **noted}})
        if noted:
            self.mock.edit("rg", "prod", change=lambda body: body.update(noted))
        for doom in plan.dooms:
            self.mock.fail_operation(doom.code, "", doom.status, doom.stored, doom.nth)
        self._queue: list[tuple[float, int, Callable[[], None]]] = []
        self._order = 0
        self._recorders: dict[int, Recorder] = {}
        self._ids: dict[int, Any] = {}
        for writer in plan.writers:
            self.at(writer.starts, self._starter(writer))
        for when, kind in plan.background:
            self.at(when, lambda kind=kind: self._others(kind))

    @property
    def closed(self) -> bool:
        """Whether nobody wrote but those whose writes are recorded."""
        return not self.plan.background and self.plan.stage != "life"

    def run(self) -> World:
        """Let everything happen that will, late requests included."""
        self.initial = self._state()
        queue = self._queue
        while queue:
            self.now, _, what = heapq.heappop(queue)
            what()
        self.final = self._state()
        return self

    def time(self) -> float:
        """Return the seconds since the epoch, and let the service's clock show the same."""
        clock = self.mock.clock
        if self.now > clock.monotonic():
            clock.sleep(self.now - clock.monotonic())
        return clock.time()

    def at(self, when: float, what: Callable[[], None]) -> None:
        """Let something happen at a time."""
        self._order += 1
        heapq.heappush(self._queue, (when, self._order, what))

    def after(self, seconds: float, task: Task, reply: Any) -> None:
        """Let a writer go on with a reply, after some time."""
        self.at(self.now + seconds, lambda: self.go(task, reply))

    def deliver(self, request: Request) -> Outcome:
        """Hand a request to the service, now."""
        self.requests += 1
        assert self.requests < MOST_REQUESTS, "this never ends"
        url = request.url if "://" in request.url else ENDPOINT + request.url
        body = b"" if request.body is None else json.dumps(request.body).encode()
        headers = {**request.headers, "x-ms-client-request-id": request.request_id}
        now = self.time()
        answer = self.mock.core.handle(request.method, url, headers, body)
        parsed = json.loads(answer.body) if answer.body else None
        named = {name.lower(): value for name, value in answer.headers.items()}
        self.note(f"service: {request.method} {request.request_id} -> {answer.status} ({answer.row})")
        return Response(status=answer.status, headers=named, body=parsed, received_at=now)

    def note(self, text: str) -> None:
        """Write down what happened, where somebody will read it."""
        if self.tracing:
            self.trace.append(f"{self.now:9.2f} {text}")

    def fault(self, task: Task, request: Request) -> Fault | None:
        """Say what happens to a request: what the plan says, or the dice."""
        key = (task.writer.number, task.sent)
        drawn = drawn_fault(task.fate, self.plan, request.method, request.url)
        found = drawn if self.plan.faults is None else self.plan.faults.get(key)
        if found is not None:
            self.faults[key] = found
        return found

    def go(self, task: Task, reply: Any) -> None:
        """Let a writer go on until it waits for time or an answer."""
        if task.dead:
            return None
        if task.hears is not None:
            hears, task.hears = task.hears, None
            return hears(reply)
        self.current = task
        self._learn(task, reply)
        effect = self._stepped(task, reply)
        while effect is not None:
            match effect:
                case Send(request, after=seconds):
                    return (
                        self.at(self.now + seconds, partial(self._sent, task, request))
                        if seconds
                        else self._sent(task, request)
                    )
                case Sleep():
                    return self.after(effect.seconds, task, None)
                case Turn() if not self.lanes.take(self, task, effect):
                    return None
                case Join() | Seal() if self.rooms.takes_time(self, task, effect):
                    return None
                case _:
                    effect = self._stepped(task, self._answer(task, effect))
        return None

    def begin(self, worker: Task) -> None:
        """Let the worker of a room write for those who wait, if there are any."""
        if self.rooms.more(self, worker):
            self.go(worker, None)

    def _stepped(self, task: Task, reply: Any) -> Effect | None:
        """Give a flow a reply; return what it asks for next, ``None`` where it has ended and another one is begun."""
        assert task.flow is not None
        try:
            return task.flow.send(reply)
        except StopIteration as end:
            self._next(task, end.value)
        except (AksEtagError, ConnectionError, TimeoutError) as error:
            self.note(f"w{task.writer.number} raised {type(error).__name__}: {error}")
            self._next(task, None, failed=True)
        return None

    def _learn(self, task: Task, reply: Any) -> None:
        if self.tokens is not None and task.asked is not None and isinstance(reply, Response | NoResponse):
            self.tokens.answered(task.asked, reply, self.now)

    def _sent(self, task: Task, request: Request) -> None:
        task.sent += 1
        task.asked = request
        self.carry(self, task, request)
        if task.sent == task.writer.dies:
            self._interrupted(task)

    def _interrupted(self, task: Task) -> None:
        """Let Ctrl-C come while a request is on its way; whatever is answered, nobody hears it."""
        assert task.flow is not None
        task.dead = True
        self.note(f"w{task.writer.number} is interrupted")
        with suppress(KeyboardInterrupt):
            task.flow.throw(KeyboardInterrupt())
        self.lanes.leave(self, task)

    def _answer(self, task: Task, effect: Effect) -> Any:
        """Answer what takes no time."""
        match effect:
            case Now():
                return self.now
            case Chance():
                return task.dice.random()
            case NewRequestId():
                task.ids += 1
                return f"w{task.writer.number}-{task.ids}"
            case Afford():
                return self.tokens.take(effect.request, self.now, effect.reserve) if self.tokens is not None else 0.0
            case Emit():
                return None if task.room is None else task.room.tell(effect.event)
            case Undecided() | Accepted() | Gather() | Seal() | Answer():
                return answered(task, effect)
            case Turn():
                return True
            case _:
                raise AssertionError(effect)

    def _state(self) -> dict[str, dict[str, Any]]:
        cluster = ResourceId(self.mock.subscription_id, "rg", "prod")
        pool = self.mock.body("rg", "prod", "np1")
        return {str(cluster): self.mock.body("rg", "prod"), str(cluster.agent_pool("np1")): pool}

    def _starter(self, writer: Writer) -> Callable[[], None]:
        seed = self.plan.seed * 64 + writer.number * 2
        task = Task(writer, random.Random(seed), random.Random(seed + 1), self._settings(writer))
        return lambda: self._next(task, None)

    def _next(self, task: Task, result: Any, *, failed: bool = False) -> None:
        """Begin the next flow of a writer: the next step of what it does, or the next thing to do."""
        self.lanes.leave(self, task)
        if task.room is not None:
            self.begin(task)
            return
        while True:
            if task.steps is not None and not failed:
                try:
                    task.flow = task.steps.send(result)
                    break
                except StopIteration:
                    pass
                except AksEtagError as error:  # refused before any I/O
                    self.note(f"w{task.writer.number} refused {type(error).__name__}")
            if task.done == len(task.writer.ops):
                return
            kind = task.writer.ops[task.done]
            task.done += 1
            task.job = self._job(task)
            task.steps = self.steps(kind, task.job)
            self.note(f"w{task.writer.number} begins {kind}")
            result, failed = None, False
        self.go(task, None)

    def _job(self, task: Task) -> work.Job:
        cluster = ResourceId(self.mock.subscription_id, "rg", "prod")
        calls = {name: Calls(address=cluster.agent_pool(name), settings=task.settings) for name in ("np1", "np9")}
        calls["cluster"] = Calls(address=cluster, settings=task.settings)
        token = f"w{task.writer.number}o{task.done}" + "x" * (task.writer.number % 2)
        return work.Job(token, calls, self.plan.stage, within=task.writer.within)

    def _settings(self, writer: Writer) -> Settings:
        told = dict(writer.options)
        retry = ConflictRetry(attempts=told.pop("attempts"), deadline=told.pop("deadline"))
        if told.pop("exactly_once"):
            # Each client has its own, as each AksClient does.
            dice = random.Random(f"{self.plan.seed} {writer.client}")
            told["exactly_once"] = self._ids.setdefault(writer.client, self.writers(dice))
        options = Options(conflict_retry=retry, **told)
        recorder = self._recorders.get(writer.client)
        if recorder is None:
            recorder = self._recorders[writer.client] = Recorder(
                write=self._told,
                now=self.time,
                digests=Digests(KEY),
                client=f"c{writer.client}",
                process=int,
            )
        return Settings(arm=arm_settings(ENDPOINT, "2026-08-01", "raw"), options=options, history=recorder)

    def _told(self, line: Mapping[str, Any]) -> None:
        self.lines.append(line)
        if line["line"] == "call" and self.current is not None and self.current.job is not None:
            change = self.current.job.change
            if change is not None:
                self.changes[line["op"]] = change
        elif line["line"] == "end":
            self.ended[line["op"]] = (line, len(self.mock.commits))
            self.note(
                f"{line['op']} ends: " + " ".join(f"{k}={v}" for k, v in line.items() if k not in ("line", "op", "at"))
            )

    def _others(self, kind: str) -> None:
        self.time()
        try:
            happen(self.mock, kind)
        except LookupError:
            kind += " (it was gone already)"
        self.note(f"others: {kind}")
