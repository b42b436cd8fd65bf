# SPDX-License-Identifier: MIT
"""The words that cases are written in: requests, what must be answered, and what is done behind the scenes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

SUBSCRIPTION: Final = "/subscriptions/00000000-0000-0000-0000-000000000000"
GROUP: Final = f"{SUBSCRIPTION}/resourceGroups/rg1"
CLUSTERS: Final = f"{GROUP}/providers/Microsoft.ContainerService/managedClusters"
CLUSTER: Final = f"{CLUSTERS}/aks1"
VERSION: Final = "2026-05-01"

# What is there when a case begins.
SEED: Final = {"rg1": {"aks1": {"np1": {"count": 3}, "np2": {"count": 1}}}, "rg2": {}}

# "new" and "np9" are not there.
PLACES: Final[Mapping[str, str]] = {
    "cluster": CLUSTER,
    "new": f"{CLUSTERS}/new",
    "np1": f"{CLUSTER}/agentPools/np1",
    "np2": f"{CLUSTER}/agentPools/np2",
    "np9": f"{CLUSTER}/agentPools/np9",
    "pools": f"{CLUSTER}/agentPools",
    "group": GROUP,
    "clusters of the group": CLUSTERS,
    "clusters": f"{SUBSCRIPTION}/providers/Microsoft.ContainerService/managedClusters",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One request, and what must come of it.

    ``target`` is one of PLACES, a path, or a link of the last answer that had it: "operation", "result", "next".
    A "<np1>" in a header is the tag that np1 has by then. ``status`` None: no answer arrives.
    """

    method: str
    target: str
    status: int | None
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    version: str | None = VERSION
    # Of an error: its code, whether it stands in "error", and a part of its message.
    code: str = ""
    wrapped: bool = False
    says: str = ""
    # What the answer's body shows: a path of keys, and the value there.
    shows: Mapping[str, Any] = field(default_factory=dict)
    # What has another tag than before, comes into being or goes; nothing unless said.
    moved: frozenset[str] = frozenset()
    # The rule in the journal; without one, only its end is known: the status.
    row: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Behind:
    """Something that is done behind the scenes: a request to ``/_mock/``."""

    verb: str
    what: str
    sent: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A script, played from the same beginning through every door."""

    name: str
    script: tuple[Step | Behind, ...]


def case(name: str, *script: Step | Behind) -> Case:
    """Give a script a name."""
    return Case(name=name, script=script)


def get(target: str, status: int | None = 200, **more: Any) -> Step:
    """Read something."""
    return Step(method="GET", target=target, status=status, **more)


def put(target: str, status: int | None = 200, body: Any = None, **more: Any) -> Step:
    """Write something; a cluster or pool that is not there gets a body that is enough for one."""
    return Step(method="PUT", target=target, status=status, body=BODIES[target] if body is None else body, **more)


def patch(target: str, status: int | None = 200, **more: Any) -> Step:
    """Change the tags of a cluster."""
    return Step(method="PATCH", target=target, status=status, body={"tags": {"team": "red"}}, **more)


def delete(target: str, status: int | None = 202, **more: Any) -> Step:
    """Delete something."""
    return Step(method="DELETE", target=target, status=status, **more)


def post(target: str, action: str, status: int | None = 202, **more: Any) -> Step:
    """Ask for an action."""
    return Step(method="POST", target=f"{PLACES[target]}/{action}", status=status, **more)


def switch(**switches: Any) -> Behind:
    """Turn switches."""
    return Behind(verb="PATCH", what="switches", sent=switches)


def fault(**arguments: Any) -> Behind:
    """Break a request to come."""
    return Behind(verb="POST", what="faults", sent=arguments)


def passes(seconds: float) -> Behind:
    """Let time pass."""
    return Behind(verb="POST", what="clock", sent={"advance": seconds})


def moves(names: str) -> frozenset[str]:
    """Name what moves."""
    return frozenset(names.split())


_CLUSTER_BODY: Final = {"location": "region1", "properties": {"kubernetesVersion": "1.35"}}
_NEW_CLUSTER: Final = {"location": "region1", "properties": {"agentPoolProfiles": [{"name": "np1", "count": 1}]}}
BODIES: Final[Mapping[str, Any]] = {
    "cluster": _CLUSTER_BODY,
    "new": _NEW_CLUSTER,
    "np1": {"properties": {"count": 4}},
    "np2": {"properties": {"count": 4}},
    "np9": {"properties": {"count": 4}},
    "group": {"location": "region1"},
}
