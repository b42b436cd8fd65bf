# SPDX-License-Identifier: MIT
"""From names on the command line to handles, and from snapshots to what is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._config import needed
from ._output import show
from ._session import Where
from ._shape import POOL_TABLE, TABLE, brief, flat

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


def printed(found: Snapshot | list[Snapshot], shown: str, query: str | None) -> None:
    """Print one or several in az's shape; of a table, the columns that count."""
    printed_shape(list(map(shape, found)) if isinstance(found, list) else shape(found), shown, query)


def printed_shape(found: dict[str, Any] | list[dict[str, Any]], shown: str, query: str | None) -> None:
    """Print what is in az's shape already."""
    if shown == "table" and query is None:
        several = found if isinstance(found, list) else [found]
        pools = any("/agentpools/" in each["id"].casefold() for each in several)
        rows = brief(several, POOL_TABLE if pools else TABLE)
        found = rows if isinstance(found, list) else rows[0]
    show(found, shown, query)
