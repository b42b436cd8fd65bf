# SPDX-License-Identifier: MIT
"""``update`` and ``tag``: what is changed, by which words and files, and what is shown before it is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.served import CLUSTER, POOL, Inside, World

TAGS_PATCH = {"tags": {"a": "1"}}
COUNT_OPS = [{"op": "test", "path": "/properties/count", "value": 3},
             {"op": "replace", "path": "/properties/count", "value": 9}]  # fmt: skip


def dry(inside: Inside, *words: object, pool: bool = True) -> list[str]:
    """Return what a change would do, by --dry-run; nothing is sent for it."""
    command = ["nodepool", "update", *POOL] if pool else ["update", *CLUSTER]
    ran = inside.run(*command, *words, "--dry-run")
    assert (ran.code, inside.world.writes) == (0, []), ran.err
    return ran.out.splitlines()


def test_a_dry_run_prints_the_change_and_the_exact_condition(world: World) -> None:
    ran = world.run("update", *CLUSTER, "--set", "tags.a=1", "sku.tier=Standard", "--dry-run")
    lines = ['sku.tier: "Free" -> "Standard"', 'tags: (absent) -> {"a": "1"}', f"condition: If-Match: {world.tag()}"]
    assert (ran.code, ran.out.splitlines(), ran.err) == (0, lines, "")
    ran = world.run("nodepool", "scale", *POOL, "-c", "1", "--dry-run", "--force")
    assert ran.out == "properties.count: 3 -> 1\ncondition: none (--force)\n"
    assert ran.err == "this takes nodes away, and asks before it does: properties.count: 3 -> 1\n"
    ran = world.run("update", *CLUSTER, "--set", "sku.tier=Free", "--dry-run")
    assert (ran.code, ran.out, ran.err) == (0, "nothing to change\n", "")
    ran = world.run("update", *CLUSTER, "--set", "sku.tier=Standard", "--dry-run", "--if-match", "stale")
    assert (ran.code, ran.out.splitlines()[-1]) == (4, "condition: If-Match: stale")
    assert f'state: sent "stale", there is now "{world.tag()}" (Succeeded)' in ran.err
    assert world.writes == []


@pytest.mark.parametrize(
    ("option", "content"),
    [
        pytest.param("--patch", {"properties": {"count": 9}}, id="patch"),
        pytest.param("--patch", {"count": 9}, id="patch-in-the-shape-of-az"),
        pytest.param("--json-patch", COUNT_OPS, id="json-patch"),
    ],
)
def test_a_change_from_a_file_or_from_stdin(inside: Inside, option: str, content: Any) -> None:
    file = inside.world.file("change.json", content)
    expected = ["properties.count: 3 -> 9", f"condition: If-Match: {inside.world.tag('np1')}"]
    assert dry(inside, option, file) == expected
    piped = inside.world.run("nodepool", "update", *POOL, option, "-", "--dry-run", stdin=json.dumps(content))
    assert piped.out.splitlines() == expected


def test_yaml_is_taken_where_the_name_says_so(inside: Inside) -> None:
    file = inside.world.file("change.yaml", "properties:\n  count: 9\n")
    assert dry(inside, "--patch", file)[0] == "properties.count: 3 -> 9"


def test_a_merge_patch_removes_what_is_null(inside: Inside) -> None:
    inside.world.mock.edit("rg", "prod", change=lambda body: body.update(tags={"a": "1", "b": "2"}))
    assert dry(inside, "--patch", inside.world.file("p.json", {"tags": {"a": None}}), pool=False)[0] == (
        'tags.a: "1" -> (absent)'
    )


def test_what_show_prints_can_be_edited_and_given_back(world: World) -> None:
    """Its eTag binds the write to the version that it was made from."""
    shown = world.run("nodepool", "show", *POOL).json
    assert shown["count"] == 3
    file = world.file("pool.json", {**shown, "count": 4, "kubeletConfig": None})
    ran = world.run("nodepool", "update", *POOL, "--file", file, "--query", "[count, typePropertiesType]", "-o", "tsv")
    assert (ran.code, ran.out, ran.err) == (0, "4\nVirtualMachineScaleSets\n", "")
    assert world.writes == [("PUT", shown["eTag"])]
    again = world.run("nodepool", "update", *POOL, "--file", world.file("pool.json", {**shown, "count": 5}))
    assert again.refusal[0] == 4
    assert world.writes == [("PUT", shown["eTag"])]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        pytest.param([], 7, "a whole body without eTag may be older than what is there", id="no-condition"),
        pytest.param(["--if-match", "{tag}"], 0, "", id="the-tag-is-said"),
        pytest.param(["--if-match", "*"], 0, "", id="star"),
        pytest.param(["--force"], 0, "", id="force"),
        pytest.param(["--base", "base.json"], 0, "", id="three-way"),
    ],
)
def test_a_whole_body_that_says_no_version_is_bound_by_hand(
    inside: Inside, words: list[str], code: int, said: str
) -> None:
    shown = inside.run("nodepool", "show", *POOL).json
    bare = {name: value for name, value in shown.items() if name != "eTag"}
    inside.world.file("base.json", bare)
    file = inside.world.file("pool.json", {**bare, "count": 9})
    words = [word.format(tag=inside.world.tag("np1")) for word in words]
    ran = inside.run("nodepool", "update", *POOL, "--file", file, *words, "--dry-run")
    assert (ran.code, said in ran.err) == (code, True)
    assert ("properties.count: 3 -> 9" in ran.out) == (code == 0)


def test_a_body_of_one_version_never_goes_out_under_another(inside: Inside) -> None:
    shown = inside.run("nodepool", "show", *POOL).json
    inside.world.mock.edit("rg", "prod", "np1", lambda body: body["properties"].update(count=7))
    file = inside.world.file("pool.json", {**shown, "maxPods": 30})
    for words in (["--if-match", inside.world.tag("np1")], ["--if-match", inside.world.tag("np1"), "--dry-run"]):
        ran = inside.run("nodepool", "update", *POOL, "--file", file, *words)
        assert ran.refusal[0] == 7
        assert f'the body is of version "{shown["eTag"]}"' in ran.refusal[1]
    assert inside.world.writes == []


def test_a_file_with_its_base_is_merged_with_what_others_did(inside: Inside) -> None:
    base = inside.run("nodepool", "show", *POOL).json
    inside.world.mock.edit("rg", "prod", "np1", lambda body: body["properties"].update(count=7))
    inside.world.file("base.json", base)
    file = inside.world.file("pool.json", {**base, "maxPods": 30})
    assert dry(inside, "--file", file, "--base", "base.json")[0] == "properties.maxPods: 250 -> 30"
    inside.world.file("pool.json", {**base, "count": 9})
    ran = inside.run("nodepool", "update", *POOL, "--file", file, "--base", "base.json")
    assert ran.refusal == (4, "error: both sides changed properties.count since the base, each to something else; "
                              "nothing was sent")  # fmt: skip
    assert inside.world.writes == []


@pytest.mark.parametrize(
    ("option", "content", "code", "said"),
    [
        ("--patch", "{", 2, "is no JSON"),
        ("--patch", "", 2, "is no JSON"),
        ("--patch", '{"a": NaN}', 2, "NaN is no number of JSON"),
        ("--patch", "[" * 100_000, 2, "it is nested too deeply"),
        ("--patch", "[]", 2, "it is a list, and an object is needed"),
        ("--patch", "null", 2, "it is empty, and an object is needed"),
        ("--json-patch", "{}", 2, "it is an object, and a list of operations is needed"),
        ("--json-patch", '["x"]', 2, "each operation is an object"),
        ("--json-patch", '[{"op": "test", "path": "/properties/count", "value": 4}]', 7, "is not what it tests for"),
        ("--json-patch", '[{"op": "replace", "path": "/nope", "value": 4}]', 7, "its path is not there"),
        ("--json-patch", '[{"op": "add", "path": "/count", "value": 4}]', 7, "in an ARM body it is properties.count"),
        ("--json-patch", '[{"op": "remove", "path": "/properties"}]', 7, "no properties"),
        ("--patch", '{"properties": null}', 7, "no properties"),
        ("--patch", '{"properties": {}, "count": 5}', 7, "in an ARM body it is properties.count"),
        ("--patch", '{"eTag": "mine"}', 7, 'the body is of version "mine"'),
        ("--file", '{"properties": {"count": 5}, "count": 5}', 2, "in an ARM body it is properties.count"),
        ("--file", '{"eTag": "x", "name": "np1", "properties": {}}', 2, "no properties"),
        ("--file", '{"properties": []}', 2, "no properties"),
        ("--base", "{}", 2, "--base goes with --file"),
    ],
)
def test_a_file_that_is_no_change_writes_nothing(
    inside: Inside, option: str, content: str, code: int, said: str
) -> None:
    extra = ["--set", "maxPods=30"] if option == "--base" else []
    ran = inside.run("nodepool", "update", *POOL, option, inside.world.file("x.json", content), *extra)
    assert (ran.code, inside.world.writes) == (code, [])
    assert said in ran.refusal[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "nothing to change"),
        (["--set", "a=1", "--patch", "x.json"], "too much to change"),
        (["--patch", "x.json", "--json-patch", "x.json"], "too much to change"),
        (["--file", "-", "--base", "-"], "cannot both be read from stdin"),
        (["--patch", "nowhere.json"], "No such file or directory"),
        (["--patch", "."], "Is a directory"),
        (["--patch", "binary"], "it is no text in UTF-8"),
        (["--patch", ""], "--patch is empty"),
        (["--patch", "dates.yaml"], "is not JSON: the body has a date in it"),
        (["--patch", "bad.yaml"], "is no YAML"),
        (["--enable-cluster-autoscaler"], "does not know --enable-cluster-autoscaler"),
        (["--labels", "a=b"], "does not know --labels"),
    ],
)
def test_what_cannot_be_meant_is_refused_as_usage(inside: Inside, words: list[str], said: str) -> None:
    inside.world.file("x.json", "{}")
    inside.world.file("dates.yaml", "properties: {since: 2020-01-01}")
    inside.world.file("bad.yaml", "a: [")
    (inside.world.home / "binary").write_bytes(b"\xff\xfe\x00")
    ran = inside.run("nodepool", "update", *POOL, *words)
    assert ran.refusal[0] == 2
    assert said in ran.refusal[1]
    assert ran.err.splitlines()[-1] == "hint: aks-etag nodepool update --help"
    assert inside.world.mock.journal == []


def test_nothing_to_change_sends_nothing(inside: Inside) -> None:
    ran = inside.run("nodepool", "update", *POOL, "--set", "count=3", "--query", "count")
    assert (ran.code, ran.out, ran.err) == (0, "3\n", "unchanged: nothing to do\n")
    assert inside.run("nodepool", "update", *POOL, "--set", "provisioningState=Failed").refusal[0] == 7
    assert inside.world.writes == []


def test_tags_are_set_and_removed_and_others_stay(world: World) -> None:
    world.mock.edit("rg", "prod", change=lambda body: body.update(tags={"theirs": "1"}))
    first = world.tag()
    ran = world.run("tag", *CLUSTER, "a=1", "empty=", "minus-=x")
    assert (ran.code, ran.json, ran.err) == (0, {"a": "1", "empty": "", "minus-": "x", "theirs": "1"}, "")
    second = world.tag()
    ran = world.run("tag", *CLUSTER, "a-", "--if-match", second)
    assert (ran.code, ran.json) == (0, {"empty": "", "minus-": "x", "theirs": "1"})
    assert world.run("tag", *CLUSTER, "theirs=1").err == "unchanged: nothing to do\n"
    assert world.run("tag", *CLUSTER, "b=2", "--dry-run").out == (
        f'tags.b: (absent) -> "2"\ncondition: If-Match: {world.tag()}\n'
    )
    assert world.writes == [("PATCH", first), ("PUT", second)]


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("a", "it is not KEY=VALUE"),
        ("=b", "its key is empty"),
        ("-", "No such option"),
        (" =b", "its key is empty"),
        ("a=b\nc", "a line end"),
        ("a\tb=c", "a line end"),
        ("a/b=c", "a key has none of"),
        ("a=" + "x" * 257, "at most 512"),
        ("x" * 513 + "=", "at most 512"),
    ],
)
def test_a_tag_that_is_none_writes_nothing(inside: Inside, word: str, said: str) -> None:
    ran = inside.run("tag", *CLUSTER, word)
    assert ran.refusal[0] == 2
    assert said in ran.refusal[1] or word == "-"
    assert inside.world.mock.journal == []


def test_the_result_of_a_write_is_shown_as_show_would(inside: Inside) -> None:
    words = ("nodepool", "update", *POOL, "--set", "count=3", "-o", "table", "--only-show-errors")
    ran = inside.run(*words)
    assert (ran.code, ran.out, ran.err) == (0, inside.run("nodepool", "show", *POOL, "-o", "table").out, "")
    assert len(ran.out.splitlines()) == 3


def test_a_query_is_checked_before_the_write_and_never_hides_it(inside: Inside) -> None:
    assert inside.run("tag", *CLUSTER, "a=1", "--query", "a[").refusal[0] == 2
    assert inside.world.writes == []
    ran = inside.run("tag", *CLUSTER, "a=1", "--query", "length(a, a)")
    assert ran.refusal[0] == 2
    assert ran.refusal[1].endswith("; only the output failed, the write did not: updated")
