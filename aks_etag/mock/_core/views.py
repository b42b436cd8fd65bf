# SPDX-License-Identifier: MIT
"""Bodies of GETs as bytes, written once for each version: most reads show what the one before them showed."""

from __future__ import annotations

from typing import Any, TypeAlias

from aks_etag.mock._core.address import ClusterKey
from aks_etag.mock._core.answers import encode
from aks_etag.mock._core.records import Cluster, TagKey, cluster_body, pool_body

_Key: TypeAlias = tuple[ClusterKey, str | None, TagKey | None]


class Views:
    """Keeps the last bytes of each resource; call it under the lock of the state."""

    def __init__(self) -> None:
        self._kept: dict[_Key, tuple[Cluster, bytes]] = {}

    def show(self, cluster: Cluster, pool: str | None = None, *, tag: TagKey | None) -> bytes:
        """Return what a GET of a cluster, or of one of its pools, has in its body."""
        key = (cluster.key, pool, tag)
        kept = self._kept.get(key)
        # Clusters never change, so the same one has the same body, and any other one may have another.
        if kept is None or kept[0] is not cluster:
            kept = self._kept[key] = (cluster, encode(_body(cluster, pool, tag=tag)))
        return kept[1]


def _body(cluster: Cluster, pool: str | None, *, tag: TagKey | None) -> dict[str, Any]:
    return cluster_body(cluster, tag=tag) if pool is None else pool_body(cluster, cluster.pools[pool], tag=tag)
