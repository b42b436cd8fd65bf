# SPDX-License-Identifier: MIT
"""``create``: a cluster, with az's default pool."""

from __future__ import annotations

from typing import Any

import click

from . import _options
from ._arguments import split
from ._changes import document
from ._config import needed
from ._created import created
from ._handles import cluster_of
from ._session import Where, session


class AzFlags(click.Command):
    """Refuses by name what it does not know: a flag of az that is passed over in silence would be a wrong cluster."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise click.UsageError(
                f"aks-etag create does not know {error.option_name}: put what it says into a body and give --file, or "
                "create the cluster with az and change it here",
                ctx,
            ) from None


EXAMPLES = """\
\b
Examples:
  aks-etag create -g RG -n NAME --location westeurope
  aks-etag create -g RG -n NAME --file cluster.json --no-wait
"""


@click.command(cls=AzFlags, epilog=EXAMPLES)
@_options.cluster
@click.option("--file", "file", metavar="FILE|-", help="The whole ARM body of the cluster.")
@click.option("-l", "--location", metavar="REGION", help="Region; default: az configure.")
@click.option("-c", "--node-count", type=click.IntRange(min=0), default=3, show_default=True, help="Nodes of the pool.")
@click.option("-s", "--node-vm-size", metavar="SIZE", default="Standard_DS2_v2", show_default=True, help="VM size.")
@click.option("--nodepool-name", metavar="POOL", default="nodepool1", show_default=True, help="Name of the pool.")
@click.option("-k", "--kubernetes-version", metavar="VERSION", help="Version of Kubernetes.")
@click.option("-p", "--dns-name-prefix", metavar="PREFIX", help="Prefix of the API server's name.")
@click.option("--tier", type=click.Choice(["free", "standard", "premium"]), help="Tier of the control plane.")
@click.option("--tags", metavar="KEY=VALUE...", help="Tags.")
@click.option("--if-none-match", metavar="*", help="Said or not, a cluster that exists is never overwritten.")
@_options.waiting
@_options.output
@_options.where
def create(where: Where, resource_group: str | None, name: str, **asked: Any) -> None:
    """Create a cluster, never over one that exists (If-None-Match: *), with a managed identity and one pool."""
    body = _body(where, name, asked)
    with session(where) as (aks, progress):
        created(cluster_of(aks, where, resource_group, name), body, progress, **asked)


def _body(where: Where, name: str, asked: dict[str, Any]) -> dict[str, Any]:
    flags = ("file", "location", "node_count", "node_vm_size", "nodepool_name", "kubernetes_version", "dns_name_prefix")
    file, location, count, size, pool, version, prefix = (asked.pop(flag) for flag in flags)
    tier, tags = asked.pop("tier"), asked.pop("tags")
    if file is not None:
        found: dict[str, Any] = document(file, "--file", dict)
        return found
    profile = {"name": pool, "count": count, "vmSize": size, "mode": "System", "osType": "Linux"}
    properties: dict[str, Any] = {"dnsPrefix": prefix or f"{name}-dns"[:54], "agentPoolProfiles": [profile]}
    if version is not None:
        properties["kubernetesVersion"] = needed(version, None, "--kubernetes-version", "")
    body = {
        "location": needed(
            location, where.known.location, "--location", "give -l, or az configure --defaults location=…"
        ),
        "identity": {"type": "SystemAssigned"},
        "properties": properties,
    }
    body |= {"tags": dict(_pair(each) for each in split(tags))} if tags else {}
    return body | ({"sku": {"name": "Base", "tier": tier.capitalize()}} if tier else {})


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise click.UsageError(f"--tags {text!r} is not KEY=VALUE")
    return key, value
