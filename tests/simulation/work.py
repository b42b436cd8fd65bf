# SPDX-License-Identifier: MIT
"""What the writers of a simulation do: changes that can tell, through the verbs that the handles call."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from aks_etag import merge_patch
from aks_etag._calls import Calls
from aks_etag._core.unset import UNSET
from aks_etag._flows.effects import Flow

Change = Callable[[dict[str, Any]], Any]
Steps = Generator[Flow[Any], Any, None]

NEW_POOL: Final = {"properties": {"count": 1, "vmSize": "Standard_DS2_v2", "mode": "User"}}


@dataclass(slots=True)
class Job:
    """One thing to do: the token that tells it from all others, and the change, where it is one."""

    token: str
    calls: Mapping[str, Calls]
    stage: str
    change: Change | None = None
    within: float | None = None
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def pool(self) -> Calls:
        """The pool it is about: one that is there, or one that comes and goes."""
        return self.calls["np9" if self.stage == "life" else "np1"]

    @property
    def cluster(self) -> Calls:
        return self.calls["cluster"]

    def changing(self, change: Change) -> Change:
        """Remember the change, so that its result can be computed."""
        self.change = change
        return change


def steps(kind: str, job: Job) -> Steps:
    """Return the flows of one thing to do; each is sent the result of the one before it."""
    return STEPS[kind](job)


def _update(make: Callable[[Job], Change], where: str = "pool") -> Callable[[Job], Steps]:
    def run(job: Job) -> Steps:
        calls = job.pool if where == "pool" else job.cluster
        yield calls.update(job.changing(make(job)), UNSET, job.within, UNSET)

    return run


def increment(job: Job) -> Change:
    def change(body: dict[str, Any]) -> None:
        body["properties"]["count"] += 1

    return change


def append(job: Job) -> Change:
    def change(body: dict[str, Any]) -> None:
        tags = body["properties"].setdefault("tags", {})
        tags["log"] = tags.get("log", "") + f"{job.token};"

    return change


def append_list(job: Job) -> Change:
    def change(body: dict[str, Any]) -> None:
        body["properties"].setdefault("nodeTaints", []).append(f"{job.token}=x:NoSchedule")

    return change


def claim(job: Job) -> Change:
    def change(body: dict[str, Any]) -> None:
        body["properties"].setdefault("nodeLabels", {}).setdefault("owner", job.token)

    return change


def set_count(job: Job) -> Change:
    # Few values and many writers, so that one often finds just what it would have written.
    return merge_patch({"properties": {"count": 4 + len(job.token) % 2}})


def drop(job: Job) -> Change:
    # Not a key of the labels: the service shows no empty map, and a merge patch makes one of a missing one.
    return merge_patch({"properties": {"nodeLabels": None, "nodeTaints": None}})


def default(job: Job) -> Change:
    """Ask for the default of a field: the service fills it in, so that this never comes to rest."""

    def change(body: dict[str, Any]) -> None:
        body["properties"].pop("maxPods", None)

    return change


def cluster_append(job: Job) -> Change:
    def change(body: dict[str, Any]) -> None:
        tags = body.setdefault("tags", {})
        tags["log"] = tags.get("log", "") + f"{job.token};"

    return change


def cluster_claim(job: Job) -> Change:
    def change(body: dict[str, Any]) -> None:
        body.setdefault("tags", {}).setdefault("owner", job.token)

    return change


def cluster_set(job: Job) -> Change:
    return merge_patch({"tags": {"mode": "ab"[len(job.token) % 2]}})


def _put(job: Job) -> Steps:
    seen = yield job.pool.get(None)
    body = increment(job)
    desired = {**seen.body, "properties": {**seen.body["properties"]}}
    body(desired)
    yield job.pool.put(desired, seen, UNSET, False, None)


def _cluster_put(job: Job) -> Steps:
    seen = yield job.cluster.get(None)
    kept = {name: value for name, value in seen.body["properties"].items() if name != "agentPoolProfiles"}
    yield job.cluster.put({**seen.body, "properties": kept, "tags": {"put": job.token}}, seen, UNSET, False, None)


def _patch(job: Job) -> Steps:
    seen = yield job.cluster.get(None)
    yield job.cluster.patch({"tags": {**(seen.body.get("tags") or {}), "patch": job.token}}, seen, UNSET, False, None)


def _tags(job: Job) -> Steps:
    wanted = {"team": job.token, "mode": "ab"[len(job.token) % 2]}
    job.changing(merge_patch({"tags": wanted}))
    yield job.cluster.update_tags(wanted, None, UNSET)


def _untag(job: Job) -> Steps:
    job.changing(merge_patch({"tags": {"team": None, "mode": None}}))
    yield job.cluster.update_tags({"team": None, "mode": None}, None, UNSET)


def _create(job: Job) -> Steps:
    yield job.pool.create(_own(job), False, None)


def _adopt(job: Job) -> Steps:
    yield job.pool.create(NEW_POOL, True, None)


def _ensure(job: Job) -> Steps:
    yield job.pool.create_or_update(_own(job), job.changing(append(job)), None, UNSET)


def _delete_seen(job: Job) -> Steps:
    seen = yield job.pool.get(None)
    yield job.pool.delete(seen, UNSET, UNSET, False, None, UNSET)


def _delete_if(job: Job) -> Steps:
    yield job.pool.delete(UNSET, UNSET, lambda seen: seen.body["properties"]["count"] < 5, False, None, UNSET)


def _own(job: Job) -> dict[str, Any]:
    return {"properties": {**NEW_POOL["properties"], "tags": {"by": job.token}}}


STEPS: Final[Mapping[str, Callable[[Job], Steps]]] = {
    "increment": _update(increment),
    "append": _update(append),
    "append list": _update(append_list),
    "claim": _update(claim),
    "set": _update(set_count),
    "drop": _update(drop),
    "default": _update(default),
    "put": _put,
    "recreate": _ensure,
    "create": _create,
    "adopt": _adopt,
    "ensure": _ensure,
    "delete seen": _delete_seen,
    "delete if": _delete_if,
    "cluster append": _update(cluster_append, "cluster"),
    "cluster claim": _update(cluster_claim, "cluster"),
    "cluster set": _update(cluster_set, "cluster"),
    "cluster put": _cluster_put,
    "tags": _tags,
    "untag": _untag,
    "patch": _patch,
}
