# SPDX-License-Identifier: MIT
"""Writes that were accepted and may not be over yet, for threads; the words are those of azure-core's pollers."""

from __future__ import annotations

import math
import threading
from typing import Any, Generic, Self, TypeVar

from ._core.continuation import Continuation
from ._core.events import OperationProgress
from ._core.messages import NoResponse, Request
from ._core.operation import ENDED_BADLY
from ._drivers import Surroundings, Transport
from ._flows.effects import Accepted, Effect, Emit, Flow, Send, Sleep, Together, Undecided
from ._flows.resume import begun, over
from .errors import DeadlineExceededError

R = TypeVar("R")


class Operation(Generic[R]):
    """A write that the service has accepted; several threads may ask for it.

    Nothing happens between two questions: whoever asks also polls, no more often than the service wants.
    """

    def __init__(self, flow: Flow[R], transport: Transport, around: Surroundings, resource_id: str) -> None:
        self._flow = flow
        self._transport = transport
        self._around = around
        self._resource_id = resource_id
        self._lock = threading.Lock()
        self._effect: Effect | None = None
        self._due: float | None = None
        self._begun: Continuation | None = None
        self._undecided: Undecided | None = None
        self._lost: NoResponse | None = None
        self._status = "InProgress"
        self._finished = False
        self._result: Any = None
        self._error: BaseException | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._resource_id} {self._status}>"

    def result(self, timeout: float | None = None) -> R:
        """Wait until it is over, at most ``timeout`` seconds, and return what the write came to.

        Raises:
            DeadlineExceededError: it is not over yet; it goes on, and may be asked again.
            OperationFailedError: it failed; what is stored was looked at.
        """
        self.wait(timeout)
        if not self._finished:
            what = f"the operation of a write (it is {self._status})"
            link = None if self._begun is None else self._begun.link
            raise DeadlineExceededError(
                f"{self._resource_id}: {timeout:g} s passed while waiting for {what}; it goes on: ask again, or go on "
                "elsewhere with its continuation_token()",
                resource_id=self._resource_id,
                waiting_for=what,
                operation=None if link is None else link.name,
            )
        result: R = self._result
        return result

    def wait(self, timeout: float | None = None) -> None:
        """Wait until it is over, at most ``timeout`` seconds.

        Raises:
            OperationFailedError: it failed.
        """
        until = math.inf if timeout is None else self._around.clock.monotonic() + timeout
        with self._lock:
            self._advance(until)
            if self._error is not None:
                raise self._error

    def done(self) -> bool:
        """Say whether it is over, well or badly; polls once, if it is time to."""
        with self._lock:
            self._advance(-math.inf)
        return self._finished

    def status(self) -> str:
        """Return its state in the service's words; polls once, if it is time to."""
        self.done()
        return self._status

    def continuation_token(self) -> str:
        """Return a word by which ``operation()`` of another client, in another process, goes on with it.

        It holds a signed URL: keep it like a secret.
        """
        if self._finished and self._error is None:
            return over(self._resource_id, self._result).token()
        if self._begun is None:
            raise ValueError(f"{self._resource_id}: nothing was accepted yet, so that there is nothing to go on with")
        return self._begun.token()

    def _start(self) -> Self:
        """Go on until the write is accepted, or there is no need of it; what fails before that is raised."""
        with self._lock:
            self._advance(math.inf, to_acceptance=True)
        if self._error is not None:
            raise self._error
        return self

    def _advance(self, until: float, *, to_acceptance: bool = False) -> None:
        """Go on with the flow, waiting no longer than to a moment; in the past, no longer than it takes to ask."""
        if self._finished:
            return
        try:
            while not (to_acceptance and self._begun) and not self._waits(until):
                self._take(self._answered())
        except StopIteration as end:
            self._end(end.value, None)
        except Exception as error:  # noqa: BLE001  # kept, for everybody who asks
            self._end(None, error)
        except BaseException as reason:
            self._around.interrupted(self._undecided, reason)
            raise

    def _waits(self, until: float) -> bool:
        """Whether it is not yet time for the next step, and waiting for it would take too long."""
        if self._due is None:
            return False
        clock = self._around.clock
        ahead = self._due - clock.monotonic()
        if ahead > 0 and until >= self._due:
            clock.sleep(ahead)
        elif ahead > 0:
            patience = until - clock.monotonic()
            if patience > 0:
                clock.sleep(patience)
            return True
        self._due = None
        return False

    def _answered(self) -> Any:
        """Answer the effect that the flow waits at."""
        if self._lost is not None:
            lost, self._lost = self._lost, None
            return lost
        match self._effect:
            case Send(request):
                return self._sent(request)
            case Sleep() | None:
                return None
            case Accepted():
                return True
            case Together():
                raise NotImplementedError("a write does not work on several things at once")
            case _:
                return self._around.answer(self._effect)

    def _sent(self, request: Request) -> Any:
        self._around.stats.sent(request)
        try:
            return self._transport.send(request)
        except Exception as error:  # noqa: BLE001  # whatever a transport raises leaves doubt
            return NoResponse(error=error, final=True)
        except BaseException:
            # Whoever asks next must not send it again: its answer is lost. A read is simply made again.
            self._lost = NoResponse(error=TimeoutError("interrupted")) if request.is_write else None
            raise

    def _take(self, reply: Any) -> None:
        self._effect = effect = self._flow.send(reply)
        match effect:
            case Sleep(seconds):
                self._due = self._around.clock.monotonic() + seconds
            case Accepted():
                self._begun = begun(effect)
            case Undecided():
                self._undecided = effect
            case Emit(event) if isinstance(event, OperationProgress):
                self._status = event.status or self._status

    def _end(self, result: Any, error: Exception | None) -> None:
        self._finished, self._result, self._error = True, result, error
        if error is None:
            self._status = "Succeeded"
        elif self._status.casefold() not in ENDED_BADLY:
            self._status = "Failed"
