# SPDX-License-Identifier: MIT
"""``tag``: set or remove tags of a cluster."""

from __future__ import annotations

from typing import Any

import click

from .. import merge_patch
from . import _options
from ._edited import told, written
from ._handles import cluster_of
from ._output import show
from ._progress import Progress
from ._session import Where, session
from ._shape import flat
from ._tags import change
from ._writing import Begun, begun, standing


@click.command(
    epilog="\b\nExamples:\n  aks-etag tag -g RG -n NAME team=red cost-center=42\n  aks-etag tag -g RG -n NAME old-"
)
@_options.cluster
@click.argument("tags", nargs=-1, required=True, metavar="KEY=VALUE|KEY-...")
@_options.condition
@_options.rehearsal
@_options.waiting
@_options.output
@_options.where
def tag(where: Where, resource_group: str | None, name: str, tags: tuple[str, ...], **asked: Any) -> None:
    """Set tags of a cluster, and print them; KEY- removes one. Other tags stay as they are.

    Without a condition they go out by PATCH, guarded by the eTag of a read, and again until nobody was faster.
    """
    wanted = dict(map(_read, tags))
    with session(where) as (aks, progress):
        handle = cluster_of(aks, where, resource_group, name)
        if any(asked[word] for word in ("if_match", "force", "dry_run", "no_wait")):
            asked["query"] = f"tags | {asked['query']}" if asked["query"] else "tags"
            written(handle, progress, where, merge_patch({"tags": wanted}), yes=True, **asked)
        else:
            _patched(handle, progress, wanted, asked)


def _patched(handle: Any, progress: Progress, wanted: dict[str, str | None], asked: dict[str, Any]) -> None:
    def update(seconds: float | None) -> Any:
        return handle.update_tags(wanted, deadline=seconds)

    done: Begun = begun(update, handle, asked["timeout"])
    result = done.operation
    told(result, progress)
    tags = flat(result.snapshot.body, "").get("tags") or {}
    with standing(result.outcome):
        show(tags, asked["shown"], asked["query"])


def _read(word: str) -> tuple[str, str | None]:
    try:
        return change(word)
    except ValueError as error:
        raise click.UsageError(f"{word!r} is neither KEY=VALUE nor KEY-: {error}") from None
