# SPDX-License-Identifier: MIT
"""``plan`` and ``apply``: a change that is looked at first, and carried out only on what it was made for."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.cli.served import CLUSTER, Inside, World

PLAN_POOL = ("-g", "rg", "-n", "prod", "--nodepool-name", "np1")


def theirs(world: World, **tags: str) -> None:
    """Be somebody else who sets tags."""
    world.mock.edit("rg", "prod", change=lambda body: body.update(tags={**body.get("tags", {}), **tags}))


def test_a_plan_is_carried_out_once_and_then_unchanged(world: World) -> None:
    tag = world.tag()
    ran = world.run("plan", *CLUSTER, "--set", "tags.a=1", "sku.tier=Standard", "-o", "plan.json")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.splitlines() == ['sku.tier: "Free" -> "Standard"', 'tags: (absent) -> {"a": "1"}']
    assert world.writes == []
    ran = world.run("apply", "plan.json", "--query", "[sku.tier, tags.a]", "-o", "tsv")
    assert (ran.code, ran.out, ran.err) == (0, "Standard\n1\n", "")
    assert world.writes == [("PUT", tag)]
    ran = world.run("apply", "plan.json", "-o", "none")
    assert (ran.code, ran.err) == (0, "unchanged: nothing to do\n")
    assert world.writes == [("PUT", tag)]


def test_a_plan_file_is_readable_diffable_and_its_owners(inside: Inside) -> None:
    out = inside.world.file("plan.json", "an older one, that everybody may read")
    out.chmod(0o644)
    words = ("plan", *PLAN_POOL, "--set", "count=5", "-o")
    assert inside.run(*words, out).code == 0
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    text = out.read_text("utf-8")
    plan = json.loads(text)
    assert list(plan) == ["aks-etag-plan", "resource", "eTag", "changes", "base", "desired"]
    assert plan["changes"] == ["properties.count: 3 -> 5"]
    assert plan["resource"].endswith("/managedClusters/prod/agentPools/np1")
    assert (plan["eTag"], plan["base"]) == (inside.world.tag("np1"), inside.world.mock.body("rg", "prod", "np1"))
    assert list(plan["base"]["properties"]) == sorted(plan["base"]["properties"])
    assert inside.run(*words, "-").out == text
    assert [path.name for path in inside.world.home.iterdir()] == ["plan.json"]


def test_a_plan_that_was_overtaken_is_refused_and_may_be_rebased(world: World) -> None:
    world.run("plan", *CLUSTER, "--set", "tags.ours=1", "-o", "plan.json")
    planned = world.tag()
    theirs(world, theirs="1")
    ran = world.run("apply", "plan.json")
    assert ran.refusal[0] == 4
    assert "has changed since the plan was made" in ran.refusal[1]
    assert f'state: sent "{planned}", there is now "{world.tag()}" (Succeeded)' in ran.err
    assert ran.err.splitlines()[-1].endswith("see also apply --rebase")
    foreseen = world.run("apply", "plan.json", "--rebase", "--dry-run")
    three_ways = [
        *("planned:", '  tags: (absent) -> {"ours": "1"}'),
        *("changed since by others:", '  tags: (absent) -> {"theirs": "1"}'),
        *("to be written:", '  tags.ours: (absent) -> "1"'),
    ]
    assert foreseen.err.splitlines() == three_ways
    assert foreseen.out == f'tags.ours: (absent) -> "1"\ncondition: If-Match: {world.tag()}\n'
    assert world.writes == []
    ran = world.run("apply", "plan.json", "--rebase", "--query", "tags")
    assert (ran.code, ran.json, ran.err.splitlines()) == (0, {"ours": "1", "theirs": "1"}, three_ways)


def test_a_conflict_stops_a_rebase(inside: Inside) -> None:
    inside.run("plan", *CLUSTER, "--set", "tags.a=ours", "-o", "plan.json")
    theirs(inside.world, a="theirs")
    for words in (["--rebase"], ["--rebase", "--yes"], ["--rebase", "--dry-run"]):
        ran = inside.run("apply", "plan.json", *words)
        assert ran.code == 4
        assert "error: both sides changed tags.a since the base, each to something else; nothing was sent\n" in ran.err
    # Without --rebase it is the version that is told of.
    assert "has changed since the plan was made" in inside.run("apply", "plan.json").refusal[1]
    assert inside.world.writes == []


def test_a_plan_whose_changes_others_have_made_is_unchanged(inside: Inside) -> None:
    inside.run("plan", *CLUSTER, "--set", "tags.a=1", "-o", "plan.json")
    theirs(inside.world, a="1", b="2")
    ran = inside.run("apply", "plan.json", "--query", "tags.b")
    assert (ran.code, ran.out, ran.err) == (0, '"2"\n', "unchanged: nothing to do\n")
    assert inside.world.writes == []


def test_a_plan_that_takes_nodes_away_needs_a_yes(inside: Inside) -> None:
    assert inside.run("plan", *PLAN_POOL, "--set", "count=1", "-o", "plan.json").code == 0
    for words in ([], ["--rebase"]):
        ran = inside.run("apply", "plan.json", *words)
        assert ran.refusal == (7, "error: This takes nodes away: properties.count: 3 -> 1. Nothing was sent")
    assert inside.world.writes == []
    assert inside.run("apply", "plan.json", "--yes", "--no-wait").code == 0
    assert inside.world.mock.body("rg", "prod", "np1")["properties"]["count"] == 1


def test_a_plan_is_refused_for_what_the_write_would_be(inside: Inside) -> None:
    words = ("plan", *CLUSTER, "-o", "plan.json")
    assert inside.run(*words, "--set", "agentPoolProfiles[0].count=9").refusal[0] == 7
    assert inside.run(*words, "--patch", inside.world.file("p.json", {"eTag": "older"})).refusal[0] == 7
    assert inside.run(*words, "--set", "sku.Tier=x").refusal[0] == 7
    assert not Path("plan.json").exists()
    ran = inside.run("plan", *CLUSTER, "--set", "tags.a=1", "-o", "nowhere/plan.json")
    assert ran.refusal == (2, "error: --out nowhere/plan.json: No such file or directory")


@pytest.mark.parametrize(
    ("edit", "code", "said"),
    [
        pytest.param({"desired": {}}, 7, "it was edited", id="other-desired"),
        pytest.param({"changes": []}, 7, "it was edited", id="other-changes"),
        pytest.param({"eTag": "*"}, 7, "its base is no version of", id="any-version"),
        pytest.param({"eTag": ""}, 7, "eTag", id="no-version"),
        pytest.param({"resource": "/subscriptions/s/resourceGroups/rg/providers/Microsoft.ContainerService/"
                                  "managedClusters/other"}, 7, "its base is no version of", id="other-resource"),
        pytest.param({"resource": "/x"}, 7, "is not the ARM id", id="no-resource"),
        pytest.param({"base": []}, 2, "is no plan", id="no-base"),
        pytest.param({"aks-etag-plan": 2}, 2, "is no plan of this version", id="other-format"),
    ],
)  # fmt: skip
def test_a_plan_that_was_edited_is_not_carried_out(inside: Inside, edit: dict[str, Any], code: int, said: str) -> None:
    inside.run("plan", *CLUSTER, "--set", "tags.a=1", "-o", "plan.json")
    plan = json.loads(Path("plan.json").read_text("utf-8"))
    inside.world.file("plan.json", {**plan, **edit})
    ran = inside.run("apply", "plan.json", "--yes")
    assert (ran.code, inside.world.writes) == (code, [])
    assert said in ran.refusal[1]


def test_a_plan_knows_its_subscription(world: World) -> None:
    world.run("plan", *CLUSTER, "--set", "tags.a=1", "-o", "plan.json")
    ran = world.run("apply", "plan.json", "--dry-run", AZURE_SUBSCRIPTION_ID=None)
    assert (ran.code, ran.err) == (0, "")
    ran = world.run("apply", "plan.json", "--subscription", "11111111-1111-1111-1111-111111111111")
    assert ran.refusal == (2, "error: --subscription is another one than the plan's")
