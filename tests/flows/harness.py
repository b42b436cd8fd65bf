# SPDX-License-Identifier: MIT
"""Run a flow against a script of answers, in virtual time, and write down what it asked for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from aks_etag import merge_patch
from aks_etag._core.events import Event, Waiting
from aks_etag._core.messages import NoResponse, Outcome, Request, Response
from aks_etag._core.precondition import Condition
from aks_etag._core.resource_id import parse
from aks_etag._flows.budget import Budget
from aks_etag._flows.effects import (
    Accepted,
    Afford,
    Chance,
    Effect,
    Emit,
    Flow,
    NewRequestId,
    Now,
    Send,
    Sleep,
    Turn,
    Undecided,
)
from aks_etag._flows.options import Options
from aks_etag._flows.update import update
from aks_etag._flows.write import once
from aks_etag._resources import AgentPool, Arm, ManagedCluster
from aks_etag._tokens import Tokens

WIRE = Path(__file__).parent.parent / "data" / "wire"
ENDPOINT = "https://management.azure.com"
ARM = Arm(endpoint=ENDPOINT, api_version="2026-08-01")
CLUSTER_ID = "/subscriptions/s1/resourceGroups/rg1/providers/Microsoft.ContainerService/managedClusters/aks1"
CLUSTER = ManagedCluster(address=parse(CLUSTER_ID), arm=ARM)
INLINE = replace(CLUSTER, inline_pools=True)
POOL = AgentPool(address=parse(f"{CLUSTER_ID}/agentPools/np1"), arm=ARM)
FIVE = merge_patch({"properties": {"count": 5}})
LOST = NoResponse(error=TimeoutError("no answer"))
UNSENT = NoResponse(error=ConnectionRefusedError("refused"), sent=False)
NO_TOKEN = NoResponse(error=PermissionError("no token"), sent=False, final=True)
T1 = Condition(tag="t1")
EPOCH = 1_700_000_000.0


def more(body: dict[str, Any]) -> None:
    """Add one node: a change that is not idempotent."""
    body["properties"]["count"] += 1


def pool(tag: str | None = "t1", state: str | None = "Succeeded", *, status: int = 200, **properties: Any) -> Response:
    """Answer a read of the pool; the label names the read, so that a PUT shows which one it was made from."""
    shown = {"count": 3, "nodeLabels": {"read": tag}, "provisioningState": state, "eTag": tag, **properties}
    return Response(status=status, body={"name": "np1", "properties": _present(shown)}, received_at=EPOCH)


def cluster(tag: str | None = "t1", state: str = "Succeeded", *, uid: str = "u1", **properties: Any) -> Response:
    """Answer a read of the cluster."""
    shown = {"provisioningState": state, "resourceUID": uid, "kubernetesVersion": "1.35", **properties}
    body = {"name": "aks1", "tags": {"read": tag}, "properties": shown, "eTag": tag}
    return Response(status=200, body=_present(body), received_at=EPOCH)


def profile(name: str = "np1", state: str = "Succeeded", **more_of_it: Any) -> dict[str, Any]:
    """Return one inline pool of a cluster."""
    return {"name": name, "count": 3, "provisioningState": state, **more_of_it}


def accepted(status: int = 200, operation: str | None = "op1", **headers: str) -> Response:
    """Answer a write: accepted, with an operation to follow."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if operation is not None:
        named["azure-asyncoperation"] = f"{ENDPOINT}/operations/{operation}?t=SIGNED"
    return Response(status=status, headers=named, body={}, received_at=EPOCH)


def polled(status: Any = "Succeeded", *, code: str | None = None, details: Any = None, **headers: str) -> Response:
    """Answer a poll of an operation."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body: dict[str, Any] = {"name": "op1", "status": status}
    if code is not None:
        body["error"] = {"code": code, "message": "what went wrong", "details": details}
    return Response(status=200, headers=named, body=body, received_at=EPOCH)


def refused(status: int, code: str | None = None, message: str = "no", **headers: str) -> Response:
    """Answer anything: refused."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = None if code is None else {"code": code, "message": message}
    return Response(status=status, headers=named, body=body, received_at=EPOCH)


def recorded(name: str) -> Response:
    """Answer as the service did when it was recorded."""
    seen = json.loads((WIRE / f"{name}.json").read_text())
    headers = {key.lower(): value for key, value in seen.get("headers", {}).items()}
    return Response(status=seen["status"], headers=headers, body=seen["body"], received_at=EPOCH)


STALE = refused(412, "PreconditionFailed")
BUSY = refused(409, "OperationNotAllowed", "Another operation is in progress")
RACED = refused(409, "EtagMismatch")
GONE = refused(404, "NotFound")


def _present(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


@dataclass
class Trace:
    """What a flow asked for, and how it ended."""

    steps: list[str] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    answers: list[Outcome] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    waits: list[str] = field(default_factory=list)
    accepted: list[Accepted] = field(default_factory=list)
    slept: float = 0.0
    result: Any = None
    error: Any = None

    @property
    def ended(self) -> str:
        """The outcome, or the name of the error."""
        return getattr(self.result, "outcome", "returned") if self.error is None else type(self.error).__name__

    @property
    def wire(self) -> list[str]:
        """Only what was sent."""
        return [named(request) for request in self.requests]

    def told(self, kind: type[Event]) -> list[Any]:
        """Only the events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]


def trace(flow: Flow[Any], *script: Outcome, handed_over: bool = False, tokens: Tokens | None = None) -> Trace:
    """Run a flow to its end; a wait that was not announced, and an answer that was not asked for, are failures."""
    stage = Stage(answers=iter(script), handed_over=handed_over, tokens=tokens or Tokens())
    reply: Any = None
    while True:
        try:
            effect = flow.send(reply)
        except StopIteration as end:
            stage.done.result = end.value
            break
        except Exception as error:
            stage.done.error = error
            break
        reply = stage.play(effect)
    assert list(stage.answers) == [], f"not asked for, after {stage.done.steps}"
    return stage.done


@dataclass
class Stage:
    """The driver of a trace: virtual time, no chance, numbered request ids, and what a process knows of its tokens."""

    answers: Iterator[Outcome]
    handed_over: bool = False
    done: Trace = field(default_factory=Trace)
    ids: int = 0
    tokens: Tokens = field(default_factory=Tokens)
    announced: list[float] = field(default_factory=list)

    def play(self, effect: Effect) -> Any:
        match effect:
            case Send(request, after=after):
                if after is not None:
                    self.sleep(after)
                return self.send(request)
            case Sleep(seconds):
                self.sleep(seconds)
            case Emit(event):
                self.tell(event)
            case Undecided(_, request_ids):
                self.done.steps.append(" ".join(["UNDECIDED", *(request_ids or ["-"])]))
            case Accepted():
                self.done.accepted.append(effect)
                return self.handed_over or None
            case _:
                return self._given(effect)
        return None

    def _given(self, effect: Effect) -> Any:
        match effect:
            case NewRequestId():
                self.ids += 1
                return f"r{self.ids}"
            case Afford(request, reserve):
                return self.tokens.take(request, self.done.slept, reserve)
            case Now() | Chance() | Turn():
                return self.done.slept if isinstance(effect, Now) else 1.0
        return None

    def send(self, request: Request) -> Outcome:
        self.done.steps.append(named(request))
        self.done.requests.append(request)
        answer = next(self.answers, None)
        assert answer is not None, f"no answer is left for the last of {self.done.steps}"
        self.done.answers.append(answer)
        self.tokens.answered(request, answer, self.done.slept)
        return answer

    def sleep(self, seconds: float) -> None:
        assert self.announced == [seconds], "a wait that nobody was told of"
        self.announced.clear()
        self.done.steps.append(f"SLEEP {seconds:g}")
        self.done.slept += seconds

    def tell(self, event: Event) -> None:
        if isinstance(event, Waiting):
            self.announced.append(event.seconds)
            self.done.waits.append(event.what)
            return
        self.done.events.append(event)
        self.done.steps.append(type(event).__name__)


def named(request: Request) -> str:
    """Write a request down: method, what, condition, request id."""
    path = urlsplit(request.url).path
    parent, name = path.rsplit("/", 2)[-2:]
    what = {"managedClusters": "cluster", "agentPools": "pool"}.get(parent, name)
    conditions = [f"{key}={value}" for key, value in request.headers.items()]
    return " ".join([request.method, what, *conditions, *([request.request_id] if request.is_write else [])])


def traced(
    change: Any,
    *script: Outcome,
    on: Any = POOL,
    deadline: float | None = None,
    pin: Any = None,
    handed_over: bool = False,
    tokens: Tokens | None = None,
    **options: Any,
) -> Trace:
    """Trace ``update``, and hold its run of effects against what must hold of every one."""
    flow = looped(on, change, Options(**options), pin=pin, deadline=deadline)
    done = trace(flow, *script, handed_over=handed_over, tokens=tokens)
    assert list(breaches(done)) == []
    return done


def tried(
    verb: Any,
    *script: Outcome,
    on: Any = POOL,
    condition: Condition = T1,
    body: Any = None,
    deadline: float | None = None,
    **options: Any,
) -> Trace:
    """Trace one conditional write: exactly one, and named before it leaves."""
    request = on.remove(condition) if verb == "delete" else None
    if verb == "put":
        request = on.replace(body or {"properties": {"count": 5}}, condition)
    elif verb == "patch":
        request = on.merge(body or {"tags": {"a": "1"}}, condition)
    more = {name: options.pop(name) for name in ("seen", "adopt", "patient") if name in options}
    done = trace(attempt(on, verb, request, condition, Options(**options), deadline, **more), *script)
    writes = [step for step in done.steps if step.startswith(verb.upper())]
    repeatable = condition.create or (verb == "delete" and condition.version)
    assert done.steps[:2] == ["UNDECIDED r1", writes[0]]
    assert len(writes) == 1 or repeatable or more.get("patient")
    return done


def looped(on: Any, change: Any, options: Options, *, pin: Any = None, deadline: Any = None) -> Flow[Any]:
    """Start the clock of an update, as a client does."""
    budget = yield from Budget.start(on.id, options, deadline)
    return (yield from update(on, change, options, budget, pin=pin))


def attempt(
    on: Any, verb: Any, request: Any, condition: Condition, options: Options, deadline: Any = None, **more: Any
) -> Flow[Any]:
    """Start the clock of one conditional write, as a client does."""
    budget = yield from Budget.start(on.id, options, deadline)
    return (yield from once(on, verb, request, condition, options, budget, **more))


def breaches(done: Trace) -> Iterable[str]:
    """Name what a run of ``update`` did that none may do."""
    fresh: Response | None = None
    before = ""
    sends = iter(zip(done.requests, done.answers, strict=True))
    for step in done.steps:
        if step.startswith(("GET", "PUT", "PATCH", "DELETE", "POST")):
            request, answer = next(sends)
            if request.method == "GET":
                fresh = answer if isinstance(answer, Response) and "://" not in request.url else fresh
            else:
                yield from _unguarded(request, fresh)
                if not before.startswith("UNDECIDED") or request.request_id not in before.split():
                    yield f"{step} was sent without being named before"
                fresh = None
        before = step


def _unguarded(request: Request, fresh: Response | None) -> Iterable[str]:
    if request.method != "PUT":
        yield f"{named(request)}: an update sends nothing but PUT"
    elif "If-Match" not in request.headers:
        yield f"{named(request)} carries no condition"
    elif fresh is None:
        yield f"{named(request)} was not preceded by a read of its own"
    elif request.headers["If-Match"] != _tag(fresh.body) or _mark(request.body) != _mark(fresh.body):
        yield f"{named(request)} was not made from the last read"


def _tag(body: Any) -> Any:
    return body.get("eTag", body["properties"].get("eTag"))


def _mark(body: Any) -> Any:
    return body["properties"].get("nodeLabels", body.get("tags", {})).get("read")
