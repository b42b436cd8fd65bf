# SPDX-License-Identifier: MIT
"""The state of a mock, kept and brought back; tags and ids never come twice, so chance goes on."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass

from aks_etag.mock._core.address import ClusterKey
from aks_etag.mock._core.operations import Operations
from aks_etag.mock._core.records import Cluster
from aks_etag.mock._core.store import Store
from aks_etag.mock._core.throttle import Throttle


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """What one subscription was at one moment; clusters are frozen values."""

    groups: Mapping[str, tuple[str, str]]
    clusters: Mapping[ClusterKey, Cluster]
    kubeconfigs: Mapping[ClusterKey, str]
    operations: Operations
    throttle: Throttle


def save(store: Store) -> Saved:
    """Keep the state of a subscription; the lock is held."""
    return Saved(
        groups=dict(store.groups),
        clusters=dict(store.clusters),
        kubeconfigs=dict(store.kubeconfigs),
        operations=copy.deepcopy(store.operations),
        throttle=copy.deepcopy(store.throttle),
    )


def restore(store: Store, saved: Saved) -> None:
    """Bring it back; the lock is held."""
    store.groups = dict(saved.groups)
    store.clusters = dict(saved.clusters)
    store.kubeconfigs = dict(saved.kubeconfigs)
    store.operations = copy.deepcopy(saved.operations)
    store.throttle = copy.deepcopy(saved.throttle)
