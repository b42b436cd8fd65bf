# SPDX-License-Identifier: MIT
"""From names on the command line to handles, and from snapshots to what is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._config import needed
from ._session import Where
from ._shape import flat

if TYPE_CHECKING:
    from .. import AksClient, Snapshot


def group_of(where: Where, resource_group: str | None) -> str:
    """Return the resource group that was said, or that az was told before."""
    return needed(resource_group, where.known.group, "--resource-group", "give -g, or az configure --defaults group=RG")


def cluster_of(aks: AksClient, where: Where, resource_group: str | None, name: str) -> Any:
    """Return the handle of a cluster."""
    return aks.cluster(group_of(where, resource_group), needed(name, None, "--name", ""))


def pool_of(aks: AksClient, where: Where, resource_group: str | None, cluster_name: str, name: str) -> Any:
    """Return the handle of an agent pool."""
    cluster = aks.cluster(group_of(where, resource_group), needed(cluster_name, None, "--cluster-name", ""))
    return cluster.agent_pool(needed(name, None, "--name", ""))


def shape(seen: Snapshot) -> dict[str, Any]:
    """Return az's shape of a snapshot."""
    return flat(seen.body, seen.resource_group)
