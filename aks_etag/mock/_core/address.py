# SPDX-License-Identifier: MIT
"""Which thing a path means. Parsed here on its own, so that one bug cannot pass on both sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, TypeAlias
from urllib.parse import unquote

Kind: TypeAlias = Literal[
    "group",
    "cluster",
    "pool",
    "subscription clusters",
    "group clusters",
    "pools",
    "operation",
    "operation result",
    "cluster action",
    "pool action",
]
ClusterKey: TypeAlias = tuple[str, str]

_PROVIDER: Final = "providers/Microsoft.ContainerService"
_GROUP: Final = "subscriptions/{subscription}/resourceGroups/{group}"
_LOCATION: Final = f"subscriptions/{{subscription}}/{_PROVIDER}/locations/{{location}}"

PATTERNS: Final[tuple[tuple[Kind, str], ...]] = (
    ("group", _GROUP),
    ("group clusters", f"{_GROUP}/{_PROVIDER}/managedClusters"),
    ("cluster", f"{_GROUP}/{_PROVIDER}/managedClusters/{{cluster}}"),
    ("pools", f"{_GROUP}/{_PROVIDER}/managedClusters/{{cluster}}/agentPools"),
    ("pool", f"{_GROUP}/{_PROVIDER}/managedClusters/{{cluster}}/agentPools/{{pool}}"),
    ("cluster action", f"{_GROUP}/{_PROVIDER}/managedClusters/{{cluster}}/{{action}}"),
    ("pool action", f"{_GROUP}/{_PROVIDER}/managedClusters/{{cluster}}/agentPools/{{pool}}/{{action}}"),
    ("subscription clusters", f"subscriptions/{{subscription}}/{_PROVIDER}/managedClusters"),
    ("operation", f"{_LOCATION}/operations/{{operation}}"),
    ("operation result", f"{_LOCATION}/operationresults/{{operation}}"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """The names in a path, as they were spelled there."""

    kind: Kind
    subscription: str
    group: str = ""
    cluster: str = ""
    pool: str = ""
    location: str = ""
    operation: str = ""
    action: str = ""

    @property
    def group_key(self) -> str:
        """The group's name, comparable."""
        return self.group.lower()

    @property
    def cluster_key(self) -> ClusterKey:
        """The cluster's group and name, comparable."""
        return (self.group.lower(), self.cluster.lower())

    @property
    def pool_key(self) -> str:
        """The pool's name, comparable."""
        return self.pool.lower()


@lru_cache(maxsize=1024)
def parse_path(path: str) -> Address | None:
    """Find the one pattern that a path fits, without regard to case; None where none does."""
    # Split before decoding: an encoded slash belongs to a name.
    segments = [unquote(segment) for segment in path.strip("/").split("/")]
    if not all(segments):
        return None
    for kind, pattern in PATTERNS:
        names = _match(segments, pattern.split("/"))
        if names is not None:
            return Address(kind=kind, **names)
    return None


def _match(segments: Sequence[str], pattern: Sequence[str]) -> dict[str, str] | None:
    if len(segments) != len(pattern):
        return None
    names = {}
    for segment, expected in zip(segments, pattern, strict=True):
        if expected.startswith("{"):
            names[expected[1:-1]] = segment
        elif segment.lower() != expected.lower():
            return None
    return names


def cluster_id(subscription: str, group: str, cluster: str) -> str:
    """Spell an id as the service does in bodies: ``resourcegroups`` in lower case."""
    return f"/subscriptions/{subscription}/resourcegroups/{group}/{_PROVIDER}/managedClusters/{cluster}"


def pool_id(subscription: str, group: str, cluster: str, pool: str) -> str:
    """Spell the id of an agent pool."""
    return f"{cluster_id(subscription, group, cluster)}/agentPools/{pool}"


def operation_path(subscription: str, location: str, operation: str, *, result: bool = False) -> str:
    """Spell the path of an operation's status, or of its result."""
    collection = "operationresults" if result else "operations"
    return f"/subscriptions/{subscription}/{_PROVIDER}/locations/{location}/{collection}/{operation}"
