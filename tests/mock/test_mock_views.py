# SPDX-License-Identifier: MIT
"""Bodies are shared and kept for speed; nobody may see an old one, and nobody may reach what is stored."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from aks_etag.mock import MockAks

STEPS = 150


def step(dice: random.Random, mock: MockAks, aks: Any, n: int) -> None:
    """Do one thing that changes what is shown, or may."""
    version = dice.choice(["2026-05-01", "2024-09-01"])
    path = dice.choice([aks.cluster, aks.np1, aks.np2])
    properties: dict[str, Any] = {"count": n} if path != aks.cluster else {}
    whole = {"location": "region1", "properties": {"agentPoolProfiles": [{"name": "np1", "count": n}]}}
    dice.choice(
        [
            lambda: aks.ask("PUT", path, {"tags": {"n": str(n)}, "properties": properties}, version=version),
            lambda: aks.ask("PUT", aks.cluster, whole, version=version),
            lambda: aks.ask("PATCH", aks.cluster, {"tags": {"n": str(n)}}),
            lambda: aks.ask("DELETE", dice.choice([aks.np1, aks.np2])),
            lambda: aks.ask("POST", f"{aks.cluster}/{dice.choice(['stop', 'start', 'abort'])}"),
            lambda: aks.ask("GET", path, version=version),
            lambda: ("rg1", "aks1") in mock.clusters() and mock.edit("rg1", "aks1"),
            lambda: mock.restore(mock.snapshot()) if dice.random() < 0.5 else mock.fail_operation("Lost", stored=n % 2),
        ]
    )()


@pytest.mark.parametrize("polls", [0, 1, 2])
def test_no_read_ever_shows_what_was(polls: int, mock: MockAks, aks: Any) -> None:
    mock.switches.operation_polls = polls
    mock.switches.tagless_api_versions = ("2024-09-01",)
    dice = random.Random(polls)
    for n in range(STEPS):
        step(dice, mock, aks, n)
        for path, pool in ((aks.cluster, None), (aks.np1, "np1"), (aks.np2, "np2")):
            tagged, tagless = aks.ask("GET", path), aks.ask("GET", path, version="2024-09-01")
            if tagged.status_code == tagless.status_code == 200:
                again = aks.ask("GET", path)
                assert again.json() == mock.body("rg1", "aks1", pool)
                assert "eTag" not in tagless.text
                assert "eTag" in again.text


def ruin(body: Any) -> None:
    """Change everything there is in a body, however deep."""
    for value in list(body.values() if isinstance(body, dict) else body):
        if isinstance(value, dict | list):
            ruin(value)
    body.clear()


OURS = {"location": "region1", "tags": {"a": "1"}, "properties": {"networkProfile": {"networkPlugin": "none"}}}


def edited(mock: MockAks, aks: Any) -> Any:
    mine: dict[str, Any] = {"deep": {"er": ["x"]}}
    mock.edit("rg1", "aks1", change=lambda body: body["properties"].update(mine))
    return mine


def added(mock: MockAks, aks: Any) -> Any:
    mine = json.loads(json.dumps(OURS))
    mock.add_cluster("rg1", "aks1", mine, pools={"np1": {"count": 3}})
    return mine


def added_pool(mock: MockAks, aks: Any) -> Any:
    mine = {"nodeLabels": {"a": "b"}, "nodeTaints": ["a=b:NoSchedule"]}
    mock.add_pool("rg1", "aks1", "np1", mine)
    return mine


def seeded(mock: MockAks, aks: Any) -> Any:
    mine = {**mock.body("rg1", "aks1"), "tags": {"a": "1"}}
    mock.seed(mine)
    return mine


def committed(mock: MockAks, aks: Any) -> Any:
    aks.ask("PUT", aks.cluster, mock.body("rg1", "aks1"))
    return mock.commits[-1].body_after


def hooked(mock: MockAks, aks: Any) -> Any:
    seen: list[Any] = []
    mock.before_write(lambda request: seen.append(request.body))
    aks.ask("PUT", aks.np1, {"properties": {"nodeLabels": {"a": "b"}}})
    return seen[0]


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(lambda mock, _: mock.body("rg1", "aks1"), id="a body"),
        pytest.param(lambda mock, _: mock.body("rg1", "aks1", "np1"), id="a pool's body"),
        *[pytest.param(each, id=each.__name__) for each in (edited, added, added_pool, seeded, committed, hooked)],
    ],
)
def test_what_a_test_holds_is_its_own(given: Callable[[MockAks, Any], Any], mock: MockAks, aks: Any) -> None:
    mine = given(mock, aks)
    shown = json.dumps([mock.body("rg1", "aks1"), mock.body("rg1", "aks1", "np1")])
    ruin(mine)
    assert json.dumps([mock.body("rg1", "aks1"), mock.body("rg1", "aks1", "np1")]) == shown
    assert aks.ask("GET", aks.cluster).json()["properties"]["provisioningState"] in ("Succeeded", "Updating")


def test_a_commit_shows_what_was_there_then(mock: MockAks, aks: Any) -> None:
    before = mock.body("rg1", "aks1", "np1")
    aks.settle(aks.ask("PUT", aks.np1, {"properties": {"count": 4}}))
    after = mock.body("rg1", "aks1", "np1")
    aks.settle(aks.ask("PUT", aks.np1, {"properties": {"count": 5}}))
    assert [mock.commits[0].body_before, mock.commits[0].body_after] == [before, after]
    assert mock.commits[0].body_after is mock.commits[0].body_after
