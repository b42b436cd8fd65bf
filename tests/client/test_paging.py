# SPDX-License-Identifier: MIT
"""Lists stream page by page, follow a nextLink only to the same host, and are polite when throttled."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from aks_etag import AksClient, ConflictRetry, RequestRefusedError, ThrottledError
from aks_etag.mock import FakeCredential, MockAks


@pytest.fixture
def many() -> MockAks:
    aks = MockAks(page_size=2)
    for number in range(5):
        aks.add_cluster("rg" if number else "other", f"c{number}", pools={f"np{n}": {"count": 1} for n in range(3)})
    return aks


def lists(mock: MockAks) -> int:
    return len([entry for entry in mock.journal if entry.method == "GET"])


def test_a_page_is_read_when_it_is_needed(many: MockAks) -> None:
    with many.client() as aks:
        names = []
        for count, snapshot in enumerate(aks.clusters(), start=1):
            names.append(snapshot.name)
            assert lists(many) == (count + 1) // 2
            assert snapshot.has_etag
    assert names == [f"c{number}" for number in range(5)]


def test_lists_of_a_group_and_of_pools(many: MockAks) -> None:
    with many.client() as aks:
        assert [cluster.name for cluster in aks.clusters("other")] == ["c0"]
        assert [cluster.name for cluster in aks.clusters(resource_group="rg")] == ["c1", "c2", "c3", "c4"]
        assert [pool.name for pool in aks.cluster("rg", "c1").agent_pools()] == ["np0", "np1", "np2"]


def test_a_throttled_page_is_waited_for(many: MockAks) -> None:
    many.inject(method="GET", nth=2, effect=429, headers={"Retry-After": "36"})
    before = many.clock.monotonic()
    with many.client() as aks:
        assert len(list(aks.clusters())) == 5
    # From then on the service is known to grant one a second.
    assert many.clock.monotonic() - before == 36 + 1


def test_a_throttled_page_that_asks_for_too_much_stops_the_list(many: MockAks) -> None:
    many.inject(method="GET", nth=2, effect=429, headers={"Retry-After": "3600"})
    got = []
    with many.client(conflict_retry=ConflictRetry(deadline=60)) as aks:
        with pytest.raises(ThrottledError) as raised:
            for snapshot in aks.clusters():
                got.append(snapshot.name)
    assert (got, raised.value.retry_after) == (["c0", "c1"], 3600)


@pytest.mark.parametrize(
    "link", ["https://evil.example/next", "http://management.azure.com/next", "//evil.example/x",
             "https://management.azure.com@evil.example/", "https://management.azure.com.evil.example/x", "ftp://x"]
)  # fmt: skip
def test_a_next_link_to_another_host_is_not_followed(link: str) -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        return httpx.Response(200, json={"value": [], "nextLink": link})

    with AksClient(FakeCredential(), "s1", transport=httpx.MockTransport(answer)) as aks:
        with pytest.raises(RequestRefusedError, match="another host"):
            list(aks.clusters())
    assert len(asked) == 1


@pytest.mark.parametrize("body", [{}, {"value": None}, {"value": [1]}, {"value": [{"id": 7}]}, {"value": {}}], ids=repr)
def test_what_is_no_list_is_an_error_and_not_an_empty_one(body: dict[str, Any]) -> None:
    transport = httpx.MockTransport(lambda request: httpx.Response(200, json=body))
    with AksClient(FakeCredential(), "s1", transport=transport) as aks, pytest.raises(RequestRefusedError):
        list(aks.clusters())
