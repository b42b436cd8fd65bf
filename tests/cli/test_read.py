# SPDX-License-Identifier: MIT
"""What reading commands print: az's shape, in each of its formats."""

from __future__ import annotations

import json

import pytest
import yaml

from aks_etag.mock import MockAks
from tests.cli.served import CLUSTER, POOL, Inside, World

# What az aks show has at the top that ARM has inside of "properties".
OF_AZ = {"agentPoolProfiles", "dnsPrefix", "eTag", "fqdn", "kubernetesVersion", "networkProfile", "provisioningState"}


def test_show_has_the_shape_of_az(world: World) -> None:
    ran = world.run("show", *CLUSTER)
    body = world.mock.body("rg", "prod")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json == {
        **{name: value for name, value in body.items() if name != "properties"},
        **body["properties"],
        "resourceGroup": "rg",
    }
    assert ran.json.keys() >= OF_AZ
    assert ran.json["eTag"] == world.tag()
    # As az prints it: indented by two, keys in order at each level, and a line end.
    assert ran.out == json.dumps(ran.json, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def test_a_pool_has_the_shape_of_az(world: World) -> None:
    ran = world.run("nodepool", "show", *POOL)
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["eTag"] == world.tag("np1")
    # A pool has two types: ARM's, and the kind of its machines, for which az has a name of its own.
    assert ran.json["type"] == "Microsoft.ContainerService/managedClusters/agentPools"
    assert ran.json["typePropertiesType"] == "VirtualMachineScaleSets"
    assert (ran.json["count"], ran.json["resourceGroup"], ran.json["name"]) == (3, "rg", "np1")
    assert "properties" not in ran.json


def test_lists_show_the_tags_of_everything(world: World) -> None:
    clusters = world.run("list", "--query", "[].[name, eTag]", "-o", "tsv")
    pools = world.run("nodepool", "list", "-g", "rg", "--cluster-name", "prod", "-o", "table")
    assert clusters.out == f"prod\t{world.tag()}\n"
    titles, rule, *rows = pools.out.splitlines()
    assert titles.split() == [
        *("Name", "Mode", "OsType", "Count", "VmSize", "ProvisioningState", "OrchestratorVersion", "ETag")
    ]
    assert set(rule) == {"-", " "}
    assert [(row.split()[0], row.split()[-1]) for row in rows] == [(name, world.tag(name)) for name in ("np1", "np2")]
    assert clusters.err + pools.err == ""


def test_the_list_of_one_group_and_of_a_group_that_is_not_there(world: World) -> None:
    world.mock.add_cluster("other", "dev")
    assert [each["name"] for each in world.run("list").json] == ["dev", "prod"]
    assert [each["name"] for each in world.run("list", "-g", "other").json] == ["dev"]
    assert [each["name"] for each in world.run("list", AZURE_DEFAULTS_GROUP="rg").json] == ["prod"]
    missing = world.run("list", "-g", "nowhere")
    assert (missing.code, missing.out) == (3, "")


def test_etag_prints_the_bare_tag_for_scripts(world: World) -> None:
    ran = world.run("etag", *CLUSTER)
    assert (ran.code, ran.out, ran.err) == (0, world.tag() + "\n", "")
    ran = world.run("nodepool", "etag", *POOL)
    assert (ran.code, ran.out, ran.err) == (0, world.tag("np1") + "\n", "")


def test_where_the_service_sends_no_tag_there_is_none_to_print(world: World) -> None:
    bare = MockAks(tagless_api_versions=["2020-01-01"])
    bare.add_cluster("rg", "prod")
    with bare.serve() as url:
        ran = world.run("etag", *CLUSTER, "--api-version", "2020-01-01", "--endpoint", url)
    assert ran.refusal[0] == 7
    assert ran.out == ""
    assert "hint: choose another --api-version" in ran.err


@pytest.mark.parametrize(
    ("shown", "query", "expected"),
    [
        pytest.param("tsv", "name", "prod\n", id="tsv-text"),
        pytest.param("tsv", "enableRBAC", "true\n", id="tsv-bool"),
        pytest.param("tsv", "[name, missing, agentPoolProfiles, sku]", "prod\nNone\n\t\nBase\tFree\n", id="tsv-rows"),
        pytest.param("tsv", "[[name, missing, agentPoolProfiles, sku]]", "prod\tNone\t2\t\n", id="tsv-row"),
        pytest.param("tsv", "agentPoolProfiles[].[name, count, enableFIPS]",
                     "np1\t3\tFalse\nnp2\t1\tFalse\n", id="rows"),
        pytest.param("json", "agentPoolProfiles[0].{z: name, a: count}", '{\n  "a": 3,\n  "z": "np1"\n}\n', id="json"),
        pytest.param("jsonc", "sku.tier", '"Free"\n', id="jsonc-in-a-pipe-has-no-colours"),
        pytest.param("json", "missing", "", id="nothing-found-prints-nothing"),
        pytest.param("yaml", "sku", "name: Base\ntier: Free\n", id="yaml"),
        pytest.param("yaml", "sku.tier", "Free\n", id="yaml-of-one-value"),
        pytest.param("table", "{Name: name, Tier: sku.tier}",
                     "Name    Tier\n------  ------\nprod    Free\n", id="table"),
        pytest.param("table", "[[name, location]]",
                     "Column1    Column2\n---------  ---------\nprod       region1\n", id="columns"),
        pytest.param("table", "name", "Result\n--------\nprod\n", id="result"),
        pytest.param("none", "name", "", id="none"),
    ],
)  # fmt: skip
def test_every_format_prints_what_az_prints(inside: Inside, shown: str, query: str, expected: str) -> None:
    ran = inside.run("show", *CLUSTER, "-o", shown, "--query", query)
    assert (ran.code, ran.out, ran.err) == (0, expected, "")


def test_the_whole_cluster_as_yaml_and_as_a_table(world: World) -> None:
    assert yaml.safe_load(world.run("show", *CLUSTER, "-o", "yaml").out) == world.run("show", *CLUSTER).json
    titles, _, row = world.run("show", *CLUSTER, "-o", "table").out.splitlines()
    assert titles.split() == ["Name", "ResourceGroup", "Location", "ProvisioningState", "KubernetesVersion", "ETag"]
    assert row.split() == ["prod", "rg", "region1", "Succeeded", "1.35", world.tag()]


def test_a_query_that_is_none_is_told_before_anything_else(inside: Inside) -> None:
    ran = inside.run("show", *CLUSTER, "--query", "agentPoolProfiles[")
    assert ran.refusal == (2, "error: --query is no JMESPath: Invalid jmespath expression: Incomplete expression: "
                              '"agentPoolProfiles[" ^')  # fmt: skip
    assert inside.run("show", *CLUSTER, "--query", "length(location, name)").code == 2
    assert inside.run("show", *CLUSTER, "-o", "xml").code == 2
