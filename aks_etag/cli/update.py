# SPDX-License-Identifier: MIT
"""``update``: change a cluster."""

from __future__ import annotations

from typing import Any

import click

from . import _options
from ._edited import edited
from ._handles import cluster_of
from ._session import Where, session

EXAMPLES = """\
\b
Examples:
  aks-etag update -g RG -n NAME --set tags.team=red sku.tier=Standard
  aks-etag update -g RG -n NAME --patch change.json --dry-run
  aks-etag update -g RG -n NAME --if-match "$tag" --remove tags.old
"""


@click.command(cls=_options.AzFlags, epilog=EXAMPLES)
@_options.cluster
@_options.edits
@_options.condition
@_options.rehearsal
@_options.confirmed
@_options.waiting
@_options.output
@_options.where
def update(where: Where, resource_group: str | None, name: str, **asked: Any) -> None:
    """Change a cluster without losing anybody's update.

    Without a condition it reads, changes and writes under the eTag of that read, again until nobody was faster. With
    one it is a single attempt.
    """
    with session(where) as (aks, progress):
        edited(cluster_of(aks, where, resource_group, name), progress, where, pool=False, **asked)
