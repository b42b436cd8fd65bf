# SPDX-License-Identifier: MIT
"""The back door of a served mock: state, faults, time, journal, snapshots; for this machine only."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from aks_etag.mock import MockAks

from .conftest import CLUSTER, Client


@pytest.fixture(params=["server", "asgi"])
def served(request: pytest.FixtureRequest, mock: MockAks) -> Iterator[Any]:
    """Return what asks a mock, through its server or its ASGI application."""
    if request.param == "server":
        with mock.serve() as url, Client(base_url=url) as client:
            yield client
        return
    yield Asgi(mock)


class Asgi:
    """Asks an ASGI application as a client asks a server."""

    cluster, np1 = Client.cluster, Client.np1

    def __init__(self, mock: MockAks) -> None:
        self._app: Any = mock.asgi_app()

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        async def asked() -> httpx.Response:
            transport = httpx.ASGITransport(app=self._app)
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
                return await client.request(method, path, **options)

        return asyncio.run(asked())

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self.request("GET", path, **options)

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> httpx.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.request(method, path, params={"api-version": "2026-05-01"}, json=body, headers=named)


def told(served: Any, method: str, path: str, value: Any = None) -> Any:
    answer = served.request(method, f"/_mock/{path}", json={} if value is None else value)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_state_is_shown(mock: MockAks, served: Any) -> None:
    served.ask("PUT", served.np1, {"properties": {"count": 4}})
    state = served.get("/_mock/state").json()
    [cluster] = state["clusters"]
    assert (cluster["name"], cluster["resourceGroup"], cluster["eTag"]) == (
        "aks1",
        "rg1",
        mock.body("rg1", "aks1")["eTag"],
    )
    [operation] = state["operations"]
    assert (operation["verb"], operation["cluster"], operation["pool"], operation["status"]) == (
        "Updating", "aks1", "np1", "InProgress"
    )  # fmt: skip
    assert state["switches"]["operation_polls"] == 1
    assert state["requests"] == len(mock.journal) == 1


def test_every_subscription_is_shown(mock: MockAks, served: Any) -> None:
    other = mock.add_subscription("22222222-2222-2222-2222-222222222222")
    other.add_cluster("rg9", "far")
    shown = [(each["subscription"], each["name"]) for each in served.get("/_mock/state").json()["clusters"]]
    assert shown == [(mock.subscription_id, "aks1"), (other.subscription_id, "far")]


def test_the_journal_goes_on_where_one_was(served: Any) -> None:
    for _ in range(3):
        served.ask("GET", served.np1)
    first = served.get("/_mock/journal").json()
    assert [entry["number"] for entry in first["entries"]] == [1, 2, 3]
    assert first["entries"][0]["line"] == "GET np1 -> 200 (GET agent pool, exists -> 200)"
    served.ask("PUT", served.np1, {}, If_Match="stale")
    later = served.get(f"/_mock/journal?after={first['next']}").json()
    [entry] = later["entries"]
    assert (entry["number"], entry["status"], entry["if_match"]) == (4, 412, "stale")
    assert entry["row"] == "PUT If-Match tag, exists, stale -> 412"
    told(served, "DELETE", "journal", {})
    assert served.get("/_mock/journal").json() == {"entries": [], "next": 0}


def test_faults_come_and_go(mock: MockAks, served: Any) -> None:
    told(served, "POST", "faults", [{"method": "GET", "effect": 503}, {"method": "GET", "effect": 429}])
    assert [served.ask("GET", served.np1).status_code for _ in range(3)] == [503, 429, 200]
    told(served, "POST", "faults", {"method": "GET", "effect": 503})
    told(served, "DELETE", "faults", {})
    assert served.ask("GET", served.np1).status_code == 200


def test_time_passes(mock: MockAks, served: Any) -> None:
    told(served, "PATCH", "switches", {"operation_seconds": 60})
    served.ask("PUT", served.np1, {"properties": {"count": 4}})
    before = served.get("/_mock/clock").json()["now"]
    assert told(served, "POST", "clock", {"advance": 60})["now"] == before + 60
    assert served.get("/_mock/state").json()["operations"] == []


def test_a_snapshot_is_brought_back(mock: MockAks, served: Any) -> None:
    before = mock.body("rg1", "aks1")
    name = told(served, "POST", "snapshot")["snapshot"]
    running = served.ask("PUT", served.np1, {"properties": {"count": 9}})
    told(served, "PUT", "state", {"rg2": {"more": {"np1": {}}}})
    told(served, "POST", "restore", {"snapshot": name})
    assert mock.body("rg1", "aks1") == before
    assert mock.clusters() == [("rg1", "aks1")]
    assert served.get(running.headers["Azure-AsyncOperation"]).status_code == 404
    assert served.request("POST", "/_mock/restore", json={"snapshot": "none"}).status_code == 400


def test_a_snapshot_holds_what_runs(mock: MockAks, served: Any) -> None:
    running = served.ask("PUT", served.np1, {"properties": {"count": 9}})
    name = mock.snapshot()
    link = running.headers["Azure-AsyncOperation"]
    assert served.get(link).json()["status"] == "Succeeded"
    first = mock.body("rg1", "aks1", "np1")
    mock.restore(name)
    assert mock.body("rg1", "aks1", "np1")["properties"]["provisioningState"] == "Updating"
    assert served.get(link).json()["status"] == "Succeeded"
    assert mock.body("rg1", "aks1", "np1") == first


def test_no_tag_comes_twice_after_it(mock: MockAks, served: Any) -> None:
    mock.switches.operation_polls = 0
    name = mock.snapshot()
    tags = []
    for _ in range(2):
        served.ask("PUT", served.np1, {"properties": {"count": 9}})
        tags.append(mock.body("rg1", "aks1", "np1")["properties"]["eTag"])
        mock.restore(name)
    assert len(set(tags)) == 2


def test_reset_is_how_it_began(mock: MockAks, served: Any) -> None:
    before = mock.body("rg1", "aks1")
    served.ask("PUT", served.np1, {"properties": {"count": 9}})
    mock.inject("GET", effect=503)
    told(served, "POST", "reset")
    assert (mock.body("rg1", "aks1"), mock.journal, mock.commits) == (before, [], [])
    assert served.ask("GET", served.np1).status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "options", "status"),
    [
        pytest.param("GET", "state", {"headers": {"Host": "evil.example:80"}}, 403, id="a name that was pointed here"),
        pytest.param("POST", "reset", {"content": b"{}"}, 415, id="a form of another site"),
        pytest.param("POST", "faults", {"json": {"efect": 1}}, 400, id="no fault"),
        pytest.param("POST", "clock", {"json": {"advance": -1}}, 400, id="time does not go back"),
        pytest.param("POST", "clock", {"json": []}, 400, id="nothing sent"),
        pytest.param("PATCH", "switches", {"json": {"nope": 1}}, 400, id="no switch"),
        pytest.param("PUT", "state", {"json": {"id": "x"}}, 400, id="no cluster"),
        pytest.param("GET", "journal?after=x", {}, 400, id="no number"),
        pytest.param("GET", "nothing", {}, 404, id="no such door"),
    ],
)
def test_what_is_wrong_is_said(method: str, path: str, options: Any, status: int, mock: MockAks, served: Any) -> None:
    before = mock.body("rg1", "aks1")
    answer = served.request(method, f"/_mock/{path}", **options)
    assert answer.status_code == status
    assert len(answer.json()["error"]) > 0
    assert mock.body("rg1", "aks1") == before


def test_the_page_asks_nobody_else(served: Any) -> None:
    page = served.get("/_mock/")
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "http" not in page.text.replace("http-equiv", "")


def test_in_process_there_is_no_back_door(aks: Client) -> None:
    assert aks.get("/_mock/state").status_code == 501


def test_it_may_be_asked_while_others_write(mock: MockAks) -> None:
    with mock.serve() as url:

        def write() -> None:
            with Client(base_url=url) as client:
                for _ in range(20):
                    client.settle(client.ask("PUT", Client.np1, {"properties": {"count": 4}}))

        writer = threading.Thread(target=write)
        writer.start()
        with Client(base_url=url) as looker:
            shown = [looker.get("/_mock/state").json()["requests"] for _ in range(20)]
        writer.join()
        assert shown == sorted(shown)
        assert len(mock.commits) == 20


@pytest.mark.parametrize("effect", ["reset", "fin", "truncated"])
def test_an_asgi_server_closes_the_connection(effect: Any, mock: MockAks) -> None:
    mock.inject("GET", effect=effect)
    with pytest.raises(OSError, match="connection"):
        Asgi(mock).ask("GET", CLUSTER)


def test_asgi_lifespan(mock: MockAks) -> None:
    app: Any = mock.asgi_app()
    sent: list[Any] = []

    async def live() -> None:
        async def send(message: Any) -> None:
            sent.append(message["type"])

        async def receive() -> Any:
            return {}

        await app({"type": "lifespan"}, receive, send)

    asyncio.run(live())
    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
