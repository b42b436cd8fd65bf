# SPDX-License-Identifier: MIT
"""The ASGI application under a real server of that kind: answers, and what breaks on the way."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import httpx
import pytest
import uvicorn

from aks_etag.mock import MockAks

from .conftest import Client

PATIENCE = 30.0


@pytest.fixture
def url(mock: MockAks) -> Iterator[str]:
    """Serve the application on a free port of this machine."""
    server = uvicorn.Server(uvicorn.Config(mock.asgi_app(), port=0, log_level="critical"))  # type: ignore[arg-type]
    thread = threading.Thread(target=server.run)
    thread.start()
    until = time.monotonic() + PATIENCE
    while not server.started:
        assert time.monotonic() < until
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(PATIENCE)


def test_it_answers_as_every_door_does(mock: MockAks, url: str) -> None:
    with Client(base_url=url) as aks:
        tag = aks.ask("GET", aks.np1).json()["properties"]["eTag"]
        done = aks.ask("PUT", aks.np1, {"properties": {"count": 4}}, If_Match=tag)
        assert done.headers["azure-asyncoperation"].startswith(url)
        assert aks.settle(done).json()["status"] == "Succeeded"
        assert aks.ask("PUT", aks.np1, {"properties": {"count": 5}}, If_Match=tag).status_code == 412
        assert aks.get("/_mock/state").json()["requests"] == 4


@pytest.mark.parametrize("effect", ["reset", "fin", "truncated"])
def test_a_lost_answer_is_no_answer(effect: str, mock: MockAks, url: str) -> None:
    mock.inject("PUT", phase="after", effect=effect)  # type: ignore[arg-type]
    with Client(base_url=url) as aks, pytest.raises(httpx.RemoteProtocolError):
        aks.ask("PUT", aks.np1, {"properties": {"count": 4}})
    assert len(mock.commits) == 1


def test_a_slow_one_takes_its_time(mock: MockAks, url: str) -> None:
    mock.inject("GET", phase="after", effect="slow", seconds=5.0)
    with Client(base_url=url, timeout=0.3) as aks, pytest.raises(httpx.ReadTimeout):
        aks.ask("GET", aks.np1)
