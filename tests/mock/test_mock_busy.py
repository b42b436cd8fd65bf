# SPDX-License-Identifier: MIT
"""Busy windows: which running operation refuses which write."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag.mock import MockAks


@pytest.fixture
def slow(mock: MockAks) -> MockAks:
    """The same AKS with operations that take a while, and a second pool."""
    mock.add_pool("rg1", "aks1", "np2", {})
    mock.switches.operation_polls = 99
    return mock


def test_pools_can_be_made_to_block_each_other(slow: MockAks, aks: Any) -> None:
    slow.switches.pools_block_each_other = True
    aks.ask("PUT", aks.np1, {})
    assert aks.ask("PUT", aks.np2, {}).status_code == 409


def test_the_recorded_words_name_the_pool_and_what_happens_to_it(slow: MockAks, aks: Any, recorded: Any) -> None:
    slow.delete("rg1", "aks1", "np2")
    aks.ask("PUT", aks.np2, {})
    assert aks.ask("PUT", aks.cluster, {}).json() == recorded("error_409_operation_not_allowed_pool")["body"]


def test_while_something_is_deleted_the_text_says_so(slow: MockAks, aks: Any, recorded: Any) -> None:
    aks.ask("DELETE", aks.np2)
    slow.clock.sleep(1828)
    answered = aks.ask("PUT", aks.np2, {}).json()
    expected = recorded("error_409_operation_not_allowed_deleting")["body"]
    text = expected["message"].replace("Scaling", "Updating").replace("2024-01-09T04:29:12Z", "2025-01-01T00:00:00Z")
    assert answered == {**expected, "message": text}


SAYS: list[tuple[Any, str, str, str]] = [
    ("operation", "PUT np1", "OperationNotAllowed", "Another agentpool operation (np1 - Updating) is in progress, "),
    ("operation", "PUT cluster", "OperationNotAllowed", "Another operation (Updating) is in progress, "),
    (
        "operation id",
        "PUT np1",
        "OperationNotAllowed",
        "there's an in progress put agent pool operation (operation ID: ",
    ),
    ("operation id", "DELETE np1", "OperationNotAllowed", "there's an in progress delete agent pool operation "),
    ("state", "PUT np1", "OperationNotAllowed", "Provisioning State(Updating) of the agent pool"),
    ("state", "PUT cluster", "OperationNotAllowed", "Provisioning State(Updating) of the cluster"),
    ("etag mismatch", "PUT np1", "EtagMismatch", "Operation is not allowed: Another operation is in progress"),
    ("etag mismatch", "DELETE np1", "EtagMismatch", "Another operation is in progress"),
]


@pytest.mark.parametrize(("says", "first", "code", "text"), SAYS)
def test_what_a_busy_answer_says_is_a_switch(
    says: Any, first: str, code: str, text: str, slow: MockAks, aks: Any
) -> None:
    slow.switches.busy_answer = says
    method, held = first.split()
    aks.ask(method, getattr(aks, held), {} if method == "PUT" else None)
    refused = aks.ask("PUT", aks.np1, {})
    assert (refused.status_code, refused.json()["code"]) == (409, code)
    assert text in refused.json()["message"]


def test_the_race_to_save_is_as_recorded(slow: MockAks, aks: Any, recorded: Any) -> None:
    slow.switches.busy_answer = "etag mismatch"
    aks.ask("PUT", aks.cluster, {})
    body = aks.ask("PUT", aks.cluster, {}).json()
    # The source of the recording cuts its subcode off.
    assert {**body, "subcode": ""} == {**recorded("error_409_etag_mismatch")["body"], "subcode": ""}


def test_an_operation_is_named_by_its_id(slow: MockAks, aks: Any) -> None:
    slow.switches.busy_answer = "operation id"
    link = aks.ask("PUT", aks.np1, {}).headers["Azure-AsyncOperation"]
    text = aks.ask("PUT", aks.np1, {}).json()["message"]
    assert link.partition("?")[0].rpartition("/")[2] in text
    assert "on the agent pool np1 started on UTC 2025-01-01T00:00:00Z" in text


@pytest.mark.parametrize("says", ["operation", "operation id", "state", "etag mismatch"])
@pytest.mark.parametrize("held", ["np1", "cluster"])
def test_the_client_waits_whatever_it_says(says: Any, held: str, mock: MockAks, aks: Any) -> None:
    mock.switches.busy_answer = says
    mock.switches.busy_first = True
    mock.switches.operation_polls = 3

    def somebody() -> None:
        body = mock.body("rg1", "aks1", None if held == "cluster" else held)
        aks.ask("PUT", getattr(aks, held), body)

    mock.before_write(somebody, times=1)
    with mock.client() as client:
        pool = client.cluster("rg1", "aks1").agent_pool("np1")
        result = pool.update(lambda body: body["properties"].update(count=4))
    assert (result.outcome, result.snapshot.body["properties"]["count"]) == ("updated", 4)
    assert 409 in [entry.status for entry in mock.journal]


@pytest.mark.parametrize(("busy_first", "status"), [(False, 412), (True, 409)])
def test_which_refusal_wins(busy_first: bool, status: int, slow: MockAks, aks: Any) -> None:
    slow.switches.busy_first = busy_first
    aks.ask("PUT", aks.np1, {})
    assert aks.ask("PUT", aks.np1, {}, If_Match="stale").status_code == status


@pytest.mark.parametrize(
    ("pool", "state", "method", "path", "status"),
    [
        (None, "Updating", "PUT", "cluster", 409),
        (None, "Upgrading", "PATCH", "cluster", 409),
        (None, "Updating", "PUT", "np1", 409),
        (None, "Updating", "DELETE", "cluster", 202),
        (None, "Failed", "PUT", "cluster", 200),
        (None, "Canceled", "PUT", "cluster", 200),
        ("np1", "Scaling", "PUT", "np1", 409),
        ("np1", "Scaling", "PUT", "cluster", 409),
        ("np1", "Scaling", "PUT", "np2", 200),
        ("np1", "Failed", "PUT", "np1", 200),
    ],
)
def test_a_pinned_state_refuses_writes_unless_it_is_terminal(
    pool: str | None, state: str, method: str, path: str, status: int, slow: MockAks, aks: Any
) -> None:
    slow.set_state("rg1", "aks1", pool, state)
    assert slow.body("rg1", "aks1", pool)["properties"]["provisioningState"] == state
    response = aks.ask(method, getattr(aks, path), None if method == "DELETE" else {})
    assert response.status_code == status


def test_a_pinned_state_lasts_until_it_is_set_again(slow: MockAks, aks: Any) -> None:
    slow.set_state("rg1", "aks1")
    assert [aks.ask("GET", aks.cluster).json()["properties"]["provisioningState"] for _ in range(3)] == ["Updating"] * 3
    slow.set_state("rg1", "aks1", state="Succeeded")
    assert aks.ask("PUT", aks.cluster, {}).status_code == 200
