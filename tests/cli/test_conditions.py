# SPDX-License-Identifier: MIT
"""Under which condition a write goes out, however a shell has dressed it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cli.served import CLUSTER, POOL, Inside, World

SET = ("--set", "tags.a=1")


@pytest.mark.parametrize("dress", ["{}", '"{}"', '\\"{}\\"', 'W/"{}"', " {} "])
def test_a_tag_is_understood_bare_quoted_and_with_escaped_quotes(inside: Inside, dress: str) -> None:
    tag = inside.world.tag()
    ran = inside.run("update", *CLUSTER, *SET, "--if-match", dress.format(tag), "--dry-run")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == f'tags: (absent) -> {{"a": "1"}}\ncondition: If-Match: {tag}\n'
    assert inside.world.writes == []


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        pytest.param(["--if-match", ""], 2, "--if-match is empty: is a shell variable not set?", id="empty"),
        pytest.param(
            ["--if-match", '""'], 2, "--if-match is empty: is a shell variable not set?", id="empty-in-quotes"
        ),
        pytest.param(["--if-match", "  "], 2, "--if-match is empty: is a shell variable not set?", id="blank"),
        pytest.param(["--if-match", "--yes"], 2, "is a shell variable not set?", id="the-next-option"),
        pytest.param(["--if-match", "a", "--force"], 2, "cannot be used together", id="two-conditions"),
        pytest.param(["--if-match", "*", "--force"], 2, "cannot be used together", id="star-and-force"),
        pytest.param(["--if-match", "a\nX-Evil: 1"], 7, "control", id="a-header-in-a-tag"),
        pytest.param(["--if-match", "a,b"], 7, "is not one eTag", id="two-tags"),
        pytest.param(["--if-match", '"*"'], 2, "only a bare * means any version", id="a-quoted-star"),
        pytest.param(["--if-match", "stale"], 4, 'asked for version "stale"', id="stale"),
        pytest.param(["--if-none-match", "*"], 2, "--if-none-match", id="create-is-no-update"),
    ],
)
@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["update", *CLUSTER, *SET], id="update"),
        pytest.param(["nodepool", "update", *POOL, "--set", "count=9"], id="pool"),
        pytest.param(["nodepool", "scale", *POOL, "-c", "9"], id="scale"),
        pytest.param(["nodepool", "delete", *POOL, "-y"], id="delete-pool"),
        pytest.param(["delete", *CLUSTER, "-y"], id="delete"),
        pytest.param(["tag", *CLUSTER, "a=1"], id="tag"),
    ],
)
def test_a_condition_that_is_none_writes_nothing(
    inside: Inside, command: list[str], words: list[str], code: int, said: str
) -> None:
    ran = inside.run(*command, *words)
    assert ran.refusal[0] == code
    assert said in ran.refusal[1] or (code == 4 and "delete" in command)
    assert (ran.out, [method for method, _ in inside.world.writes if code != 4]) == ("", [])
    assert inside.world.mock.body("rg", "prod")["properties"]["agentPoolProfiles"][0]["count"] == 3


def test_the_condition_is_the_header_that_goes_out(world: World) -> None:
    first, second = world.tag("np1"), None
    ran = world.run("nodepool", "update", *POOL, "--set", "count=4", "--query", "count", "-v")
    assert (ran.code, ran.out) == (0, "4\n")
    assert f"updated: If-Match: {first}, 1 write, 0 conflicts" in ran.err
    second = world.tag("np1")
    ran = world.run("nodepool", "update", *POOL, "--set", "count=5", "--if-match", f'"{second}"', "--query", "eTag")
    assert (ran.code, ran.json, ran.err) == (0, world.tag("np1"), "")
    ran = world.run("nodepool", "update", *POOL, "--set", "count=6", "--if-match", "*", "-o", "none")
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    ran = world.run("nodepool", "scale", *POOL, "-c", "7", "--force", "--query", "count")
    assert (ran.code, ran.out, ran.err) == (0, "7\n", "")
    assert world.writes == [("PUT", first), ("PUT", second), ("PUT", "*"), ("PUT", None)]


def test_without_a_condition_nobodys_update_is_lost(world: World) -> None:
    world.mock.before_write(
        lambda: world.mock.edit("rg", "prod", change=lambda body: body.update(tags={"theirs": "1"})), times=1
    )
    ran = world.run("update", *CLUSTER, "--set", "tags.ours=1", "--query", "tags", "-v")
    assert (ran.code, ran.json) == (0, {"ours": "1", "theirs": "1"})
    assert "2 writes, 1 conflicts" in ran.err


@pytest.mark.parametrize("words", [["--force"], ["--if-match", "*"]])
def test_whoever_waives_the_condition_loses_no_more_than_is_asked(inside: Inside, words: list[str]) -> None:
    """A fresh body is read for it, and what may move by itself stays out of it."""
    sent: list[dict[str, Any]] = []
    inside.world.mock.edit("rg", "prod", change=lambda body: body.update(tags={"theirs": "1"}))
    inside.world.mock.before_write(lambda request: sent.append(request.body), times=None)
    assert inside.run("update", *CLUSTER, "--set", "tags.ours=1", "--no-wait", *words).code == 0
    assert inside.world.mock.body("rg", "prod")["tags"] == {"ours": "1", "theirs": "1"}
    assert "agentPoolProfiles" not in sent[0]["properties"]
    assert "kubernetesVersion" not in sent[0]["properties"]
    ran = inside.run("update", *CLUSTER, "--set", "agentPoolProfiles[name=np1].count=1", "-y", *words)
    assert ran.refusal[0] == 7
    assert "hint: change the pool itself: aks-etag nodepool update or nodepool scale" in ran.err
    assert len(sent) == 1


@pytest.mark.parametrize(
    "command",
    [
        ["create", *CLUSTER, "-l", "region1"],
        ["create", *CLUSTER, "-l", "region1", "--if-none-match", "*"],
        ["nodepool", "add", *POOL],
        ["nodepool", "add", *POOL, "--if-none-match", "*"],
    ],
)
def test_what_is_there_is_never_created_over(inside: Inside, command: list[str]) -> None:
    before = inside.world.mock.body("rg", "prod")
    ran = inside.run(*command)
    assert ran.refusal[0] == 4
    assert "exists already" in ran.err
    assert [each.if_none_match for each in inside.world.mock.journal if each.method != "GET"] == ["*"]
    assert inside.world.mock.body("rg", "prod") == before


@pytest.mark.parametrize("value", ["", "abc", '"*"'])
def test_if_none_match_takes_a_star_only(inside: Inside, value: str) -> None:
    for command in (["create", "-g", "rg", "-n", "new", "-l", "x"], ["nodepool", "add", *POOL]):
        assert inside.run(*command, "--if-none-match", value).refusal[0] == 2
    assert inside.world.mock.journal == []
