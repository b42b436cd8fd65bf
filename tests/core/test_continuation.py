# SPDX-License-Identifier: MIT
"""Continuation tokens: what they hold, what they do not, and what is no token."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aks_etag._core.continuation import Continuation, continuation, digests, leaves

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-5, 5) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
BODIES = st.dictionaries(st.text(max_size=3), JSON, max_size=4)
ONE = Continuation(
    resource_id="/x",
    outcome="updated",
    url="https://example.test/op?sig=SECRET",
    tag="t1",
    request_id="r1",
    digests=digests("r1", {"a": {"b": 5}, "c": "hunter2"}, [("a", "b"), ("c",)]),
)


@given(
    BODIES,
    st.sampled_from(["created", "updated", "deleted"]),
    st.booleans(),
    st.none() | st.from_regex(r"[ -~]*", fullmatch=True),
)
def test_a_token_says_what_was_put_into_it(body: Any, outcome: Any, over: bool, tag: str | None) -> None:
    one = Continuation(
        resource_id="/x",
        outcome=outcome,
        over=over,
        url="https://h/o" if over else None,
        tag=tag,
        request_id="r",
        digests=digests("r", body, leaves(body)),
    )
    assert continuation(one.token()) == one
    assert one.landed(body) is bool(body)


def test_a_token_shows_no_value_that_was_sent_and_its_value_no_url() -> None:
    content = base64.urlsafe_b64decode(ONE.token() + "==")
    assert b"hunter2" not in content
    assert "SECRET" not in repr(ONE)
    assert "digest" not in repr(ONE)


@pytest.mark.parametrize(
    ("body", "landed"),
    [
        ({"a": {"b": 5}, "c": "hunter2"}, True),
        ({"a": {"b": 5.0, "x": 1}, "c": "hunter2", "d": 1}, True),
        ({"a": {"b": 6}, "c": "hunter2"}, False),
        ({"a": {"b": 5}}, False),
        ({"a": {"b": True}, "c": "hunter2"}, False),
        ({}, False),
    ],
)
def test_what_was_sent_is_recognised_by_its_digests(body: Any, landed: bool) -> None:
    assert ONE.landed(body) is landed


def test_nothing_sent_has_never_landed() -> None:
    assert not Continuation(resource_id="/x", outcome="deleted").landed({"a": 1})


def test_digests_depend_on_the_request_and_the_path() -> None:
    one, two = (dict(digests(salt, {"a": 1, "b": 1}, [("a",), ("b",)])) for salt in ("r1", "r2"))
    assert len({*one.values(), *two.values()}) == 4


def test_lists_are_leaves_and_so_are_empty_maps() -> None:
    assert list(leaves({"a": {"b": [{"c": 1}], "d": {}}, "e": None})) == [("a", "b"), ("a", "d"), ("e",)]


def spelled(content: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(content).encode()).decode()


@pytest.mark.parametrize(
    "token",
    [
        None, 7, "", "x", "%%%", ONE.token()[:-7], spelled([]), spelled({}), spelled({"aks-etag": 1}),
        spelled({"aks-etag": 1, "digests": 5}), "[" * 100_000, spelled("text"),
        spelled({"aks-etag": 1, "digests": [], "odd": 1}),
    ],
)  # fmt: skip
def test_what_is_no_token_is_refused_without_being_shown(token: Any) -> None:
    with pytest.raises(ValueError, match="no continuation token") as refused:
        continuation(token)
    assert "SECRET" not in str(refused.value)


@pytest.mark.parametrize(
    "forged",
    [
        {"outcome": "exploded"}, {"outcome": [1]}, {"outcome": None}, {"url": 7}, {"url": "https://h/\r\nX: y"},
        {"tag": "a\r\nIf-Match: *"}, {"tag": 5}, {"resource_id": None}, {"over": "yes"}, {"is_location": 1},
        {"request_id": ["r"]}, {"digests": [[[1], "x"]]}, {"digests": [["a", 5]]},
    ],
    ids=repr,
)  # fmt: skip
def test_a_token_that_somebody_has_written_into_is_refused(forged: dict[str, Any]) -> None:
    content = json.loads(base64.urlsafe_b64decode(ONE.token() + "=="))
    with pytest.raises(ValueError, match="no continuation token"):
        continuation(spelled({**content, **forged}))


def test_a_token_of_another_version_is_told_apart() -> None:
    content = json.loads(base64.urlsafe_b64decode(ONE.token() + "=="))
    with pytest.raises(ValueError, match="another version"):
        continuation(spelled({**content, "aks-etag": 2}))
