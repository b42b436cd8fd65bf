# SPDX-License-Identifier: MIT
"""The same for tasks, by tools/make_aio.py; the words are those of azure-core's pollers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar

from ._core.continuation import Continuation
from ._core.events import OperationProgress
from ._core.messages import NoResponse, Request
from ._core.operation import ENDED_BADLY
from ._flows.effects import Accepted, Effect, Emit, Flow, Join, Send, Sleep, Together, Turn, Undecided
from ._flows.resume import begun, over
from ._lanes import Turns
from ._sending import AsyncTransport, asent
from ._surroundings import Surroundings
from ._turns import TaskTurn
from .errors import DeadlineExceededError, WriteOutcomeUnknownError

R = TypeVar("R")


class AsyncOperation(Generic[R]):
    """A write that the service has accepted; several tasks may ask for it.

    Nothing happens between two questions: whoever asks also polls, no more often than the service wants.
    """

    def __init__(
        self,
        flow: Flow[R],
        transport: AsyncTransport,
        around: Surroundings,
        resource_id: str,
        again: Callable[[Continuation], Flow[R]],
    ) -> None:
        self._flow = flow
        self._transport = transport
        self._around = around
        self._resource_id = resource_id
        self._again = again
        self._turn = TaskTurn(self, "_ahead")
        # In its lane until the write is accepted: nobody need ever ask for what comes then.
        self._lane = around.lanes.turns()
        self._effect: Effect | None = None
        self._due: float | None = None
        self._accepted: Accepted | None = None
        self._undecided: Undecided | None = None
        # Set while a write is out, and while the flow works: what an interruption leaves set tells where it struck.
        self._lost: NoResponse | None = None
        self._torn = False
        self._status = "InProgress"
        self._result: Any = None
        self._error: Exception | None = None
        self._finished = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._resource_id} {self._status}>"

    async def result(self, timeout: float | None = None) -> R:
        """Wait until it is over, at most ``timeout`` seconds, and return what the write came to.

        Raises:
            DeadlineExceededError: it is not over yet; it goes on, and may be asked again.
            OperationFailedError: it failed; what is stored was looked at.
        """
        await self.wait(timeout)
        if not self._finished:
            what = f"the operation of a write (it is {self._status})"
            link = None if self._accepted is None else self._accepted.link
            raise DeadlineExceededError(
                f"{self._resource_id}: {timeout:g} s passed while waiting for {what}; it goes on: ask again, or go on "
                "elsewhere with its continuation_token()",
                resource_id=self._resource_id,
                waiting_for=what,
                operation=None if link is None else link.name,
            )
        result: R = self._result
        return result

    async def wait(self, timeout: float | None = None) -> None:
        """Wait until it is over, at most ``timeout`` seconds.

        Raises:
            OperationFailedError: it failed.
            RuntimeError: it is asked from inside of itself, by a listener, a change or ``verify``.
        """
        if self._turn.mine and not self._finished:
            raise RuntimeError("an operation cannot be waited for by what it calls itself: it would wait for ever")
        clock = self._around.clock
        until = math.inf if timeout is None else clock.monotonic() + timeout
        left = until - clock.monotonic()
        ahead = await self._ahead(max(left, 0.0))
        while not self._finished and left > 0:
            await self._pause(min(ahead, left))
            left = until - clock.monotonic()
            ahead = await self._ahead(max(left, 0.0))
        if self._error is not None:
            raise self._error

    async def done(self) -> bool:
        """Say whether it is over, well or badly; polls once, if it is time to and nobody else is at it."""
        if not self._finished and not self._turn.mine:
            await self._ahead(0.0)
        return self._finished

    async def status(self) -> str:
        """Return its state in the service's words; polls once, if it is time to and nobody else is at it."""
        await self.done()
        return self._status

    def continuation_token(self) -> str:
        """Return a word by which ``operation()`` of another client, in another process, goes on with it.

        It holds a signed URL: keep it like a secret. What ``verify`` was to say of it is not in there.
        """
        if self._finished and self._error is None:
            return over(self._resource_id, self._result).token()
        if self._accepted is None:
            raise ValueError(f"{self._resource_id}: nothing was accepted yet, so that there is nothing to go on with")
        return begun(self._accepted).token()

    async def _start(self) -> Self:
        """Go on until the write is accepted, or there is no need of it; what fails before that is raised."""
        try:
            while not self._finished and self._accepted is None:
                await self._pause(await self._ahead(math.inf, to_acceptance=True))
        finally:
            self._lane.give_back()
        if self._error is not None:
            raise self._error
        return self

    async def _pause(self, seconds: float) -> None:
        """Wait for the next step; nobody else is kept waiting meanwhile."""
        try:
            await self._around.clock.asleep(seconds)
        except BaseException as reason:
            self._interrupted(reason)
            raise

    async def _ahead(self, patience: float, *, to_acceptance: bool = False) -> float:
        """Take all steps that it is time for; return the seconds until the next one."""
        try:
            return await self._stepped(to_acceptance) if await self._turn.enter(patience) else 0.0
        except BaseException as reason:
            self._interrupted(reason)
            raise
        finally:
            self._turn.leave()

    async def _stepped(self, to_acceptance: bool) -> float:
        if self._torn:
            self._mend()
        while not self._finished and not (to_acceptance and self._accepted):
            if self._due is not None:
                ahead = self._due - self._around.clock.monotonic()
                if ahead > 0:
                    return ahead
                self._due = None
            self._take(await self._answered())
        return 0.0

    async def _answered(self) -> Any:
        """Answer the effect that the flow waits at."""
        if self._lost is not None:
            return self._lost
        match self._effect:
            case Send(request, in_turn):
                return await self._sent(request, self._lane if in_turn else None)
            case Sleep() | Join() | None:
                return None
            case Accepted():
                return True
            case Turn(resource_id, until) as turn:
                return await self._lane.atake(resource_id, until, self._around.clock, self._around.queued(turn))
            case Together():
                raise NotImplementedError("a write does not work on several things at once")
            case _:
                return self._around.answer(self._effect)

    async def _sent(self, request: Request, held: Turns | None) -> Any:
        if request.is_write:
            # Until the flow has its answer, whoever asks next must not send it again. A read is simply made again.
            self._lost = NoResponse(error=TimeoutError("interrupted"))
        return await asent(request, self._transport, self._around, held)

    def _take(self, reply: Any) -> None:
        """Give the flow an answer, and keep what it asks for next; how it ends is kept for everybody who asks."""
        self._torn = True
        self._lost = None
        try:
            self._effect = self._flow.send(reply)
        except StopIteration as end:
            self._end(end.value, None)
        except Exception as error:  # noqa: BLE001  # raised to whoever asks
            self._end(None, error)
        self._torn = False
        if not self._finished:
            self._noted()

    def _noted(self) -> None:
        effect = self._effect
        match effect:
            case Sleep(seconds) | Send(after=float() as seconds):
                self._due = self._around.clock.monotonic() + seconds
            case Accepted():
                self._accepted = effect
            case Undecided():
                self._undecided = effect
            case Emit(event) if isinstance(event, OperationProgress):
                self._status = event.status or self._status

    def _interrupted(self, reason: BaseException) -> None:
        """Say which writes an interruption leaves open; one that was accepted goes on all the same."""
        if self._open():
            self._around.interrupted(self._undecided, reason)

    def _open(self) -> tuple[str, ...]:
        """List the requests that are undecided, but for the accepted one, which can be followed."""
        known = () if self._accepted is None else (self._accepted.attempt.request_id,)
        ids = () if self._undecided is None else self._undecided.request_ids
        return tuple(each for each in ids if each not in known)

    def _mend(self) -> None:
        """Go on after an interruption struck inside of the flow, which cannot: follow what was accepted, by reading."""
        self._torn, self._due, self._effect = False, None, None
        if self._accepted is not None and not self._open():
            self._flow = self._again(begun(self._accepted))
            return
        ids = self._open()
        error = WriteOutcomeUnknownError(
            f"{self._resource_id}: this operation was interrupted, and it cannot be found out what became of it; "
            f"read the resource before writing again (x-ms-client-request-id {', '.join(ids) or 'none'})",
            resource_id=self._resource_id,
            pending=bool(ids),
            request_ids=ids,
        )
        self._end(None, error)

    def _end(self, result: Any, error: Exception | None) -> None:
        self._result, self._error = result, error
        if error is None:
            self._status = "Succeeded"
        elif self._status.casefold() not in ENDED_BADLY:
            self._status = "Failed"
        self._finished = True
