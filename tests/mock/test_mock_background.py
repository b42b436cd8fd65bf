# SPDX-License-Identifier: MIT
"""Writers in the background: when their turn comes, what they respect, and under which name they are seen."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import httpx
import pytest

from aks_etag.mock import MockAks
from aks_etag.mock.writers import autoscaler, node_images, policy_tags, reconciler


@pytest.fixture
def quick(mock: MockAks) -> MockAks:
    """The same AKS with operations that are over at accept."""
    mock.switches.operation_polls = 0
    return mock


def look(aks: Any) -> Any:
    return aks.ask("GET", aks.cluster).json()


def by(mock: MockAks) -> list[str | None]:
    return [entry.by for entry in mock.journal]


def test_every_so_many_seconds_once_for_a_request(quick: MockAks, aks: Any) -> None:
    quick.background(reconciler("rg1", "aks1"), every=60)
    for pause in (59, 1, 59, 1, 600, 0, 60):
        quick.clock.sleep(pause)
        look(aks)
    assert by(quick) == [None, "reconcile", None, None, "reconcile", None, "reconcile", None, None, "reconcile", None]


def test_at_each_nth_request(quick: MockAks, aks: Any) -> None:
    quick.background(reconciler("rg1", "aks1"), requests=3, times=2)
    for _ in range(12):
        look(aks)
    assert [n for n, who in enumerate(by(quick)) if who] == [2, 6]


def test_seconds_after_each_write_of_another(quick: MockAks, aks: Any) -> None:
    quick.background(reconciler("rg1", "aks1"), after=5, name="policy")
    look(aks)
    for _ in range(2):
        aks.ask("PUT", aks.np1, {"properties": {"count": 4}})
        quick.clock.sleep(4.5)
        look(aks)
        quick.clock.sleep(0.5)
        look(aks)
        quick.clock.sleep(100)
        look(aks)
    assert by(quick) == [None, *[None, None, "policy", None, None] * 2]
    assert [commit.request_id for commit in quick.commits if commit.background] == ["policy-1", "policy-2"]


def test_a_policy_puts_its_tag_back(quick: MockAks, aks: Any) -> None:
    quick.background(policy_tags("rg1", "aks1", {"cost": "42"}), after=5)
    aks.ask("PATCH", aks.cluster, {"tags": {"team": "red"}})
    quick.clock.sleep(5)
    assert look(aks)["tags"] == {"team": "red", "cost": "42"}
    aks.ask("PUT", aks.np1, {"properties": {"count": 4}})
    quick.clock.sleep(5)
    look(aks)
    assert [commit.request_id for commit in quick.commits if commit.background] == ["policy-1"]


def test_its_writes_join_the_chain_and_fence_others(quick: MockAks, aks: Any) -> None:
    before = look(aks)
    quick.background(policy_tags("rg1", "aks1", {"cost": "42"}), requests=1)
    assert aks.ask("PUT", aks.cluster, before, If_Match=before["eTag"]).status_code == 412
    [commit] = quick.commits
    assert (commit.base_tag, commit.new_tag) == (before["eTag"], quick.body("rg1", "aks1")["eTag"])
    assert (commit.background, commit.body_before, commit.method) == (True, before, "PUT")
    assert quick.requests()[1].startswith(f"[policy] PUT aks1 If-Match: {before['eTag']} -> 200 ")


def test_it_waits_for_operations_and_others_wait_for_its_own(mock: MockAks, aks: Any) -> None:
    mock.switches.operation_polls = 2
    mock.background(reconciler("rg1", "aks1"), requests=2, times=1)
    first = aks.ask("PUT", aks.np1, {"properties": {"count": 4}})
    assert aks.settle(first).json()["status"] == "InProgress"
    assert aks.settle(first).json()["status"] == "Succeeded"
    assert aks.ask("PUT", aks.np1, {"properties": {"count": 5}}).status_code == 409
    theirs = [entry.status for entry in mock.journal if entry.by]
    assert theirs == [409, 409, 200]
    assert [look(aks)["properties"]["provisioningState"] for _ in range(2)] == ["Updating", "Succeeded"]


@pytest.mark.parametrize("moves", [True, False])
def test_an_autoscaler_changes_the_count_between_its_bounds(moves: bool, quick: MockAks, aks: Any) -> None:
    quick.switches.autoscaler_moves_tag = moves
    quick.background(autoscaler("rg1", "aks1", "np1", 2, 5, seed=3), every=60)
    seen = [aks.ask("GET", aks.np1).json()["properties"]]
    for _ in range(20):
        quick.clock.sleep(60)
        seen.append(aks.ask("GET", aks.np1).json()["properties"])
    counts = [each["count"] for each in seen]
    assert set(counts) == {2, 3, 4, 5}
    assert all(one != other for one, other in pairwise(counts))
    assert len({each["eTag"] for each in seen}) == (21 if moves else 1)


def test_the_same_seed_scales_alike(connect: Callable[[MockAks], Any]) -> None:
    told = []
    for seed in (1, 1, 2):
        mock = MockAks(operation_polls=0)
        mock.add_cluster("rg1", "aks1")
        mock.background(autoscaler("rg1", "aks1", "np1", 1, 9, seed=seed), requests=1)
        aks = connect(mock)
        told.append([aks.ask("GET", aks.np1).json()["properties"]["count"] for _ in range(9)])
    assert told[0] == told[1] != told[2]


@pytest.mark.parametrize("moves", [True, False])
def test_node_images_are_upgraded(moves: bool, quick: MockAks, aks: Any) -> None:
    quick.switches.actions_move_tags = moves
    before = aks.ask("GET", aks.np1).json()["properties"]
    quick.background(node_images("rg1", "aks1", "np1"), every=86400, times=1)
    quick.clock.sleep(86400)
    after = aks.ask("GET", aks.np1).json()["properties"]
    assert after["nodeImageVersion"] > before["nodeImageVersion"]
    assert (after["eTag"] != before["eTag"]) is moves


def test_nobody_else_can_scale_like_that(quick: MockAks, aks: Any) -> None:
    assert aks.ask("POST", f"{aks.np1}/scale", {"count": 9}).status_code == 501


def test_what_is_gone_is_left_alone(quick: MockAks, aks: Any) -> None:
    quick.background(reconciler("rg1", "nothing"), requests=1)
    quick.background(autoscaler("rg1", "aks1", "np9", 1, 3), requests=1)
    look(aks)
    assert by(quick) == [None]


def test_a_mistake_in_a_writer_is_not_hidden(quick: MockAks, aks: Any) -> None:
    quick.background(lambda scene: scene.body("rg1", "aks1")["no such field"], requests=1)
    with pytest.raises(KeyError, match="no such field"):
        look(aks)


def test_a_writer_may_bring_a_client_of_its_own(quick: MockAks, aks: Any) -> None:
    quick.background(lambda _: aks.ask("PUT", aks.np1, {"properties": {"count": 7}}), requests=1)
    assert aks.ask("GET", aks.np1).json()["properties"]["count"] == 7
    assert [entry.method for entry in quick.journal] == ["PUT", "GET"]


def test_it_goes_on_after_the_commits_were_cleared(quick: MockAks, aks: Any) -> None:
    quick.background(reconciler("rg1", "aks1"), after=0, name="policy")
    for _ in range(2):
        quick.commits.clear()
        quick.edit("rg1", "aks1", "np1")
        look(aks)
    assert by(quick).count("policy") == 2


def test_assertions_speak_of_the_test_only(quick: MockAks, aks: Any) -> None:
    quick.background(node_images("rg1", "aks1", "np1"), requests=1)
    look(aks)
    quick.assert_requests(["GET aks1 -> 200"])
    quick.assert_no_unconditional_writes()
    quick.no_background()
    look(aks)
    assert by(quick) == ["upgrade", None, None]


@pytest.mark.parametrize("when", [{}, {"every": 1, "after": 1}, {"every": 0}, {"requests": 0}, {"after": -1}])
def test_there_is_one_timetable(when: Any, mock: MockAks) -> None:
    with pytest.raises(ValueError, match="say when"):
        mock.background(reconciler("rg1", "aks1"), **when)


def test_the_client_comes_through(mock: MockAks) -> None:
    mock.background(policy_tags("rg1", "aks1", {"cost": "42"}), after=2)
    mock.background(autoscaler("rg1", "aks1", "np1", 1, 9), every=3)
    mock.background(reconciler("rg1", "aks1"), requests=7)
    with mock.client() as client:
        pool = client.cluster("rg1", "aks1").agent_pool("np1")
        for n in range(10):
            pool.update(lambda body, n=n: body["properties"].setdefault("nodeLabels", {}).update({f"l{n}": "x"}))
    assert len(mock.body("rg1", "aks1", "np1")["properties"]["nodeLabels"]) == 10
    assert {who for who in by(mock) if who} == {"policy", "autoscale", "reconcile"}


def test_over_the_control_api(mock: MockAks, aks: Any) -> None:
    asked = {"writer": "policy_tags", "with": {"group": "rg1", "cluster": "aks1", "tags": {"a": "1"}}, "requests": 1}
    with mock.serve() as url, httpx.Client(base_url=url) as http:
        assert http.post("/_mock/background", json=asked).status_code == 200
        assert http.get("/_mock/background").json() == {"background": ["policy"]}
        http.get(aks.cluster, params={"api-version": "2026-05-01"})
        assert http.post("/_mock/background", json={**asked, "writer": "nobody"}).status_code == 400
        assert http.post("/_mock/background", json={**asked, "every": 3}).status_code == 400
        assert http.delete("/_mock/background", headers={"Content-Type": "application/json"}).status_code == 200
        assert http.get("/_mock/background").json() == {"background": []}
    assert mock.body("rg1", "aks1")["tags"] == {"a": "1"}
