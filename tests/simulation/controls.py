# SPDX-License-Identifier: MIT
"""Clients and transports that do it wrong, each in a way that is in use somewhere: the checker must catch every one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from aks_etag import PreconditionFailedError, WriteOutcomeUnknownError, WriteResult
from aks_etag._core.changes import applied
from aks_etag._core.messages import NoResponse, Outcome, Request, Response
from aks_etag._core.precondition import Condition
from aks_etag._flows.effects import Flow, Sleep, new_request_id, send

from . import work
from .judge import Play
from .network import carry
from .plan import Plan
from .world import Task, World

_UNCLEAR: Final = frozenset({408, 500, 502, 503, 504})
# What azure-core's RetryPolicy sends again by itself.
_RETRIED: Final = frozenset({408, 429, 500, 502, 503, 504})
_MOST: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """How a loop written by hand goes about it."""

    guarded: bool = True
    keeps_body: bool = False
    after_doubt: str = "tell"


def by_hand(hand: Hand) -> Callable[[str, work.Job], work.Steps]:
    """Return steps that read, change and write as scripts do."""

    def steps(kind: str, job: work.Job) -> Iterator[Flow[Any]]:
        make = {"increment": work.increment, "append": work.append, "claim": work.claim, "set": work.set_count}[kind]
        history, change = job.pool.history, job.changing(make(job))
        assert history is not None
        yield history.recorded(_loop(hand, job, change), "update", job.pool.target, on_doubt="raise")

    return steps  # type: ignore[return-value]


def _loop(hand: Hand, job: work.Job, change: work.Change) -> Flow[WriteResult]:
    resource, kept = job.pool.resource(), None
    for _ in range(_MOST):
        seen = yield from send(resource.read())
        if not isinstance(seen, Response) or seen.status != 200:
            yield Sleep(1.0)
            continue
        tag = seen.body["properties"]["eTag"]
        kept = seen.body if kept is None or not hand.keeps_body else kept
        request = resource.replace(applied(change, kept), Condition(tag=tag), base=kept)
        headers = request.headers if hand.guarded else {}
        outcome = yield from send(replace(request, headers=headers, request_id=(yield from new_request_id())))
        if isinstance(outcome, Response) and outcome.status < 300:
            return (yield from _followed(outcome))
        if _unclear(outcome) and hand.after_doubt == "tell":
            raise WriteOutcomeUnknownError("who knows", pending=True)
        if _unclear(outcome) and hand.after_doubt == "give up":
            break
        yield Sleep(1.0)
    raise PreconditionFailedError("not written", applied=False)


def _followed(accepted: Response) -> Flow[WriteResult]:
    for _ in range(_MOST):
        yield Sleep(1.0)
        polled = yield from send(Request(method="GET", url=accepted.headers["azure-asyncoperation"]))
        status = polled.body.get("status") if isinstance(polled, Response) else None
        if status == "Succeeded":
            return WriteResult(outcome="updated", snapshot=None)
        if status in ("Failed", "Canceled"):
            break
    raise WriteOutcomeUnknownError("its operation did not succeed")


def _unclear(outcome: Outcome) -> bool:
    if isinstance(outcome, Response):
        return outcome.status in _UNCLEAR or (outcome.status == 409 and outcome.body["code"] == "EtagMismatch")
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


def _hand(hand: Hand) -> Play:
    def play(plan: Plan, tracing: bool) -> World:
        return World(plan, carry, by_hand(hand), tracing=tracing).run()

    return play


def _transport(statuses: frozenset[int]) -> Play:
    def play(plan: Plan, tracing: bool) -> World:
        return World(plan, resending(statuses), tracing=tracing).run()

    return play


# By name: what is done wrong, and as what it is caught. Rings of markers and numbered slots will have their place here.
CONTROLS: Final[Mapping[str, tuple[Play, frozenset[str]]]] = {
    "no If-Match": (_hand(Hand(guarded=False)), frozenset({"lost"})),
    "an older body under a newer tag": (_hand(Hand(keeps_body=True)), frozenset({"lost"})),
    "blind retry after doubt": (_hand(Hand(after_doubt="again")), frozenset({"doubled"})),
    "giving up while it is pending": (_hand(Hand(after_doubt="give up")), frozenset({"falsely failed"})),
    "azure-core's retries": (_transport(_RETRIED), frozenset({"doubled", "falsely failed"})),
    "a transport that sends again": (_transport(frozenset()), frozenset({"doubled", "falsely failed"})),
}
HONEST: Final = _hand(Hand())
