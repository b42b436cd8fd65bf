# SPDX-License-Identifier: MIT
"""Subscriptions and groups keep their clusters apart, and share time and records."""

from __future__ import annotations

import pytest

from aks_etag import NotFoundError
from aks_etag.mock import MockAks

OTHER = "22222222-2222-2222-2222-222222222222"


def test_the_same_name_in_two_subscriptions_is_two_clusters() -> None:
    mock = MockAks()
    other = mock.add_subscription(OTHER)
    mock.add_cluster("rg", "prod", pools={"np1": {"count": 3}})
    other.add_cluster("rg", "prod", pools={"np1": {"count": 5}})
    with mock.client() as here, other.client() as there:
        pools = [each.cluster("rg", "prod").agent_pool("np1") for each in (here, there)]
        assert [pool.get().body["properties"]["count"] for pool in pools] == [3, 5]
        pools[1].update(lambda body: body["properties"].update(count=6))
        assert [pool.get().body["properties"]["count"] for pool in pools] == [3, 6]
        assert f"/subscriptions/{OTHER}/" in pools[1].get().id
    assert mock.commits is other.commits
    assert len(mock.commits) == 1
    assert {entry.path.split("/")[2] for entry in mock.journal} == {mock.subscription_id, OTHER}


def test_what_is_in_one_is_not_in_the_other() -> None:
    mock = MockAks()
    other = mock.add_subscription(OTHER)
    other.add_cluster("rg", "prod")
    mock.add_resource_group("rg")
    with mock.client() as here, other.client() as there:
        assert [each.name for each in there.clusters()] == ["prod"]
        assert list(here.clusters()) == []
        with pytest.raises(NotFoundError):
            here.cluster("rg", "prod").get()


def test_they_share_time_and_faults() -> None:
    mock = MockAks(operation_seconds=60)
    other = mock.add_subscription(OTHER.upper())
    for each in (mock, other):
        each.add_cluster("rg", "prod")
    mock.inject("PUT", effect=503, times=2)
    for each in (mock, other):
        with each.client() as client:
            assert client.cluster("rg", "prod").agent_pool("np1").update(more).outcome == "updated"
    assert [entry.status for entry in mock.journal if entry.method == "PUT"] == [503, 503, 200, 200]


def test_a_subscription_that_was_not_added_is_unknown() -> None:
    mock = MockAks()
    with MockAks(OTHER).client(transport=mock.httpx_transport()) as client:
        with pytest.raises(NotFoundError) as caught:
            client.cluster("rg", "prod").get()
    assert caught.value.code == "SubscriptionNotFound"


@pytest.mark.parametrize("spelled", ["rg", "RG", "rG"])
def test_groups_have_no_case(spelled: str) -> None:
    mock = MockAks()
    mock.add_cluster("Rg", "Prod")
    with mock.client() as client:
        assert client.cluster(spelled, "PROD").get().body["name"] == "Prod"


def more(body: dict) -> None:  # type: ignore[type-arg]
    body["properties"]["count"] += 1
