# SPDX-License-Identifier: MIT
"""How others go about a refusal: the policies that are in use, around the loop that everybody writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from aks_etag import AksEtagError, DeadlineExceededError
from aks_etag._core.changes import Change, applied
from aks_etag._core.messages import Request, Response
from aks_etag._core.pacing import poll_interval
from aks_etag._core.precondition import Condition
from aks_etag._flows.effects import Flow, Sleep, chance, now, send
from aks_etag._resources import Resource

CEILING: Final = 30.0
_SETTLED: Final = ("Succeeded", "Failed", "Canceled")
# From random numbers in 0..1 to pauses; where they end, so does the caller's patience.
Policy: TypeAlias = Callable[[Callable[[], float]], Iterator[float]]


def client_go(steps: int, duration: float, factor: float, jitter: float) -> Policy:
    """``wait.Backoff`` as ``retry.RetryOnConflict`` uses it: so many tries, and no pause after the last."""

    def pauses(draw: Callable[[], float]) -> Iterator[float]:
        for step in range(steps - 1):
            yield duration * factor**step * (1 + jitter * draw())

    return pauses


def full_jitter(draw: Callable[[], float]) -> Iterator[float]:
    step = 0
    while True:
        yield draw() * min(60.0, 2.0**step)
        step = min(step + 1, 10)


def decorrelated_jitter(draw: Callable[[], float]) -> Iterator[float]:
    pause = 1.0
    while True:
        pause = min(60.0, 1.0 + draw() * (pause * 3 - 1.0))
        yield pause


def at_once(draw: Callable[[], float]) -> Iterator[float]:
    while True:
        yield 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """One way to go about it: ``settles``: it waits until the resource is settled before it writes."""

    name: str
    pauses: Policy
    settles: bool = False


PEERS: Final = (
    Peer(name="client-go DefaultRetry", pauses=client_go(5, 0.01, 1.0, 0.1)),
    Peer(name="client-go DefaultBackoff", pauses=client_go(4, 0.01, 5.0, 0.1)),
    Peer(name="full jitter", pauses=full_jitter),
    Peer(name="decorrelated jitter", pauses=decorrelated_jitter),
    Peer(name="wait, then write", pauses=at_once, settles=True),
)


def loop(resource: Resource, change: Change, peer: Peer, deadline: float) -> Flow[None]:
    """Read, change, write under the tag, and again after a refusal, until the policy or the time ends."""
    until = (yield from now()) + deadline
    drawn: list[float] = []
    pauses = peer.pauses(lambda: drawn.pop())
    while (yield from now()) < until:
        seen = yield from _read(resource, settles=peer.settles)
        request = resource.replace(applied(change, seen.body), Condition(tag=seen.body["eTag"]), base=seen.body)
        answer = yield from send(request)
        if isinstance(answer, Response) and answer.status < 300:
            return (yield from _followed(answer))
        drawn.append((yield from chance()))
        pause = next(pauses, None)
        if pause is None:
            raise AksEtagError("the policy gives up")
        yield Sleep(pause)
    raise DeadlineExceededError("the time is up")


def _read(resource: Resource, *, settles: bool) -> Flow[Response]:
    polls = 0
    while True:
        seen = yield from send(resource.read())
        assert isinstance(seen, Response)
        if not settles or _settled(seen.body):
            return seen
        yield Sleep(poll_interval(polls, ceiling=CEILING))
        polls += 1


def _settled(body: Any) -> bool:
    return body["properties"]["provisioningState"] in _SETTLED


def _followed(accepted: Response) -> Flow[None]:
    polls = 0
    while True:
        yield Sleep(poll_interval(polls, ceiling=CEILING))
        polls += 1
        polled = yield from send(Request(method="GET", url=accepted.headers["azure-asyncoperation"]))
        assert isinstance(polled, Response)
        if polled.body["status"] in _SETTLED:
            return
