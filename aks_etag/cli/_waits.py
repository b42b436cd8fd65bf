# SPDX-License-Identifier: MIT
"""Waiting for a state, as az does."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import click

from .. import DeadlineExceededError, NotFoundError, OperationFailedError, Snapshot
from ._handles import shape
from ._output import compiled


@dataclass(frozen=True, slots=True, kw_only=True)
class Awaited:
    """What is waited for: one of these."""

    created: bool
    updated: bool
    deleted: bool
    exists: bool
    custom: str | None

    def __post_init__(self) -> None:
        if sum([self.created, self.updated, self.deleted, self.exists, self.custom is not None]) != 1:
            raise click.UsageError("wait for one of --created, --updated, --deleted, --exists and --custom")

    def holds(self, handle: Any, seen: Snapshot | None, query: Any) -> bool:
        """Say whether it is so.

        Raises:
            NotFoundError, OperationFailedError: it never will be.
        """
        if seen is None:
            if self.updated:
                raise NotFoundError(f"{handle.id} does not exist, so nothing will update it", resource_id=handle.id)
            return self.deleted
        if self.exists:
            return True
        state = (seen.provisioning_state or "").casefold()
        if state == "failed" and not self.deleted:
            raise OperationFailedError(f"{handle.id}: its last operation failed", resource_id=handle.id)
        if self.created or self.updated:
            return state == "succeeded"
        return query is not None and bool(query.search(shape(seen)))


def waited(handle: Any, *, interval: float, timeout: float, **wanted: Any) -> None:
    """Look until it is so.

    Raises:
        DeadlineExceededError: it was not so in time.
    """
    awaited = Awaited(**wanted)
    query = None if awaited.custom is None else compiled(awaited.custom, "--custom")
    until = time.monotonic() + timeout
    while True:
        seen = handle.get_or_none(deadline=max(timeout, 1.0))
        if awaited.holds(handle, seen, query):
            return
        left = until - time.monotonic()
        if left <= 0:
            state = "absent" if seen is None else seen.provisioning_state
            raise DeadlineExceededError(f"{handle.id}: {timeout:g} s passed, and it is {state}", waiting_for="a state")
        time.sleep(min(interval, left))
