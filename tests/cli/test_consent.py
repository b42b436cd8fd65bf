# SPDX-License-Identifier: MIT
"""Nothing is deleted, and no node taken away, before somebody has said yes."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag import ScaleDownRefusedError
from aks_etag.cli._changes import Change
from aks_etag.cli._consent import NobodyToAskError, guarded, with_consent
from tests.cli.served import CLUSTER, POOL, Inside, World

LOWERED = "properties.count: 3 -> 1"


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["scale", *POOL, "-c", "1"], id="scale"),
        pytest.param(["scale", *POOL, "-c", "1", "--force"], id="scale-force"),
        pytest.param(["scale", *POOL, "-c", "1", "--if-match", "*"], id="scale-star"),
        pytest.param(["scale", *POOL, "-c", "1", "--if-match", "{tag}"], id="scale-pinned"),
        pytest.param(["update", *POOL, "--set", "count=1"], id="set"),
        pytest.param(["update", *POOL, "--patch", "patch.json"], id="patch"),
        pytest.param(["update", *POOL, "--json-patch", "ops.json"], id="json-patch"),
        pytest.param(["update", *POOL, "--file", "whole.json", "--if-match", "{tag}"], id="file"),
        pytest.param(["update", *POOL, "--file", "whole.json", "--base", "base.json"], id="file-with-base"),
    ],
)
def test_taking_nodes_away_needs_a_yes(inside: Inside, words: list[str]) -> None:
    shown = inside.run("nodepool", "show", *POOL).json
    bare = {name: value for name, value in shown.items() if name != "eTag"}
    inside.world.file("patch.json", {"properties": {"count": 1}})
    inside.world.file("ops.json", [{"op": "replace", "path": "/properties/count", "value": 1}])
    inside.world.file("base.json", bare)
    inside.world.file("whole.json", {**bare, "count": 1})
    words = [word.format(tag=inside.world.tag("np1")) for word in words]
    ran = inside.run("nodepool", *words)
    assert ran.refusal == (7, f"error: This takes nodes away: {LOWERED}. Nothing was sent")
    assert ran.err.splitlines()[-1] == "hint: there is no terminal to ask on: give --yes to do it all the same"
    assert inside.world.writes == []
    assert inside.run("nodepool", *words, "--yes", "--no-wait").code == 0
    assert inside.world.mock.body("rg", "prod", "np1")["properties"]["count"] == 1


@pytest.mark.parametrize("how", ["--set", "--remove", "--patch", "--json-patch"])
def test_inline_pools_are_not_scaled_through_their_cluster(inside: Inside, how: str) -> None:
    said = {
        "--set": "agentPoolProfiles[0].count=1",
        "--remove": "agentPoolProfiles[0]",
        "--patch": inside.world.file(
            "patch.json", {"properties": {"agentPoolProfiles": [{"name": "np1", "count": 1}]}}
        ),
        "--json-patch": inside.world.file("ops.json", [{"op": "remove", "path": "/properties/agentPoolProfiles/0"}]),
    }
    for extra in ([], ["--yes"], ["--yes", "--force"]):
        assert inside.run("update", *CLUSTER, how, said[how], *extra).refusal[0] == 7
    assert inside.world.writes == []


def test_a_yes_is_for_the_nodes_that_were_named() -> None:
    """Had the pool grown between question and write, a count that was agreed to would take away others."""

    def lower(_: dict[str, Any]) -> dict[str, Any]:
        return {"properties": {"count": 1}}

    agreed = guarded(lower, LOWERED)
    assert agreed({"properties": {"count": 3}}) == {"properties": {"count": 1}}
    with pytest.raises(ScaleDownRefusedError, match="9 -> 1"):
        agreed({"properties": {"count": 9}})
    with pytest.raises(ScaleDownRefusedError, match="3 -> 1"):
        guarded(lower, None)({"properties": {"count": 3}})


def test_a_change_that_leaves_a_count_out_is_told_whole() -> None:
    def write(change: Change) -> None:
        change({"properties": {"count": 3, "minCount": 2}})

    with pytest.raises(NobodyToAskError, match=r"count: 3 -> \(absent\), properties.minCount: 2 -> 1\. Nothing"):
        with_consent(write, lambda _: {"properties": {"minCount": 1}}, yes=False)


@pytest.mark.parametrize("words", [[], ["--if-match", "*"], ["--force"]])
@pytest.mark.parametrize("command", [["delete", *CLUSTER], ["nodepool", "delete", *POOL]])
def test_a_delete_needs_a_yes(inside: Inside, command: list[str], words: list[str]) -> None:
    ran = inside.run(*command, *words)
    assert ran.refusal[0] == 7
    assert "eTag" in ran.refusal[1]
    assert ran.err.splitlines()[-1] == "hint: there is no terminal to ask on: give --yes to do it all the same"
    assert inside.world.writes == []


def test_a_delete_goes_out_under_the_tag_that_is_there(world: World) -> None:
    pool, cluster = world.tag("np1"), world.tag()
    ran = world.run("nodepool", "delete", *POOL, "--yes", "-v")
    assert (ran.code, ran.out) == (0, "")
    assert world.run("nodepool", "show", *POOL).code == 3
    stale = world.run("delete", *CLUSTER, "--yes", "--if-match", pool)
    assert stale.refusal[0] == 4
    ran = world.run("delete", *CLUSTER, "--yes")
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert [tag for _, tag in world.writes] == [pool, pool, cluster]
    assert world.run("delete", *CLUSTER, "--yes").err == "absent: nothing to delete\n"


def test_a_delete_can_be_rehearsed(inside: Inside) -> None:
    tag, name = inside.world.tag(), f"{inside.run('show', *CLUSTER, '--query', 'id', '-o', 'tsv').out.strip()}"
    for words, condition in (([], f"If-Match: {tag}"), (["--if-match", "*"], "If-Match: *"), (["--force"], "none")):
        ran = inside.run("delete", *CLUSTER, *words, "--dry-run")
        assert (ran.code, ran.err) == (0, "")
        assert ran.out.casefold().startswith(f"{name}: would be deleted\ncondition: {condition}".casefold())
    assert inside.run("delete", *CLUSTER, "--if-match", "stale", "--dry-run").refusal[0] == 4
    assert inside.world.writes == []
