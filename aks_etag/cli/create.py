# SPDX-License-Identifier: MIT
"""``create``: a cluster, with az's default pool."""

from __future__ import annotations

from typing import Any, Final

import click

from . import _options
from ._arguments import split
from ._config import needed
from ._created import created, from_file
from ._handles import cluster_of
from ._session import Where, session
from ._tags import pair

EXAMPLES = """\
\b
Examples:
  aks-etag create -g RG -n NAME --location westeurope
  aks-etag create -g RG -n NAME --file cluster.json --no-wait
"""


NO_LOCATION: Final = "give -l, or az configure --defaults location=…"


@click.command(cls=_options.AzFlags, epilog=EXAMPLES)
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
@_options.rehearsal
@_options.waiting
@_options.output
@_options.where
def create(where: Where, resource_group: str | None, name: str, **asked: Any) -> None:
    """Create a cluster, never over one that exists (If-None-Match: *), with a managed identity and one pool."""
    body = _body(where, name, asked)
    with session(where) as (aks, progress):
        created(cluster_of(aks, where, resource_group, name), body, progress, where, **asked)


FLAGS: Final = {
    "location": "--location",
    "node_count": "--node-count",
    "node_vm_size": "--node-vm-size",
    "nodepool_name": "--nodepool-name",
    "kubernetes_version": "--kubernetes-version",
    "dns_name_prefix": "--dns-name-prefix",
    "tier": "--tier",
    "tags": "--tags",
}


def _body(where: Where, name: str, asked: dict[str, Any]) -> dict[str, Any]:
    file = asked.pop("file")
    said = {flag: asked.pop(flag) for flag in FLAGS}
    if file is not None:
        return from_file(file, FLAGS, pool=False)
    region = needed(said["location"], where.known.location, "--location", NO_LOCATION)
    body = {"location": region, "identity": {"type": "SystemAssigned"}, "properties": _properties(name, said)}
    if said["tags"]:
        body["tags"] = dict(_pair(each) for each in split(said["tags"]))
    if said["tier"]:
        body["sku"] = {"name": "Base", "tier": said["tier"].capitalize()}
    return body


def _properties(name: str, said: dict[str, Any]) -> dict[str, Any]:
    profile = {
        "name": said["nodepool_name"],
        "count": said["node_count"],
        "vmSize": said["node_vm_size"],
        "mode": "System",
        "osType": "Linux",
    }
    version = said["kubernetes_version"]
    # The service allows 54 characters, the last of them no hyphen.
    prefix = said["dns_name_prefix"] or f"{name}-dns"[:54].rstrip("-")
    shown = {} if version is None else {"kubernetesVersion": version}
    return {"dnsPrefix": prefix, "agentPoolProfiles": [profile], **shown}


def _pair(text: str) -> tuple[str, str]:
    try:
        key, value = pair(text)
    except ValueError as error:
        raise click.UsageError(f"--tags {text!r}: {error}") from None
    return key, value
