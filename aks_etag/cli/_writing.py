# SPDX-License-Identifier: MIT
"""What all writing commands do: begin a write, wait for it, and leave a way to go on."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click
from azure.core.exceptions import ClientAuthenticationError

from .. import errors
from .._core.changes import applied
from .._core.precondition import CREATE
from ._changes import Change
from ._progress import Progress
from ._session import Where
from ._tokens import keep

# What may end the wait for a write before the write itself is over.
_GOES_ON: Final = (
    KeyboardInterrupt,
    ClientAuthenticationError,
    errors.DeadlineExceededError,
    errors.ThrottledError,
    errors.WriteOutcomeUnknownError,
)


@dataclass(frozen=True, slots=True)
class Begun:
    """An accepted write, and until when it is waited for."""

    operation: Any
    until: float | None

    @classmethod
    def of(cls, operation: Any, timeout: float | None) -> Begun:
        """Wait for it from now on."""
        return cls(operation, None if timeout is None else time.monotonic() + timeout)

    @property
    def left(self) -> float | None:
        """The seconds that are left."""
        return None if self.until is None else max(0.0, self.until - time.monotonic())


@contextmanager
def unwritten(handle: Any) -> Iterator[None]:
    """Do what comes before a write is accepted; where it is interrupted, say whether anything was written."""
    try:
        yield
    except KeyboardInterrupt as reason:
        if not handle._client.stats.writes:
            reason.add_note("nothing was written")
        elif not getattr(reason, "__notes__", ()):
            reason.add_note("a write was sent and may be, or may yet be, applied: show it before you write again")
        raise


def begun(begin: Callable[[float | None], Any], handle: Any, timeout: float | None) -> Begun:
    """Begin a write."""
    until = None if timeout is None else time.monotonic() + timeout
    with unwritten(handle):
        return Begun(begin(timeout), until)


def updated(handle: Any, change: Change, tag: str | None, *, force: bool, timeout: float | None) -> Begun:
    """Begin an update: by the loop, pinned to a version, or over whatever is there."""
    if force or tag == "*":
        guard = {"force": True} if force else {"if_match": "*"}

        def put(seconds: float | None) -> Any:
            body = replacing(handle, change, handle.get(deadline=seconds))
            return handle.begin_put(body, deadline=seconds, **guard)

        return begun(put, handle, timeout)
    pin = {} if tag is None else {"if_match": tag}
    return begun(lambda seconds: handle.begin_update(change, deadline=seconds, **pin), handle, timeout)


def replacing(handle: Any, change: Change, seen: Any) -> dict[str, Any]:
    """Return what a write that no version guards puts: as the loop would, without what was not changed and may move."""
    resource = handle._calls.resource()
    desired = applied(change, seen.body)
    resource.check_edit(seen.body, desired)
    body: dict[str, Any] = resource.replace(desired, CREATE, base=seen.body).body
    return body


def finished(begun: Begun, progress: Progress, where: Where, *, no_wait: bool, kept: Path | None = None) -> Any:
    """Wait for a write, or leave a token behind; whatever ends the wait before the write is over leaves one, too.

    ``kept`` is where the token is already.
    """
    operation = begun.operation
    if no_wait and not operation.done():
        progress.say(f"accepted, not waiting for it; go on with: {_resume(operation, where, kept)}")
        return None
    try:
        result = operation.result(begun.left)
    except _GOES_ON as reason:
        progress.clear()
        reason.add_note("the write was accepted and goes on without us: nothing was cancelled")
        reason.add_note(_resume(operation, where, kept))
        raise
    progress.clear()
    return result


@contextmanager
def standing(outcome: str) -> Iterator[None]:
    """Show what a write came to: should that fail, say that the write stands."""
    try:
        yield
    except click.UsageError as error:
        said = f"{error.message}; only the output failed, the write did not: {outcome}"
        raise click.UsageError(said, error.ctx) from None
    except OSError as error:
        error.add_note(f"only the output failed, the write did not: {outcome}")
        raise


def _resume(operation: Any, where: Where, kept: Path | None) -> str:
    try:
        path = keep(operation.continuation_token()) if kept is None else kept
    except (OSError, ValueError, RuntimeError) as error:
        return f"aks-etag show (there is nothing to resume by: {error})"
    return f"aks-etag resume {shlex.quote(str(path))}{where.again}"
