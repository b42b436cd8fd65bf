# SPDX-License-Identifier: MIT
"""The status table, row by row, through every door: plain HTTP, both clients in process, and over a real socket."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from aks_etag import AksClient, AksEtagError, AsyncAksClient, InvalidPreconditionError
from aks_etag._status_table import PREFLIGHT, ROWS, Kind, Row
from aks_etag.cli.table import BODIES, TAGS, by_client, by_hand, stage
from aks_etag.mock import FakeCredential

KINDS: tuple[Kind, ...] = ("cluster", "pool")
CASES = [pytest.param(row, kind, id=f"{kind}: {row.name}") for kind in KINDS for row in (*ROWS, *PREFLIGHT)]
SENDABLE = [
    pytest.param(row, kind, id=f"{kind}: {row.name}")
    for kind in KINDS
    for row in (*ROWS, *PREFLIGHT)
    if not (kind == "pool" and row.method == "PATCH")
]


def expected_of_client(row: Row, kind: Kind) -> int | None:
    status = row.status(kind)
    return None if status == 400 else status


def arguments(row: Row, tag: str) -> dict[str, Any]:
    headers = row.headers(tag)
    return {name.lower().replace("-", "_"): value for name, value in headers.items()} or {"force": True}


def test_the_table_has_all_twenty_lines() -> None:
    assert sorted({row.line for row in ROWS}) == list(range(1, 21))
    assert [row.documented for row in PREFLIGHT] == [400, 400]


@pytest.mark.parametrize(("row", "kind"), CASES)
def test_the_mock_answers_as_the_table_says(row: Row, kind: Kind) -> None:
    assert by_hand(row, kind) == row.status(kind)


@pytest.mark.parametrize(("row", "kind"), SENDABLE)
def test_the_client_reports_what_the_table_says(row: Row, kind: Kind) -> None:
    assert by_client(row, kind)[0] == expected_of_client(row, kind)


@pytest.mark.anyio
@pytest.mark.parametrize(("row", "kind"), SENDABLE)
async def test_the_async_client_reports_what_the_table_says(row: Row, kind: Kind) -> None:
    mock, tag = stage(row, kind)
    async with mock.async_client() as aks:
        assert await status_of(aks, row, kind, tag) == expected_of_client(row, kind)


@pytest.mark.parametrize(("row", "kind"), CASES)
def test_the_table_holds_over_a_socket(row: Row, kind: Kind) -> None:
    mock, tag = stage(row, kind)
    with (
        mock.serve() as url,
        AksClient(FakeCredential(), mock.subscription_id, base_url=url, polling_interval=0) as aks,
    ):
        cluster = aks.cluster("rg", "c1")
        path = cluster.id if kind == "cluster" else cluster.agent_pool("np2").id
        body = {"PUT": BODIES[kind], "PATCH": TAGS, "DELETE": None}[row.method]
        answer = httpx.request(
            row.method, f"{url}{path}?api-version=2026-08-01", headers=dict(row.headers(tag)), json=body
        )
    assert answer.status_code == row.status(kind)


@pytest.mark.parametrize(("row", "kind"), SENDABLE)
def test_the_client_holds_over_a_socket(row: Row, kind: Kind) -> None:
    mock, tag = stage(row, kind)
    with (
        mock.serve() as url,
        AksClient(FakeCredential(), mock.subscription_id, base_url=url, polling_interval=0) as aks,
    ):
        cluster = aks.cluster("rg", "c1")
        condition = arguments(row, tag)
        calls = {
            ("cluster", "PUT"): lambda: cluster.put(BODIES["cluster"], inline_pools=True, **condition),
            ("cluster", "PATCH"): lambda: cluster.patch(TAGS, **condition),
            ("cluster", "DELETE"): lambda: cluster.delete(**condition),
            ("pool", "PUT"): lambda: cluster.agent_pool("np2").put(BODIES["pool"], **condition),
            ("pool", "DELETE"): lambda: cluster.agent_pool("np2").delete(**condition),
        }
        try:
            status = calls[kind, row.method]().status
        except InvalidPreconditionError:
            status = None
        except AksEtagError as error:
            status = error.status_code
    assert status == expected_of_client(row, kind)


async def status_of(aks: AsyncAksClient, row: Row, kind: Kind, tag: str) -> int | None:
    cluster, condition = aks.cluster("rg", "c1"), arguments(row, tag)
    pool = cluster.agent_pool("np2")
    try:
        match kind, row.method:
            case "cluster", "PUT":
                return (await cluster.put(BODIES["cluster"], inline_pools=True, **condition)).status
            case "cluster", "PATCH":
                return (await cluster.patch(TAGS, **condition)).status
            case "cluster", _:
                return (await cluster.delete(**condition)).status
            case _, "PUT":
                return (await pool.put(BODIES["pool"], **condition)).status
            case _:
                return (await pool.delete(**condition)).status
    except InvalidPreconditionError:
        return None
    except AksEtagError as error:
        return error.status_code


@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_row_is_noticed(kind: Kind) -> None:
    wrong = Row(line=2, method="PUT", exists=True, documented=412)
    assert by_hand(wrong, kind) != wrong.status(kind)
