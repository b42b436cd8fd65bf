# SPDX-License-Identifier: MIT
"""Writers that every AKS has besides you, for ``MockAks.background``."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, Final

from aks_etag.mock._core.background import Writer
from aks_etag.mock._core.scene import Scene


def policy_tags(group: str, cluster: str, tags: Mapping[str, str]) -> Writer:
    """Put tags back onto a cluster, as Azure Policy does where somebody has left them out."""

    def policy(aks: Scene) -> None:
        aks.put(group, cluster, change=lambda body: {**body, "tags": {**(body.get("tags") or {}), **tags}})

    return policy


def reconciler(group: str, cluster: str) -> Writer:
    """Put a cluster as it is: nothing changes, and all its tags move, as after an add-on's or operator's PUT."""

    def reconcile(aks: Scene) -> None:
        aks.put(group, cluster)

    return reconcile


def autoscaler(group: str, cluster: str, pool: str, low: int, high: int, seed: int = 0) -> Writer:
    """Change the number of a pool's nodes to another one between two bounds, drawn from a seed."""
    dice = random.Random(seed)

    def autoscale(aks: Scene) -> None:
        now = aks.body(group, cluster, pool)["properties"].get("count")
        aks.scale(group, cluster, pool, dice.choice([n for n in range(low, high + 1) if n != now] or [low]))

    return autoscale


def node_images(group: str, cluster: str, pool: str) -> Writer:
    """Upgrade a pool's node image, as the auto-upgrade channel does."""

    def upgrade(aks: Scene) -> None:
        aks.post(group, cluster, pool, "upgradeNodeImageVersion")

    return upgrade


READY: Final[Mapping[str, Callable[..., Writer]]] = {
    "autoscaler": autoscaler,
    "node_images": node_images,
    "policy_tags": policy_tags,
    "reconciler": reconciler,
}


def ready(name: str, settings: Mapping[str, Any]) -> Writer:
    """Return a ready-made writer by its name.

    Raises:
        ValueError: there is none of this name.
    """
    if name not in READY:
        raise ValueError(f"there is no writer {name!r}; there are {', '.join(READY)}")
    return READY[name](**settings)
