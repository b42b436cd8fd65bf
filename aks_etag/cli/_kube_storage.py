# SPDX-License-Identifier: MIT
"""``kube migrate-storage`` and ``check-storage``."""

from __future__ import annotations

from dataclasses import asdict
from datetime import time
from typing import Any

import click

from ._exits import Exit
from ._kube_session import Cluster, session, where
from ._options import output
from ._output import show


@click.command(name="check-storage", epilog="\b\nExample:\n  aks-etag kube check-storage widgets.example.com v1beta1")
@click.argument("definition", metavar="CRD")
@click.argument("version")
@output
@where
def check_storage(where: Cluster, definition: str, version: str, shown: str, query: str | None) -> int:
    """Say whether a version of a CRD may be removed; the exit code is 1 if it may not."""
    from ..kubernetes.migration import check_storage

    with session(where) as (kube, _):
        verdict = check_storage(kube, definition, version)
    show({"removable": verdict.removable, **asdict(verdict)}, shown, query)
    return Exit.DONE if verdict.removable else Exit.OTHER


@click.command(
    name="migrate-storage",
    epilog="\b\nExamples:\n  aks-etag kube migrate-storage widgets.example.com --to v1 --dry-run\n"
    "  aks-etag kube migrate-storage widgets.example.com --to v1 --journal run.db --concurrency 8",
)
@click.argument("definition", metavar="CRD")
@click.option("--to", metavar="VERSION", required=True, help="The version to store from now on.")
@click.option("--journal", metavar="FILE", help="Remember here how far it is, to go on after a stop.")
@click.option("--chunk", type=click.IntRange(min=1), default=500, show_default=True, help="Objects listed at once.")
@click.option(
    "--concurrency", type=click.IntRange(min=1), default=1, show_default=True, help="Objects written at a time."
)
@click.option("--rate", type=click.FloatRange(min=0, min_open=True), help="Writes per second.")
@click.option(
    "--settle", type=click.FloatRange(min=0), default=5.0, show_default=True, help="Seconds for replicas to learn."
)
@click.option("--window", metavar="HH:MM-HH:MM", help="Write only then, every day, in UTC.")
@click.option("--keep-old", is_flag=True, help="Leave the old versions in the definition.")
@click.option("--dry-run", is_flag=True, help="Only say what would be lost, added and refused.")
@output
@where
def migrate_storage(
    where: Cluster,
    definition: str,
    dry_run: bool,
    keep_old: bool,
    window: str | None,
    shown: str,
    query: str | None,
    **how: Any,
) -> int:
    """Move all stored objects of a CRD to another version, and remove the old ones once nothing needs them."""
    from ..kubernetes.migration import Migration

    with session(where) as (kube, progress):
        hours = None if window is None else _hours(window)

        def told(news: Any) -> None:
            progress.status(_words(news))

        with Migration(kube, definition, window=hours, remove_old=not keep_old, on_progress=told, **how) as migration:
            if dry_run:
                found = migration.preflight()
                show({"clean": found.clean, **asdict(found)}, shown, query)
                return Exit.DONE if found.clean else Exit.OTHER
            report = _run(migration, how["journal"])
    show(asdict(report), shown, query)
    return Exit.DONE if report.finished else Exit.OTHER


def _run(migration: Any, journal: str | None) -> Any:
    try:
        return migration.run()
    except KeyboardInterrupt as reason:
        reason.add_note(
            f"run it again with --journal {journal}: it goes on where it was"
            if journal
            else "run it again: without --journal it begins anew, and what was moved stays moved"
        )
        raise


def _words(told: Any) -> str:
    """Say how far a migration is."""
    if not told.done:
        return str(told.phase)
    of = f"{told.done}/{told.total if told.total is not None else '?'}"
    left = f", {told.eta:.0f} s left" if told.eta and told.eta >= 1 else ""
    return f"{told.phase} {of}, {told.moved} moved, {told.conflicts} conflicts, {told.problems} problems{left}"


def _hours(window: str) -> tuple[time, time]:
    try:
        start, end = (time.fromisoformat(each.strip()) for each in window.split("-"))
    except ValueError:
        raise click.UsageError(f"--window {window!r} is not HH:MM-HH:MM") from None
    return start, end
