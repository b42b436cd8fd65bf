# SPDX-License-Identifier: MIT
"""A body that is no cluster or agent pool is refused with the place where it is none."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag.mock import MockAks

POOLS = "properties.agentPoolProfiles"
CASES: list[tuple[str, Any, str]] = [
    ("cluster", {"properties": []}, "properties"),
    ("cluster", {"tags": ["a"]}, "tags"),
    ("cluster", {"tags": {"team": 1}}, "tags.team"),
    ("cluster", {"location": 7}, "location"),
    ("cluster", {"sku": "Free"}, "sku"),
    ("cluster", {"identity": "SystemAssigned"}, "identity"),
    ("cluster", {"kubernetesVersion": "1.35"}, "kubernetesVersion"),
    ("cluster", {"agentPoolProfiles": [{"name": "np1"}]}, "agentPoolProfiles"),
    ("cluster", {"properties": {"kubernetesVersion": 1.35}}, "properties.kubernetesVersion"),
    ("cluster", {"properties": {"networkProfile": "azure"}}, "properties.networkProfile"),
    ("cluster", {"properties": {"agentPoolProfiles": {}}}, POOLS),
    ("cluster", {"properties": {"agentPoolProfiles": [{"name": "np1"}, 7]}}, f"{POOLS}[1]"),
    ("cluster", {"properties": {"agentPoolProfiles": [{"name": "np1"}, {"count": 1}]}}, f"{POOLS}[1].name"),
    ("cluster", {"properties": {"agentPoolProfiles": [{"name": "np1"}, {"name": "NP1"}]}}, f"{POOLS}[1].name"),
    ("cluster", {"properties": {"agentPoolProfiles": [{"name": "np1", "count": "3"}]}}, f"{POOLS}[0].count"),
    ("cluster", {"properties": {"agentPoolProfiles": [{"name": "np1", "tags": {"a": {}}}]}}, f"{POOLS}[0].tags.a"),
    ("np1", {"properties": 1}, "properties"),
    ("np1", {"count": 5}, "count"),
    ("np1", {"properties": {"count": "5"}}, "properties.count"),
    ("np1", {"properties": {"count": True}}, "properties.count"),
    ("np1", {"properties": {"enableAutoScaling": "true"}}, "properties.enableAutoScaling"),
    ("np1", {"properties": {"nodeLabels": []}}, "properties.nodeLabels"),
    ("np1", {"properties": {"nodeLabels": {"a": 1}}}, "properties.nodeLabels.a"),
    ("np1", {"properties": {"nodeTaints": {}}}, "properties.nodeTaints"),
    ("np1", {"properties": {"agentPoolProfiles": []}}, POOLS),
    ("new", {"properties": {"agentPoolProfiles": [{"name": "np1"}]}}, "location"),
    ("new", {"location": "region1"}, POOLS),
]


@pytest.mark.parametrize(("target", "body", "place"), CASES)
def test_the_place_is_named_and_nothing_changes(target: str, body: Any, place: str, mock: MockAks, aks: Any) -> None:
    before = mock.body("rg1", "aks1")
    refused = aks.ask("PUT", getattr(aks, target, f"{aks.cluster}2"), body)
    assert (refused.status_code, refused.json()["code"]) == (400, "BadRequest")
    assert f"Invalid value for '{place}': " in refused.json()["message"]
    assert mock.body("rg1", "aks1") == before
    assert mock.commits == []


def test_the_same_goes_for_tags_alone(mock: MockAks, aks: Any) -> None:
    assert "'tags.team'" in aks.ask("PATCH", aks.cluster, {"tags": {"team": 1}}).json()["message"]
    assert aks.ask("PATCH", aks.cluster, {"tags": {"team": None}}).status_code == 200


@pytest.mark.parametrize("content", [b"", b"[]", b"7", b"null", b"{", b"\xff", b'{"a": NaN}'])
def test_what_is_no_object_is_refused_by_the_gateway(content: bytes, aks: Any) -> None:
    refused = aks.put(aks.np1, params={"api-version": "2026-05-01"}, content=content)
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "InvalidRequestContent")


def test_a_precondition_is_looked_at_first(aks: Any) -> None:
    assert aks.ask("PUT", aks.np1, {"count": 5}, If_Match="stale").status_code == 412
