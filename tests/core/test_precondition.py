# SPDX-License-Identifier: MIT
"""A condition that cannot be sent as meant is an error before any I/O."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from aks_etag._core.precondition import CREATE, Condition, condition, pinned, tag_of
from aks_etag._core.snapshot import Snapshot
from aks_etag._core.unset import UNSET, Unset
from aks_etag.errors import InvalidPreconditionError, MissingETagError, PreconditionRequiredError

HERE = "/subscriptions/s1/resourceGroups/rg1/providers/Microsoft.ContainerService/managedClusters/aks1"
SEEN = Snapshot(
    id=HERE,
    name="aks1",
    resource_group="rg1",
    body={},
    version="t1",
    provisioning_state="Succeeded",
    settled=True,
    read_at=datetime(2026, 1, 1, tzinfo=UTC),
)
UNTAGGED = replace(SEEN, version=None)
ELSEWHERE = replace(SEEN, id=HERE + "2")


@pytest.mark.parametrize(
    ("given", "wanted", "headers"),
    [
        pytest.param({"if_match": "t1"}, Condition(tag="t1"), {"If-Match": "t1"}, id="tag"),
        pytest.param({"if_match": '"t1"'}, Condition(tag="t1"), {"If-Match": "t1"}, id="quoted-tag"),
        pytest.param({"if_match": SEEN}, Condition(tag="t1"), {"If-Match": "t1"}, id="snapshot"),
        pytest.param(
            {"if_match": replace(SEEN, id=HERE.upper())}, Condition(tag="t1"), {"If-Match": "t1"}, id="snapshot-case"
        ),
        pytest.param({"if_match": "*"}, Condition(tag="*"), {"If-Match": "*"}, id="star"),
        pytest.param({"if_none_match": "*"}, CREATE, {"If-None-Match": "*"}, id="create"),
        pytest.param({"force": True}, Condition(), {}, id="force"),
        pytest.param({"if_match": "t1", "force": False}, Condition(tag="t1"), {"If-Match": "t1"}, id="force-false"),
    ],
)
def test_a_condition_becomes_exactly_one_header(given: Any, wanted: Condition, headers: dict[str, str]) -> None:
    found = condition(**given, target=HERE)
    assert (found, found.headers("raw")) == (wanted, headers)


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        pytest.param({}, PreconditionRequiredError, "force=True", id="nothing"),
        pytest.param({"force": False}, PreconditionRequiredError, "needs a condition", id="force-false"),
        pytest.param({"if_match": None}, InvalidPreconditionError, "not None", id="none"),
        pytest.param({"if_match": ""}, InvalidPreconditionError, "is empty", id="empty"),
        pytest.param({"if_match": "a,b"}, InvalidPreconditionError, "not one eTag", id="list"),
        pytest.param({"if_match": UNTAGGED}, MissingETagError, "no eTag", id="snapshot-without-tag"),
        pytest.param({"if_match": ELSEWHERE}, InvalidPreconditionError, "aks12", id="snapshot-of-another"),
        pytest.param({"if_none_match": "t1"}, InvalidPreconditionError, "only \\*", id="none-match-tag"),
        pytest.param({"if_none_match": ""}, InvalidPreconditionError, "only \\*", id="none-match-empty"),
        pytest.param({"if_none_match": None}, InvalidPreconditionError, "only \\*", id="none-match-none"),
        pytest.param({"if_none_match": SEEN}, InvalidPreconditionError, "only \\*", id="none-match-snapshot"),
        pytest.param({"if_match": "t1", "if_none_match": "*"}, InvalidPreconditionError, "400", id="both"),
        pytest.param({"if_match": None, "if_none_match": None}, InvalidPreconditionError, "400", id="both-none"),
        pytest.param(
            {"if_match": "t1", "force": True}, InvalidPreconditionError, "cannot be combined", id="forced-tag"
        ),
        pytest.param({"if_none_match": "*", "force": True}, InvalidPreconditionError, "combined", id="forced-create"),
        pytest.param({"if_match": None, "force": True}, InvalidPreconditionError, "combined", id="forced-none"),
        pytest.param({"force": 1}, InvalidPreconditionError, "True or False", id="force-1"),
        pytest.param({"force": "yes"}, InvalidPreconditionError, "True or False", id="force-text"),
        pytest.param({"force": None}, InvalidPreconditionError, "True or False", id="force-none"),
    ],
)
def test_what_the_service_would_refuse_or_ignore_is_refused_here(given: Any, error: Any, said: str) -> None:
    with pytest.raises(error, match=said) as refusal:
        condition(**given, target=HERE)
    assert type(refusal.value) is error


@pytest.mark.parametrize(
    ("value", "pin"),
    [(UNSET, None), ("t1", "t1"), ('W/"t1"', "t1"), (SEEN, "t1")],
    ids=["unset", "tag", "weak", "seen"],
)
def test_an_update_is_pinned_to_one_version_or_to_none(value: Any, pin: str | None) -> None:
    assert pinned(value, target=HERE) == pin


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (None, InvalidPreconditionError),
        ("", InvalidPreconditionError),
        ("*", InvalidPreconditionError),
        (UNTAGGED, MissingETagError),
        (ELSEWHERE, InvalidPreconditionError),
    ],
    ids=["none", "empty", "star", "untagged", "elsewhere"],
)
def test_an_update_is_not_pinned_to_anything_else(value: Any, error: Any) -> None:
    with pytest.raises(error):
        pinned(value, target=HERE)


@pytest.mark.parametrize(("wanted", "version"), [("t1", "t1"), ("*", None), (None, None)])
def test_only_a_tag_names_a_version(wanted: str | None, version: str | None) -> None:
    assert Condition(tag=wanted).version == version


def test_a_tag_may_be_sent_quoted() -> None:
    assert Condition(tag="t1").headers("quoted") == {"If-Match": '"t1"'}
    assert CREATE.headers("quoted") == {"If-None-Match": "*"}


def test_a_tag_is_taken_from_text_or_snapshot() -> None:
    assert [tag_of(value, target=HERE) for value in ("t1", SEEN)] == ["t1", "t1"]


def test_an_argument_left_out_is_shown_as_such() -> None:
    assert (repr(UNSET), list(Unset)) == ("UNSET", [UNSET])


def test_a_snapshot_without_a_tag_says_how_to_go_on() -> None:
    assert (SEEN.has_etag, SEEN.etag, UNTAGGED.has_etag) == (True, "t1", False)
    with pytest.raises(MissingETagError, match="force=True") as missing:
        _ = replace(UNTAGGED, origin="api-version 2024-09-01").etag
    assert (missing.value.resource_id, "2024-09-01" in str(missing.value)) == (HERE, True)


def test_a_snapshot_does_not_show_its_body() -> None:
    assert "s3cret" not in repr(replace(SEEN, body={"password": "s3cret"}))
