# SPDX-License-Identifier: MIT
"""An obvious AKS: sets, dicts and a few ifs. It knows no bodies and no tags, only when a tag moves."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Final, TypeAlias

Group: TypeAlias = tuple[str, str]
Key: TypeAlias = tuple[str, str, str]
# A cluster and one of its pools, or None for the cluster itself.
Place: TypeAlias = tuple[Key, str | None]
Outcome: TypeAlias = tuple[int, set[Place]]

ACCEPTED: Final = (200, 201, 202)


class Condition(Enum):
    """What a write demands of the present."""

    NONE = "none"
    ANY = "If-Match *"
    CURRENT = "If-Match, the tag that is there"
    STALE = "If-Match, another one"
    NEW = "If-None-Match *"
    JUNK = "If-None-Match, something else"
    BOTH = "If-Match with If-None-Match *"


@dataclass(eq=False)
class Operation:
    """What runs on a cluster (``pool`` None) or on one of its pools; ``power`` is what it switches to."""

    key: Key
    pool: str | None
    left: int
    deletes: bool = False
    power: str | None = None


@dataclass
class Cluster:
    """The node count of each pool, and what runs."""

    pools: dict[str, int]
    power: str = "Running"
    running: list[Operation] = field(default_factory=list)

    def busy(self, pool: str | None) -> bool:
        """Whether a write here has to wait: for the whole, for the part, for itself."""
        return any(None in (pool, each.pool) or each.pool == pool for each in self.running)


def verdict(method: str, condition: Condition, exists: bool) -> int:
    """Read the status table."""
    if condition in (Condition.JUNK, Condition.BOTH):
        return 400
    if not exists and method == "PUT":
        return 201 if condition in (Condition.NONE, Condition.NEW) else 412
    if not exists:
        return {"PATCH": 404, "DELETE": 204}[method]
    if condition is Condition.STALE or (condition is Condition.NEW and method == "PUT"):
        return 412
    return {"PUT": 200, "PATCH": 200, "DELETE": 202}[method]


class Model:
    """Says of each request which status it has, and which tags move, come or go."""

    def __init__(self, polls: int) -> None:
        self.polls = polls
        self.groups: set[Group] = set()
        self.clusters: dict[Key, Cluster] = {}

    def put_group(self, group: Group) -> Outcome:
        known = group in self.groups
        self.groups.add(group)
        return (200 if known else 201), set()

    def delete_group(self, group: Group) -> Outcome:
        if group not in self.groups:
            return 404, set()
        self.groups.remove(group)
        return 200, set().union(*(self.drop(key) for key in list(self.clusters) if key[:2] == group))

    def put_cluster(self, key: Key, condition: Condition, pools: dict[str, int]) -> tuple[int, set[Place], bool]:
        """The third of the answers: whether an operation has begun."""
        if key[:2] not in self.groups:
            return 404, set(), False
        status = self.admitted("PUT", key, None, condition)
        if status == 201:
            self.clusters[key] = Cluster(dict(pools))
            return status, self.whole(key) | self.begin(Operation(key, None, self.polls)), True
        if status == 200:
            return status, self.begin(Operation(key, None, self.polls)), True
        return status, set(), False

    def patch_cluster(self, key: Key, condition: Condition) -> Outcome:
        if key[:2] not in self.groups:
            return 404, set()
        status = self.admitted("PATCH", key, None, condition)
        return status, {(key, None)} if status == 200 else set()

    def put_pool(self, key: Key, pool: str, condition: Condition, count: int) -> tuple[int, set[Place], bool]:
        if key not in self.clusters:
            return 404, set(), False
        status = self.admitted("PUT", key, pool, condition)
        if status not in ACCEPTED:
            return status, set(), False
        self.clusters[key].pools[pool] = count
        return status, {(key, pool)} | self.begin(Operation(key, pool, self.polls)), True

    def delete(self, key: Key, pool: str | None, condition: Condition) -> tuple[int, set[Place], bool]:
        status = self.admitted("DELETE", key, pool, condition)
        if status != 202:
            return status, set(), False
        return status, self.begin(Operation(key, pool, self.polls, deletes=True)), True

    def switch(self, key: Key, power: str) -> tuple[int, set[Place], bool]:
        """Start or stop."""
        if key not in self.clusters:
            return 404, set(), False
        if self.clusters[key].busy(None) or self.clusters[key].power == power:
            return 409, set(), False
        return 202, self.begin(Operation(key, None, self.polls, power=power)), True

    def abort(self, key: Key, pool: str | None) -> Outcome:
        if key not in self.clusters or (pool is not None and pool not in self.clusters[key].pools):
            return 404, set()
        running = [each for each in self.clusters[key].running if each.pool == pool]
        return (202 if running else 409), set().union(*map(self.end, running))

    def get(self, key: Key, pool: str | None) -> Outcome:
        """Look: whatever it shows comes nearer to its end."""
        if key not in self.clusters:
            return 404, set()
        shown = [each for each in self.clusters[key].running if pool is None or each.pool in (None, pool)]
        moved: set[Place] = set().union(*map(self.poll, shown))
        there = key in self.clusters and (pool is None or pool in self.clusters[key].pools)
        return (200 if there else 404), moved

    def list(self, subscription: str) -> Outcome:
        mine = [key for key in self.clusters if key[0] == subscription]
        return 200, set().union(*(self.get(key, None)[1] for key in mine))

    def poll(self, operation: Operation) -> set[Place]:
        operation.left -= 1
        return self.end(operation) if operation.left <= 0 and self.runs(operation) else set()

    def runs(self, operation: Operation) -> bool:
        return any(operation in each.running for each in self.clusters.values())

    def admitted(self, method: str, key: Key, pool: str | None, condition: Condition) -> int:
        cluster = self.clusters.get(key)
        exists = cluster is not None and (pool is None or pool in cluster.pools)
        status = verdict(method, condition, exists)
        waits = cluster is not None and status in ACCEPTED and cluster.busy(pool)
        return 409 if waits else status

    def begin(self, operation: Operation) -> set[Place]:
        self.clusters[operation.key].running.append(operation)
        return set() if operation.left > 0 else self.end(operation)

    def end(self, operation: Operation) -> set[Place]:
        cluster = self.clusters[operation.key]
        cluster.running.remove(operation)
        cluster.power = operation.power or cluster.power
        if operation.pool is None:
            return self.drop(operation.key) if operation.deletes else self.whole(operation.key)
        if operation.deletes:
            del cluster.pools[operation.pool]
        return {(operation.key, operation.pool)}

    def whole(self, key: Key) -> set[Place]:
        return {(key, None), *((key, pool) for pool in self.clusters[key].pools)}

    def drop(self, key: Key) -> set[Place]:
        gone = self.whole(key)
        del self.clusters[key]
        return gone
