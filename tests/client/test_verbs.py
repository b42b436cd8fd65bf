# SPDX-License-Identifier: MIT
"""The verbs made of others: create or update, tags, delete if, models, a consistent view; create, delete in doubt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from azure.mgmt.containerservice.models import AgentPool, ManagedCluster

from aks_etag import (
    AlreadyExistsError,
    ConflictRetriesExhaustedError,
    ConflictRetry,
    DeadlineExceededError,
    Doubt,
    Event,
    InvalidPreconditionError,
    ResourceGoneError,
    Snapshot,
    WriteOutcomeUnknownError,
    merge_patch,
    typed,
)
from aks_etag._core.changes import applied
from aks_etag.mock import MockAks

NP9 = {"properties": {"count": 1, "vmSize": "Standard_DS2_v2", "osType": "Linux", "mode": "User"}}
RECORDED = ["get_cluster_200", "get_cluster_200_no_etag", "put_cluster_create_201", "put_cluster_update_200",
            "get_pool_200", "put_pool_create_201", "put_pool_update_200"]  # fmt: skip


def one_more(body: dict[str, Any]) -> None:
    body["properties"]["count"] += 1


def methods(mock: MockAks) -> list[str]:
    return [entry.method for entry in mock.journal]


def test_create_or_update_creates_where_nothing_is(mock: MockAks) -> None:
    with mock.client() as aks:
        result = aks.cluster("rg", "prod").agent_pool("np9").create_or_update(NP9, one_more)
    assert (result.outcome, mock.body("rg", "prod", "np9")["properties"]["count"]) == ("created", 1)


def test_create_or_update_updates_what_is_there(mock: MockAks) -> None:
    with mock.client() as aks:
        result = aks.cluster("rg", "prod").agent_pool("np1").create_or_update(NP9, one_more)
    assert (result.outcome, mock.body("rg", "prod", "np1")["properties"]["count"]) == ("updated", 4)


def test_create_or_update_updates_what_somebody_creates_meanwhile(mock: MockAks) -> None:
    mock.before_write(lambda: mock.add_pool("rg", "prod", "np9", {"count": 5}), times=1)
    with mock.client() as aks:
        result = aks.cluster("rg", "prod").agent_pool("np9").create_or_update(NP9, one_more)
    assert (result.outcome, mock.body("rg", "prod", "np9")["properties"]["count"]) == ("updated", 6)


def test_create_or_update_creates_what_somebody_deletes_meanwhile(mock: MockAks) -> None:
    mock.before_write(lambda: mock.delete("rg", "prod", "np2"), times=1)
    with mock.client() as aks:
        result = aks.cluster("rg", "prod").agent_pool("np2").create_or_update(NP9, one_more)
    assert (result.outcome, mock.body("rg", "prod", "np2")["properties"]["count"]) == ("created", 1)


def test_create_or_update_waits_for_a_busy_cluster() -> None:
    mock = MockAks(operation_polls=3)
    mock.add_cluster("rg", "prod")
    with mock.client() as aks:
        cluster = aks.cluster("rg", "prod")
        mock.before_write(lambda: _start_something(mock), times=1)
        assert cluster.agent_pool("np9").create_or_update(NP9, one_more).outcome == "created"
    assert 409 in [entry.status for entry in mock.journal]


def _start_something(mock: MockAks) -> None:
    from azure.core.rest import HttpRequest

    with mock.client() as other:
        path = f"{other.cluster('rg', 'prod').id}?api-version=2026-08-01"
        other.sdk.send_request(HttpRequest("PUT", path, json={"location": "region1", "tags": {"by": "policy"}}))


@pytest.mark.parametrize("merging", [False, True], ids=["replaces", "merges"])
def test_tags_are_set_and_removed_whatever_a_patch_does(merging: bool) -> None:
    mock = MockAks(patch_tags="merge" if merging else "replace")
    mock.add_cluster("rg", "prod", body={"location": "region1", "tags": {"team": "red", "old": "x"}})
    with mock.client() as aks:
        cluster = aks.cluster("rg", "prod")
        assert cluster.update_tags({"stage": "test", "old": None}).outcome == "updated"
        assert cluster.update_tags({"stage": "test"}).outcome == "unchanged"
        assert mock.body("rg", "prod")["tags"] == {"team": "red", "stage": "test"}
        assert (methods(mock).count("PATCH"), methods(mock).count("PUT")) == (0, 1)
        assert cluster.update_tags({"more": "1"}).outcome == "updated"
        assert (methods(mock).count("PATCH"), methods(mock).count("PUT")) == (1, 1)


def test_tags_are_changed_by_a_function_and_nobody_elses_are_lost(mock: MockAks) -> None:
    def count(tags: dict[str, Any]) -> None:
        tags["counter"] = str(int(tags.get("counter", "0")) + 1)

    def rival(body: dict[str, Any]) -> None:
        body.setdefault("tags", {}).update(counter="41", owner="blue")

    mock.before_write(lambda: mock.edit("rg", "prod", change=rival), times=1)
    with mock.client() as aks:
        result = aks.cluster("rg", "prod").update_tags(count)
    assert (result.outcome, result.conflicts) == ("updated", 1)
    assert mock.body("rg", "prod")["tags"] == {"counter": "42", "owner": "blue"}
    assert all(entry.if_match for entry in mock.journal if entry.method == "PATCH")


def idle(pool: Snapshot) -> bool:
    return "team" not in pool.body["properties"].get("nodeLabels", {})


def claim(body: dict[str, Any]) -> None:
    body["properties"]["nodeLabels"] = {"team": "red"}


def test_a_predicate_decides_whether_to_delete(mock: MockAks) -> None:
    with mock.client() as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np2")
        assert pool.delete(only_if=lambda seen: not idle(seen)).outcome == "unchanged"
        assert pool.delete(only_if=idle).outcome == "deleted"
        assert pool.delete(only_if=idle).outcome == "absent"
    assert [entry.if_match is not None for entry in mock.journal if entry.method == "DELETE"] == [True]


def test_a_predicate_is_asked_again_of_what_came_in_between(mock: MockAks) -> None:
    asked: list[str] = []

    def heard(seen: Snapshot) -> bool:
        asked.append(seen.etag)
        return idle(seen)

    mock.before_write(lambda: mock.edit("rg", "prod", "np2", claim), times=1)
    with mock.client() as aks:
        result = aks.cluster("rg", "prod").agent_pool("np2").delete(only_if=heard)
    assert (result.outcome, result.conflicts, len(set(asked))) == ("unchanged", 1, 2)
    assert mock.body("rg", "prod", "np2")["properties"]["nodeLabels"] == {"team": "red"}


def test_a_pool_that_never_holds_still_is_not_deleted(mock: MockAks) -> None:
    mock.before_write(lambda: mock.edit("rg", "prod", "np2", one_more))
    with mock.client(conflict_retry=ConflictRetry(attempts=3)) as aks:
        with pytest.raises(ConflictRetriesExhaustedError) as raised:
            aks.cluster("rg", "prod").agent_pool("np2").delete(only_if=idle)
    assert (raised.value.attempts, raised.value.applied) == (3, False)


@pytest.mark.parametrize("more", [{"if_match": "abc"}, {"force": True}], ids=repr)
def test_delete_takes_exactly_one_of_its_conditions(mock: MockAks, more: dict[str, Any]) -> None:
    with mock.client() as aks, pytest.raises(InvalidPreconditionError, match="exactly one"):
        aks.cluster("rg", "prod").agent_pool("np2").delete(only_if=idle, **more)
    assert mock.journal == []


def test_get_or_none(mock: MockAks) -> None:
    with mock.client() as aks:
        cluster = aks.cluster("rg", "prod")
        assert cluster.agent_pool("np9").get_or_none() is None
        assert aks.cluster("nowhere", "prod").get_or_none() is None
        seen = cluster.agent_pool("np1").get_or_none()
        assert seen is not None
        mock.inject(method="GET", effect=503, times=1000)
        with pytest.raises(DeadlineExceededError):
            cluster.get_or_none(deadline=60)


@pytest.mark.parametrize("name", RECORDED)
def test_an_untouched_model_changes_nothing(recorded: Any, name: str) -> None:
    body = {**recorded(name)["body"], "fromTheFuture": {"a": None, "b": [1, None]}}
    model: Any = AgentPool if "pool" in name else ManagedCluster
    looked: list[Any] = []

    def look(value: Any) -> None:
        looked.extend([value.name, value.properties, value.id, value.provisioning_state])

    assert applied(typed(model, look), body) == body
    assert list(applied(typed(model, look), body)) == list(body)
    assert looked


def test_a_model_is_edited_like_a_body(mock: MockAks) -> None:
    def five(pool: AgentPool) -> None:
        pool.count = 5
        pool.node_labels = {"team": "red"}

    with mock.client() as aks:
        assert aks.cluster("rg", "prod").agent_pool("np1").update(typed(AgentPool, five)).outcome == "updated"
    properties = mock.body("rg", "prod", "np1")["properties"]
    assert (properties["count"], properties["nodeLabels"]) == (5, {"team": "red"})


def test_a_model_may_be_returned_and_anything_else_is_a_type_error() -> None:
    assert applied(typed(AgentPool, lambda pool: AgentPool(count=7)), {}) == {"properties": {"count": 7}}
    with pytest.raises(TypeError, match="mapping"):
        applied(typed(AgentPool, lambda pool: 7), {})  # type: ignore[arg-type, return-value]  # the wrong kind is the point


def test_a_consistent_view_is_seen_twice_alike(mock: MockAks) -> None:
    with mock.client() as aks:
        view = aks.cluster("rg", "prod").read_consistent()
    assert [pool.name for pool in view.pools] == ["np1", "np2"]
    assert view.cluster.etag == mock.body("rg", "prod")["eTag"]
    assert methods(mock) == ["GET"] * 4


def test_a_view_that_changes_between_two_reads_is_read_again(mock: MockAks) -> None:
    reads: list[str] = []
    transport = mock.httpx_transport()

    class Moving(type(transport)):  # type: ignore[misc]  # the mock's own door, with somebody in it
        def handle_request(self, request: Any) -> Any:
            reads.append(request.url.path)
            if len(reads) == 3:
                mock.edit("rg", "prod", "np2", one_more)
            return transport.handle_request(request)

    with mock.client(transport=Moving(mock.core)) as aks:
        view = aks.cluster("rg", "prod").read_consistent()
    assert len(reads) == 6
    assert view.pools[1].body["properties"]["count"] == 2


def test_a_view_that_never_holds_still_ends_at_the_deadline(mock: MockAks) -> None:
    mock.set_state("rg", "prod", "np2", "Upgrading")
    with mock.client() as aks, pytest.raises(DeadlineExceededError):
        aks.cluster("rg", "prod").read_consistent(deadline=60)


@pytest.mark.parametrize("effect", ["reset", 500, 408], ids=str)
def test_a_create_that_never_landed_is_sent_again_under_the_same_condition(mock: MockAks, effect: Any) -> None:
    mock.inject(method="PUT", phase="before", effect=effect)
    with mock.client() as aks:
        result = aks.cluster("rg", "prod").agent_pool("np9").create(NP9)
    assert (result.outcome, result.attempts) == ("created", 2)
    assert [entry.if_none_match for entry in mock.journal if entry.method == "PUT"] == ["*", "*"]


@pytest.mark.parametrize("effect", ["reset", 500, 408], ids=str)
def test_a_create_that_landed_cannot_be_told_from_a_twin(mock: MockAks, effect: Any) -> None:
    mock.inject(method="PUT", phase="after", effect=effect)
    with mock.client() as aks, pytest.raises(WriteOutcomeUnknownError) as raised:
        aks.cluster("rg", "prod").agent_pool("np9").create(NP9)
    assert (raised.value.equivalent, raised.value.pending) == (True, True)
    assert methods(mock).count("PUT") == 1


def test_a_twin_is_adopted_where_that_was_asked_for(mock: MockAks) -> None:
    mock.inject(method="PUT", phase="after", effect="reset")
    with mock.client() as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np9")
        assert pool.create(NP9, adopt=True).outcome == "satisfied"
        assert pool.create(NP9, adopt=True).outcome == "satisfied"
        with pytest.raises(AlreadyExistsError):
            pool.create({"properties": {**NP9["properties"], "count": 9}}, adopt=True)


def test_a_create_that_finds_something_else_is_not_equivalent(mock: MockAks) -> None:
    mock.inject(method="PUT", phase="before", effect="reset")
    mock.before_write(lambda: mock.add_pool("rg", "prod", "np9", {"count": 7}), times=1)
    with mock.client() as aks, pytest.raises(WriteOutcomeUnknownError) as raised:
        aks.cluster("rg", "prod").agent_pool("np9").create(NP9)
    assert raised.value.equivalent is False


@pytest.mark.parametrize("phase", ["before", "after"])
def test_a_delete_whose_answer_is_lost_is_found_out(mock: MockAks, phase: Any) -> None:
    mock.inject(method="DELETE", phase=phase, effect="reset")
    with mock.client() as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np2")
        result = pool.delete(if_match=pool.get())
        assert pool.get_or_none() is None
    assert (result.outcome, result.recovered) == ("deleted", "absent" if phase == "after" else None)


def in_doubt(somebody: Callable[[], None]) -> Callable[[Event], None]:
    """Let somebody act at the very moment at which a write is in doubt."""

    def heard(event: Event) -> None:
        if isinstance(event, Doubt):
            somebody()

    return heard


def test_a_delete_in_doubt_never_takes_another_version(mock: MockAks) -> None:
    mock.inject(method="DELETE", phase="before", effect="reset")
    with mock.client(on_event=in_doubt(lambda: mock.edit("rg", "prod", "np2", one_more))) as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np2")
        seen = pool.get()
        with pytest.raises(WriteOutcomeUnknownError):
            pool.delete(if_match=seen)
        assert pool.get().body["properties"]["count"] == 2


def test_a_pool_that_is_gone_while_a_put_is_in_doubt_is_gone(mock: MockAks) -> None:
    mock.inject(method="PUT", phase="before", effect="reset")
    with mock.client(on_event=in_doubt(lambda: mock.delete("rg", "prod", "np2"))) as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np2")
        seen = pool.get()
        with pytest.raises(ResourceGoneError) as raised:
            pool.put(NP9, if_match=seen)
    assert raised.value.applied is None


def test_a_merge_patch_may_be_used_for_create_or_update(mock: MockAks) -> None:
    with mock.client() as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        assert pool.create_or_update(NP9, merge_patch({"properties": {"count": 3}})).outcome == "unchanged"
