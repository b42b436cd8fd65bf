# SPDX-License-Identifier: MIT
"""``verify``: hold a recorded history against what was there before and after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from ._documents import document
from ._exits import Exit
from ._output import show
from ._shape import deep

if TYPE_CHECKING:
    from ..history import Report

EPILOG = """\
\b
Examples:
  aks-etag verify history.jsonl
  aks-etag nodepool list -g RG --cluster-name NAME > before.json
  aks-etag nodepool list -g RG --cluster-name NAME > after.json
  aks-etag verify history.jsonl --before before.json --after after.json

\b
Exit codes: 0 clean, 1 anomalies were found, 2 it is no history.
"""


@click.command(epilog=EPILOG)
@click.argument("history", metavar="HISTORY")
@click.option("--before", multiple=True, metavar="FILE", help="What was there first, as show and list print it.")
@click.option("--after", multiple=True, metavar="FILE", help="What was there when all was over.")
@click.option(
    "-o", "--output", "shown", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Format."
)
def verify(history: str, before: tuple[str, ...], after: tuple[str, ...], shown: str) -> int:
    """Check a history that AksClient(history=...) recorded for lost, doubled and denied writes.

    With --before and --after, what was acknowledged must explain the difference; all writers must have been recorded.
    Without them, only what the history says by itself is summed up.
    """
    from ..history import check

    if bool(before) != bool(after):
        raise click.UsageError("--before and --after belong together")
    _refuse_others(history)
    report = check(history, initial=_state(before, "--before"), final=_state(after, "--after"))
    if shown == "json":
        show({"clean": report.clean, **asdict(report)}, "json", None)
    else:
        click.echo(str(report))
        _say(report, compared=bool(before))
    return Exit.DONE if report.clean else Exit.OTHER


def _refuse_others(path: str) -> None:
    """Refuse a file that does not begin as a history does."""
    from ..history._file import VERSION, lines

    try:
        first = next(lines(path), None)
    except OSError as error:
        raise click.UsageError(f"HISTORY {path}: {error.strerror}") from None
    if first is None:
        raise click.UsageError(f"HISTORY {path}: it is empty; a history begins with a line of its own")
    if first.get("line") != "history" or not _is_key(first.get("key")):
        raise click.UsageError(f"HISTORY {path}: line 1 is not the one that a history begins with")
    if first.get("version") != VERSION:
        raise click.UsageError(f"HISTORY {path}: line 1 says version {first.get('version')}, known is {VERSION}")


def _is_key(text: object) -> bool:
    try:
        return bool(bytes.fromhex(str(text)))
    except ValueError:
        return False


def _state(files: tuple[str, ...], option: str) -> dict[str, Mapping[str, Any]] | None:
    """Read what was there: one resource or a list of them in each file, in az's shape or in ARM's."""
    if not files:
        return None
    found: dict[str, Mapping[str, Any]] = {}
    for path in files:
        read = document(path, option, object)
        for body in read if isinstance(read, list) else [read]:
            if not isinstance(body, dict) or not isinstance(body.get("id"), str):
                raise click.UsageError(f"{option} {path}: it is no cluster or agent pool, nor a list of them")
            pool = "/agentpools/" in body["id"].casefold()
            found[body["id"]] = body if "properties" in body else deep(body, pool=pool)
    return found


def _say(report: Report, *, compared: bool) -> None:
    if report.strays:
        click.echo("note: lines that cannot be read belong to a process that was killed, or to another file", err=True)
    if not compared:
        click.echo("note: nothing to hold it against: give --before and --after", err=True)
