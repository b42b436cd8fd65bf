# SPDX-License-Identifier: MIT
"""The body of ``delete`` for clusters and pools."""

from __future__ import annotations

from typing import Any

from .. import Snapshot
from ._conditions import check_foreseen, condition_of, one_condition, tag_of
from ._consent import agree
from ._edited import told
from ._output import put
from ._progress import Progress
from ._session import Where
from ._writing import begun, finished, unwritten


def removed(
    handle: Any,
    progress: Progress,
    where: Where,
    *,
    if_match: str | None,
    force: bool,
    dry_run: bool,
    yes: bool,
    no_wait: bool,
    timeout: float | None,
) -> None:
    """Delete a resource: the version that was asked about, if no condition was given."""
    one_condition(if_match, force)
    guard: dict[str, Any] = {"force": True} if force else {"if_match": tag_of(if_match)}
    with unwritten(handle):
        seen = handle.get_or_none(deadline=timeout)
    if seen is None:
        progress.say("absent: nothing to delete")
        return
    pinned = if_match is None and not force
    if dry_run:
        _foreseen(seen, tag_of(if_match), force)
        return
    agree(_question(seen, pinned=pinned), yes)
    if pinned:
        # Asked, somebody agreed to this version. Told --yes, each one goes under its own tag, until nobody was faster.
        guard = {"only_if": bool} if yes else {"if_match": seen}
    operation = begun(lambda seconds: handle.begin_delete(deadline=seconds, **guard), handle, timeout)
    result = finished(operation, progress, where, no_wait=no_wait)
    if result is not None:
        told(result, progress)


def _question(seen: Any, *, pinned: bool) -> str:
    if pinned:
        return f'Delete {seen.name} as it is now ({seen.provisioning_state}, eTag "{seen.version}")?'
    return f'Delete {seen.name}, of which there is now eTag "{seen.version}"?'


def _foreseen(seen: Snapshot, tag: str | None, force: bool) -> None:
    put(f"{seen.id}: would be deleted\ncondition: {condition_of(seen, tag, force=force)}")
    check_foreseen(seen, tag)
