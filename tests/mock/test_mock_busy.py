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
