# SPDX-License-Identifier: MIT
"""JSON documents: what is stripped, what is equal, where two of them differ."""

from __future__ import annotations

import copy
import pickle
from collections import UserDict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aks_etag._core.document import MISSING, agree, at, contains, differing, fields, same, select, strip

SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from([0.0, 1.0, 2.5]) | st.sampled_from("abc")
NAMES = st.sampled_from(["a", "b", "c", "*"])
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=12
)
OBJECTS = st.dictionaries(NAMES, JSON, max_size=4)
FIELDS = st.recursive(
    st.dictionaries(NAMES, st.none(), max_size=2),
    lambda inner: st.dictionaries(NAMES, st.none() | inner, max_size=3),
    max_leaves=6,
)

OWNED = fields(["id", "properties.state", "properties.pools.*.tag", "addons.*.identity.key"])


def test_dotted_paths_make_a_tree() -> None:
    assert fields(["a", "b.c", "b.d.*.e"]) == {"a": None, "b": {"c": None, "d": {"*": {"e": None}}}}


def test_a_path_below_another_is_a_mistake() -> None:
    with pytest.raises(AssertionError, match=r"a\.b lies below another path"):
        fields(["a", "a.b"])


@pytest.mark.parametrize(
    ("body", "kept", "taken"),
    [
        pytest.param({"id": 1, "x": 2}, {"x": 2}, {"id": 1}, id="top"),
        pytest.param(
            {"properties": {"state": "S", "n": 1}},
            {"properties": {"n": 1}},
            {"properties": {"state": "S"}},
            id="nested",
        ),
        pytest.param(
            {"properties": {"pools": [{"tag": 1, "n": 2}, {"n": 3}]}},
            {"properties": {"pools": [{"n": 2}, {"n": 3}]}},
            {"properties": {"pools": [{"tag": 1}, {}]}},
            id="each-of-a-list",
        ),
        pytest.param(
            {"addons": {"x": {"identity": {"key": 1, "on": True}}}},
            {"addons": {"x": {"identity": {"on": True}}}},
            {"addons": {"x": {"identity": {"key": 1}}}},
            id="each-of-a-map",
        ),
        pytest.param(
            {"properties": None}, {"properties": None}, {"properties": {}}, id="null-where-a-map-was-expected"
        ),
        pytest.param({"properties": [1]}, {"properties": [1]}, {"properties": []}, id="a-list-of-unnamed"),
        pytest.param(
            {"properties": {"pools": None}},
            {"properties": {"pools": None}},
            {"properties": {"pools": {}}},
            id="null-list",
        ),
        pytest.param({"id": None}, {}, {"id": None}, id="null-is-a-value"),
        pytest.param({}, {}, {}, id="empty"),
    ],
)
def test_strip_and_select_are_two_halves(body: Any, kept: Any, taken: Any) -> None:
    assert (strip(body, OWNED), select(body, OWNED)) == (kept, taken)


@given(OBJECTS, FIELDS)
def test_strip_and_select_share_no_leaf_and_lose_none(body: Any, tree: Any) -> None:
    before = copy.deepcopy(body)
    kept, taken = strip(body, tree), select(body, tree)
    assert sorted(map(repr, leaves(body))) == sorted(map(repr, [*leaves(kept), *leaves(taken)]))
    assert body == before


def leaves(value: Any) -> list[Any]:
    """List scalars with their paths; empty containers are no leaves."""
    if isinstance(value, dict):
        return [((name, *path), leaf) for name, item in value.items() for path, leaf in leaves(item)]
    if isinstance(value, list):
        return [((n, *path), leaf) for n, item in enumerate(value) for path, leaf in leaves(item)]
    return [((), value)]


@given(OBJECTS, FIELDS)
def test_stripping_twice_is_stripping_once(body: Any, tree: Any) -> None:
    assert same(strip(strip(body, tree), tree), strip(body, tree))
    assert same(select(select(body, tree), tree), select(body, tree))


def test_stripping_keeps_the_order() -> None:
    assert list(strip({"b": 1, "id": 2, "a": 3}, OWNED)) == ["b", "a"]


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        (1, 1.0, True),
        (True, 1, False),
        (1, True, False),
        (False, 0, False),
        (False, None, False),
        (True, True, True),
        (0, 0.0, True),
        ("1", 1, False),
        (None, None, True),
        (None, "", False),
        ({"a": None}, {}, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": True}, {"a": 1}, False),
        ([1, 2], [2, 1], False),
        ([1], [1, 2], False),
        ([True], [1], False),
        ((1, 2), [1, 2], True),
        ({"a": UserDict({"b": 1})}, {"a": UserDict({"b": 1.0})}, True),
        ({"a": UserDict({"b": 1})}, {"a": {"b": 1}}, True),
        ({"a": UserDict({"b": 1})}, {"a": UserDict({"b": True})}, False),
        ({"a": {"b": [1, 2.0]}}, {"a": {"b": [1.0, 2]}}, True),
        ({"a": {"b": [1, 0]}}, {"a": {"b": [1, False]}}, False),
        ([], {}, False),
        ([], None, False),
        ("ab", ["a", "b"], False),
        (MISSING, MISSING, True),
        (MISSING, None, False),
    ],
)
def test_values_are_equal_as_json_has_it(left: Any, right: Any, equal: bool) -> None:
    assert (same(left, right), same(right, left)) == (equal, equal)


@given(JSON, JSON, JSON)
def test_same_is_an_equivalence(a: Any, b: Any, c: Any) -> None:
    assert same(a, copy.deepcopy(a))
    assert same(a, b) == same(b, a)
    assert not (same(a, b) and same(b, c)) or same(a, c)


@pytest.mark.parametrize(
    ("before", "after", "paths"),
    [
        pytest.param({"a": 1}, {"a": 1.0}, (), id="equal"),
        pytest.param({"a": 1}, {"a": True}, (("a",),), id="bool-is-no-number"),
        pytest.param({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}}, (("a", "c"),), id="nested"),
        pytest.param({"a": 1}, {}, (("a",),), id="removed"),
        pytest.param({}, {"m": {"a": {"b": 1}, "c": {}}}, (("m", "a", "b"), ("m", "c")), id="a-map-added-is-its-names"),
        pytest.param({"m": {"a": 1}}, {}, (("m", "a"),), id="a-map-removed-is-its-names"),
        pytest.param({}, {"m": {}}, (("m",),), id="an-empty-map-added"),
        pytest.param({}, {"a": None}, (("a",),), id="null-added"),
        pytest.param({"a": [1, 2]}, {"a": [1, 3]}, (("a",),), id="a-list-is-one-value"),
        pytest.param({"a": {"b": 1}}, {"a": [1]}, (("a",),), id="map-to-list"),
        pytest.param({"b": 1, "a": 1}, {"c": 1, "a": 2}, (("b",), ("a",), ("c",)), id="in-order"),
        pytest.param(1, 2, ((),), id="scalars"),
    ],
)
def test_paths_that_differ(before: Any, after: Any, paths: Any) -> None:
    assert differing(before, after) == paths


@given(OBJECTS, OBJECTS)
def test_documents_that_differ_nowhere_are_the_same(left: Any, right: Any) -> None:
    paths = differing(left, right)
    assert (paths == ()) == same(left, right)
    assert not any(same(at(left, path), at(right, path)) for path in paths)
    assert agree(left, right, [])
    assert agree(left, left, paths)
    assert agree(left, right, paths) == (paths == ())


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ((), {"a": {"b": None}, "l": [1]}),
        (("a",), {"b": None}),
        (("a", "b"), None),
        (("a", "c"), MISSING),
        (("a", "b", "c"), MISSING),
        (("l", "0"), MISSING),
    ],
)
def test_a_value_at_a_path(path: Any, value: Any) -> None:
    assert at({"a": {"b": None}, "l": [1]}, path) == value


def test_missing_says_so() -> None:
    assert repr(MISSING) == "ABSENT"
    assert pickle.loads(pickle.dumps(MISSING)) is MISSING


@pytest.mark.parametrize(
    ("body", "wanted", "there"),
    [
        pytest.param({"a": 1, "b": 2}, {"a": 1}, True, id="more-may-be-there"),
        pytest.param({"a": 1}, {"a": 1, "b": 2}, False, id="one-is-absent"),
        pytest.param({"a": {"x": 1, "y": 2}}, {"a": {"x": 1.0}}, True, id="nested"),
        pytest.param({"a": {"x": 2}}, {"a": {"x": 1}}, False, id="another-value"),
        pytest.param({"a": True}, {"a": 1}, False, id="bool-is-no-number"),
        pytest.param({}, {"a": None}, False, id="a-null-must-be-there"),
        pytest.param({"a": [{"x": 1, "d": 0}]}, {"a": [{"x": 1}]}, True, id="defaults-inside-a-list"),
        pytest.param({"a": [1, 2]}, {"a": [1]}, False, id="longer-list"),
        pytest.param({"a": [2, 1]}, {"a": [1, 2]}, False, id="other-order"),
        pytest.param({"a": None}, {"a": []}, False, id="null-is-no-list"),
        pytest.param({"a": 1}, {"a": {}}, False, id="scalar-is-no-map"),
        pytest.param({"a": {}}, {"a": {}}, True, id="empty"),
        pytest.param(3, 3.0, True, id="scalars"),
    ],
)
def test_a_body_contains_what_was_sent(body: Any, wanted: Any, there: bool) -> None:
    assert contains(body, wanted) is there


@given(OBJECTS, FIELDS)
def test_a_body_contains_itself_and_what_is_left_of_it(body: Any, tree: Any) -> None:
    assert contains(body, body)
    assert contains(body, strip(body, tree))


@given(JSON, JSON)
def test_two_that_contain_each_other_are_the_same(left: Any, right: Any) -> None:
    assert (contains(left, right) and contains(right, left)) == same(left, right)
