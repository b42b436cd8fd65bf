# SPDX-License-Identifier: MIT
"""``plan`` and ``apply``: a change that is looked at first, and carried out only if nothing has changed since."""

from __future__ import annotations

from typing import Any, Final

import click

from .. import MergeConflictError, PreconditionFailedError, Snapshot, diff, rebase
from .._core.changes import applied
from . import _options
from ._changes import Change, Edits
from ._consent import with_consent
from ._edited import foreseen, rehearsed, told
from ._handles import cluster_of, pool_of, printed
from ._plans import Plan, read_plan
from ._progress import Progress
from ._session import Where, session
from ._writing import finished, standing, unwritten, updated

PLAN_EXAMPLE: Final = (
    "\b\nExample:\n  aks-etag plan -g RG -n NAME --set tags.team=red -o plan.json\n  aks-etag apply plan.json"
)


@click.command(cls=_options.AzFlags, epilog=PLAN_EXAMPLE)
@click.option("-g", "--resource-group", metavar="RG", help="Resource group; default: az configure.")
@click.option("-n", "--name", "--cluster-name", "name", metavar="NAME", required=True, help="Name of the cluster.")
@click.option("--nodepool-name", metavar="POOL", help="A pool of it, if the change is of that.")
@_options.edits
@click.option("-o", "--out", metavar="FILE", required=True, help="Where to write the plan; - is stdout.")
@_options.where
def plan(where: Where, resource_group: str | None, name: str, nodepool_name: str | None, out: str, **said: Any) -> None:
    """Write down a change with the body it was made from and its eTag; nothing is changed.

    The file may hold what the change holds, passwords included: only you can read it.
    """
    change = Edits(**said).change(pool=nodepool_name is not None)
    with session(where) as (aks, progress):
        if nodepool_name is None:
            handle = cluster_of(aks, where, resource_group, name)
        else:
            handle = pool_of(aks, where, resource_group, name, nodepool_name)
        seen = handle.get()
        made = Plan.of(seen, rehearsed(handle, change, seen))
        made.write(out)
        for line in made.changes or ["nothing to change"]:
            progress.say(line)


@click.command(epilog="\b\nExamples:\n  aks-etag apply plan.json\n  aks-etag apply plan.json --rebase --dry-run")
@click.argument("plan_file", metavar="PLAN")
@click.option("--rebase", "rebased", is_flag=True, help="If it has changed since, replay the plan on what is there.")
@_options.rehearsal
@_options.confirmed
@_options.waiting
@_options.output
@_options.where
def apply(where: Where, plan_file: str, rebased: bool, timeout: float | None, dry_run: bool, **asked: Any) -> None:
    """Carry out a plan; refused if the eTag has moved since, unless --rebase replays it by three-way merge.

    A plan whose changes are there already is unchanged, whoever made them.
    """
    made = read_plan(plan_file)
    change = rebase(made.base, made.desired)
    with session(where, subscription=made.address.subscription_id) as (aks, progress):
        if aks.subscription_id.casefold() != made.address.subscription_id.casefold():
            raise click.UsageError("--subscription is another one than the plan's")
        handle = aks.at(made.resource)
        with unwritten(handle):
            seen = handle.get(deadline=timeout)
        tag = _pin(seen, made, change, rebased=rebased)
        if tag is None:
            _three_ways(seen, made, change, progress)
        if dry_run:
            foreseen(handle, progress, change, tag, force=False)
        else:
            _carried_out(handle, progress, where, change, tag, timeout, **asked)


def _carried_out(
    handle: Any,
    progress: Progress,
    where: Where,
    change: Change,
    tag: str | None,
    timeout: float | None,
    *,
    yes: bool,
    no_wait: bool,
    shown: str,
    query: str | None,
) -> None:
    begun = with_consent(lambda guarded: updated(handle, guarded, tag, force=False, timeout=timeout), change, yes)
    result = finished(begun, progress, where, no_wait=no_wait)
    if result is not None:
        told(result, progress)
        with standing(result.outcome):
            printed(result.snapshot, shown, query)


def _pin(seen: Snapshot, made: Plan, change: Change, *, rebased: bool) -> str | None:
    """Return the version that the plan is carried out on; ``None``: on whatever comes, by three-way merge.

    Raises:
        PreconditionFailedError: it was made for another one than is there.
    """
    if seen.version == made.tag:
        return made.tag
    if rebased:
        return None
    if _there(change, seen):
        return seen.etag
    raise PreconditionFailedError(
        f"{made.resource} has changed since the plan was made, so it was not carried out", sent=made.tag, current=seen
    )


def _there(change: Change, seen: Snapshot) -> bool:
    """Whether a change asks for nothing that is not there already."""
    try:
        return not diff(seen.body, applied(change, seen.body))
    except MergeConflictError:
        return False


def _three_ways(seen: Snapshot, made: Plan, change: Change, progress: Progress) -> None:
    """Show what was planned, what others did since, and what comes of both."""
    for title, before, after in (
        ("planned", made.base, made.desired),
        ("changed since by others", made.base, seen.body),
        ("to be written", seen.body, applied(change, seen.body)),
    ):
        progress.say(f"{title}:")
        for line in [str(each) for each in diff(before, after)] or ["nothing"]:
            progress.say(f"  {line}")
