# SPDX-License-Identifier: MIT
"""A tag is opaque: cleaned, compared, formatted, and refused where it could not be sent as meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aks_etag._core import etag
from aks_etag.errors import InvalidPreconditionError

GUID = "aaaaaaaa-0001-4000-8000-aaaaaaaaaaaa"


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        pytest.param(GUID, GUID, id="raw"),
        pytest.param(f'"{GUID}"', GUID, id="quoted"),
        pytest.param(f'W/"{GUID}"', GUID, id="weak"),
        pytest.param(f'w/"{GUID}"', GUID, id="weak-lower-case"),
        pytest.param(f"W/{GUID}", GUID, id="weak-unquoted"),
        pytest.param(f"  {GUID} ", GUID, id="blanks-around"),
        pytest.param("*", "*", id="star"),
        pytest.param(" * ", "*", id="star-blanks-around"),
        pytest.param("a/b==", "a/b==", id="base64"),
    ],
)
def test_a_tag_is_cleaned_to_its_bare_text(text: str, bare: str) -> None:
    assert etag.clean(text) == bare


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(None, "not None", id="none"),
        pytest.param(7, "not a int", id="int"),
        pytest.param(b"abc", "not a bytes", id="bytes"),
        pytest.param(["a"], "not a list", id="list"),
        pytest.param("", "is empty", id="empty"),
        pytest.param("   ", "is empty", id="blank"),
        pytest.param('""', "is empty", id="quoted-empty"),
        pytest.param('" "', "is empty", id="quoted-blank"),
        pytest.param("W/", "is empty", id="lone-weak"),
        pytest.param('W/""', "is empty", id="weak-empty"),
        pytest.param("a\r\nX-Evil: 1", "control", id="crlf"),
        pytest.param("a\n", "control", id="newline"),
        pytest.param("a\rb", "control", id="return"),
        pytest.param("\tabc", "control", id="tab"),
        pytest.param("a\x00b", "control", id="null"),
        pytest.param("a\x7f", "control", id="delete"),
        pytest.param("tág", "non-ASCII", id="not-ascii"),
        pytest.param("a\u2028b", "non-ASCII", id="line-separator"),
        pytest.param('"a", "b"', "is not one eTag", id="list-of-quoted"),
        pytest.param("a,b", "is not one eTag", id="list-of-raw"),
        pytest.param("a b", "is not one eTag", id="blank-inside"),
        pytest.param('a"b', "is not one eTag", id="quote-inside"),
        pytest.param('"abc', "is not one eTag", id="half-quoted"),
        pytest.param('"', "is not one eTag", id="lone-quote"),
        pytest.param('"*"', "quoted star", id="quoted-star"),
        pytest.param("W/*", "quoted star", id="weak-star"),
    ],
)
def test_what_is_not_one_tag_is_refused(text: object, said: str) -> None:
    with pytest.raises(InvalidPreconditionError, match=said) as refusal:
        etag.clean(text)
    assert "\n" not in str(refusal.value)


def test_a_refusal_names_the_argument() -> None:
    with pytest.raises(InvalidPreconditionError, match="only_this takes one eTag"):
        etag.clean(None, name="only_this")


@pytest.mark.parametrize(
    ("value", "tag"),
    [(GUID, GUID), (f'"{GUID}"', GUID), (None, None), ("", None), ("*", None), (7, None), ("a b", None), ({}, None)],
)
def test_a_body_has_a_tag_only_if_it_can_be_sent_back(value: object, tag: str | None) -> None:
    assert etag.of(value) == tag


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [("a", '"a"', True), ("a", 'W/"a"', True), ('"a"', 'w/"a"', True), ("a", "A", False), ("a", "b", False)],
)
def test_quotes_and_weakness_do_not_make_another_tag(left: str, right: str, same: bool) -> None:
    assert etag.same(left, right) is same


@pytest.mark.parametrize(
    ("tag", "style", "text"),
    [("a", "raw", "a"), ("a", "quoted", '"a"'), ("*", "raw", "*"), ("*", "quoted", "*")],
)
def test_a_header_is_raw_or_quoted_and_a_star_is_bare(tag: str, style: etag.ETagFormat, text: str) -> None:
    assert etag.header(tag, style) == text


@given(st.text())
def test_what_passes_can_stand_in_a_header(text: str) -> None:
    try:
        bare = etag.clean(text)
    except InvalidPreconditionError:
        return
    assert bare.isascii()
    assert bare.isprintable()
    assert not set('", \r\n') & set(bare)


@given(st.uuids().map(str), st.sampled_from(["raw", "quoted"]))
def test_a_guid_comes_back_as_it_went(tag: str, style: etag.ETagFormat) -> None:
    assert etag.clean(etag.header(tag, style)) == tag
