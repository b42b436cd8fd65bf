# SPDX-License-Identifier: MIT
"""Three-way merge: a table, and what holds for all bodies."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aks_etag._core.changes import applied, is_idempotent_at
from aks_etag._core.differences import differences
from aks_etag._core.document import Fields, fields
from aks_etag._core.merge import Rules, merge
from aks_etag._core.places import Place, by, itself, named, taint, without_case
from aks_etag._resources.model import RULES
from aks_etag._resources.rebase import rebase

CONFLICT: Any = object()
PLAIN = Rules(owned={}, kept=(), keys={("l",): by("name"), ("s",): itself})
A1, A2, A3 = ({"name": "a", "n": n} for n in (1, 2, 3))
B1 = {"name": "b", "n": 1}

# base, ours, theirs, and what comes of it: CONFLICT at the one path that follows.
TABLE: dict[str, tuple[Any, ...]] = {
    "nobody": ({"a": 1}, {"a": 1}, {"a": 1}, {"a": 1}),
    "ours": ({"a": 1}, {"a": 2}, {"a": 1}, {"a": 2}),
    "theirs": ({"a": 1}, {"a": 1}, {"a": 2}, {"a": 2}),
    "both-the-same": ({"a": 1}, {"a": 2}, {"a": 2}, {"a": 2}),
    "both": ({"a": 1}, {"a": 2}, {"a": 3}, CONFLICT, "a"),
    "two-keys": ({"a": 1, "b": 1}, {"a": 2, "b": 1}, {"a": 1, "b": 2}, {"a": 2, "b": 2}),
    "deep": ({"a": {"b": 1, "c": 1}}, {"a": {"b": 2, "c": 1}}, {"a": {"b": 1, "c": 2}}, {"a": {"b": 2, "c": 2}}),
    "deep-both": ({"a": {"b": 1}}, {"a": {"b": 2}}, {"a": {"b": 3}}, CONFLICT, "a.b"),
    "odd-name": ({"a": {"x/y": 1}}, {"a": {"x/y": 2}}, {"a": {"x/y": 3}}, CONFLICT, 'a["x/y"]'),
    "adds": ({}, {"a": 1}, {"b": 1}, {"b": 1, "a": 1}),
    "both-add-the-same": ({}, {"a": 1}, {"a": 1}, {"a": 1}),
    "both-add": ({}, {"a": 1}, {"a": 2}, CONFLICT, "a"),
    "both-add-maps": ({}, {"a": {"x": 1}}, {"a": {"y": 1}}, {"a": {"y": 1, "x": 1}}),
    "removes": ({"a": 1, "b": 1}, {"b": 1}, {"a": 1, "b": 2}, {"b": 2}),
    "both-remove": ({"a": 1}, {}, {}, {}),
    "removes-what-is-edited": ({"a": 1}, {}, {"a": 2}, CONFLICT, "a"),
    "edits-what-is-removed": ({"a": 1}, {"a": 2}, {}, CONFLICT, "a"),
    "removes-a-map-edited-inside": ({"a": {"b": 1}}, {}, {"a": {"b": 2}}, CONFLICT, "a"),
    "a-null-is-a-value": ({"a": 1}, {"a": None}, {"a": 1}, {"a": None}),
    "true-is-not-one": ({"a": 1}, {"a": True}, {"a": 1}, {"a": True}),
    "one-is-one": ({"a": 1}, {"a": 1.0}, {"a": 2}, {"a": 2}),
    "a-map-becomes-text": ({"a": {"b": 1}}, {"a": "x"}, {"a": {"b": 1}}, {"a": "x"}),
    "a-map-becomes-two-things": ({"a": {"b": 1}}, {"a": "x"}, {"a": {"b": 2}}, CONFLICT, "a"),
    "text-becomes-two-maps": ({"a": "x"}, {"a": {"b": 1}}, {"a": {"c": 2}}, {"a": {"c": 2, "b": 1}}),
    "unkeyed-list": ({"u": [1]}, {"u": [1, 2]}, {"u": [1]}, {"u": [1, 2]}),
    "unkeyed-list-both": ({"u": [1]}, {"u": [1, 2]}, {"u": [1, 3]}, CONFLICT, "u"),
    "keyed-list": ({"l": [A1, B1]}, {"l": [A2, B1]}, {"l": [B1, A1]}, {"l": [B1, A2]}),
    "keyed-list-both": ({"l": [A1]}, {"l": [A2]}, {"l": [A3]}, CONFLICT, "l[a].n"),
    "keyed-list-adds": ({"l": [A1]}, {"l": [B1, A1]}, {"l": [A2]}, {"l": [A2, B1]}),
    "keyed-list-removes": ({"l": [A1, B1]}, {"l": [B1]}, {"l": [A1, B1]}, {"l": [B1]}),
    "keyed-list-removes-what-is-edited": ({"l": [A1]}, {"l": []}, {"l": [A2]}, CONFLICT, "l[a]"),
    "keyed-list-both-begin": ({}, {"l": [A1]}, {"l": [B1]}, {"l": [B1, A1]}),
    "keyed-list-was-something-else": ({"l": "x"}, {"l": [A1]}, {"l": [B1]}, CONFLICT, "l"),
    "keyed-list-goes": ({"l": [A1]}, {}, {"l": [A1]}, {}),
    "keyed-list-goes-and-is-edited": ({"l": [A1]}, {}, {"l": [A2]}, CONFLICT, "l"),
    "keyed-list-without-keys": ({"l": [1]}, {"l": [2]}, {"l": [1, 3]}, CONFLICT, "l"),
    "keyed-list-with-twins": ({"l": [A1]}, {"l": [A1, A2]}, {"l": [A1, B1]}, CONFLICT, "l"),
    "keyed-list-with-twins-there": ({"l": [A1]}, {"l": [A2]}, {"l": [A1, A1]}, CONFLICT, "l"),
    "set": ({"s": ["a", "b"]}, {"s": ["b", "c"]}, {"s": ["a", "b", "d"]}, {"s": ["b", "d", "c"]}),
}


@pytest.mark.parametrize("case", TABLE)
def test_what_comes_of_three_bodies(case: str) -> None:
    base, ours, theirs, result, *paths = TABLE[case]
    before = copy.deepcopy((base, ours, theirs))
    merged, conflicts = merge(base, ours, theirs, PLAIN)
    assert [conflict.path for conflict in conflicts] == paths
    assert paths or merged == result
    assert list(merged) == list(result if not paths else merged)
    assert (base, ours, theirs) == before


@pytest.mark.parametrize("case", [case for case, row in TABLE.items() if row[3] is CONFLICT])
def test_a_conflict_is_settled_for_the_side_that_is_asked_for(case: str) -> None:
    base, ours, theirs = TABLE[case][:3]
    assert applied(rebase_plainly(base, ours, ours_first=True), theirs) == ours
    assert applied(rebase_plainly(base, ours, ours_first=False), theirs) == theirs


def rebase_plainly(base: Any, ours: Any, *, ours_first: bool) -> Any:
    return lambda body: merge(base, ours, body, PLAIN, ours_first=ours_first)[0]


OWNED: Fields = fields(["tag", "a.state", "l.*.state", "m.*.state"])
RULED = Rules(owned=OWNED, kept={("image",), ("l", "*", "image")}, keys={("l",): by("name")})
E0, E1 = {"name": "e", "state": 1, "n": 1}, {"name": "e", "state": 2, "n": 1}
RULED_TABLE: dict[str, tuple[Any, ...]] = {
    "theirs-stays": ({"tag": 1}, {"tag": 2}, {"tag": 3}, {"tag": 3}),
    "theirs-stays-gone": ({"tag": 1}, {"tag": 2}, {}, {}),
    "base-without": ({}, {"tag": 1}, {"tag": 2}, {"tag": 2}),
    "both-without": ({"a": {"n": 1}}, {"a": {"n": 2}}, {"a": {"n": 1, "state": 1}}, {"a": {"n": 2, "state": 1}}),
    "deep": ({"a": {"state": 1, "n": 1}}, {"a": {"n": 2}}, {"a": {"state": 3, "n": 1}}, {"a": {"state": 3, "n": 2}}),
    "removal-is-no-conflict": ({"a": {"state": 1}}, {}, {"a": {"state": 2}}, {}),
    "entry-removed": ({"m": {"x": {"state": 1}}}, {"m": {}}, {"m": {"x": {"state": 2}}}, {"m": {}}),
    "element": ({"l": [E0]}, {"l": [{"name": "e", "n": 2}]}, {"l": [E1]}, {"l": [{**E1, "n": 2}]}),
    "element-removed": ({"l": [E0]}, {"l": []}, {"l": [E1]}, {"l": []}),
    "list-removed": ({"l": [E0]}, {}, {"l": [E1]}, {}),
    "added-without": ({}, {"a": {"state": 1, "n": 1}}, {}, {"a": {"n": 1}}),
    "kept-edited": ({"image": 1}, {"image": 2}, {"image": 1}, {"image": 2}),
    "kept-unsaid-in-base": ({}, {"image": 1}, {"image": 2}, {"image": 2}),
    "kept-unsaid-in-ours": ({"image": 1}, {}, {"image": 2}, {"image": 2}),
    "kept-unsaid-and-gone": ({"image": 1}, {}, {}, {}),
    "kept-in-element": (
        {"l": [{"name": "e"}]}, {"l": [{"name": "e", "image": 1}]}, {"l": [{"name": "e", "image": 2}]},
        {"l": [{"name": "e", "image": 2}]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", RULED_TABLE)
def test_what_the_service_owns_or_keeps_stays_as_it_is_there(case: str) -> None:
    base, ours, theirs, result = RULED_TABLE[case]
    assert merge(base, ours, theirs, RULED) == (result, ())


@pytest.mark.parametrize(
    ("key", "element", "name"),
    [
        (by("name"), {"name": "a"}, "a"),
        (by("a", "b"), {"a": "x", "b": 1}, "x/1"),
        (by("name"), {"name": None}, None),
        (by("name"), {"name": True}, None),
        (by("a", "b"), {"a": "x"}, None),
        (by("name"), "a", None),
        (itself, "a", "a"),
        (itself, 1, None),
        (without_case(itself), "/A", "/a"),
        (without_case(itself), 1, None),
        (taint, "gpu=a:NoSchedule", "gpu:NoSchedule"),
        (taint, "gpu:NoSchedule", "gpu:NoSchedule"),
        (taint, "example.com/gpu=a:NoExecute", "example.com/gpu:NoExecute"),
        (taint, {"key": "gpu"}, None),
    ],
)
def test_the_key_of_an_element(key: Any, element: Any, name: str | None) -> None:
    assert key(element) == name
    assert named([element], key) == (None if name is None else {name: element})
    assert named([element, element], key) is None
    assert named(element, key) is None


def test_a_place_is_read_as_people_write_it() -> None:
    place = Place().member("properties").member("agentPoolProfiles").element("np1").member("nodeLabels")
    assert place.member("team").text == "properties.agentPoolProfiles[np1].nodeLabels.team"
    assert place.member("a.b/c").text == 'properties.agentPoolProfiles[np1].nodeLabels["a.b/c"]'
    assert place.pattern == ("properties", "agentPoolProfiles", "*", "nodeLabels")


NUMBERS = st.integers(0, 3)
LABELS = st.dictionaries(st.sampled_from(["a", "b", "x/y"]), st.sampled_from("123"), max_size=3)
TAINTS = st.lists(
    st.builds("{}={}:{}".format, st.sampled_from("kl"), st.sampled_from("12"), st.sampled_from(["No", "Ex"])),
    max_size=4,
    unique_by=taint,
)
POOL = {
    "count": NUMBERS,
    "nodeLabels": LABELS,
    "nodeTaints": TAINTS,
    "availabilityZones": st.lists(NUMBERS, max_size=2),
}
PROFILES = st.lists(
    st.fixed_dictionaries({"name": st.sampled_from(["np1", "np2", "np3"])}, optional=POOL),
    max_size=3,
    unique_by=lambda profile: str(profile["name"]),
)
RANGES = st.lists(st.sampled_from("pqrs"), max_size=3, unique=True)
PROPERTIES = st.fixed_dictionaries(
    {"agentPoolProfiles": PROFILES},
    optional={**POOL, "apiServerAccessProfile": st.fixed_dictionaries({"authorizedIPRanges": RANGES})},
)
BODIES = st.fixed_dictionaries({"properties": PROPERTIES}, optional={"tags": LABELS})


def alike(left: Any, right: Any) -> bool:
    """Whether two bodies are equal, whatever the order of lists whose elements have names."""
    return not list(differences(left, right, RULES.keys))


def merged(base: Any, ours: Any, theirs: Any, *, ours_first: bool = False) -> tuple[Any, list[str]]:
    body, conflicts = merge(base, ours, theirs, RULES, ours_first=ours_first)
    return body, sorted(conflict.path for conflict in conflicts)


def leaves(body: Any, place: Place = Place()) -> set[tuple[str, str]]:  # noqa: B008
    """Return each value with its place."""
    key = RULES.keys.get(place.pattern)
    elements = None if key is None else named(body, key)
    if elements is not None:
        return {leaf for name, item in elements.items() for leaf in leaves(item, place.element(name))}
    if isinstance(body, dict):
        return {leaf for name, item in body.items() for leaf in leaves(item, place.member(name))}
    return {(place.text, repr(body))}


@given(BODIES, BODIES)
def test_who_changes_nothing_gets_what_is_there(base: Any, theirs: Any) -> None:
    assert merged(base, base, theirs) == (theirs, [])
    assert merged(base, base, base) == (base, [])


@given(BODIES, BODIES)
def test_replayed_on_its_base_it_is_what_was_desired(base: Any, ours: Any) -> None:
    found, conflicts = merged(base, ours, base)
    assert conflicts == []
    assert alike(found, ours)


@given(BODIES, BODIES)
def test_equal_edits_agree(base: Any, both: Any) -> None:
    assert merged(base, both, both) == (both, [])


@given(BODIES, BODIES, BODIES)
def test_it_does_not_matter_who_was_first(base: Any, one: Any, other: Any) -> None:
    (first, conflicts), (second, the_same) = merged(base, one, other), merged(base, other, one)
    assert conflicts == the_same
    assert conflicts or alike(first, second)


@given(BODIES, BODIES, BODIES, st.booleans())
def test_no_value_is_invented(base: Any, ours: Any, theirs: Any, ours_first: bool) -> None:
    found, _ = merged(base, ours, theirs, ours_first=ours_first)
    assert leaves(found) <= leaves(ours) | leaves(theirs)


@given(BODIES, BODIES, BODIES, st.booleans())
def test_what_both_sides_say_is_in_the_result(base: Any, ours: Any, theirs: Any, ours_first: bool) -> None:
    found, _ = merged(base, ours, theirs, ours_first=ours_first)
    assert leaves(ours) & leaves(theirs) <= leaves(found)


@given(BODIES, BODIES, BODIES, st.sampled_from(["ours", "theirs"]))
def test_a_settled_rebase_is_idempotent(base: Any, ours: Any, theirs: Any, side: Any) -> None:
    assert is_idempotent_at(rebase(base, ours, side), theirs)


WHOLE: Any = {
    "tags": {"a": "1", "b": "1"},
    "properties": {
        "count": 1,
        "nodeLabels": {"a": "1", "b": "1"},
        "nodeTaints": ["k=1:No", "l=1:No"],
        "availabilityZones": [1],
        "agentPoolProfiles": [{"name": "np1", "count": 1, "mode": "User"}, {"name": "np2", "nodeTaints": ["k=1:No"]}],
        "apiServerAccessProfile": {"authorizedIPRanges": ["p", "q"]},
    },
}
Edit = Callable[[Any], None]


def _edits() -> dict[str, Edit]:
    """Return edits of ``WHOLE``, no two of the same place."""
    properties = "properties"
    return {
        "tag": lambda body: body["tags"].update(a="2"),
        "no tag": lambda body: body["tags"].pop("b"),
        "new tag": lambda body: body["tags"].update(c="2"),
        "count": lambda body: body[properties].update(count=2),
        "label": lambda body: body[properties]["nodeLabels"].update(a="2"),
        "no label": lambda body: body[properties]["nodeLabels"].pop("b"),
        "taint": lambda body: _exchange(body[properties]["nodeTaints"], "k=1:No", "k=2:No"),
        "no taint": lambda body: body[properties]["nodeTaints"].remove("l=1:No"),
        "new taint": lambda body: body[properties]["nodeTaints"].insert(0, "k=1:Ex"),
        "zones": lambda body: body[properties].update(availabilityZones=[2, 1]),
        "pool": lambda body: _profile(body, "np1").update(count=2),
        "pool's mode": lambda body: _profile(body, "np1").pop("mode"),
        "pool's taint": lambda body: _profile(body, "np2")["nodeTaints"].append("l=1:No"),
        "new pool": lambda body: body[properties]["agentPoolProfiles"].insert(0, {"name": "np0"}),
        "range": lambda body: body[properties]["apiServerAccessProfile"]["authorizedIPRanges"].append("r"),
        "no range": lambda body: body[properties]["apiServerAccessProfile"]["authorizedIPRanges"].remove("p"),
    }


def _exchange(values: list[str], old: str, new: str) -> None:
    values[values.index(old)] = new


def _profile(body: Any, name: str) -> Any:
    return next(each for each in body["properties"]["agentPoolProfiles"] if each["name"] == name)


def edited(names: set[str]) -> Any:
    body = copy.deepcopy(WHOLE)
    for name, edit in _edits().items():
        if name in names:
            edit(body)
    return body


SOME = st.sets(st.sampled_from(sorted(_edits())))


@given(SOME, SOME)
def test_disjoint_edits_commute_and_none_is_lost(ours: set[str], others: set[str]) -> None:
    theirs = others - ours
    both = edited(ours | theirs)
    for one, other in ((ours, theirs), (theirs, ours)):
        found, conflicts = merged(WHOLE, edited(one), edited(other))
        assert conflicts == []
        assert alike(found, both)
