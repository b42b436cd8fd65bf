# SPDX-License-Identifier: MIT
"""Test a provisioning function with respx: it makes its own client, and meets a rival and a lost answer all the same.

Run it with ``pytest samples/test_provisioning.py``.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from aks_etag import AksClient, WriteOutcomeUnknownError
from aks_etag.mock import FakeCredential, MockAks


def provision(subscription_id: str, nodes: int) -> int:
    """Add nodes to np1 and return how many there are; this is the function under test."""

    def more(body: dict[str, Any]) -> None:
        body["properties"]["count"] += nodes

    with AksClient(FakeCredential(), subscription_id, polling_interval=0) as aks:
        result = aks.cluster("rg", "prod").agent_pool("np1").update(more)
    assert result.snapshot is not None
    return int(result.snapshot.body["properties"]["count"])


@pytest.fixture
def azure() -> Iterator[MockAks]:
    """Answer for management.azure.com while a test runs; nothing leaves this machine."""
    mock = MockAks()
    mock.add_cluster("rg", "prod", pools={"np1": {"count": 3}})
    with mock.respx_router():
        yield mock


def test_nodes_are_added(azure: MockAks) -> None:
    assert provision(azure.subscription_id, 2) == 5


def test_nodes_are_added_to_what_a_rival_left(azure: MockAks) -> None:
    def ten(body: dict[str, Any]) -> None:
        body["properties"]["count"] = 10

    azure.before_write(lambda: azure.edit("rg", "prod", "np1", ten), times=1)
    assert provision(azure.subscription_id, 2) == 12


def test_nodes_are_never_added_twice_when_an_answer_is_lost(azure: MockAks) -> None:
    azure.inject(method="PUT", phase="after", effect="reset")
    with pytest.raises(WriteOutcomeUnknownError):
        provision(azure.subscription_id, 2)
    assert azure.body("rg", "prod", "np1")["properties"]["count"] == 5
