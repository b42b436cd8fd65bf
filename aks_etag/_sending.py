# SPDX-License-Identifier: MIT
"""Send one request, once: whatever a transport raises is an answer, too; a PUT waits for its gate."""

from __future__ import annotations

from typing import Final, Protocol

from ._core.messages import NoResponse, Outcome, Request
from ._flows.effects import MOVED
from ._lanes import Turns
from ._surroundings import Surroundings

_GATE: Final = "another PUT of this client to the same cluster has no answer yet"


def _silently() -> None:
    """Say nothing: an answer is not long in coming."""


class Transport(Protocol):
    """Sends one request, once. No answer is a value; what it raises is taken for "may have been sent"."""

    def send(self, request: Request) -> Outcome:
        """Send it."""
        ...


class AsyncTransport(Protocol):
    """The same for asyncio."""

    async def send(self, request: Request) -> Outcome:
        """Send it."""
        ...


def sent(request: Request, transport: Transport, around: Surroundings, held: Turns | None = None) -> Outcome:
    """Send a request, once, as soon as its gate is open; unless it is to be sent in turns that are valid no more."""
    if not request.gate:
        return _passed(request, transport, around)
    turns = around.lanes.turns()
    try:
        is_open = turns.take(request.gate, around.patience(request), around.clock, _silently)
        if is_open and (held is None or held.valid):
            return _passed(request, transport, around)
        return around.answered(request, MOVED if is_open else NoResponse(error=TimeoutError(_GATE), sent=False))
    finally:
        turns.give_back()


def _passed(request: Request, transport: Transport, around: Surroundings) -> Outcome:
    around.stats.sent(request)
    try:
        return around.answered(request, transport.send(request))
    except Exception as error:  # noqa: BLE001  # whatever a transport raises leaves doubt
        return NoResponse(error=error, final=True)


async def asent(
    request: Request, transport: AsyncTransport, around: Surroundings, held: Turns | None = None
) -> Outcome:
    """Send a request, once, as soon as its gate is open; unless it is to be sent in turns that are valid no more."""
    if not request.gate:
        return await _apassed(request, transport, around)
    turns = around.lanes.turns()
    try:
        is_open = await turns.atake(request.gate, around.patience(request), around.clock, _silently)
        if is_open and (held is None or held.valid):
            return await _apassed(request, transport, around)
        return around.answered(request, MOVED if is_open else NoResponse(error=TimeoutError(_GATE), sent=False))
    finally:
        turns.give_back()


async def _apassed(request: Request, transport: AsyncTransport, around: Surroundings) -> Outcome:
    around.stats.sent(request)
    try:
        return around.answered(request, await transport.send(request))
    except Exception as error:  # noqa: BLE001  # whatever a transport raises leaves doubt
        return NoResponse(error=error, final=True)
