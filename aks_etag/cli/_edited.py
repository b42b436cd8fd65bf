# SPDX-License-Identifier: MIT
"""The body of ``update`` for clusters and pools."""

from __future__ import annotations

from typing import Any

from .._core.changes import applied
from .._flows.rounds import check_age
from ._changes import Change, Edits, differences
from ._conditions import check_foreseen, condition_of, one_condition, tag_of, version_of
from ._consent import taken, with_consent
from ._handles import printed
from ._output import put
from ._progress import Progress
from ._session import Where
from ._writing import finished, standing, updated


def edited(
    handle: Any,
    progress: Progress,
    where: Where,
    *,
    pool: bool,
    sets: tuple[str, ...],
    adds: tuple[str, ...],
    removes: tuple[str, ...],
    patch: str | None,
    json_patch: str | None,
    file: str | None,
    base: str | None,
    force_string: bool,
    **how: Any,
) -> None:
    """Change a resource as the options say."""
    edits = Edits(
        sets=sets,
        adds=adds,
        removes=removes,
        patch=patch,
        json_patch=json_patch,
        file=file,
        base=base,
        force_string=force_string,
    )
    written(handle, progress, where, edits.change(pool=pool), **how)


def written(
    handle: Any,
    progress: Progress,
    where: Where,
    change: Change,
    *,
    if_match: str | None,
    force: bool,
    dry_run: bool,
    yes: bool,
    no_wait: bool,
    timeout: float | None,
    shown: str,
    query: str | None,
) -> None:
    """Write a change, or only say what it would be."""
    one_condition(if_match, force)
    tag = version_of(change, tag_of(if_match), force, handle)
    if dry_run:
        foreseen(handle, progress, change, tag, force=force)
        return
    begun = with_consent(lambda guarded: updated(handle, guarded, tag, force=force, timeout=timeout), change, yes)
    result = finished(begun, progress, where, no_wait=no_wait)
    if result is None:
        return
    told(result, progress)
    if result.snapshot is not None:
        with standing(result.outcome):
            printed(result.snapshot, shown, query)


def told(result: Any, progress: Progress) -> None:
    """Say what became of a write where that is not plain, and with -v under which condition it went out."""
    if result.outcome in ("unchanged", "satisfied", "absent"):
        progress.say(f"{result.outcome}: nothing to do")
    found = f", found out by {result.recovered}" if result.recovered else ""
    attempts = f"{result.attempts} {'write' if result.attempts == 1 else 'writes'}"
    counts = f"{attempts}, {result.conflicts} conflicts, {result.waited:.0f} s waited"
    progress.note(f"{result.outcome}: {result.condition or 'no condition'}, {counts}{found}")


def foreseen(handle: Any, progress: Progress, change: Change, tag: str | None, *, force: bool) -> None:
    """Print what a change would do, and the condition that it would go out under.

    Raises:
        PreconditionFailedError: it would not be carried out, since another version is there.
    """
    seen = handle.get()
    lines = differences(seen.body, rehearsed(handle, change, seen, unguarded=force or tag == "*"))
    condition = condition_of(seen, tag, force=force)
    put("\n".join([*lines, f"condition: {condition}"] if lines else ["nothing to change"]))
    nodes = taken(change, seen.body)
    if nodes is not None:
        progress.say(f"this takes nodes away, and asks before it does: {nodes}")
    check_foreseen(seen, tag)


def rehearsed(handle: Any, change: Change, seen: Any, *, unguarded: bool = False) -> dict[str, Any]:
    """Return what a change makes of a body, refused for all that the write itself would be refused for."""
    resource = handle._calls.resource()
    desired: dict[str, Any] = applied(change, seen.body)
    if not unguarded:
        check_age(resource, desired, seen.etag)
    resource.check_edit(seen.body, desired)
    return desired
