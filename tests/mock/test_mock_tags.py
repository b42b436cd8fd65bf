# SPDX-License-Identifier: MIT
"""When tags move: the recorded timeline, the switches around it, and the chain of commits."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from aks_etag.mock import MockAks


class Timeline:
    """Notes the tags that answers show, as the recording's rows do."""

    def __init__(self, aks: Any) -> None:
        self.aks = aks
        self.rows: list[list[str | None]] = []

    def cluster(self, method: str, body: Any = None) -> None:
        response = self.aks.ask(method, self.aks.cluster, body)
        self._note(response.json(), None)
        self._settle(response)

    def pool(self, method: str, body: Any = None) -> None:
        response = self.aks.ask(method, self.aks.np2, body)
        self._note(None, response.json()["properties"]["eTag"] if response.content else None)
        self._settle(response)

    def silent(self, body: Any) -> None:
        self._settle(self.aks.ask("PUT", self.aks.cluster, body))

    def _settle(self, response: Any) -> None:
        if "Azure-AsyncOperation" in response.headers:
            assert self.aks.settle(response).json()["status"] == "Succeeded"

    def _note(self, cluster: Any, np2: str | None) -> None:
        profiles = cluster["properties"]["agentPoolProfiles"] if cluster else []
        np1 = next((profile["eTag"] for profile in profiles if profile["name"] == "np1"), None)
        self.rows.append([cluster["eTag"] if cluster else None, np1, np2])


def pattern(rows: list[list[str | None]]) -> list[list[int | None]]:
    """Number the tags by first appearance, so that two runs can be compared."""
    numbers: dict[str, int] = {}
    return [[None if tag is None else numbers.setdefault(tag, len(numbers)) for tag in row] for row in rows]


def profiles_of(body: Any) -> list[Any]:
    return list(body["properties"].get("agentPoolProfiles") or [])


def test_tags_move_exactly_as_recorded(mock: MockAks, aks: Any, recorded: Callable[[str], Any]) -> None:
    seen = Timeline(aks)
    body = mock.body("rg1", "aks1")
    seen.cluster("GET")
    seen.cluster("PUT", body)
    seen.cluster("GET")
    seen.silent(body)
    seen.cluster("GET")
    seen.cluster("PUT", body)
    seen.cluster("GET")
    for labels in ({}, {"mylabel": "label"}, {}):
        seen.pool("PUT", {"properties": {"count": 1, "nodeLabels": labels}})
        seen.pool("GET")
    seen.pool("DELETE")
    seen.cluster("GET")
    assert pattern(seen.rows) == pattern([row[1:] for row in recorded("etag_timeline")["rows"]])


def test_a_cluster_is_born_without_a_visible_tag_and_its_first_one_is_replaced(aks: Any) -> None:
    path = f"{aks.cluster}2"
    body = {"location": "region1", "properties": {"agentPoolProfiles": [{"name": "np1"}]}}
    created = aks.ask("PUT", path, body)
    assert "eTag" not in created.json()
    assert "eTag" not in created.json()["properties"]["agentPoolProfiles"][0]
    aks.settle(created)
    assert aks.ask("GET", path).json()["eTag"]


@pytest.mark.parametrize(
    ("switches", "moved"),
    [
        pytest.param({}, False, id="by-default-at-completion"),
        pytest.param({"cluster_tag_moves": "accept"}, True, id="at-accept-and-not-again"),
    ],
)
def test_whether_the_cluster_tag_has_moved_while_the_operation_runs(
    switches: Any, moved: bool, connect: Callable[[MockAks], Any]
) -> None:
    mock = MockAks(operation_polls=2, **switches)
    mock.add_cluster("rg1", "aks1")
    aks = connect(mock)
    before = mock.body("rg1", "aks1")
    response = aks.ask("PUT", aks.cluster, before)
    assert response.json()["eTag"] == before["eTag"]
    assert (mock.body("rg1", "aks1")["eTag"] != before["eTag"]) is moved
    aks.settle(response), aks.settle(response)
    assert mock.body("rg1", "aks1")["eTag"] == mock.commits[0].new_tag


@pytest.mark.parametrize(
    ("switches", "moved"),
    [pytest.param({}, True, id="by-default"), pytest.param({"omitted_pools_move": False}, False, id="switched-off")],
)
def test_whether_pools_that_were_left_out_get_new_tags(
    switches: Any, moved: bool, connect: Callable[[MockAks], Any]
) -> None:
    mock = MockAks(operation_polls=0, **switches)
    mock.add_cluster("rg1", "aks1")
    aks = connect(mock)
    before = mock.body("rg1", "aks1", "np1")["properties"]
    aks.ask("PUT", aks.cluster, {"properties": {}})
    after = mock.body("rg1", "aks1", "np1")["properties"]
    assert (before.pop("eTag") != after.pop("eTag")) is moved
    assert before == after


@pytest.mark.parametrize(
    ("switches", "version", "tagged"),
    [
        pytest.param({}, "2024-09-01", True, id="every-version-has-tags"),
        pytest.param({"tagless_api_versions": ("2024-09-01",)}, "2024-09-01", False, id="this-one-has-none"),
        pytest.param({"tagless_api_versions": ("2024-09-01",)}, "2026-05-01", True, id="another-one-has"),
    ],
)
def test_tagless_api_versions(switches: Any, version: str, tagged: bool, connect: Callable[[MockAks], Any]) -> None:
    mock = MockAks(**switches)
    mock.add_cluster("rg1", "aks1")
    aks = connect(mock)
    cluster = aks.ask("GET", aks.cluster, version=version)
    pool = aks.ask("GET", aks.np1, version=version)
    shown = [cluster.json(), cluster.json()["properties"]["agentPoolProfiles"][0], pool.json()["properties"]]
    assert [("eTag" in body) for body in shown] == [tagged] * 3
    assert "etag" not in cluster.headers


@pytest.mark.parametrize(("version", "key"), [("2024-04-02-preview", "etag"), ("2026-05-01", "eTag")])
def test_some_previews_spell_the_key_in_lower_case(version: str, key: str, mock: MockAks, aks: Any) -> None:
    mock.switches.lower_etag_api_versions = ("2024-04-02-preview",)
    tag = mock.body("rg1", "aks1")["eTag"]
    answers = [aks.ask("GET", path, version=version).json() for path in (aks.cluster, aks.np1)]
    answers += [aks.ask("PATCH", aks.cluster, {"tags": {}}, version=version, If_Match=tag).json()]
    answers += [aks.ask("PUT", path, {}, version=version).json() for path in (aks.np1,)]
    listed = aks.ask("GET", f"{aks.cluster}/agentPools", version=version).json()["value"][0]
    other = {"eTag": "etag", "etag": "eTag"}[key]
    for body in (*answers, listed):
        for holder in (body if "location" in body else body["properties"], *profiles_of(body)):
            assert key in holder
            assert other not in holder


def test_the_client_reads_both_spellings(mock: MockAks) -> None:
    mock.switches.lower_etag_api_versions = ("2024-04-02-preview",)
    with mock.client(api_version="2024-04-02-preview") as client:
        pool = client.cluster("rg1", "aks1").agent_pool("np1")
        result = pool.update(lambda body: body["properties"].update(count=4))
    assert result.snapshot.etag == mock.body("rg1", "aks1", "np1")["properties"]["eTag"]
    assert mock.journal[1].if_match


@pytest.mark.parametrize(
    ("switches", "tags", "moved"),
    [
        pytest.param({}, {"b": "2"}, True, id="replaces-and-moves"),
        pytest.param({"patch_tags": "merge"}, {"a": "1", "b": "2"}, True, id="merges"),
        pytest.param({"patch_moves_tag": False}, {"b": "2"}, False, id="is-not-fenced"),
    ],
)
def test_patching_tags(switches: Any, tags: Any, moved: bool, connect: Callable[[MockAks], Any]) -> None:
    mock = MockAks(**switches)
    mock.add_cluster("rg1", "aks1", {"location": "region1", "tags": {"a": "1"}})
    aks = connect(mock)
    before = mock.body("rg1", "aks1")
    patched = aks.ask("PATCH", aks.cluster, {"tags": {"b": "2"}})
    assert (patched.status_code, patched.json()["tags"]) == (200, tags)
    assert (patched.json()["eTag"] != before["eTag"]) is moved
    pools = [body["properties"]["agentPoolProfiles"] for body in (before, patched.json())]
    assert pools[0] == pools[1]


@pytest.mark.parametrize(("keep", "shown"), [(False, None), (True, {})])
def test_patching_the_last_tag_away(keep: bool, shown: Any, mock: MockAks, aks: Any) -> None:
    mock.switches.keep_empty_maps = keep
    aks.ask("PATCH", aks.cluster, {"tags": {"a": "1"}})
    assert aks.ask("PATCH", aks.cluster, {"tags": {}}).json().get("tags") == shown
    assert aks.ask("PATCH", aks.cluster, {"tags": None}).json().get("tags") == shown
    assert aks.ask("PATCH", aks.cluster, {}).json().get("tags") == shown


@pytest.mark.parametrize("polls", [0, 1, 3])
def test_commits_of_a_cluster_form_a_chain(polls: int, connect: Callable[[MockAks], Any]) -> None:
    mock = MockAks(operation_polls=polls)
    mock.add_cluster("rg1", "aks1")
    aks = connect(mock)
    first = mock.body("rg1", "aks1")
    for number in range(3):
        aks.ask("PUT", aks.cluster, first, x_ms_client_request_id=f"put-{number}")
        mock.edit("rg1", "aks1", change=lambda body: body.update(tags={"by": "another"}))
        aks.ask("PATCH", aks.cluster, {"tags": {}})
    commits = mock.commits
    assert [commit.request_id for commit in commits[:4]] == ["put-0", "edit-1", "", "put-1"]
    assert commits[0].base_tag == first["eTag"]
    assert all(earlier.new_tag == later.base_tag for earlier, later in pairwise(commits))
    assert all(earlier.body_after == later.body_before for earlier, later in pairwise(commits))
    assert commits[-1].body_after == mock.body("rg1", "aks1")


def test_the_same_seed_draws_the_same_tags() -> None:
    bodies = []
    for seed in (7, 7, 8):
        mock = MockAks(etag_seed=seed)
        mock.add_cluster("rg1", "aks1")
        bodies.append(mock.body("rg1", "aks1"))
    assert bodies[0] == bodies[1]
    assert bodies[0]["eTag"] != bodies[2]["eTag"]
