# SPDX-License-Identifier: MIT
"""Sixty-four threads at once, in process and over sockets: nothing is counted twice, skipped or lost."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from aks_etag.mock import Commit, MockAks

from .conftest import CLUSTER, GROUP

THREADS = 64
TRIES = 2000
POOLS = [f"{CLUSTER}/agentPools/np{number}" for number in (1, 2, 3)]
LIST = f"{GROUP}/providers/Microsoft.ContainerService/managedClusters"


class Worker:
    """One thread's client: each request has an id of its own, and is counted."""

    def __init__(self, number: int, client: httpx.Client) -> None:
        self.name = f"w{number}"
        self.shared = POOLS[number % len(POOLS)]
        self.sent: list[str] = []
        self._client = client

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> httpx.Response:
        """Send one request; header names are written with underscores."""
        self.sent.append(f"{self.name}-{len(self.sent)}")
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        named["x-ms-client-request-id"] = self.sent[-1]
        return self._client.request(method, path, params={"api-version": "2026-05-01"}, json=body, headers=named)

    def update(self, path: str, change: Callable[[dict[str, Any]], Any], method: str = "PUT") -> None:
        """Read, change and write under the tag that was read, until that works."""
        for _ in range(TRIES):
            body = self.ask("GET", path).json()
            tag = body.get("eTag") or body["properties"]["eTag"]
            change(body)
            body["properties"].pop("agentPoolProfiles", None)
            body["properties"].pop("provisioningState")
            status = self.ask(method, path, body, If_Match=tag).status_code
            if status == 200:
                return
            assert status in (409, 412)
        raise AssertionError(f"{self.name} never gets its turn")

    def insist(self, method: str, path: str, body: Any = None, **headers: str) -> int:
        """Send it until nothing is in the way; whoever looks brings what runs nearer to its end."""
        for _ in range(TRIES):
            status = self.ask(method, path, body, **headers).status_code
            if status != 409:
                return status
            self.ask("GET", CLUSTER)
        raise AssertionError(f"{self.name} never gets its turn")

    def work(self) -> None:
        """Do a bit of everything."""
        own = f"{CLUSTER}/agentPools/{self.name}"
        assert self.ask("PUT", self.shared, {}, If_Match="stale").status_code == 412
        self.update(self.shared, lambda body: body["properties"].setdefault("nodeLabels", {}).update({self.name: "1"}))
        self.update(CLUSTER, lambda body: body.setdefault("tags", {}).update({self.name: "1"}), method="PATCH")
        assert self.insist("PUT", own, {"properties": {"count": 1}}, If_None_Match="*") == 201
        self.update(own, lambda body: body["properties"].update(count=2))
        assert self.insist("DELETE", own, If_Match="*") == 202
        assert self.ask("GET", LIST).status_code == 200


@pytest.fixture
def mock() -> MockAks:
    """One cluster with three pools; an operation is over when somebody has looked at it once."""
    mock = MockAks()
    mock.add_cluster("rg1", "aks1", pools={f"np{number}": {} for number in (1, 2, 3)})
    return mock


def crowd(mock: MockAks, size: int) -> list[str]:
    """Let so many work at once, every other one over a socket; return the ids of what was sent."""
    together = threading.Barrier(size)

    def run(number: int, url: str) -> list[str]:
        transport = mock.httpx_transport() if number % 2 else httpx.HTTPTransport(verify=False)
        with httpx.Client(transport=transport, base_url=url, timeout=60) as client:
            worker = Worker(number, client)
            together.wait(60)
            worker.work()
            return worker.sent

    with mock.serve() as url, ThreadPoolExecutor(size) as threads:
        return [each for sent in threads.map(lambda number: run(number, url), range(size)) for each in sent]


def test_the_chain_of_commits_holds_and_every_request_is_in_the_journal_once(mock: MockAks) -> None:
    before = mock.body("rg1", "aks1")
    sent = crowd(mock, THREADS)
    assert Counter(entry.request_id for entry in mock.journal) == Counter(sent)
    assert len(mock.commits) == sum(entry.status in (200, 201, 202) and entry.method != "GET" for entry in mock.journal)
    assert_a_chain(before, mock.commits)
    mock.assert_no_lost_updates()
    mock.assert_no_unconditional_writes(allow_any=True)
    after = mock.body("rg1", "aks1")["properties"]["agentPoolProfiles"]
    labelled = Counter(label for pool in after for label in pool.get("nodeLabels", {}))
    assert labelled == Counter(f"w{number}" for number in range(THREADS))
    assert mock.body("rg1", "aks1")["tags"].keys() == labelled.keys()


def test_a_writer_without_a_condition_is_found_out(mock: MockAks, aks: Any) -> None:
    stale = mock.body("rg1", "aks1", "np1")
    crowd(mock, 8)
    assert aks.ask("GET", aks.cluster).status_code == 200
    assert aks.ask("PUT", aks.np1, stale, x_ms_client_request_id="blind").status_code == 200
    with pytest.raises(AssertionError, match=r"3 updates are lost") as raised:
        mock.assert_no_lost_updates()
    assert str(raised.value).count("and PUT blind put it back") == 3


def assert_a_chain(before: Any, commits: Iterable[Commit]) -> None:
    """Demand that each commit begins with the tag that the commits before it had left."""
    known = tags(before)
    for commit in commits:
        name = commit.resource_id.rsplit("/", 1)[-1]
        if known:
            assert commit.base_tag == known.get(name)
        if name == "aks1":
            assert not known or tags(commit.body_before) == known
            known = tags(commit.body_after)
        elif commit.new_tag is None:
            del known[name]
        else:
            known[name] = commit.new_tag


def tags(body: Any) -> dict[str, str]:
    """Return the tags of a cluster and its pools."""
    if not body:
        return {}
    return {
        body["name"]: body["eTag"],
        **{each["name"]: each["eTag"] for each in body["properties"]["agentPoolProfiles"]},
    }
