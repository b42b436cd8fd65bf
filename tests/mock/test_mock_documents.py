# SPDX-License-Identifier: MIT
"""PUT replaces what a client may write; everything else is the service's."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from aks_etag.mock import MockAks


@pytest.fixture
def quick(mock: MockAks) -> MockAks:
    """The same AKS with operations that are over at accept."""
    mock.switches.operation_polls = 0
    return mock


def put(mock: MockAks, aks: Any, change: Callable[[Any], object], pool: str | None = None) -> dict[str, Any]:
    """Read, change and write, then show what is stored."""
    body = mock.body("rg1", "aks1", pool)
    change(body)
    response = aks.ask("PUT", aks.np1 if pool else aks.cluster, body)
    assert response.status_code == 200, response.text
    return mock.body("rg1", "aks1", pool)


def test_a_round_trip_changes_nothing_but_tags(quick: MockAks, aks: Any) -> None:
    before = json.dumps(quick.body("rg1", "aks1", "np1"))
    after = put(quick, aks, lambda body: None, "np1")
    old = json.loads(before)
    assert old["properties"].pop("eTag") != after["properties"].pop("eTag")
    assert json.dumps(old) == json.dumps(after)


def test_stale_inline_profiles_revert_a_pool_without_any_412(quick: MockAks, aks: Any) -> None:
    stale = aks.ask("GET", aks.cluster).json()
    scaled = aks.ask("GET", aks.np1).json()
    scaled["properties"]["count"] = 10
    assert aks.ask("PUT", aks.np1, scaled, If_Match=scaled["properties"]["eTag"]).status_code == 200
    stale["tags"] = {"team": "a"}
    assert aks.ask("PUT", aks.cluster, stale, If_Match=stale["eTag"]).status_code == 200
    assert quick.body("rg1", "aks1", "np1")["properties"]["count"] == 3


def test_pools_are_kept_where_profiles_are_left_out(quick: MockAks, aks: Any) -> None:
    quick.add_pool("rg1", "aks1", "np2", {"count": 7})
    after = put(quick, aks, lambda body: body["properties"].pop("agentPoolProfiles"))
    assert [(pool["name"], pool["count"]) for pool in after["properties"]["agentPoolProfiles"]] == [
        ("np1", 3),
        ("np2", 7),
    ]


@pytest.mark.parametrize(("partial_pools", "left"), [("keep", ["np1", "np2"]), ("remove", ["np1"])])
def test_a_partial_list_of_profiles(partial_pools: Any, left: list[str], quick: MockAks, aks: Any) -> None:
    quick.switches.partial_pools = partial_pools
    quick.add_pool("rg1", "aks1", "np2", {})
    after = put(quick, aks, lambda body: body["properties"]["agentPoolProfiles"].pop())
    assert [pool["name"] for pool in after["properties"]["agentPoolProfiles"]] == left


def test_what_is_left_out_disappears_and_what_is_unknown_stays(quick: MockAks, aks: Any) -> None:
    strange = {"zeta": [1, 2.0, None, 10**20], "alpha": {"deep": True}}
    put(quick, aks, lambda body: body["properties"].update(strange=strange, apiServerAccessProfile={"enable": True}))
    after = put(quick, aks, lambda body: body["properties"].pop("apiServerAccessProfile"))
    assert json.dumps(after["properties"]["strange"]) == json.dumps(strange)
    assert "apiServerAccessProfile" not in after["properties"]


@pytest.mark.parametrize("name", ["windowsProfile", "networkProfile"])
def test_an_explicit_null_is_kept(name: str, quick: MockAks, aks: Any) -> None:
    after = put(quick, aks, lambda body: body["properties"].update({name: None}))
    assert after["properties"].get(name, "left out") is None


def test_defaults_come_back_and_owned_fields_cannot_be_written(quick: MockAks, aks: Any) -> None:
    before = quick.body("rg1", "aks1")
    response = aks.ask("PUT", aks.cluster, {"id": "x", "type": "y", "properties": {"fqdn": "z", "dnsPrefix": "dns1"}})
    after = quick.body("rg1", "aks1")
    assert response.status_code == 200
    before.pop("eTag"), after.pop("eTag"), before.pop("identity")
    for body in (before, after):
        body["properties"].pop("agentPoolProfiles")
    assert after == before


def test_versions_are_kept_and_followed(quick: MockAks, aks: Any) -> None:
    upgraded = put(quick, aks, lambda body: body["properties"].update(kubernetesVersion="1.36.2"))["properties"]
    kept = put(quick, aks, lambda body: body["properties"].pop("kubernetesVersion"))["properties"]
    assert upgraded["currentKubernetesVersion"] == kept["kubernetesVersion"] == "1.36.2"


@pytest.mark.parametrize(("keep", "shown"), [(False, False), (True, True)])
def test_empty_tags_are_hidden_as_recorded(keep: bool, shown: bool, quick: MockAks, aks: Any) -> None:
    quick.switches.keep_empty_maps = keep
    assert ("tags" in put(quick, aks, lambda body: body.update(tags={}))) is shown


def test_identities_get_their_ids_from_the_service(quick: MockAks, aks: Any) -> None:
    identity = {"type": "UserAssigned", "userAssignedIdentities": {"/id/one": {}}}
    after = put(quick, aks, lambda body: body.update(identity=identity))
    again = put(quick, aks, lambda body: None)
    assert after["identity"]["userAssignedIdentities"]["/id/one"].keys() == {"clientId", "principalId"}
    assert "principalId" not in after["identity"]
    assert again["identity"] == after["identity"]


def test_a_cluster_created_again_is_another_one(quick: MockAks, aks: Any) -> None:
    before = quick.body("rg1", "aks1")
    aks.ask("DELETE", aks.cluster)
    assert aks.ask("PUT", aks.cluster, before).status_code == 201
    assert quick.body("rg1", "aks1")["properties"]["resourceUID"] != before["properties"]["resourceUID"]


BAD_BODIES: list[tuple[str, str, Any]] = [
    ("cluster", "PUT", b"{"),
    ("cluster", "PUT", b""),
    ("cluster", "PUT", b"[]"),
    ("cluster", "PUT", b'{"a": NaN}'),
    ("cluster", "PUT", b"\xff"),
    ("cluster", "PUT", b'{"a":' * 500 + b"1" + b"}" * 500),
    ("cluster", "PUT", b'{"properties": []}'),
    ("cluster", "PUT", b'{"location": 1}'),
    ("cluster", "PUT", b'{"identity": "SystemAssigned"}'),
    ("cluster", "PUT", b'{"properties": {"agentPoolProfiles": {}}}'),
    ("cluster", "PUT", b'{"properties": {"agentPoolProfiles": [1]}}'),
    ("cluster", "PUT", b'{"properties": {"agentPoolProfiles": [{"name": "np1"}, {"name": "NP1"}]}}'),
    ("cluster", "PUT", b'{"properties": {"provisioningState": "Updating"}}'),
    ("cluster", "PATCH", b'{"tags": []}'),
    ("np1", "PUT", b'{"properties": 1}'),
    ("np1", "PUT", b'{"properties": {"provisioningState": "Failed"}}'),
    ("new cluster", "PUT", b"{}"),
    ("new cluster", "PUT", b'{"location": "region1"}'),
    ("new cluster", "PUT", b'{"properties": {"agentPoolProfiles": [{"name": "np1"}]}}'),
]


@pytest.mark.parametrize(("target", "method", "content"), BAD_BODIES)
def test_bad_bodies_are_refused_and_change_nothing(
    target: str, method: str, content: bytes, quick: MockAks, aks: Any
) -> None:
    before = quick.body("rg1", "aks1")
    path = {"cluster": aks.cluster, "np1": aks.np1}.get(target, f"{aks.cluster}2")
    response = aks.request(method, path, params={"api-version": "2026-05-01"}, content=content)
    assert response.status_code == 400
    assert quick.body("rg1", "aks1") == before


def test_no_input_makes_the_mock_fail(quick: MockAks, aks: Any) -> None:
    dice = random.Random(0)
    values: list[Any] = [None, 1, "x", [], {}, [{}], {"name": "np1"}, {"tags": 1}, {"count": None}, True]
    names = ["properties", "agentPoolProfiles", "identity", "userAssignedIdentities", "tags", "sku", "name", "location"]
    for _ in range(400):
        body = {dice.choice(names): dice.choice(values) for _ in range(3)}
        outer = {**body, "properties": {dice.choice(names): dice.choice(values), **body}}
        path = dice.choice([aks.cluster, aks.np1, f"{aks.cluster}2", f"{aks.cluster}%2F", "//", f"{aks.cluster}/x/y"])
        response = aks.ask(
            dice.choice(["PUT", "PATCH", "DELETE", "GET", "POST"]), path, outer, If_Match=dice.choice(["", "*"])
        )
        assert response.status_code in {200, 201, 202, 204, 400, 404, 405, 409, 412, 501}
