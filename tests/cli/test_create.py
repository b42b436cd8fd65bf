# SPDX-License-Identifier: MIT
"""``group create``, ``create`` and ``nodepool add``: new things, as az makes them, and never over old ones."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cli.served import Inside, World

NEW = ("-g", "rg", "-n", "new")
NEW_POOL = ("-g", "rg", "--cluster-name", "prod", "-n", "np3")


def sent(inside: Inside) -> list[dict[str, Any]]:
    """Return a list that fills with the bodies of writes."""
    bodies: list[dict[str, Any]] = []

    def note(request: Any) -> None:
        bodies.append(request.body)

    inside.world.mock.before_write(note)
    return bodies


def test_a_group_is_created_or_found_there(world: World) -> None:
    ran = world.run("group", "create", "-n", "fresh", "-l", "West Europe", "--query", "[name, location]", "-o", "tsv")
    assert (ran.code, ran.out, ran.err) == (0, "fresh\nWest Europe\n", "")
    # A PUT would take the tags of a group away, so that none is sent where it is there.
    ran = world.run("group", "create", "-g", "fresh", "--query", "location", AZURE_DEFAULTS_LOCATION="westeurope")
    assert (ran.code, ran.out) == (0, '"West Europe"\n')
    ran = world.run("group", "create", "-n", "fresh", "-l", "eastus")
    assert ran.refusal == (4, "error: the resource group fresh is there already, in West Europe")
    assert [method for method, _ in world.writes] == ["PUT"]
    assert world.run("group", "create", "-n", "other").refusal[0] == 2


def test_a_group_that_the_service_refuses_is_told(inside: Inside) -> None:
    inside.world.mock.inject(method="PUT", effect=409)
    assert inside.run("group", "create", "-n", "fresh", "-l", "x").refusal[0] == 5
    inside.world.mock.inject(method="PUT", effect=403)
    assert inside.run("group", "create", "-n", "fresh", "-l", "x").refusal[0] == 1


def test_a_cluster_has_the_default_pool_of_az(inside: Inside) -> None:
    bodies = sent(inside)
    words = ["--location", "region1", "--tags", "a=1", "b=x=y", "--tier", "standard", "-k", "1.35", "--no-wait"]
    assert inside.run("create", *NEW, *words).code == 0
    profile = {"name": "nodepool1", "count": 3, "vmSize": "Standard_DS2_v2", "mode": "System", "osType": "Linux"}
    assert bodies == [
        {
            "location": "region1",
            "identity": {"type": "SystemAssigned"},
            "tags": {"a": "1", "b": "x=y"},
            "sku": {"name": "Base", "tier": "Standard"},
            "properties": {"dnsPrefix": "new-dns", "agentPoolProfiles": [profile], "kubernetesVersion": "1.35"},
        }
    ]
    assert [each.if_none_match for each in inside.world.mock.journal if each.method == "PUT"] == ["*"]


def test_a_cluster_can_be_made_from_what_show_printed_of_another(inside: Inside) -> None:
    shown = inside.run("show", "-g", "rg", "-n", "prod").json
    bodies = sent(inside)
    file = inside.world.file("cluster.json", {**shown, "aadProfile": None})
    assert inside.run("create", *NEW, "--file", file, "--no-wait").code == 0
    assert bodies[0].keys().isdisjoint({"id", "name", "eTag", "resourceGroup"})
    assert bodies[0]["properties"]["dnsPrefix"] == shown["dnsPrefix"]
    assert "aadProfile" not in bodies[0]["properties"]


def test_a_pool_is_added_with_what_was_said(inside: Inside) -> None:
    bodies = sent(inside)
    assert inside.run("nodepool", "add", *NEW_POOL, "-c", "1", "--mode", "System", "--no-wait").code == 0
    assert bodies == [{"properties": {"count": 1, "vmSize": "Standard_DS2_v2", "mode": "System", "osType": "Linux"}}]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["create", *NEW, "-l", "x", "--enable-foo"], "aks-etag create does not know --enable-foo: "),
        (["create", *NEW, "-l", "x", "--generate-ssh-keys"], "aks-etag create does not know --generate-ssh-keys: "),
        (["create", *NEW, "-l", "x", "--network-plugin", "azure"], "does not know --network-plugin: "),
        (["create", *NEW, "-l", "x", "--node-counts", "5"], "did you mean --node-count"),
        (["nodepool", "add", *NEW_POOL, "--labels", "a=b"], "aks-etag nodepool add does not know --labels: "),
        (["create", *NEW], "--location is missing: give -l"),
        (["create", *NEW, "-l", ""], "--location is empty"),
        (["create", *NEW, "-l", "x", "--tags", ""], "--tags is empty"),
        (["create", *NEW, "-l", "x", "--tags", "a"], "--tags 'a': it is not KEY=VALUE"),
        (["create", *NEW, "-l", "x", "-c", "-1"], "-1"),
        (["create", *NEW, "-l", "x", "-c", "many"], "'many' is not a valid integer"),
        (["create", *NEW, "--file", "c.json", "-l", "x"], "--location cannot be said beside it"),
        (["create", *NEW, "--file", "c.json", "-c", "3", "--tier", "free"], "--node-count, --tier cannot be said"),
        (["nodepool", "add", *NEW_POOL, "--file", "c.json", "-c", "3"], "--node-count cannot be said beside it"),
        (["nodepool", "add", *NEW_POOL, "--file", "c.json", "--mode", "User"], "--mode cannot be said beside it"),
        (["create", *NEW, "--file", "nowhere.json"], "No such file"),
        (["create", "-g", "rg", "-l", "x"], "Missing option '-n'"),
        (["create", "-g", "rg", "-n", "", "-l", "x"], "--name is empty"),
        (["creat", *NEW], "there is no command 'creat'; did you mean 'create'?"),
    ],
)
def test_what_cannot_be_meant_creates_nothing(inside: Inside, words: list[str], said: str) -> None:
    inside.world.file("c.json", {"location": "x", "properties": {"dnsPrefix": "x"}})
    ran = inside.run(*words)
    assert (ran.code, ran.out, inside.world.mock.journal) == (2, "", [])
    assert said in ran.refusal[1]
    assert len(ran.err.splitlines()) <= 3


def test_a_create_can_be_rehearsed(inside: Inside) -> None:
    ran = inside.run("nodepool", "add", *NEW_POOL, "-c", "2", "--dry-run")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[-1] == "condition: If-None-Match: *"
    assert '"count": 2' in ran.out
    ran = inside.run("create", "-g", "rg", "-n", "prod", "-l", "x", "--dry-run")
    assert ran.refusal[0] == 4
    assert inside.world.writes == []
