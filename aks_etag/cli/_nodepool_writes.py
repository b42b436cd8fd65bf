# SPDX-License-Identifier: MIT
"""The writing half of ``nodepool``."""

from __future__ import annotations

from typing import Any, Final

import click

from .. import merge_patch
from . import _options
from ._created import created, from_file
from ._edited import edited, written
from ._handles import pool_of
from ._removed import removed
from ._session import Where, session


@click.command(
    cls=_options.AzFlags,
    epilog="\b\nExamples:\n  aks-etag nodepool update -g RG --cluster-name NAME -n np1 --set maxPods=50\n"
    "  aks-etag nodepool update -g RG --cluster-name NAME -n np1 --add nodeTaints key=value:NoSchedule --dry-run",
)
@_options.pool
@_options.edits
@_options.condition
@_options.rehearsal
@_options.confirmed
@_options.waiting
@_options.output
@_options.where
def update(where: Where, resource_group: str | None, cluster_name: str, name: str, **asked: Any) -> None:
    """Change an agent pool without losing anybody's update; see aks-etag update."""
    with session(where) as (aks, progress):
        edited(pool_of(aks, where, resource_group, cluster_name, name), progress, where, pool=True, **asked)


@click.command(
    cls=_options.AzFlags,
    epilog="\b\nExample:\n  aks-etag nodepool scale -g RG --cluster-name NAME -n np1 --node-count 5",
)
@_options.pool
@click.option("-c", "--node-count", type=click.IntRange(min=0), required=True, help="Number of nodes.")
@_options.condition
@_options.rehearsal
@_options.confirmed
@_options.waiting
@_options.output
@_options.where
def scale(
    where: Where, resource_group: str | None, cluster_name: str, name: str, node_count: int, **asked: Any
) -> None:
    """Set the number of nodes; fewer than now are asked about."""
    change = merge_patch({"properties": {"count": node_count}})
    with session(where) as (aks, progress):
        written(pool_of(aks, where, resource_group, cluster_name, name), progress, where, change, **asked)


@click.command(epilog="\b\nExample:\n  aks-etag nodepool delete -g RG --cluster-name NAME -n np1")
@_options.pool
@_options.condition
@_options.rehearsal
@_options.confirmed
@_options.waiting
@_options.where
def delete(where: Where, resource_group: str | None, cluster_name: str, name: str, **asked: Any) -> None:
    """Delete an agent pool. Without a condition: the version that it asks you about, and no other."""
    with session(where) as (aks, progress):
        removed(pool_of(aks, where, resource_group, cluster_name, name), progress, where, **asked)


@click.command(
    cls=_options.AzFlags,
    epilog="\b\nExamples:\n  aks-etag nodepool add -g RG --cluster-name NAME -n np2 --node-count 3\n"
    "  aks-etag nodepool add -g RG --cluster-name NAME -n np2 --file pool.json",
)
@_options.pool
@click.option("--file", "file", metavar="FILE|-", help="The whole ARM body of the pool.")
@click.option("-c", "--node-count", type=click.IntRange(min=0), default=3, show_default=True, help="Number of nodes.")
@click.option("-s", "--node-vm-size", metavar="SIZE", default="Standard_DS2_v2", show_default=True, help="VM size.")
@click.option(
    "--mode", type=click.Choice(["User", "System"]), default="User", show_default=True, help="Mode of the pool."
)
@click.option("--os-type", type=click.Choice(["Linux", "Windows"]), default="Linux", show_default=True, help="OS.")
@click.option("--max-pods", type=click.IntRange(min=1), help="Pods per node.")
@click.option("--if-none-match", metavar="*", help="Said or not, a pool that exists is never overwritten.")
@_options.rehearsal
@_options.waiting
@_options.output
@_options.where
def add(where: Where, resource_group: str | None, cluster_name: str, name: str, **asked: Any) -> None:
    """Add an agent pool, never over one that exists (If-None-Match: *)."""
    body = _body(asked)
    with session(where) as (aks, progress):
        created(pool_of(aks, where, resource_group, cluster_name, name), body, progress, where, **asked)


FLAGS: Final = {
    "node_count": "--node-count",
    "node_vm_size": "--node-vm-size",
    "mode": "--mode",
    "os_type": "--os-type",
    "max_pods": "--max-pods",
}
_FIELDS: Final = {"node_count": "count", "node_vm_size": "vmSize", "os_type": "osType", "max_pods": "maxPods"}


def _body(asked: dict[str, Any]) -> dict[str, Any]:
    file = asked.pop("file")
    said = {flag: asked.pop(flag) for flag in FLAGS}
    if file is not None:
        return from_file(file, FLAGS, pool=True)
    return {"properties": {_FIELDS.get(flag, flag): value for flag, value in said.items() if value is not None}}
