# SPDX-License-Identifier: MIT
"""``nodepool``: the agent pools of a cluster."""

from __future__ import annotations

from typing import Final

from ._app import Lazy

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "add": ("_nodepool_writes", "Add an agent pool, never over one that exists."),
    "delete": ("_nodepool_writes", "Delete an agent pool, only as you have seen it."),
    "etag": ("_nodepool_reads", "Print the bare eTag of an agent pool."),
    "list": ("_nodepool_reads", "List the agent pools of a cluster, with their eTags."),
    "scale": ("_nodepool_writes", "Set the number of nodes."),
    "show": ("_nodepool_reads", "Show an agent pool."),
    "update": ("_nodepool_writes", "Change an agent pool without losing anybody's update."),
    "wait": ("_nodepool_reads", "Wait until an agent pool is in a state."),
}

nodepool = Lazy(
    name="nodepool",
    table=COMMANDS,
    package=__package__,
    help="Agent pools of a cluster.",
    epilog="\b\nExample:\n  aks-etag nodepool list -g RG --cluster-name NAME -o table",
)
