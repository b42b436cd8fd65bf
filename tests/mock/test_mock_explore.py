# SPDX-License-Identifier: MIT
"""The explorer finds the bugs that scripts have, tells the shortest way to each, and finds none where there is none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from aks_etag.mock import MockAks
from aks_etag.mock.explore import Exploration, explore

POOL = (
    "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/rg/providers/"
    "Microsoft.ContainerService/managedClusters/prod/agentPools/np1?api-version=2026-05-01"
)
LOST_ANSWER = {"phase": "after", "effect": "reset"}
Script = Callable[[MockAks], None]


def http(mock: MockAks) -> httpx.Client:
    return httpx.Client(transport=mock.httpx_transport(), base_url="https://management.azure.com")


def one_more(client: httpx.Client, body: dict[str, Any], tag: str | None) -> httpx.Response:
    body["properties"]["count"] += 1
    body["properties"].pop("provisioningState")
    return client.put(POOL, json=body, headers={} if tag is None else {"If-Match": tag})


def unconditional(mock: MockAks) -> None:
    with http(mock) as client:
        one_more(client, client.get(POOL).json(), None).raise_for_status()


def once_under_a_tag(mock: MockAks) -> None:
    with http(mock) as client:
        body = client.get(POOL).json()
        one_more(client, body, body["properties"]["eTag"]).raise_for_status()


def newer_tag_older_body(mock: MockAks) -> None:
    with http(mock) as client:
        body = client.get(POOL).json()
        body["properties"]["count"] += 1
        tag = body["properties"]["eTag"]
        while client.put(POOL, json=body, headers={"If-Match": tag}).status_code == 412:
            tag = client.get(POOL).json()["properties"]["eTag"]


def blind_retry(mock: MockAks) -> None:
    with http(mock) as client:
        while True:
            body = client.get(POOL).json()
            try:
                if one_more(client, body, body["properties"]["eTag"]).status_code == 200:
                    return
            except httpx.TransportError:
                continue


def with_the_library(mock: MockAks) -> None:
    with mock.client(exactly_once=True) as aks:
        aks.cluster("rg", "prod").agent_pool("np1").update(
            lambda body: body["properties"].update(count=body["properties"]["count"] + 1)
        )


def in_asyncio(mock: MockAks) -> None:
    async def work() -> None:
        async with mock.async_client() as aks:
            await (
                aks.cluster("rg", "prod")
                .agent_pool("np1")
                .update(lambda body: body["properties"].update(count=body["properties"]["count"] + 1))
            )

    asyncio.run(work())


def with_the_sdk(mock: MockAks) -> None:
    with mock.sdk_client() as sdk:
        pool = sdk.agent_pools.get("rg", "prod", "np1")
        pool.count += 1
        sdk.agent_pools.begin_create_or_update("rg", "prod", "np1", pool).result()


@pytest.mark.parametrize(
    ("writers", "faults", "requests"),
    [
        pytest.param([unconditional, unconditional], [], 4, id="GET-then-PUT without a condition"),
        pytest.param([unconditional, once_under_a_tag], [], 4, id="one of two without a condition"),
        pytest.param([newer_tag_older_body] * 2, [], 6, id="a refreshed tag with an old body"),
        pytest.param([newer_tag_older_body, with_the_library], [], 8, id="the same, beside the library"),
        pytest.param([blind_retry], [LOST_ANSWER], 4, id="blind retry after a reset"),
        pytest.param([with_the_sdk, with_the_sdk], [], None, id="the SDK without a condition"),
    ],
)
def test_the_bug_is_found_by_the_shortest_way(writers: list[Script], faults: list[Any], requests: int | None) -> None:
    found = explore(*writers, faults=faults)
    assert not found.clean
    assert "count is" in found.found
    moves = [line for line in found.schedule if line[:3].strip()]
    assert requests in (None, len(moves)), str(found)


@pytest.mark.parametrize(
    ("writers", "faults"),
    [
        pytest.param([once_under_a_tag, once_under_a_tag], [], id="once, and then an error"),
        pytest.param([with_the_library, with_the_library], [LOST_ANSWER], id="the library"),
        pytest.param([in_asyncio, with_the_library], [], id="the library in asyncio"),
        pytest.param([once_under_a_tag, with_the_library], [], id="both"),
    ],
)
def test_where_there_is_none_none_is_found(writers: list[Script], faults: list[Any]) -> None:
    found = explore(*writers, faults=faults, runs=300)
    assert found.clean, str(found)
    assert found.runs > 3


def test_all_schedules_of_two_short_writers_are_tried() -> None:
    found = explore(once_under_a_tag, once_under_a_tag)
    # A read and a write each: four over two.
    assert (found.clean, found.complete, found.runs) == (True, True, 6)


def test_three_writers_at_once() -> None:
    assert not explore(once_under_a_tag, once_under_a_tag, unconditional).clean
    assert explore(once_under_a_tag, once_under_a_tag, once_under_a_tag).complete


def test_what_is_found_is_told() -> None:
    told = str(explore(unconditional, unconditional)).splitlines()
    assert told[0].startswith("rg/prod.properties.agentPoolProfiles[0].count is 4, and one after the other")
    assert "come to 5" in told[0]
    assert [line.split(" (")[0] for line in told[1:5]] == [
        "  1 unconditional GET np1 -> 200",
        "  2 unconditional GET np1 -> 200",
        "  3 unconditional PUT np1 -> 200",
        "  4 unconditional PUT np1 -> 200",
    ]
    assert told[5:] == ["    unconditional is done", "    unconditional is done"]


def test_operations_that_run_are_part_of_it() -> None:
    def slow() -> MockAks:
        mock = MockAks(operation_polls=1)
        mock.add_cluster("rg", "prod")
        return mock

    assert explore(with_the_library, with_the_library, setup=slow, runs=200).clean
    assert not explore(with_the_sdk, with_the_sdk, setup=slow).clean


def test_a_writer_that_never_ends_is_cut_off() -> None:
    def for_ever(mock: MockAks) -> None:
        with http(mock) as client:
            while True:
                client.get(POOL)

    assert explore(for_ever, once_under_a_tag, runs=5, requests=10).clean


def test_there_must_be_something_to_interleave() -> None:
    with pytest.raises(ValueError, match="nothing to interleave"):
        explore(unconditional)


def test_a_clean_result_says_how_much_was_tried() -> None:
    assert str(Exploration(runs=3, complete=True)) == "3 schedules: nothing is lost or doubled"
    assert str(Exploration(runs=3, complete=False)) == "3 schedules, and there are more: nothing is lost or doubled"
