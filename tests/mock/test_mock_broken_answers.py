# SPDX-License-Identifier: MIT
"""Answers that break on their way, in process and over a socket: ends, halves, pauses, pages of proxies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from aks_etag.mock import MockAks

from .conftest import Client


@pytest.fixture(params=["in process", "over a socket"])
def through(request: pytest.FixtureRequest, mock: MockAks, aks: Client) -> Iterator[Client]:
    """Return a client through either door."""
    if request.param == "in process":
        yield aks
        return
    with mock.serve() as url, Client(base_url=url) as client:
        yield client


@pytest.mark.parametrize("phase", ["before", "after"])
@pytest.mark.parametrize(
    ("effect", "raised"),
    [("reset", httpx.ReadError), ("fin", httpx.RemoteProtocolError), ("truncated", httpx.RemoteProtocolError)],
)
def test_there_is_no_answer_that_could_be_read(
    phase: Any, effect: Any, raised: type[Exception], mock: MockAks, through: Client
) -> None:
    mock.inject("PUT", phase=phase, effect=effect)
    with pytest.raises(raised):
        through.ask("PUT", through.np1, {"properties": {"count": 4}})
    assert len(mock.commits) == (phase == "after")
    assert through.ask("GET", through.np1).status_code == 200


@pytest.mark.parametrize("effect", ["malformed", "html"])
def test_an_answer_that_is_no_json(effect: Any, mock: MockAks, through: Client) -> None:
    mock.inject("PUT", phase="after", effect=effect)
    answer = through.ask("PUT", through.np1, {"properties": {"count": 4}})
    assert (answer.status_code, len(mock.commits)) == (200, 1)
    with pytest.raises(json.JSONDecodeError):
        answer.json()
    assert answer.headers["content-type"].startswith("text/html" if effect == "html" else "application/json")
    assert mock.journal[-1].fault == f"fault after: {effect}"


def test_a_slow_body_outlasts_the_patience_of_a_client(mock: MockAks, through: Client) -> None:
    mock.inject("GET", phase="after", effect="slow", seconds=5.0)
    with pytest.raises(httpx.ReadTimeout):
        through.get(through.np1, params={"api-version": "2026-05-01"}, timeout=0.2)


def test_or_does_not(mock: MockAks, through: Client) -> None:
    mock.inject("GET", phase="after", effect="slow", seconds=0.05)
    answer = through.get(through.np1, params={"api-version": "2026-05-01"}, timeout=5.0)
    assert answer.json()["properties"]["count"] == 3


async def slow_then_whole(mock: MockAks) -> list[Any]:
    async with httpx.AsyncClient(transport=mock.httpx_transport(), base_url="https://management.azure.com") as client:
        ended = []
        for timeout in (1.0, 9.0):
            try:
                ended.append((await client.get(Client.np1, params={"api-version": "1"}, timeout=timeout)).status_code)
            except httpx.ReadTimeout:
                ended.append("timeout")
        return ended


@pytest.mark.anyio
async def test_in_process_a_slow_body_takes_virtual_time(mock: MockAks) -> None:
    mock.inject("GET", phase="after", effect="slow", seconds=5.0, times=2)
    assert await slow_then_whole(mock) == ["timeout", 200]
    assert mock.clock.monotonic() == 6.0


def test_during_hits_only_while_an_operation_runs(mock: MockAks, through: Client) -> None:
    mock.inject("GET", path="/np1", phase="during", effect=503)
    assert through.ask("GET", through.np1).status_code == 200
    running = through.ask("PUT", through.np1, {"properties": {"count": 4}})
    assert through.ask("GET", through.np1).status_code == 503
    through.settle(running)
    assert through.ask("GET", through.np1).status_code == 200


@pytest.mark.parametrize("during", ["cluster", "operation", "np2"])
def test_what_an_operation_runs_on(during: str, mock: MockAks, aks: Client) -> None:
    mock.add_pool("rg1", "aks1", "np2")
    running = aks.ask("PUT", aks.np1, {"properties": {"count": 4}})
    mock.inject("GET", phase="during", effect=503)
    target = running.headers["Azure-AsyncOperation"] if during == "operation" else getattr(aks, during)
    answer = aks.get(target) if during == "operation" else aks.ask("GET", target)
    assert answer.status_code == (200 if during == "np2" else 503)


def test_scenarios_are_data(mock: MockAks, aks: Client) -> None:
    steps = json.loads(
        '[{"method": "PUT", "effect": 503, "times": 2}, {"method": "PUT", "effect": "html"}, '
        '{"method": "GET", "path": "/np1", "effect": 429, "headers": {"Retry-After": "7"}}, {"code": "Boom"}]'
    )
    mock.scenario(steps)
    answers = [aks.ask("PUT", aks.np1, {"properties": {"count": 4}}) for _ in range(4)]
    assert [(answer.status_code, answer.headers["content-type"][:9]) for answer in answers] == [
        (503, "applicati"), (503, "applicati"), (200, "text/html"), (200, "applicati")
    ]  # fmt: skip
    busy = aks.ask("GET", aks.np1)
    assert (busy.status_code, busy.headers["retry-after"]) == (429, "7")
    assert aks.settle(answers[-1]).json()["error"]["code"] == "Boom"


def test_a_step_that_is_none_is_refused(mock: MockAks) -> None:
    with pytest.raises(TypeError, match="efect"):
        mock.scenario([{"efect": "reset"}])


@pytest.mark.parametrize("effect", ["reset", "fin", "truncated", "malformed", "html"])
@pytest.mark.parametrize("phase", ["before", "after", "late"])
def test_the_client_finds_out_whatever_breaks(phase: Any, effect: Any, mock: MockAks) -> None:
    mock.inject("PUT", phase=phase, effect=effect)
    with mock.client() as client:
        pool = client.cluster("rg1", "aks1").agent_pool("np1")
        done = pool.update(lambda body: body["properties"].update(count=4))
    mock.drain()
    assert (done.outcome, len(mock.commits)) == ("updated", 1)
    assert mock.body("rg1", "aks1", "np1")["properties"]["count"] == 4
