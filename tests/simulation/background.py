# SPDX-License-Identifier: MIT
"""Others who write, without asking: policies, autoscalers, people at a portal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from aks_etag.mock import MockAks

Edit = Callable[[dict[str, Any]], None]


def _policy_tag(body: dict[str, Any]) -> None:
    body["properties"].setdefault("tags", {})["policy"] = "on"


def _policy_untag(body: dict[str, Any]) -> None:
    body["properties"]["tags"] = {}


def _autoscale(body: dict[str, Any]) -> None:
    body["properties"]["count"] += 1


def _revert(body: dict[str, Any]) -> None:
    """Put back what the pool was in the beginning."""
    properties = body["properties"]
    properties["count"] = 3
    for name in ("tags", "nodeLabels", "nodeTaints"):
        properties.pop(name, None)


def _cluster_tag(body: dict[str, Any]) -> None:
    body.setdefault("tags", {})["policy"] = "on"


def _cluster_untag(body: dict[str, Any]) -> None:
    body["tags"] = {}


def _cluster_revert(body: dict[str, Any]) -> None:
    body["tags"] = {"policy": "on"}


POOL_EDITS: Final[Mapping[str, Edit]] = {
    "policy tag": _policy_tag,
    "policy untag": _policy_untag,
    "autoscale": _autoscale,
    "revert": _revert,
}
CLUSTER_EDITS: Final[Mapping[str, Edit]] = {
    "cluster tag": _cluster_tag,
    "cluster untag": _cluster_untag,
    "cluster revert": _cluster_revert,
}


def happen(mock: MockAks, kind: str) -> None:
    """Let one of them do something.

    Raises:
        LookupError: there was nothing to do it to.
    """
    pools = [profile["name"] for profile in mock.body("rg", "prod")["properties"]["agentPoolProfiles"]]
    pool = "np9" if "np9" in pools else "np1"
    if kind in CLUSTER_EDITS:
        mock.edit("rg", "prod", change=_without_pools(CLUSTER_EDITS[kind]))
    elif kind == "busy":
        mock.set_state("rg", "prod", state="Updating")
    elif kind == "idle":
        mock.set_state("rg", "prod", state="Succeeded")
    elif kind == "delete":
        mock.delete("rg", "prod", "np9")
    else:
        mock.edit("rg", "prod", pool, POOL_EDITS[kind])


def _without_pools(edit: Edit) -> Edit:
    def change(body: dict[str, Any]) -> None:
        body["properties"].pop("agentPoolProfiles", None)
        edit(body)

    return change
