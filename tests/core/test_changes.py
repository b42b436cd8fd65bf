# SPDX-License-Identifier: MIT
"""Changes: functions from a body to a body."""

from __future__ import annotations

import copy
import json
from collections import UserDict
from enum import Enum
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
from azure.mgmt.containerservice.models import AgentPool
from hypothesis import given
from hypothesis import strategies as st

from aks_etag._core.changes import applied, is_idempotent_at, merge_patch, plain, plain_body, typed
from aks_etag._core.document import same


class Mode(str, Enum):  # noqa: UP042  # as the SDK has them
    USER = "User"


class Size(int, Enum):
    SMALL = 1


# RFC 7396, appendix A: every example whose patch and target are objects.
RFC = [
    ({"a": "b"}, {"a": "c"}, {"a": "c"}),
    ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
    ({"a": "b"}, {"a": None}, {}),
    ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
    ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
    ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
    ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
    ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
    ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
    ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
]


@pytest.mark.parametrize(("target", "patch", "result"), RFC, ids=[json.dumps(patch) for _, patch, _ in RFC])
def test_a_merge_patch_does_as_the_rfc_shows(target: Any, patch: Any, result: Any) -> None:
    before = copy.deepcopy((target, patch))
    assert applied(merge_patch(patch), target) == result
    assert (target, patch) == before


@pytest.mark.parametrize("patch", [["c"], "bar", None, 7, [("a", 1)]], ids=repr)
def test_a_patch_that_would_replace_everything_is_refused(patch: Any) -> None:
    with pytest.raises(TypeError, match="a body is a mapping"):
        merge_patch(patch)


def test_an_array_where_a_map_is_patched_is_replaced() -> None:
    assert applied(merge_patch({"a": {"b": 1}}), {"a": [1, 2]}) == {"a": {"b": 1}}


def test_a_patch_is_fixed_when_it_is_built() -> None:
    patch = {"a": {"b": [1]}}
    change = merge_patch(patch)
    patch["a"]["b"].append(2)
    assert applied(change, {}) == {"a": {"b": [1]}}
    once = applied(change, {})
    once["a"]["b"].append(3)
    assert applied(change, {}) == {"a": {"b": [1]}}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
    max_leaves=10,
)
OBJECTS = st.dictionaries(st.sampled_from("abcd"), JSON, max_size=4)


@given(OBJECTS, OBJECTS)
def test_a_merge_patch_is_idempotent_everywhere(body: Any, patch: Any) -> None:
    assert is_idempotent_at(merge_patch(patch), body)


@given(OBJECTS)
def test_a_plain_body_is_an_equal_copy(body: Any) -> None:
    found = plain_body(body)
    assert json.dumps(found) == json.dumps(body)
    assert same(found, body)


def edited(body: dict[str, Any]) -> None:
    body["a"] = 1


@pytest.mark.parametrize(
    ("change", "result"),
    [
        pytest.param(edited, {"x": {"y": 0}, "a": 1}, id="edits"),
        pytest.param(lambda body: {"b": 2}, {"b": 2}, id="returns"),
        pytest.param(lambda body: MappingProxyType({"b": (1, 2)}), {"b": [1, 2]}, id="returns-a-mapping"),
        pytest.param(lambda body: body, {"x": {"y": 0}}, id="returns-the-copy"),
        pytest.param(lambda body: {}, {}, id="returns-nothing-but-an-object"),
    ],
)
def test_a_change_edits_or_returns(change: Any, result: Any) -> None:
    body = {"x": {"y": 0}}
    assert applied(change, body) == result
    assert body == {"x": {"y": 0}}


@pytest.mark.parametrize(
    "body",
    [
        pytest.param({"x": {"y": [1]}}, id="json"),
        pytest.param(MappingProxyType({"x": MappingProxyType({"y": (1,)})}), id="read-only-views"),
        pytest.param(UserDict({"x": UserDict({"y": [1]})}), id="mappings"),
        pytest.param({"x": UserDict({"y": [Size.SMALL]})}, id="of-the-sdk"),
    ],
)
def test_a_change_gets_a_deep_copy_in_plain_json(body: Any) -> None:
    def change(given: dict[str, Any]) -> None:
        seen.append(copy.deepcopy(given))
        given["x"]["y"] = [9]

    seen: list[Any] = []
    assert applied(change, body) == {"x": {"y": [9]}}
    assert [json.dumps(given) for given in seen] == ['{"x": {"y": [1]}}']
    assert list(body["x"]["y"]) == [1]


async def _coroutine() -> None:
    return None


@pytest.mark.parametrize(
    ("returned", "name"),
    [
        pytest.param(lambda: 3, "int", id="int"),
        pytest.param(list, "list", id="list"),
        pytest.param(lambda: "", "str", id="text"),
        pytest.param(lambda: False, "bool", id="bool"),
        pytest.param(_coroutine, "coroutine", id="coroutine"),
        pytest.param(lambda: [("a", 1)].__iter__(), "list_iterator", id="iterator"),
    ],
)
def test_a_change_returns_nothing_else(returned: Any, name: str) -> None:
    with pytest.raises(TypeError, match=f"returned a {name}"):
        applied(lambda body: returned(), {})


class Loose(float):
    pass


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (Mode.USER, "User"),
        (Size.SMALL, 1),
        (Loose(1.5), 1.5),
        ((1, (2,)), [1, [2]]),
        (UserDict({"a": UserDict({"b": 1})}), {"a": {"b": 1}}),
        ({Mode.USER: 1}, {"User": 1}),
        (True, True),
        (None, None),
    ],
    ids=["str-enum", "int-enum", "float-subclass", "tuples", "mappings", "enum-key", "bool", "null"],
)
def test_values_become_plain_json(value: Any, wanted: Any) -> None:
    found = plain(value)
    assert (found, type(found)) == (wanted, type(wanted))
    assert type(next(iter(found), "")) is str if isinstance(found, dict) else True


@pytest.mark.parametrize(
    "value",
    [{1, 2}, b"x", object(), float("nan"), float("inf"), {"a": {"b": [{3}]}}, {1: "a"}, {None: 1}, 1j, range(3)],
    ids=["set", "bytes", "object", "nan", "inf", "nested", "int-key", "none-key", "complex", "range"],
)
def test_what_json_has_no_word_for_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="not JSON"):
        plain(value)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (b"s3cret", "a bytes"),
        ({"s3cret"}, "a set"),
        ({"a": [{"b": ("s3cret", b"s3cret")}]}, "a bytes"),
        (SimpleNamespace(password="s3cret"), "a SimpleNamespace"),  # what must not be shown
        ({b"s3cret": 1}, "a key is a bytes"),
        (float("inf"), "a number that is not finite"),
        (float("nan"), "a number that is not finite"),
    ],
    ids=["bytes", "set", "nested", "object", "key", "inf", "nan"],
)
def test_what_is_no_json_is_named_by_its_kind_and_never_shown(value: Any, said: str) -> None:
    with pytest.raises(TypeError, match=f"not JSON: .*{said}") as caught:
        plain({"properties": value})
    assert [word for word in ("s3cret", "inf", "nan") if word in str(caught.value)] == []


def test_a_change_that_leaves_no_json_behind_is_refused() -> None:
    def change(body: dict[str, Any]) -> None:
        body["taints"] = {"a"}

    with pytest.raises(TypeError, match="not JSON"):
        applied(change, {})


def _toggle(body: dict[str, Any]) -> None:
    body["on"] = not body.get("on", False)


def _add(body: dict[str, Any]) -> None:
    body["n"] = body.get("n", 0) + 1


def _append_once(body: dict[str, Any]) -> None:
    body["l"] = sorted({*body.get("l", []), "x"})


def _drawn() -> Any:
    numbers = iter(range(99))
    return lambda body: {"n": next(numbers)}


def _drawn_once() -> Any:
    numbers = iter(range(99))
    return lambda body: {"n": body["n"] if "n" in body else next(numbers)}


@pytest.mark.parametrize(
    ("change", "idempotent"),
    [
        pytest.param(_toggle, False, id="toggle"),
        pytest.param(_add, False, id="add"),
        pytest.param(_append_once, True, id="append-once"),
        pytest.param(_drawn(), False, id="another-each-time"),
        pytest.param(_drawn_once(), False, id="kept-once-drawn"),
        pytest.param(merge_patch({"a": 1}), True, id="merge-patch"),
    ],
)
def test_idempotence_is_probed_not_believed(change: Any, idempotent: bool) -> None:
    assert is_idempotent_at(change, {"l": ["a"]}) is idempotent


def test_a_change_that_settles_only_here_is_idempotent_only_here() -> None:
    def at_most_three(body: dict[str, Any]) -> None:
        body["n"] = min(3, body["n"] + 1)

    assert [is_idempotent_at(at_most_three, {"n": n}) for n in (1, 2, 3)] == [False, True, True]


def _scale(pool: Any) -> None:
    pool.properties.count = 5


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(_scale, id="edits"),
        pytest.param(lambda pool: AgentPool({**pool, "properties": {**pool["properties"], "count": 5}}), id="returns"),
    ],
)
def test_a_typed_change_touches_only_what_it_edits(edit: Any) -> None:
    body = {"name": "np1", "properties": {"count": 3, "eTag": "t1", "unheardOf": {"a": [1]}}, "alsoNew": True}
    wanted = {**body, "properties": {**body["properties"], "count": 5}}
    assert applied(typed(AgentPool, edit), body) == wanted


def test_a_typed_change_needs_a_model_that_is_a_mapping() -> None:
    with pytest.raises(TypeError, match="not a SimpleNamespace"):
        applied(typed(lambda body: SimpleNamespace(**body), lambda value: None), {"a": 1})
