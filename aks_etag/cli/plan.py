# SPDX-License-Identifier: MIT
"""``plan`` and ``apply``: a change that is looked at first, and carried out only if nothing has changed since."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import click

from .. import diff, rebase
from .._core.changes import applied
from . import _options
from ._changes import Edits, differences, document
from ._edited import told
from ._handles import cluster_of, pool_of, shape
from ._output import show
from ._session import Where, session
from ._writing import Change, finished, with_consent

FORMAT: Final = 1
PLAN_EXAMPLE = (
    "\b\nExample:\n  aks-etag plan -g RG -n NAME --set tags.team=red -o plan.json\n  aks-etag apply plan.json"
)


@click.command(epilog=PLAN_EXAMPLE)
@click.option("-g", "--resource-group", metavar="RG", help="Resource group; default: az configure.")
@click.option("-n", "--name", "--cluster-name", "name", metavar="NAME", required=True, help="Name of the cluster.")
@click.option("--nodepool-name", metavar="POOL", help="A pool of it, if the change is of that.")
@_options.edits
@click.option("-o", "--out", metavar="FILE", required=True, help="Where to write the plan; - is stdout.")
@_options.where
def plan(where: Where, resource_group: str | None, name: str, nodepool_name: str | None, out: str, **said: Any) -> None:
    """Write down a change with the body it was made from and its eTag; nothing is changed."""
    change = Edits(**said).change(pool=nodepool_name is not None)
    with session(where) as (aks, progress):
        if nodepool_name is None:
            handle = cluster_of(aks, where, resource_group, name)
        else:
            handle = pool_of(aks, where, resource_group, name, nodepool_name)
        seen = handle.get()
        desired = applied(change, seen.body)
        lines = differences(seen.body, desired)
        content = {
            "aks-etag-plan": FORMAT,
            "resource": seen.id,
            "eTag": seen.etag,
            "changes": lines,
            "base": seen.body,
            "desired": desired,
        }
        text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
        _write(out, text)
        for line in lines or ["nothing to change"]:
            progress.say(line)


@click.command(epilog="\b\nExamples:\n  aks-etag apply plan.json\n  aks-etag apply plan.json --rebase")
@click.argument("plan_file", metavar="PLAN")
@click.option("--rebase", "rebased", is_flag=True, help="If it has changed since, replay the plan on what is there.")
@_options.confirmed
@_options.waiting
@_options.output
@_options.where
def apply(
    where: Where,
    plan_file: str,
    rebased: bool,
    yes: bool,
    no_wait: bool,
    timeout: float | None,
    shown: str,
    query: str | None,
) -> None:
    """Carry out a plan; refused if the eTag has moved since, unless --rebase replays it by three-way merge."""
    read = document(plan_file, "PLAN", dict)
    if read.get("aks-etag-plan") != FORMAT or not {"resource", "eTag", "base", "desired"} <= read.keys():
        raise click.UsageError(f"{plan_file} is no plan of aks-etag")
    change = rebase(read["base"], read["desired"])
    with session(where) as (aks, progress):
        handle = aks.at(read["resource"])
        if rebased:
            _three_ways(handle, read, change, progress)

        pin = {} if rebased else {"if_match": read["eTag"]}

        def write(guarded: Change) -> Any:
            return handle.begin_update(guarded, deadline=timeout, **pin)

        result = finished(with_consent(write, change, yes), progress, no_wait=no_wait, timeout=timeout)
        if result is not None:
            told(result, progress)
    if result is not None:
        show(shape(result.snapshot), shown, query)


def _three_ways(handle: Any, read: dict[str, Any], change: Any, progress: Any) -> None:
    """Show what was planned, what others did since, and what comes of both."""
    seen = handle.get()
    if seen.etag == read["eTag"]:
        return
    for title, before, after in (
        ("planned", read["base"], read["desired"]),
        ("changed since by others", read["base"], seen.body),
        ("to be written", seen.body, applied(change, seen.body)),
    ):
        progress.say(f"{title}:")
        for line in [str(each) for each in diff(before, after)] or ["nothing"]:
            progress.say(f"  {line}")


def _write(out: str, text: str) -> None:
    if out == "-":
        click.echo(text, nl=False)
        return
    try:
        Path(out).write_text(text, "utf-8")
    except OSError as error:
        raise click.UsageError(f"--out {out}: {error.strerror}") from None
