# SPDX-License-Identifier: MIT
"""``delete``: a cluster, only as it was seen."""

from __future__ import annotations

from typing import Any

import click

from . import _options
from ._handles import cluster_of
from ._removed import removed
from ._session import Where, session


@click.command(
    epilog='\b\nExamples:\n  aks-etag delete -g RG -n NAME\n  aks-etag delete -g RG -n NAME --if-match "$tag" --yes'
)
@_options.cluster
@_options.condition
@_options.rehearsal
@_options.confirmed
@_options.waiting
@_options.where
def delete(where: Where, resource_group: str | None, name: str, **asked: Any) -> None:
    """Delete a cluster. Without a condition: the version that it asks you about, and no other."""
    with session(where) as (aks, progress):
        removed(cluster_of(aks, where, resource_group, name), progress, where, **asked)
