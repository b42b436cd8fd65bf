# SPDX-License-Identifier: MIT
"""The reading half of ``nodepool``."""

from __future__ import annotations

from typing import Any

import click

from . import _options
from ._awaited import conditions
from ._handles import cluster_of, pool_of, printed, printed_shape
from ._output import put
from ._seen import seen
from ._session import Where, session


@click.command(epilog="\b\nExample:\n  aks-etag nodepool show -g RG --cluster-name NAME -n np1 --query count")
@_options.pool
@_options.output
@_options.where
def show(where: Where, resource_group: str | None, cluster_name: str, name: str, shown: str, query: str | None) -> None:
    """Show an agent pool, in the shape that az gives it."""
    printed_shape(seen(where, resource_group, cluster_name, name), shown, query)


@click.command(name="list", epilog="\b\nExample:\n  aks-etag nodepool list -g RG --cluster-name NAME -o table")
@click.option("-g", "--resource-group", metavar="RG", help="Resource group; default: az configure.")
@click.option("--cluster-name", metavar="NAME", required=True, help="Name of the cluster.")
@_options.output
@_options.where
def list_(where: Where, resource_group: str | None, cluster_name: str, shown: str, query: str | None) -> None:
    """List the agent pools of a cluster; each with its eTag."""
    with session(where) as (aks, _):
        found = list(cluster_of(aks, where, resource_group, cluster_name).agent_pools())
    printed(found, shown, query)


@click.command(epilog="\b\nExample:\n  tag=$(aks-etag nodepool etag -g RG --cluster-name NAME -n np1)")
@_options.pool
@_options.where
def etag(where: Where, resource_group: str | None, cluster_name: str, name: str) -> None:
    """Print the bare eTag of an agent pool, for scripts."""
    put(seen(where, resource_group, cluster_name, name, tagged=True)["eTag"])


@click.command(epilog="\b\nExample:\n  aks-etag nodepool wait -g RG --cluster-name NAME -n np1 --custom 'count==`5`'")
@_options.pool
@conditions
@_options.where
def wait(where: Where, resource_group: str | None, cluster_name: str, name: str, **wanted: Any) -> None:
    """Wait until an agent pool is in a state."""
    from ._waits import waited

    with session(where) as (aks, _):
        waited(pool_of(aks, where, resource_group, cluster_name, name), **wanted)
