# SPDX-License-Identifier: MIT
"""Make a poll, or wait for the one that another call is about to make."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from typing import Final

from ._core.changes import plain
from ._core.messages import Outcome, Request, Response
from ._lanes import LOOK, standing_aside, within
from ._sending import AsyncTransport, Transport, asent, sent
from ._surroundings import Surroundings

# How long somebody waits for the answer that another one was to get before he asks himself, in seconds.
GRACE: Final = 30.0


def polled(request: Request, seconds: float, transport: Transport, around: Surroundings) -> Outcome:
    """Return the answer to a poll that is due in so many seconds: made by this thread, or by another one."""
    clock, polls, bell = around.clock, around.polls, threading.Event()
    due = clock.monotonic() + seconds
    while True:
        ask, mine = polls.joined(request.url, bell.set)
        if mine:
            outcome = None
            try:
                clock.sleep(max(0.0, due - clock.monotonic()))
                polls.leaves(request.url, ask)
                outcome = sent(request, transport, around)
                return outcome
            finally:
                polls.over(request.url, ask, outcome)
        with standing_aside(clock):
            while not bell.wait(LOOK):
                if clock.monotonic() >= due + _grace(request):
                    return sent(request, transport, around)
        if ask.outcome is not None:
            return _own(ask.outcome)
        bell.clear()


async def apolled(request: Request, seconds: float, transport: AsyncTransport, around: Surroundings) -> Outcome:
    """Return the answer to a poll that is due in so many seconds: made by this task, or by another one."""
    clock, polls, bell = around.clock, around.polls, asyncio.Event()
    due, loop = clock.monotonic() + seconds, asyncio.get_running_loop()
    while True:
        ask, mine = polls.joined(request.url, lambda: loop.call_soon_threadsafe(bell.set))
        if mine:
            outcome = None
            try:
                await clock.asleep(max(0.0, due - clock.monotonic()))
                polls.leaves(request.url, ask)
                outcome = await asent(request, transport, around)
                return outcome
            finally:
                polls.over(request.url, ask, outcome)
        with standing_aside(clock):
            while not await within(bell, LOOK):
                if clock.monotonic() >= due + _grace(request):
                    return await asent(request, transport, around)
        if ask.outcome is not None:
            return _own(ask.outcome)
        bell.clear()


def _grace(request: Request) -> float:
    """Wait for another one's answer no longer than for an own one: at the deadline, it is asked for once more."""
    return GRACE if request.timeout is None else min(GRACE, request.timeout)


def _own(outcome: Outcome) -> Outcome:
    """Copy an answer, so that nobody's body is changed by what another call does with his."""
    return replace(outcome, body=plain(outcome.body)) if isinstance(outcome, Response) else outcome
