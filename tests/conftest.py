# SPDX-License-Identifier: MIT
"""What every test may use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from aks_etag._tokens import PROCESS
from aks_etag.mock import MockAks

# Nothing here is timed: a fresh clone on a busy machine is slow, and that is no failure.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# For ``nox -s deep``.
settings.register_profile("deep", settings.get_profile("untimed"), max_examples=10_000)
settings.load_profile("untimed")

WIRE = Path(__file__).parent / "data" / "wire"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest, so that the rest runs beside it where there are several processes."""
    items.sort(key=lambda item: "tests/simulation/" not in item.nodeid)


@pytest.fixture(autouse=True)
def nothing_learned() -> None:
    """Let no test be held back by a 429 that another one has met: ports are used again."""
    PROCESS.forget()


@pytest.fixture
def anyio_backend() -> str:
    """Run asynchronous tests on asyncio: the clients are made for it."""
    return "asyncio"


@pytest.fixture
def mock() -> MockAks:
    """An AKS with the cluster rg/prod, which has the pools np1 (3 nodes) and np2 (1 node)."""
    aks = MockAks()
    aks.add_cluster("rg", "prod", pools={"np1": {"count": 3}, "np2": {"count": 1}})
    return aks


def recorded(name: str) -> dict[str, Any]:
    """Return one recorded exchange."""
    payload: dict[str, Any] = json.loads((WIRE / f"{name}.json").read_text("utf-8"))
    return payload


@pytest.fixture(name="recorded")
def recorded_fixture() -> Any:
    """Look up a recorded exchange by name."""
    return recorded
