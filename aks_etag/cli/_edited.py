# SPDX-License-Identifier: MIT
"""The body of ``update`` for clusters and pools."""

from __future__ import annotations

from typing import Any

import click

from .._core.changes import applied
from ._changes import Edits, differences
from ._handles import shape
from ._output import show
from ._progress import Progress
from ._writing import Change, finished, one_condition, tag_of, updated, with_consent


def edited(
    handle: Any,
    progress: Progress,
    *,
    pool: bool,
    sets: tuple[str, ...],
    adds: tuple[str, ...],
    removes: tuple[str, ...],
    patch: str | None,
    json_patch: str | None,
    file: str | None,
    base: str | None,
    **how: Any,
) -> None:
    """Change a resource as the options say."""
    edits = Edits(sets=sets, adds=adds, removes=removes, patch=patch, json_patch=json_patch, file=file, base=base)
    written(handle, progress, edits.change(pool=pool), **how)


def written(
    handle: Any,
    progress: Progress,
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
    tag = tag_of(if_match)
    if dry_run:
        foreseen(handle, change, tag, force)
        return

    def write(guarded: Change) -> Any:
        return updated(handle, guarded, tag, force, timeout)

    result = finished(with_consent(write, change, yes), progress, no_wait=no_wait, timeout=timeout)
    if result is None:
        return
    told(result, progress)
    if result.snapshot is not None:
        show(shape(result.snapshot), shown, query)


def told(result: Any, progress: Progress) -> None:
    """Say what became of a write where that is not plain, and with -v under which condition it went out."""
    if result.outcome in ("unchanged", "satisfied"):
        progress.say(f"{result.outcome}: nothing to do")
    found = f", found out by {result.recovered}" if result.recovered else ""
    counts = f"{result.attempts} writes, {result.conflicts} conflicts, {result.waited:.0f} s waited"
    progress.note(f"{result.outcome}: {result.condition or 'no condition'}, {counts}{found}")


def foreseen(handle: Any, change: Change, tag: str | None, force: bool) -> None:
    """Print what a change would do, and the condition that it would go out under."""
    seen = handle.get()
    lines = differences(seen.body, applied(change, seen.body))
    for line in lines or ["nothing to change"]:
        click.echo(line)
    condition = "none (--force)" if force else f"If-Match: {tag or seen.etag}"
    if lines:
        click.echo(f"condition: {condition}")
    if tag not in (None, "*", seen.etag):
        click.echo(f'note: there is now "{seen.etag}": this would be refused with 412', err=True)
