# SPDX-License-Identifier: MIT
"""``tag``: set or remove tags of a cluster."""

from __future__ import annotations

import click

from . import _options
from ._handles import cluster_of, shape
from ._output import show
from ._session import Where, session


@click.command(
    epilog="\b\nExamples:\n  aks-etag tag -g RG -n NAME team=red cost-center=42\n  aks-etag tag -g RG -n NAME old-"
)
@_options.cluster
@click.argument("tags", nargs=-1, required=True, metavar="KEY=VALUE|KEY-...")
@_options.output
@_options.where
def tag(
    where: Where, resource_group: str | None, name: str, tags: tuple[str, ...], shown: str, query: str | None
) -> None:
    """Set tags of a cluster; KEY- removes one. Other tags stay as they are."""
    wanted = dict(map(_read, tags))
    with session(where) as (aks, progress):
        result = cluster_of(aks, where, resource_group, name).update_tags(wanted)
        if result.outcome == "unchanged":
            progress.say("unchanged: nothing to do")
    if result.snapshot is not None:
        show(shape(result.snapshot).get("tags") or {}, shown, query)


def _read(word: str) -> tuple[str, str | None]:
    key, equals, value = word.partition("=")
    if equals and key:
        return key, value
    if word.endswith("-") and len(word) > 1:
        return word[:-1], None
    raise click.UsageError(f"{word!r} is neither KEY=VALUE nor KEY-")
