# SPDX-License-Identifier: MIT
"""Three-way merge as a change: what it takes, what it says of a conflict, and what a body leaves unsaid."""

from __future__ import annotations

import copy
import pickle
from datetime import UTC, datetime
from typing import Any

import pytest

from aks_etag import ABSENT, MergeConflict, MergeConflictError, Snapshot, rebase
from aks_etag._core.changes import applied, merge_patch

CLUSTER = {"id": "/c", "eTag": "t1", "tags": {"team": "red"}, "properties": {"kubernetesVersion": "1.35"}}


def snapshot(body: Any) -> Snapshot:
    return Snapshot(
        id="/c", name="c", resource_group="rg", body=body, version="t1", provisioning_state=None, settled=True,
        read_at=datetime.now(UTC),
    )  # fmt: skip


def test_a_rebase_takes_bodies_and_snapshots_and_carries_the_tag_that_is_there() -> None:
    desired = {**CLUSTER, "tags": {"team": "blue"}}
    fresh = {**CLUSTER, "eTag": "t2", "sku": {"tier": "Free"}}
    for base in (CLUSTER, snapshot(CLUSTER), {k: v for k, v in CLUSTER.items() if k not in ("id", "eTag")}):
        for wanted in (desired, snapshot(desired)):
            assert applied(rebase(base, wanted), fresh) == {**fresh, "tags": {"team": "blue"}}


def test_a_rebase_is_fixed_when_it_is_built_and_gives_nothing_of_its_own_away() -> None:
    base, desired = copy.deepcopy(CLUSTER), {**copy.deepcopy(CLUSTER), "tags": {"team": {"a": 1}}}
    change = rebase(base, desired)
    desired["tags"]["team"]["a"] = base["tags"]["team"] = 7  # type: ignore[index]
    first: Any = change(copy.deepcopy(CLUSTER))
    assert first["tags"] == {"team": {"a": 1}}
    first["tags"]["team"]["a"] = 8
    assert applied(change, CLUSTER)["tags"] == {"team": {"a": 1}}


def test_a_conflict_has_what_each_side_says_and_its_message_only_where() -> None:
    desired = {**CLUSTER, "tags": {"team": "secret-blue"}, "properties": {}}
    fresh = {**CLUSTER, "tags": {"team": "secret-green"}, "properties": {"kubernetesVersion": "1.36"}}
    with pytest.raises(MergeConflictError, match=r"tags\.team, properties\.kubernetesVersion since") as raised:
        applied(rebase(CLUSTER, desired), fresh)
    assert raised.value.conflicts == (
        MergeConflict("tags.team", "red", "secret-blue", "secret-green"),
        MergeConflict("properties.kubernetesVersion", "1.35", ABSENT, "1.36"),
    )
    assert raised.value.resource_id == "/c"
    said = f"{raised.value} {raised.value!r} {raised.value.conflicts!r}"
    assert [value for value in ("red", "secret", "1.35", "1.36") if value in said] == []
    again = pickle.loads(pickle.dumps(raised.value))
    assert again.conflicts == raised.value.conflicts
    assert again.conflicts[1].ours is ABSENT
    with pytest.raises(MergeConflictError) as raised:
        applied(rebase(CLUSTER, desired), {**fresh, "id": None})
    assert raised.value.resource_id is None


def test_a_conflict_is_settled_as_asked() -> None:
    desired, fresh = {**CLUSTER, "tags": {"team": "blue"}}, {**CLUSTER, "tags": {"team": "green", "x": "y"}}
    assert applied(rebase(CLUSTER, desired, "ours"), fresh)["tags"] == {"team": "blue", "x": "y"}
    assert applied(rebase(CLUSTER, desired, on_conflict="theirs"), fresh)["tags"] == {"team": "green", "x": "y"}


def test_a_desired_body_without_pools_says_nothing_about_them() -> None:
    pools = [{"name": "np1", "count": 3}]
    base = {**CLUSTER, "properties": {"agentPoolProfiles": pools}}
    fresh = {**CLUSTER, "properties": {"agentPoolProfiles": [{"name": "np1", "count": 5}]}}
    assert applied(rebase(base, {**CLUSTER, "properties": {}}), fresh) == fresh
    assert applied(rebase({"tags": {}}, {"tags": {"a": "b"}}), fresh)["tags"] == {"team": "red", "a": "b"}


def test_the_power_state_of_a_pool_is_an_edit_only_where_both_bodies_have_it() -> None:
    def pool(**properties: Any) -> Any:
        return {"properties": {name: {"code": state} for name, state in properties.items()}}

    running, stopped = pool(powerState="Running"), pool(powerState="Stopped")
    assert applied(rebase(running, stopped), running) == stopped
    assert applied(rebase({"properties": {}}, stopped), running) == running
    assert applied(rebase(stopped, {"properties": {}}), running) == running


@pytest.mark.parametrize("on_conflict", ["mine", "", None])
def test_another_word_for_a_conflict_is_refused(on_conflict: Any) -> None:
    with pytest.raises(ValueError, match="raise, ours, theirs"):
        rebase({}, {}, on_conflict)


@pytest.mark.parametrize(("base", "desired"), [([], {}), ({}, None), ({"a": object()}, {}), (merge_patch({}), {})])
def test_what_is_no_body_is_refused_at_once(base: Any, desired: Any) -> None:
    with pytest.raises(TypeError):
        rebase(base, desired)
