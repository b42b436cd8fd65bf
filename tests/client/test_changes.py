# SPDX-License-Identifier: MIT
"""Changes on the mock: what is sent, what others did meanwhile, and that a second run sends nothing."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from azure.mgmt.containerservice import models

from aks_etag import (
    AksClient,
    Change,
    InlinePoolEditError,
    JsonPatchError,
    MergeConflictError,
    ReadOnlyEditError,
    ScaleDownRefusedError,
    WriteOutcomeUnknownError,
    WriteResult,
    diff,
    json_patch,
    merge_patch,
    no_scale_down,
    rebase,
    typed,
)
from aks_etag.mock import MockAks

POOLS = {"np1": {"count": 3, "enableAutoScaling": True, "minCount": 1, "maxCount": 10}, "np2": {"count": 1}}


@pytest.fixture
def mock() -> MockAks:
    """An AKS with the cluster rg/prod, whose pool np1 is scaled by the autoscaler."""
    aks = MockAks()
    aks.add_cluster("rg", "prod", body={"location": "region1", "tags": {"team": "red"}}, pools=POOLS)
    return aks


def sent(mock: MockAks, rival: Callable[[], object] | None = None) -> list[Any]:
    """Record the bodies of all writes from now on; ``rival`` is faster than the first of them."""
    bodies: list[Any] = []

    def record(request: Any) -> None:
        bodies.append(json.loads(request.body) if isinstance(request.body, bytes | str) else request.body)
        if rival is not None and len(bodies) == 1:
            rival()

    mock.before_write(record)
    return bodies


def methods(mock: MockAks) -> list[str]:
    return [entry.method for entry in mock.journal]


def scaled_to(mock: MockAks, count: int, pool: str = "np1") -> Callable[[], None]:
    """Return what an autoscaler does."""
    return lambda: mock.edit("rg", "prod", pool, lambda body: body["properties"].update(count=count))


def labelled(body: Any, **labels: str) -> dict[str, Any]:
    """Return a body of a pool with other labels."""
    wanted = copy.deepcopy(dict(body))
    wanted["properties"].setdefault("nodeLabels", {}).update(labels)
    return wanted


def tagged(body: Any, **tags: str) -> dict[str, Any]:
    """Return a body of a cluster with other tags."""
    return {**copy.deepcopy(dict(body)), "tags": {**body.get("tags", {}), **tags}}


def without_tag(body: Any) -> dict[str, Any]:
    """Return a body of a pool without its eTag."""
    kept = {name: value for name, value in body["properties"].items() if name != "eTag"}
    return {**body, "properties": kept}


LABEL = {"properties": {"nodeLabels": {"team": "red"}}}


def label_pool(pool: models.AgentPool) -> None:
    pool.node_labels = {"team": "red"}


def tag_cluster(cluster: models.ManagedCluster) -> None:
    cluster.tags = {**(cluster.tags or {}), "stage": "test"}


POOL_CHANGES: dict[str, Callable[[Any], Change]] = {
    "merge_patch": lambda seen: merge_patch(LABEL),
    "json_patch-add": lambda seen: json_patch(
        [{"op": "add", "path": "/properties/nodeLabels", "value": {"team": "red"}}]
    ),
    "json_patch-replace": lambda seen: json_patch(
        [{"op": "test", "path": "/properties/mode", "value": seen["properties"]["mode"]},
         {"op": "replace", "path": "/properties/maxPods", "value": 50}]
    ),
    "rebase": lambda seen: rebase(seen, labelled(seen, team="red")),
    "rebase-ours": lambda seen: rebase(seen, labelled(seen, team="red"), "ours"),
    "typed": lambda seen: typed(models.AgentPool, label_pool),
    "whole body": lambda seen: lambda body: labelled(without_tag(seen), team="red"),
    "guarded": lambda seen: no_scale_down(merge_patch(LABEL)),
}  # fmt: skip
CLUSTER_CHANGES: dict[str, Callable[[Any], Change]] = {
    "merge_patch": lambda seen: merge_patch({"tags": {"stage": "test"}}),
    "json_patch-add": lambda seen: json_patch([{"op": "add", "path": "/tags/stage", "value": "test"}]),
    "json_patch-replace": lambda seen: json_patch([{"op": "replace", "path": "/tags/team", "value": "blue"}]),
    "rebase": lambda seen: rebase(seen, tagged(seen, stage="test")),
    "rebase-theirs": lambda seen: rebase(seen, tagged(seen, stage="test"), "theirs"),
    "rebase-without-pools": lambda seen: rebase(
        seen, {**tagged(seen, stage="test"), "properties": _no_pools(seen["properties"])}
    ),
    "typed": lambda seen: typed(models.ManagedCluster, tag_cluster),
    "whole body": lambda seen: lambda body: {k: v for k, v in tagged(seen, stage="test").items() if k != "eTag"},
    "guarded": lambda seen: no_scale_down(merge_patch({"tags": {"stage": "test"}})),
}


def _no_pools(properties: Any) -> dict[str, Any]:
    return {name: value for name, value in properties.items() if name != "agentPoolProfiles"}


@pytest.mark.parametrize("name", POOL_CHANGES)
def test_the_second_run_of_a_change_of_a_pool_sends_nothing(mock: MockAks, name: str) -> None:
    with mock.client() as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        change = POOL_CHANGES[name](pool.get().body)
        assert pool.update(change).outcome == "updated"
        mock.journal.clear()
        assert (pool.update(change).outcome, methods(mock)) == ("unchanged", ["GET"])


@pytest.mark.parametrize("name", CLUSTER_CHANGES)
def test_the_second_run_of_a_change_of_a_cluster_sends_nothing(mock: MockAks, name: str) -> None:
    with mock.client() as aks:
        cluster = aks.cluster("rg", "prod")
        change = CLUSTER_CHANGES[name](cluster.get().body)
        assert cluster.update(change).outcome == "updated"
        mock.journal.clear()
        assert (cluster.update(change).outcome, methods(mock)) == ("unchanged", ["GET"])


CLUSTER_WRITES: dict[str, Callable[[AksClient, Change], WriteResult]] = {
    "update": lambda aks, change: aks.cluster("rg", "prod").update(change),
    "create_or_update": lambda aks, change: aks.cluster("rg", "prod").create_or_update(
        {"location": "region1", "properties": {"agentPoolProfiles": [{"name": "np1", "count": 3}]}}, change
    ),
}


@pytest.mark.parametrize("verb", CLUSTER_WRITES)
@pytest.mark.parametrize("name", CLUSTER_CHANGES)
def test_no_cluster_update_sends_its_pools_and_a_scaling_in_between_stays(mock: MockAks, name: str, verb: str) -> None:
    with mock.client() as aks:
        change = CLUSTER_CHANGES[name](aks.cluster("rg", "prod").get().body)

        def rival() -> None:
            scaled_to(mock, 7)()
            mock.edit("rg", "prod", change=lambda body: body["tags"].update(owner="x"))

        bodies = sent(mock, None if name == "whole body" else rival)
        assert CLUSTER_WRITES[verb](aks, change).outcome == "updated"
    assert len(bodies) == (1 if name == "whole body" else 2)
    assert [body for body in bodies if "agentpoolprofiles" in json.dumps(body).casefold()] == []
    assert mock.body("rg", "prod", "np1")["properties"]["count"] == (3 if name == "whole body" else 7)


@pytest.mark.parametrize("merging", [False, True], ids=["replaces", "merges"])
def test_no_change_of_tags_sends_pools(merging: bool) -> None:
    mock = MockAks(patch_tags="merge" if merging else "replace")
    mock.add_cluster("rg", "prod", body={"location": "region1", "tags": {"old": "x"}})
    bodies = sent(mock, scaled_to(mock, 7))
    with mock.client() as aks:
        assert aks.cluster("rg", "prod").update_tags({"stage": "test", "old": None}).outcome == "updated"
    assert bodies
    assert [body for body in bodies if "agentpoolprofiles" in json.dumps(body).casefold()] == []
    assert mock.body("rg", "prod", "np1")["properties"]["count"] == 7


PROFILE_EDITS: dict[str, Callable[[Any], None]] = {
    "count": lambda profiles: profiles[0].update(count=5),
    "removed": lambda profiles: profiles.pop(),
    "added": lambda profiles: profiles.append({"name": "np9", "count": 1}),
}


@pytest.mark.parametrize("edit", PROFILE_EDITS)
@pytest.mark.parametrize("on_conflict", ["raise", "ours", "theirs"])
def test_a_rebase_that_edits_inline_pools_is_refused(mock: MockAks, edit: str, on_conflict: Any) -> None:
    with mock.client() as aks:
        cluster = aks.cluster("rg", "prod")
        seen = cluster.get()
        desired = tagged(seen.body, stage="test")
        PROFILE_EDITS[edit](desired["properties"]["agentPoolProfiles"])
        with pytest.raises(InlinePoolEditError, match="agent_pool"):
            cluster.update(rebase(seen, desired, on_conflict))
    assert "PUT" not in methods(mock)


@pytest.mark.parametrize("drop", [(), ("eTag", "id", "name", "type", "systemData")], ids=["as-read", "without-owned"])
def test_a_rebase_of_an_older_cluster_keeps_what_others_did(mock: MockAks, drop: tuple[str, ...]) -> None:
    with mock.client() as aks:
        cluster = aks.cluster("rg", "prod")
        seen = cluster.get()
        base = {name: value for name, value in seen.body.items() if name not in drop}
        scaled_to(mock, 7)()
        mock.edit("rg", "prod", change=lambda body: body["tags"].update(owner="blue"))
        result = cluster.update(rebase(base, tagged(seen.body, stage="test")))
        assert result.outcome == "updated"
    assert mock.body("rg", "prod")["tags"] == {"team": "red", "stage": "test", "owner": "blue"}
    assert mock.body("rg", "prod", "np1")["properties"]["count"] == 7


def test_a_rebase_that_disagrees_raises_and_sends_nothing_until_it_is_told_whose_word_counts(mock: MockAks) -> None:
    with mock.client() as aks:
        cluster = aks.cluster("rg", "prod")
        seen = cluster.get()
        desired = tagged(seen.body, team="blue")
        mock.edit("rg", "prod", change=lambda body: body["tags"].update(team="green"))
        with pytest.raises(MergeConflictError) as raised:
            cluster.update(rebase(seen, desired))
        assert [each.path for each in raised.value.conflicts] == ["tags.team"]
        assert raised.value.resource_id is not None
        assert "PUT" not in methods(mock)
        assert cluster.update(rebase(seen, desired, "theirs")).outcome == "unchanged"
        assert cluster.update(rebase(seen, desired, "ours")).outcome == "updated"
    assert mock.body("rg", "prod")["tags"] == {"team": "blue"}


def test_a_rebase_that_is_overtaken_is_replayed_on_what_is_there_then(mock: MockAks) -> None:
    with mock.client() as aks:
        cluster = aks.cluster("rg", "prod")
        seen = cluster.get()
        sent(mock, lambda: mock.edit("rg", "prod", change=lambda body: body["tags"].update(team="green")))
        with pytest.raises(MergeConflictError):
            cluster.update(rebase(seen, tagged(seen.body, team="blue")))
    assert mock.body("rg", "prod")["tags"] == {"team": "green"}


def test_an_edit_of_a_clusters_power_state_is_refused_and_not_swallowed(mock: MockAks) -> None:
    with mock.client() as aks:
        cluster = aks.cluster("rg", "prod")
        seen = cluster.get()
        stopped = {**seen.body, "properties": {**seen.body["properties"], "powerState": {"code": "Stopped"}}}
        with pytest.raises(ReadOnlyEditError, match="powerState"):
            cluster.update(rebase(seen, stopped))


AUTOSCALED = {name: POOL_CHANGES[name] for name in POOL_CHANGES if name != "whole body"}


@pytest.mark.parametrize("name", AUTOSCALED)
def test_the_count_of_an_autoscaler_that_overtakes_an_update_is_the_one_that_is_sent(mock: MockAks, name: str) -> None:
    with mock.client() as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        change = AUTOSCALED[name](pool.get().body)
        bodies = sent(mock, scaled_to(mock, 7))
        result = pool.update(change)
    assert (result.outcome, result.conflicts) == ("updated", 1)
    assert [body["properties"]["count"] for body in bodies] == [3, 7]
    assert mock.body("rg", "prod", "np1")["properties"]["count"] == 7


def test_a_rebase_of_an_older_pool_sends_the_count_that_the_autoscaler_set_since(mock: MockAks) -> None:
    with mock.client() as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        seen = pool.get()
        scaled_to(mock, 7)()
        bodies = sent(mock, scaled_to(mock, 9))
        result = pool.update(rebase(seen, labelled(seen.body, team="red")))
        assert [str(each) for each in diff(seen, result.snapshot)] == [
            "properties.count: 3 -> 9",
            'properties.nodeLabels: (absent) -> {"team": "red"}',
        ]
    assert [body["properties"]["count"] for body in bodies] == [7, 9]


def test_to_scale_what_the_autoscaler_has_scaled_is_a_conflict(mock: MockAks) -> None:
    with mock.client() as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        seen = pool.get()
        desired = {**seen.body, "properties": {**seen.body["properties"], "count": 5}}
        scaled_to(mock, 7)()
        with pytest.raises(MergeConflictError, match=r"properties\.count"):
            pool.update(rebase(seen, desired))
        assert pool.update(merge_patch({"properties": {"count": 5}})).outcome == "updated"


def test_a_whole_older_body_is_refused_by_its_tag_and_without_it_asks_for_its_count(mock: MockAks) -> None:
    with mock.client() as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        stale = copy.deepcopy(dict(pool.get().body))
        scaled_to(mock, 7)()
        with pytest.raises(ValueError, match="an older body under a newer eTag"):
            pool.update(lambda body: stale)
        with pytest.raises(ScaleDownRefusedError, match=r"properties\.count: 7 -> 3"):
            pool.update(no_scale_down(lambda body: without_tag(stale)))
        assert pool.update(rebase(stale, stale)).outcome == "unchanged"
        assert "PUT" not in methods(mock)
        assert pool.update(lambda body: without_tag(stale)).outcome == "updated"
    assert mock.body("rg", "prod", "np1")["properties"]["count"] == 3


def test_a_guarded_scaling_is_judged_by_each_fresh_read(mock: MockAks) -> None:
    with mock.client() as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        bodies = sent(mock, scaled_to(mock, 7))
        with pytest.raises(ScaleDownRefusedError) as raised:
            pool.update(no_scale_down(merge_patch({"properties": {"count": 5}})))
    assert (raised.value.paths, len(bodies)) == (("properties.count",), 1)
    assert mock.body("rg", "prod", "np1")["properties"]["count"] == 7


def test_an_operation_that_fails_sends_nothing(mock: MockAks) -> None:
    with mock.client() as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        patch = json_patch([
            {"op": "test", "path": "/properties/count", "value": 4},
            {"op": "replace", "path": "/properties/count", "value": 5},
        ])  # fmt: skip
        with pytest.raises(JsonPatchError, match=r"operation 0 of the JSON Patch \(test /properties/count\)"):
            pool.update(patch)
    assert methods(mock) == ["GET"]


def test_a_removal_whose_answer_was_lost_is_no_failed_operation(mock: MockAks) -> None:
    mock.inject(method="PUT", phase="after", effect="reset")
    with mock.client() as aks, pytest.raises(WriteOutcomeUnknownError):
        aks.cluster("rg", "prod").update(json_patch([{"op": "remove", "path": "/tags/team"}]))
    assert "team" not in mock.body("rg", "prod").get("tags", {})


def test_a_rebase_whose_answer_was_lost_is_recovered(mock: MockAks) -> None:
    mock.inject(method="PUT", phase="after", effect="reset")
    with mock.client() as aks:
        cluster = aks.cluster("rg", "prod")
        seen = cluster.get()
        result = cluster.update(rebase(seen, tagged(seen.body, stage="test")))
    assert (result.outcome, result.recovered, len(mock.commits)) == ("updated", "equivalent", 1)


@pytest.mark.parametrize(
    ("place", "empty"),
    [("tags", {}), ("nodeLabels", {}), ("nodeTaints", []), ("tags", None), ("nodeLabels", None)],
)
def test_to_ask_for_an_empty_one_where_none_is_shown_asks_for_nothing(place: str, empty: Any, mock: MockAks) -> None:
    bodies = sent(mock)
    with mock.client() as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np2")
        for _ in range(2):
            assert pool.update(lambda body: body["properties"].update({place: empty})).outcome == "unchanged"
        assert bodies == []
        full: Any = ["a=b:NoSchedule"] if place == "nodeTaints" else {"a": "b"}
        for value in (full, empty):
            assert pool.update(merge_patch({"properties": {place: None}})).outcome in ("updated", "unchanged")
            pool.update(lambda body, value=value: body["properties"].update({place: value}))
        assert pool.update(lambda body: body["properties"].update({place: empty})).outcome == "unchanged"
    assert [body["properties"].get(place) for body in bodies] == [full, None]


def test_a_patch_that_removes_what_was_never_there_sends_nothing(mock: MockAks) -> None:
    mock.edit("rg", "prod", change=lambda body: body.pop("tags"))
    bodies = sent(mock)
    with mock.client() as aks:
        cluster = aks.cluster("rg", "prod")
        assert cluster.update(merge_patch({"tags": {"old": None}})).outcome == "unchanged"
        labels = merge_patch({"properties": {"nodeLabels": {"old": None}}})
        assert cluster.agent_pool("np2").update(labels).outcome == "unchanged"
    assert bodies == []
