# SPDX-License-Identifier: MIT
"""The documented budgets: 20 writes, then one a minute."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag.mock import MockAks


@pytest.fixture
def strict(mock: MockAks) -> MockAks:
    """The same AKS with its budgets, and operations that are over at accept."""
    mock.switches.throttle = True
    mock.switches.operation_polls = 0
    return mock


def accepted(aks: Any, method: str, path: str, tries: int, **headers: str) -> int:
    """Count the requests that are not throttled."""
    return sum(aks.ask(method, path, {}, **headers).status_code != 429 for _ in range(tries))


@pytest.mark.parametrize(
    ("method", "path", "size", "seconds"),
    [("PUT", "np1", 20, 60), ("PUT", "cluster", 20, 60), ("GET", "cluster", 60, 1), ("GET", "np1", 60, 1)],
)
def test_a_spent_budget_says_when_there_is_more(
    method: str, path: str, size: int, seconds: int, strict: MockAks, aks: Any
) -> None:
    target = getattr(aks, path)
    assert accepted(aks, method, target, size + 5) == size
    refused = aks.ask(method, target, {})
    assert (refused.headers["Retry-After"], refused.json()["code"]) == (str(seconds), "Throttled")
    strict.clock.sleep(seconds)
    assert accepted(aks, method, target, 2) == 1


def test_every_pool_has_a_budget_of_its_own(strict: MockAks, aks: Any) -> None:
    assert accepted(aks, "PUT", aks.np1, 25) == 20
    assert accepted(aks, "PUT", aks.np2, 25) == 20


@pytest.mark.parametrize(("cost", "count"), [(True, 20), (False, 30)])
def test_whether_refused_writes_cost(cost: bool, count: int, strict: MockAks, aks: Any) -> None:
    strict.switches.refused_writes_cost = cost
    assert accepted(aks, "PUT", aks.np1, 30, If_Match="stale") == count


def test_without_the_switch_nobody_is_throttled(mock: MockAks, aks: Any) -> None:
    assert accepted(aks, "GET", aks.cluster, 100) == 100
