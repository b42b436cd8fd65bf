# SPDX-License-Identifier: MIT
"""Operations made of others: create or update, delete if it still is what it should be, a consistent view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from .._core.changes import Change
from .._core.events import Conflict
from .._core.messages import Request
from .._core.precondition import CREATE, Condition
from .._core.snapshot import ClusterSnapshot, Snapshot, WriteResult
from .._resources import Resource
from ..errors import (
    AlreadyExistsError,
    ConflictRetriesExhaustedError,
    NotFoundError,
    PreconditionFailedError,
    ResourceReplacedError,
)
from .budget import Budget
from .effects import Flow, emit
from .options import Options
from .read import Page, settled
from .update import update
from .write import once


def create_or_update(
    resource: Resource, request: Request, change: Change, options: Options, budget: Budget
) -> Flow[WriteResult]:
    """Change what is there, or create it where nothing is; if somebody comes between the two, start over.

    Raises:
        AlreadyExistsError: somebody creates and deletes it all the time.
    """
    overtaken = 0
    while True:
        try:
            return (yield from update(resource, change, options, budget))
        except ResourceReplacedError:
            raise
        except NotFoundError as absent:
            # Where a write of ours may have been carried out before it went, it is not for us to create it again.
            if absent.applied is not False:
                raise
        try:
            return (yield from once(resource, "put", request, CREATE, options, budget, patient=True))
        except AlreadyExistsError:
            overtaken += 1
            if overtaken >= options.conflict_retry.attempts:
                raise
        yield from budget.back_off(overtaken, "other writers")


def delete_if(
    resource: Resource, only_if: Callable[[Snapshot], bool], options: Options, budget: Budget
) -> Flow[WriteResult]:
    """Delete it if a fresh read says that it should be; asked again for every version, never after doubt.

    Raises:
        ConflictRetriesExhaustedError: it changed ``attempts`` times between the question and the delete.
    """
    attempts = conflicts = 0
    while True:
        try:
            seen = yield from settled(resource, budget, options)
        except NotFoundError:
            return WriteResult(outcome="absent", snapshot=None, attempts=attempts, conflicts=conflicts)
        if not only_if(seen):
            return WriteResult(outcome="unchanged", snapshot=seen, attempts=attempts, conflicts=conflicts)
        condition = Condition(tag=seen.etag)
        request = resource.remove(condition, base=seen.body)
        try:
            done = yield from once(resource, "delete", request, condition, options, budget, seen=seen, patient=True)
        except PreconditionFailedError as error:
            attempts, conflicts = attempts + 1, conflicts + 1
            yield from emit(Conflict(resource_id=resource.id, attempt=attempts, sent=seen.etag))
            if conflicts >= options.conflict_retry.attempts:
                raise _exhausted(error, attempts) from error
        else:
            return replace(done, attempts=attempts + done.attempts, conflicts=conflicts, waited=budget.waited)
        yield from budget.back_off(conflicts, "other writers")


def _exhausted(error: PreconditionFailedError, attempts: int) -> ConflictRetriesExhaustedError:
    return ConflictRetriesExhaustedError(
        f"{error.resource_id} was not deleted: it changed {attempts} times between the question and the delete",
        resource_id=error.resource_id,
        status_code=error.status_code,
        code=error.code,
        sent=error.sent,
        current=error.current,
        last_seen=error.current,
        attempts=attempts,
        applied=False,
    )


def read_consistent(
    cluster: Resource, pools: Callable[[Budget], Flow[list[Snapshot]]], options: Options, budget: Budget
) -> Flow[ClusterSnapshot]:
    """Read a cluster and all its pools until two reads in a row show the same settled versions.

    Raises:
        DeadlineExceededError: they did not hold still long enough.
    """
    before: dict[str, str] | None = None
    rounds = 0
    while True:
        seen = yield from settled(cluster, budget, options)
        found = yield from pools(budget)
        tags = {snapshot.id.casefold(): snapshot.etag for snapshot in (seen, *found)}
        calm = all(snapshot.settled for snapshot in found)
        if calm and tags == before:
            return ClusterSnapshot(cluster=seen, pools=tuple(found))
        before = tags if calm else None
        rounds += 1
        if rounds > 1:
            yield from budget.back_off(rounds - 1, f"{seen.name} and its pools to hold still")


def all_of(
    page: Callable[[Request, set[str], Budget], Flow[Page]], first: Request, budget: Budget
) -> Flow[list[Snapshot]]:
    """Read a list to its end."""
    found: list[Snapshot] = []
    seen: set[str] = set()
    following: Request | None = first
    while following is not None:
        read = yield from page(following, seen, budget)
        found += read.items
        following = read.following
    return found
