# SPDX-License-Identifier: MIT
"""The loop through the client on the mock: other writers, operations in progress, throttling, and lost answers."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag import (
    AlreadyExistsError,
    Busy,
    Conflict,
    ConflictRetriesExhaustedError,
    ConflictRetry,
    DeadlineExceededError,
    Event,
    NotFenced,
    NotFoundError,
    OperationFailedError,
    OperationInProgressError,
    OutcomeUnknown,
    PreconditionFailedError,
    Recovered,
    ResourceGoneError,
    ResourceReplacedError,
    ThrottledError,
    WriteOutcomeUnknownError,
    merge_patch,
)
from aks_etag.mock import MockAks

RED = merge_patch({"tags": {"team": "red"}})
FIVE = merge_patch({"properties": {"count": 5}})


def one_more(body: dict[str, Any]) -> None:
    body["properties"]["count"] += 1


def ten(body: dict[str, Any]) -> None:
    body["properties"]["count"] = 10


def methods(mock: MockAks) -> list[str]:
    return [entry.method for entry in mock.journal]


@pytest.mark.parametrize("polls", [1, 2, 5])
@pytest.mark.parametrize("kind", ["cluster", "pool"])
def test_an_update_without_conflict_costs_two_reads_one_write_and_the_polls(kind: str, polls: int) -> None:
    mock = MockAks(operation_polls=polls)
    mock.add_cluster("rg", "prod")
    with mock.client() as aks:
        cluster = aks.cluster("rg", "prod")
        result = cluster.update(RED) if kind == "cluster" else cluster.agent_pool("np1").update(FIVE)
    assert methods(mock) == ["GET", "PUT", *["GET"] * polls, "GET"]
    assert sum("operations" in entry.path for entry in mock.journal) == polls
    assert (result.outcome, result.attempts, result.conflicts, result.fenced) == ("updated", 1, 0, True)


def test_an_update_that_changes_nothing_writes_nothing(mock: MockAks) -> None:
    with mock.client() as aks:
        result = aks.cluster("rg", "prod").agent_pool("np1").update(merge_patch({"properties": {"count": 3}}))
    assert (result.outcome, result.attempts, methods(mock)) == ("unchanged", 0, ["GET"])


def test_the_body_of_a_retry_is_made_from_a_fresh_read(mock: MockAks) -> None:
    events: list[Event] = []
    mock.before_write(lambda: mock.edit("rg", "prod", "np1", ten), times=1)
    with mock.client(on_event=events.append) as aks:
        result = aks.cluster("rg", "prod").agent_pool("np1").update(one_more)
        assert (aks.stats.writes, aks.stats.conflicts, aks.stats.conflict_rate) == (2, 1, 0.5)
    assert mock.body("rg", "prod", "np1")["properties"]["count"] == 11
    assert (result.attempts, result.conflicts) == (2, 1)
    assert [event.attempt for event in events if isinstance(event, Conflict)] == [1]


def test_every_write_has_a_request_id_of_its_own(mock: MockAks) -> None:
    mock.before_write(lambda: mock.edit("rg", "prod", "np1", ten), times=1)
    with mock.client() as aks:
        aks.cluster("rg", "prod").agent_pool("np1").update(one_more)
    ids = [entry.request_id for entry in mock.journal if entry.method == "PUT"]
    assert len(set(ids)) == 2
    assert all(ids)


def test_a_writer_who_is_always_late_gives_up(mock: MockAks) -> None:
    mock.before_write(lambda: mock.edit("rg", "prod", "np1", one_more))
    with mock.client(conflict_retry=ConflictRetry(attempts=3)) as aks:
        with pytest.raises(ConflictRetriesExhaustedError) as raised:
            aks.cluster("rg", "prod").agent_pool("np1").update(one_more)
    assert raised.value.attempts == 3
    assert raised.value.last_seen is not None
    assert raised.value.last_seen.body["properties"]["count"] == 6


def test_a_pinned_update_is_final(mock: MockAks) -> None:
    with mock.client() as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        seen = pool.get()
        mock.edit("rg", "prod", "np1", ten)
        with pytest.raises(PreconditionFailedError) as raised:
            pool.update(one_more, if_match=seen)
    assert "PUT" not in methods(mock)
    assert (raised.value.sent, raised.value.status_code) == (seen.etag, 412)
    assert raised.value.current is not None


def test_a_pinned_update_of_the_version_seen_goes_through(mock: MockAks) -> None:
    with mock.client() as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        assert pool.update(one_more, if_match=pool.get()).outcome == "updated"


@pytest.mark.parametrize("target", [("np1",), ()], ids=["the pool", "its cluster"])
def test_an_operation_in_progress_is_waited_for(target: tuple[str, ...]) -> None:
    mock = MockAks(operation_polls=4)
    mock.add_cluster("rg", "prod", pools={"np1": {"count": 3}})
    events: list[Event] = []

    def somebody_starts() -> None:
        with mock.client() as other:
            path = other.cluster("rg", "prod").id + "".join(f"/agentPools/{name}" for name in target)
            body = {"properties": {"count": 7}} if target else {"location": "region1", "tags": {"by": "policy"}}
            other.sdk.send_request(_put(path, body))

    mock.before_write(somebody_starts, times=1)
    with mock.client(on_event=events.append) as aks:
        result = aks.cluster("rg", "prod").agent_pool("np1").update(one_more)
    assert result.outcome == "updated"
    assert any(isinstance(event, Busy | Conflict) for event in events)
    assert mock.body("rg", "prod", "np1")["properties"]["count"] == (8 if target else 4)


def _put(path: str, body: dict[str, Any]) -> Any:
    from azure.core.rest import HttpRequest

    return HttpRequest("PUT", f"{path}?api-version=2026-08-01", json=body)


def test_who_does_not_want_to_wait_is_told(mock: MockAks) -> None:
    mock.set_state("rg", "prod", "np1", "Upgrading")
    with mock.client() as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        with pytest.raises(OperationInProgressError, match="Upgrading"):
            pool.update(one_more, on_busy="raise")
        with pytest.raises(OperationInProgressError):
            pool.with_options(on_busy="raise").update(one_more)
        with pytest.raises(OperationInProgressError) as raised:
            pool.put({"properties": {"count": 4}}, force=True)
    assert raised.value.status_code == 409


def test_an_unknown_state_means_busy_until_the_deadline(mock: MockAks) -> None:
    mock.set_state("rg", "prod", "np1", "Frobnicating")
    with mock.client() as aks:
        with pytest.raises(DeadlineExceededError, match="Frobnicating") as raised:
            aks.cluster("rg", "prod").agent_pool("np1").update(one_more, deadline=60)
    assert raised.value.waiting_for is not None
    assert mock.clock.monotonic() <= 61


@pytest.mark.parametrize("effect", [429, 503], ids=str)
def test_a_retry_after_is_obeyed(mock: MockAks, effect: int) -> None:
    mock.inject(method="GET", effect=effect, headers={"Retry-After": "36"})
    before = mock.clock.monotonic()
    with mock.client() as aks:
        aks.cluster("rg", "prod").agent_pool("np1").get()
    assert mock.clock.monotonic() - before == 36


def test_a_throttled_write_waits_and_goes_through(mock: MockAks) -> None:
    mock.inject(method="PUT", effect=429, headers={"Retry-After": "36"})
    with mock.client() as aks:
        result = aks.cluster("rg", "prod").agent_pool("np1").update(one_more)
        assert aks.stats.throttled == 1
    assert (result.outcome, result.attempts, result.conflicts) == ("updated", 2, 0)
    assert result.waited >= 36


def test_a_retry_after_beyond_the_deadline_raises_at_once_with_the_seconds(mock: MockAks) -> None:
    mock.inject(method="PUT", effect=429, headers={"Retry-After": "3600"})
    before = mock.clock.monotonic()
    with mock.client() as aks:
        with pytest.raises(ThrottledError, match="3600") as raised:
            aks.cluster("rg", "prod").agent_pool("np1").update(one_more, deadline=60)
    assert raised.value.retry_after == 3600
    assert mock.clock.monotonic() == before


@pytest.mark.parametrize("kind", ["cluster", "pool"])
def test_what_was_deleted_meanwhile_is_gone_and_not_created_again(mock: MockAks, kind: str) -> None:
    target = () if kind == "cluster" else ("np1",)
    mock.before_write(lambda: mock.delete("rg", "prod", *target), times=1)
    with mock.client() as aks:
        cluster = aks.cluster("rg", "prod")
        with pytest.raises(ResourceGoneError):
            _ = cluster.update(RED) if kind == "cluster" else cluster.agent_pool("np1").update(one_more)
        with pytest.raises(NotFoundError) as raised:
            _ = cluster.update(RED) if kind == "cluster" else cluster.agent_pool("np1").update(one_more)
    assert not isinstance(raised.value, ResourceGoneError)
    assert methods(mock).count("PUT") == 1


def test_a_cluster_that_was_deleted_and_created_again_is_another_one(mock: MockAks) -> None:
    def replace() -> None:
        mock.delete("rg", "prod")
        mock.add_cluster("rg", "prod", body={"location": "region1", "properties": {"resourceUID": "f" * 24}})

    mock.before_write(replace, times=1)
    with mock.client() as aks, pytest.raises(ResourceReplacedError):
        aks.cluster("rg", "prod").update(RED)
    assert methods(mock).count("PUT") == 1


@pytest.mark.parametrize("effect", ["reset", 500, 503, 408], ids=str)
def test_a_lost_answer_to_a_settling_change_is_found_out(mock: MockAks, effect: Any) -> None:
    events: list[Event] = []
    mock.inject(method="PUT", phase="after", effect=effect)
    with mock.client(on_event=events.append) as aks:
        result = aks.cluster("rg", "prod").agent_pool("np1").update(FIVE)
        assert aks.stats.doubts == 1
    assert (result.outcome, result.recovered, methods(mock).count("PUT")) == ("updated", "equivalent", 1)
    assert any(isinstance(event, Recovered) for event in events)


@pytest.mark.parametrize("effect", ["reset", 500, 503, 408], ids=str)
def test_a_write_that_never_landed_is_sent_again_under_the_same_tag(mock: MockAks, effect: Any) -> None:
    mock.inject(method="PUT", phase="before", effect=effect)
    with mock.client() as aks:
        result = aks.cluster("rg", "prod").agent_pool("np1").update(one_more)
    puts = [entry.if_match for entry in mock.journal if entry.method == "PUT"]
    assert (result.outcome, len(puts), len(set(puts))) == ("updated", 2, 1)
    assert mock.body("rg", "prod", "np1")["properties"]["count"] == 4


def test_a_lost_answer_to_an_increment_is_said_to_be_unknown(mock: MockAks) -> None:
    events: list[Event] = []
    mock.inject(method="PUT", phase="after", effect="reset")
    with mock.client(on_event=events.append) as aks:
        with pytest.raises(WriteOutcomeUnknownError) as raised:
            aks.cluster("rg", "prod").agent_pool("np1").update(one_more)
    assert raised.value.request_ids == tuple(commit.request_id for commit in mock.commits)
    assert (raised.value.pending, methods(mock).count("PUT")) == (False, 1)
    assert [event.request_ids for event in events if isinstance(event, OutcomeUnknown)] == [raised.value.request_ids]


def test_an_operation_that_fails_with_http_200_is_an_error(mock: MockAks) -> None:
    mock.fail_operation("SkuNotAvailable", "no such machines", stored=False)
    with mock.client() as aks:
        with pytest.raises(OperationFailedError, match="SkuNotAvailable") as raised:
            aks.cluster("rg", "prod").agent_pool("np1").update(one_more)
    assert (raised.value.code, raised.value.applied) == ("SkuNotAvailable", None)


@pytest.mark.parametrize("stored", [True, False], ids=["stored", "not stored"])
def test_a_preempted_operation_is_looked_into(mock: MockAks, stored: bool) -> None:
    mock.fail_operation("OperationFailure", details=[{"code": "OriginalEtagNotExpect"}], stored=stored)
    with mock.client() as aks:
        result = aks.cluster("rg", "prod").agent_pool("np1").update(FIVE)
    assert result.outcome == "updated"
    assert mock.body("rg", "prod", "np1")["properties"]["count"] == 5
    assert methods(mock).count("PUT") == (1 if stored else 2)


def test_a_patch_that_does_not_move_the_tag_says_that_it_is_not_fenced() -> None:
    mock = MockAks(patch_moves_tag=False)
    mock.add_cluster("rg", "prod")
    events: list[Event] = []
    with mock.client(on_event=events.append) as aks:
        cluster = aks.cluster("rg", "prod")
        result = cluster.patch({"tags": {"team": "red"}}, if_match=cluster.get())
    assert (result.outcome, result.fenced) == ("updated", False)
    assert any(isinstance(event, NotFenced) for event in events)


def test_a_create_finds_what_is_there(mock: MockAks) -> None:
    with mock.client() as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np9")
        assert pool.create({"properties": {"count": 1, "vmSize": "Standard_DS2_v2"}}).outcome == "created"
        with pytest.raises(AlreadyExistsError) as raised:
            pool.create({"properties": {"count": 1, "vmSize": "Standard_DS2_v2"}})
    assert raised.value.current is not None
    assert [entry.if_none_match for entry in mock.journal if entry.method == "PUT"] == ["*", "*"]
