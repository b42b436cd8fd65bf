# SPDX-License-Identifier: MIT
"""``show``, ``list``, ``etag``, ``wait`` and ``watch``."""

from __future__ import annotations

from typing import Any

import click

from . import _options
from ._awaited import conditions
from ._handles import cluster_of, printed, printed_shape
from ._output import put
from ._seen import seen
from ._session import Where, session


@click.command(
    epilog="\b\nExamples:\n  aks-etag show -g RG -n NAME\n"
    "  aks-etag show -g RG -n NAME --query agentPoolProfiles[].count -o tsv"
)
@_options.cluster
@_options.output
@_options.where
def show(where: Where, resource_group: str | None, name: str, shown: str, query: str | None) -> None:
    """Show a cluster, in the shape that az gives it."""
    printed_shape(seen(where, resource_group, name), shown, query)


@click.command(
    name="list",
    epilog="\b\nExamples:\n  aks-etag list -o table\n  aks-etag list -g RG --query '[].[name, eTag]' -o tsv",
)
@click.option("-g", "--resource-group", metavar="RG", help="Only those of a resource group; default: az configure.")
@_options.output
@_options.where
def list_(where: Where, resource_group: str | None, shown: str, query: str | None) -> None:
    """List the clusters of the subscription, or of one resource group; each with its eTag."""
    with session(where) as (aks, _):
        found = list(aks.clusters(resource_group or where.known.group))
    printed(found, shown, query)


@click.command(
    epilog="\b\nExample:\n  tag=$(aks-etag etag -g RG -n NAME)\n"
    '  aks-etag update -g RG -n NAME --if-match "$tag" --set tags.a=b'
)
@_options.cluster
@_options.where
def etag(where: Where, resource_group: str | None, name: str) -> None:
    """Print the bare eTag of a cluster, for scripts."""
    put(seen(where, resource_group, name, tagged=True)["eTag"])


@click.command(
    epilog="\b\nExamples:\n  aks-etag wait -g RG -n NAME --updated\n"
    "  aks-etag wait -g RG -n NAME --custom \"powerState.code=='Running'\""
)
@_options.cluster
@conditions
@_options.where
def wait(where: Where, resource_group: str | None, name: str, **wanted: Any) -> None:
    """Wait until a cluster is in a state."""
    from ._waits import waited

    with session(where) as (aks, _):
        waited(cluster_of(aks, where, resource_group, name), **wanted)


@click.command(epilog="\b\nExample:\n  aks-etag watch -g RG -n NAME")
@_options.cluster
@click.option("--interval", type=click.FloatRange(min=0), default=5.0, show_default=True, help="Seconds between looks.")
@click.option("--timeout", type=click.FloatRange(min=0), metavar="SECONDS", help="Stop after this.")
@_options.where
def watch(where: Where, resource_group: str | None, name: str, interval: float, timeout: float | None) -> None:
    """Show changes of a cluster and its pools as they happen, by path."""
    from ._watch import watched

    with session(where) as (aks, _):
        watched(cluster_of(aks, where, resource_group, name), interval, timeout)
