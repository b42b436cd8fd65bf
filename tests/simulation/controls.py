# SPDX-License-Identifier: MIT
"""Clients and transports that do it wrong, each in a way that is in use somewhere: the checker must catch every one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from aks_etag import PreconditionFailedError, WriteOutcomeUnknownError, WriteResult
from aks_etag._core.changes import applied
from aks_etag._core.messages import NoResponse, Outcome, Request, Response
from aks_etag._core.precondition import Condition
from aks_etag._flows.effects import Flow, Sleep, new_request_id, send
from aks_etag._resources.owned import MARKER

from . import work
from .judge import Play
from .network import carry
from .plan import Plan
from .task import Task
from .world import World

_UNCLEAR: Final = frozenset({408, 500, 502, 503, 504})
# What azure-core's RetryPolicy sends again by itself.
_RETRIED: Final = frozenset({408, 429, 500, 502, 503, 504})
_MOST: Final = 20
RING: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """How a loop written by hand goes about it."""

    guarded: bool = True
    keeps_body: bool = False
    after_doubt: str = "tell"
    notes: type[Notes] | None = None
    stalls: float = 1.0


class Notes(Protocol):
    """What a loop writes into a tag to know its own writes again."""

    def __init__(self, client: str) -> None: ...

    def noted(self, text: str, request_id: str) -> str:
        """Return the tag that goes out with a write."""
        ...

    def landed(self, text: str) -> bool:
        """Whether a tag says that one of the writes was carried out."""
        ...


class Ring:
    """The ids of the last eight writes: who is away for longer takes his own for one that never was."""

    def __init__(self, client: str) -> None:
        self._sent: set[str] = set()

    def noted(self, text: str, request_id: str) -> str:
        self._sent.add(request_id)
        return ";".join([*text.split(";"), request_id][-RING:])

    def landed(self, text: str) -> bool:
        return bool(self._sent & set(text.split(";")))


class Numbers:
    """A slot for each client, in which it counts its writes: two of them count to the same."""

    def __init__(self, client: str) -> None:
        self._client = client
        self._sent = 0

    def noted(self, text: str, request_id: str) -> str:
        slots = _slots(text)
        self._sent = slots[self._client] = slots.get(self._client, 0) + 1
        return ";".join(f"{client}={number}" for client, number in slots.items())

    def landed(self, text: str) -> bool:
        return bool(self._sent) and _slots(text).get(self._client, 0) >= self._sent


def _slots(text: str) -> dict[str, int]:
    pairs = (slot.split("=") for slot in text.split(";") if slot)
    return {client: int(number) for client, number in pairs}


def by_hand(hand: Hand) -> Callable[[str, work.Job], work.Steps]:
    """Return steps that read, change and write as scripts do."""

    def steps(kind: str, job: work.Job) -> Iterator[Flow[Any]]:
        make = {"increment": work.increment, "append": work.append, "claim": work.claim, "set": work.set_count}[kind]
        history, change = job.pool.history, job.changing(make(job))
        assert history is not None
        yield history.recorded(_loop(hand, job, change), "update", job.pool.target, on_doubt="raise")

    return steps  # type: ignore[return-value]


def _loop(hand: Hand, job: work.Job, change: work.Change) -> Flow[WriteResult]:
    resource, kept, doubted = job.pool.resource(), None, False
    notes = None if hand.notes is None or job.pool.history is None else hand.notes(job.pool.history.client)
    for _ in range(_MOST):
        seen = yield from send(resource.read())
        if not isinstance(seen, Response) or seen.status != 200 or seen.garbled:
            yield Sleep(1.0)
            continue
        tag = seen.body["properties"]["eTag"]
        if doubted and notes is not None and notes.landed(_note(seen.body)):
            return WriteResult(outcome="updated", snapshot=None)
        kept = seen.body if kept is None or not hand.keeps_body else kept
        request_id = yield from new_request_id()
        desired = applied(change, kept)
        if notes is not None:
            desired["properties"].setdefault("tags", {})[MARKER] = notes.noted(_note(seen.body), request_id)
        request = resource.replace(desired, Condition(tag=tag), base=kept)
        headers = request.headers if hand.guarded else {}
        outcome = yield from send(replace(request, headers=headers, request_id=request_id))
        if isinstance(outcome, Response) and outcome.status < 300 and not outcome.garbled:
            return (yield from _followed(outcome))
        if _unclear(outcome) and hand.after_doubt == "tell":
            raise WriteOutcomeUnknownError("who knows", pending=True)
        if _unclear(outcome) and hand.after_doubt == "give up":
            break
        doubted = doubted or _unclear(outcome)
        yield Sleep(hand.stalls if doubted else 1.0)
    raise PreconditionFailedError("not written", applied=False)


def _note(body: Mapping[str, Any]) -> str:
    return str((body["properties"].get("tags") or {}).get(MARKER, ""))


def _followed(accepted: Response) -> Flow[WriteResult]:
    for _ in range(_MOST):
        yield Sleep(1.0)
        polled = yield from send(Request(method="GET", url=accepted.headers["azure-asyncoperation"]))
        status = polled.body.get("status") if isinstance(polled, Response) and polled.body else None
        if status == "Succeeded":
            return WriteResult(outcome="updated", snapshot=None)
        if status in ("Failed", "Canceled"):
            break
    raise WriteOutcomeUnknownError("its operation did not succeed")


def _unclear(outcome: Outcome) -> bool:
    if isinstance(outcome, Response):
        return (
            outcome.garbled
            or outcome.status in _UNCLEAR
            or (outcome.status == 409 and outcome.body["code"] == "EtagMismatch")
        )
    return outcome.sent


def resending(statuses: frozenset[int]) -> Callable[[World, Task, Request], None]:
    """Return a transport that sends a write again, under the same id, and tells nobody."""

    def again(world: World, task: Task, request: Request, left: int = 3) -> None:
        def hears(reply: Any) -> None:
            failed = reply.sent if isinstance(reply, NoResponse) else reply.status in statuses
            if not failed or not left or not request.is_write:
                return world.go(task, reply)
            task.sent += 1
            return again(world, task, request, left - 1)

        task.hears = hears
        carry(world, task, request)

    return again


def _hand(hand: Hand, busier: int = 1) -> Play:
    def play(plan: Plan, tracing: bool) -> World:
        writers = tuple(replace(writer, ops=writer.ops * busier) for writer in plan.writers)
        return World(replace(plan, writers=writers), carry, by_hand(hand), tracing=tracing).run()

    return play


def _transport(statuses: frozenset[int]) -> Play:
    def play(plan: Plan, tracing: bool) -> World:
        return World(plan, resending(statuses), tracing=tracing).run()

    return play


# By name: what is done wrong, and as what it is caught.
CONTROLS: Final[Mapping[str, tuple[Play, frozenset[str]]]] = {
    "no If-Match": (_hand(Hand(guarded=False)), frozenset({"lost"})),
    "an older body under a newer tag": (_hand(Hand(keeps_body=True)), frozenset({"lost"})),
    "blind retry after doubt": (_hand(Hand(after_doubt="again")), frozenset({"doubled"})),
    "giving up while it is pending": (_hand(Hand(after_doubt="give up")), frozenset({"falsely failed"})),
    "a ring of eight ids, and writers that stall": (
        _hand(Hand(after_doubt="look", notes=Ring, stalls=120.0), busier=8),
        frozenset({"doubled"}),
    ),
    "numbered slots": (_hand(Hand(after_doubt="look", notes=Numbers), busier=2), frozenset({"phantom"})),
    "azure-core's retries": (_transport(_RETRIED), frozenset({"doubled", "falsely failed"})),
    "a transport that sends again": (_transport(frozenset()), frozenset({"doubled", "falsely failed"})),
}
HONEST: Final = _hand(Hand())
