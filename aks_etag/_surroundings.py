# SPDX-License-Identifier: MIT
"""What a driver needs besides a transport: time, chance, lanes, and who is told."""

from __future__ import annotations

import logging
import math
import random
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, assert_never

from ._clock import Clock
from ._core.events import Busy, Event, Fighting, Flapping, NotFenced, OutcomeUnknown, Waiting, Warned
from ._core.messages import Outcome, Request
from ._flows.effects import (
    Accepted,
    Afford,
    Answer,
    Chance,
    Emit,
    Gather,
    NewRequestId,
    Now,
    Quick,
    Seal,
    Turn,
    Undecided,
)
from ._groups import Groups, Room
from ._lanes import Lanes
from ._polls import Polls
from ._stats import Stats
from ._tokens import Tokens

OnEvent = Callable[[Event], object]

_LOG: Final = logging.getLogger("aks_etag")
_SERIOUS: Final = (OutcomeUnknown, NotFenced, Fighting, Flapping, Warned)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What both drivers need besides a transport: time, chance, and who is told; ``room``: whom a worker writes for.

    ``tokens``: what is known of the service's request budgets, where it has any.
    """

    clock: Clock
    stats: Stats
    on_event: OnEvent | None = None
    rng: random.Random = field(default_factory=random.Random)
    lanes: Lanes = field(default_factory=Lanes)
    groups: Groups = field(default_factory=Groups)
    room: Room | None = None
    tokens: Tokens | None = None
    polls: Polls = field(default_factory=Polls)

    def tell(self, event: Event) -> None:
        """Count, log and pass on an event; what a listener raises is logged, since a write must not die of it."""
        self.stats.count(event)
        if isinstance(event, Busy) and event.pool is not None and not event.ours:
            self._learn(event.resource_id, event.pool)
        name = type(event).__name__
        facts = {f"aks_{key}": getattr(event, key) for key in event.__dataclass_fields__}
        level = logging.WARNING if isinstance(event, _SERIOUS) else logging.INFO
        _LOG.log(level, "%s %s", name, event.resource_id, extra={"aks_event": name, **facts})
        self.pass_on(event)

    def pass_on(self, event: Event) -> None:
        """Tell the listener, in this thread or task."""
        if self.on_event is None:
            return
        try:
            self.on_event(event)
        except Exception:  # noqa: BLE001  # a listener is no part of the write
            _LOG.exception("on_event raised for %s", type(event).__name__)

    def _learn(self, resource_id: str, pool: str) -> None:
        """Take note of pools that block each other."""
        if not resource_id.casefold().endswith(f"/{pool.casefold()}"):
            self.lanes.share(resource_id)

    def queued(self, turn: Turn) -> Callable[[], object]:
        """Return what tells that a turn is waited for."""
        what = "its turn: another call of this client writes to it"
        left = turn.until - self.clock.monotonic()
        return lambda: self.tell(Waiting(resource_id=turn.resource_id, what=what, seconds=max(0.0, left)))

    def patience(self, request: Request) -> float:
        """Return until when a request may wait for its gate: as long as for its answer."""
        return math.inf if request.timeout is None else self.clock.monotonic() + request.timeout

    def answered(self, request: Request, outcome: Outcome) -> Outcome:
        """Take note of an answer that tells something of the service's request budgets."""
        if self.tokens is not None:
            self.tokens.answered(request, outcome, self.clock.monotonic())
        return outcome

    def answer(self, effect: Quick) -> Any:
        """Answer an effect that takes no time."""
        match effect:
            case Now():
                return self.clock.monotonic()
            case Chance():
                return self.rng.random()
            case NewRequestId():
                return str(uuid.uuid4())
            case Afford(request, reserve):
                return 0.0 if self.tokens is None else self.tokens.take(request, self.clock.monotonic(), reserve)
            case Emit():
                return self.tell(effect.event)
            case Undecided() | Accepted() | Gather() | Seal() | Answer():
                return None if self.room is None else self.room.answer(effect)
            case _:
                assert_never(effect)

    def interrupted(self, undecided: Undecided | None, reason: BaseException) -> None:
        """Say which writes an interruption left undecided."""
        if undecided is None or not undecided.request_ids or isinstance(reason, Exception):
            return
        ids = ", ".join(undecided.request_ids)
        reason.add_note(
            f"A write to {undecided.resource_id} was under way and may be, or may yet be, applied "
            f"(x-ms-client-request-id {ids}): read the resource before writing again."
        )
        self.tell(OutcomeUnknown(resource_id=undecided.resource_id, request_ids=undecided.request_ids, pending=True))
