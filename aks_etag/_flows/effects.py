# SPDX-License-Identifier: MIT
"""What a flow asks for. A driver answers each effect; a test compares the list of them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeVar, cast

from .._core.events import Event
from .._core.evidence import Attempt
from .._core.messages import NoResponse, Request
from .._core.messages import Outcome as Reply
from .._core.operation import Link
from .._core.snapshot import Outcome
from .._resources import Resource
from .group import Ended, Group, Member

T = TypeVar("T")

MOVED: Final = NoResponse(error=InterruptedError("it is the turn of another call of this client"), sent=False)


@dataclass(frozen=True, slots=True)
class Send:
    """Send one request, exactly once; answered with a ``Response`` or ``NoResponse``.

    ``in_turn``: not at all, where the turn to write is another one by then; that is answered with ``MOVED``. ``after``:
    it is a poll that is due in so many seconds; one that another call makes of the same, from now on, will do.
    """

    request: Request
    in_turn: bool = False
    after: float | None = None


@dataclass(frozen=True, slots=True)
class Sleep:
    """Let time pass, in seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Now:
    """Ask for the time, in seconds, of a clock that never goes back."""


@dataclass(frozen=True, slots=True)
class Chance:
    """Ask for a random number in 0..1."""


@dataclass(frozen=True, slots=True)
class NewRequestId:
    """Ask for an x-ms-client-request-id that was never used."""


@dataclass(frozen=True, slots=True)
class Emit:
    """Tell whoever listens."""

    event: Event


@dataclass(frozen=True, slots=True)
class Turn:
    """Wait for the turn to write to a resource, which lasts until the flow ends; one write of a client at a time.

    Answered with whether it came before ``until``, a time of the clock of ``Now``.
    """

    resource_id: str
    until: float


@dataclass(frozen=True, slots=True)
class Afford:
    """Take a token of the service's request budget for a request; answered with 0, and the token is taken.

    Else, where the service is known to have none, with the seconds until it has: one, beside ``reserve`` for others.
    """

    request: Request
    reserve: int = 0


@dataclass(frozen=True, slots=True)
class Undecided:
    """Name the writes in flight or in doubt, so that an interruption can say which they were.

    ``refused``: there are none any more, since the last one was refused or never left: nothing was written. ``sharers``
    lists for each of them the callers that something in it is of, where they share it.
    """

    resource_id: str
    request_ids: tuple[str, ...]
    refused: bool = False
    sharers: tuple[tuple[object, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Together:
    """Run flows that do not depend on each other, at most so many at a time; answered with the list of their results.

    The first that raises ends it: those that have not begun are not begun.
    """

    flows: Sequence[Flow[Any]]
    limit: int


@dataclass(frozen=True, slots=True)
class Accepted:
    """Tell that a write was accepted and its operation is about to be followed; answered whether somebody else waits.

    Then what is left of the call has no deadline of its own. ``attempt`` is what was sent, ``link`` where to follow it,
    ``older`` what is undecided beside it.
    """

    resource: Resource
    outcome: Outcome
    link: Link | None
    attempt: Attempt
    older: tuple[Attempt, ...]
    # Whether to find what was sent is to know that it was stored: of two increments nobody can tell.
    telling: Callable[[], bool] = lambda: True


@dataclass(frozen=True, slots=True)
class Join:
    """Let a change go out with those of other calls, and wait for what comes of it: ``Ended`` or ``Late``.

    Calls with the same ``key`` go together; ``begin`` makes the flow that writes for them, for the first one. Answered
    with ``None`` where the call has to write alone, since it is made from inside of another one.
    """

    member: Member
    key: Hashable
    begin: Callable[[Group], Flow[None]]


@dataclass(frozen=True, slots=True)
class Gather:
    """Let whoever waits join a group that is not closed, and those who have gone leave it."""

    group: Group


@dataclass(frozen=True, slots=True)
class Seal:
    """Before a write leaves: from now on nobody leaves without doubt. Answered whether all are still there."""

    group: Group


@dataclass(frozen=True, slots=True)
class Answer:
    """Tell one caller how it ended for him."""

    member: Member
    ended: Ended


Shared: TypeAlias = Gather | Seal | Answer
Quick: TypeAlias = Now | Chance | NewRequestId | Emit | Afford | Undecided | Accepted | Shared
Effect: TypeAlias = Send | Sleep | Turn | Together | Join | Quick
Flow: TypeAlias = Generator[Effect, Any, T]


def send(request: Request, *, in_turn: bool = False) -> Flow[Reply]:
    """Send one request."""
    return cast("Reply", (yield Send(request, in_turn)))


def now() -> Flow[float]:
    """Read the clock."""
    return cast("float", (yield Now()))


def chance() -> Flow[float]:
    """Draw a random number."""
    return cast("float", (yield Chance()))


def afford(request: Request, reserve: int = 0) -> Flow[float]:
    """Take a token for a request, or hear how long there is none, in seconds."""
    return cast("float", (yield Afford(request, reserve)))


def new_request_id() -> Flow[str]:
    """Draw a request id."""
    return cast("str", (yield NewRequestId()))


def emit(event: Event) -> Flow[None]:
    """Tell whoever listens."""
    yield Emit(event)


def together(flows: Sequence[Flow[T]], limit: int) -> Flow[list[T]]:
    """Run flows side by side."""
    return cast("list[T]", (yield Together(flows, limit)))
