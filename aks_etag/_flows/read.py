# SPDX-License-Identifier: MIT
"""Reads: one document, one page of a list. A read that fails is tried again, and never taken for "nothing there"."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .._core.messages import Outcome, Request, Response
from .._core.snapshot import Snapshot
from .._core.verdict import Verdict, judge_read
from .._resources import Resource
from ..errors import RequestRefusedError
from . import failures
from .budget import Budget
from .effects import Flow, send
from .options import Options


def fetch(
    request: Request,
    budget: Budget,
    judge: Callable[[Outcome], Verdict] = judge_read,
    *,
    polling: bool = False,
    first: Outcome | None = None,
) -> Flow[Response]:
    """Send a GET until it is answered with a document; ``first`` is an answer that is there already.

    Raises:
        NotFoundError: nothing is there.
        AccessDeniedError: 401 or 403, at once.
        DeadlineExceededError: no usable answer in time.
    """
    failed = 0
    while True:
        if first is None:
            outcome = yield from send((yield from budget.allowed(request, "an answer", polling=polling)))
        else:
            outcome, first = first, None
        verdict = judge(outcome)
        match verdict:
            case Verdict.ACCEPTED:
                assert isinstance(outcome, Response)
                return outcome
            case Verdict.THROTTLED:
                yield from budget.throttled(outcome)
            case Verdict.UNSURE | Verdict.NOT_SENT:
                failed += 1
                what = f"a usable answer to a read ({failures.explained(outcome)})"
                yield from budget.back_off(failed, what, cause=outcome)
            case _:
                raise failures.refusal(budget.resource_id, verdict, outcome)


def read(resource: Resource, budget: Budget, *, polling: bool = False, first: Outcome | None = None) -> Flow[Snapshot]:
    """Read one resource; ``first`` is an answer that is there already."""
    judge = getattr(resource, "judge_read", judge_read)
    return resource.snapshot((yield from fetch(resource.read(), budget, judge, polling=polling, first=first)))


def get(resource: Resource, options: Options, *, deadline: float | None = None) -> Flow[Snapshot]:
    """Read one resource, within a deadline of its own."""
    budget = yield from Budget.start(resource.id, options, deadline)
    return (yield from read(resource, budget))


def settled(
    resource: Resource, budget: Budget, options: Options, *, seen: Snapshot | None = None, why: str = ""
) -> Flow[Snapshot]:
    """Read a resource until it accepts writes, and return that read; ``seen`` is a read that was made already.

    ``why`` says what it is waited for, where that is not itself.

    Raises:
        OperationInProgressError: it is busy, and ``on_busy="raise"``.
    """
    polls = 0
    while True:
        snapshot = seen or (yield from read(resource, budget))
        if snapshot.settled:
            return snapshot
        if options.on_busy == "raise":
            raise failures.unsettled(snapshot)
        waiting = f"{snapshot.name} to settle (it is {snapshot.provisioning_state})"
        outcome = yield from budget.look(resource.read(), polls, ", ".join(filter(None, [waiting, why])))
        seen = yield from read(resource, budget, polling=True, first=outcome)
        polls += 1


def wait(resource: Resource, options: Options, *, deadline: float | None = None) -> Flow[Snapshot]:
    """Read a resource until it accepts writes."""
    budget = yield from Budget.start(resource.id, options, deadline)
    return (yield from settled(resource, budget, options))


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a list, and the request for the next one."""

    items: tuple[Snapshot, ...]
    following: Request | None


def page(
    request: Request,
    what: str,
    options: Options,
    *,
    resource_of: Callable[[Any], Resource],
    trusted: Callable[[str], bool],
    seen: set[str],
    budget: Budget | None = None,
) -> Flow[Page]:
    """Read one page of a list; a nextLink is followed as it came, once, and only to the host we speak to.

    ``seen`` has the URLs of the pages read so far.
    """
    budget = budget or (yield from Budget.start(what, options))
    seen.add(request.url)
    response = yield from fetch(request, budget)
    items = response.body.get("value")
    if not isinstance(items, list) or not all(_is_resource(item) for item in items):
        raise RequestRefusedError(f"{what}: the answer is not a list of resources", answer=response)
    snapshots = tuple(resource_of(item).snapshot(_of(response, item)) for item in items)
    link = response.body.get("nextLink")
    if not isinstance(link, str) or not link:
        return Page(snapshots, None)
    if link in seen:
        raise RequestRefusedError(f"{what}: the next page is one that was read already", answer=response)
    if not trusted(link):
        raise RequestRefusedError(f"{what}: the next page lies on another host, which is not followed", answer=response)
    return Page(snapshots, Request(method="GET", url=link))


def _is_resource(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("id"), str)


def _of(response: Response, item: Any) -> Response:
    return Response(status=response.status, body=item, received_at=response.received_at)
