# SPDX-License-Identifier: MIT
"""What is refused before any I/O: conditions that would not hold what they promise, and names that could hurt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from aks_etag import (
    AgentPool,
    AksClient,
    Cluster,
    InlinePoolEditError,
    InvalidPreconditionError,
    InvalidResourceIdError,
    MissingETagError,
    PreconditionRequiredError,
    ReadOnlyEditError,
    Snapshot,
    merge_patch,
)
from aks_etag.mock import FakeCredential, MockAks

POOL_BODY = {"properties": {"count": 2}}
TAGS = {"tags": {"team": "red"}}
BAD_TAGS: dict[str, Any] = {
    "None": None, "empty": "", "spaces": "   ", "line feed": "abc\n", "header injection": "abc\r\nX-Evil: 1",
    "tab": "a\tb", "nul": "a\0b", "list of text": "a, b", "list of quoted": '"a", "b"', "a python list": ["a"],
    "lone weak": "W/", "weak empty": 'W/""', "quoted star": '"*"', "weak star": "W/*", "empty quotes": '""',
    "half quoted": '"abc', "inner quote": 'a"b', "blank inside": "a b", "not ascii": "\u00e9", "a number": 7,
    "bytes": b"abc", "true": True,
}  # fmt: skip
GOOD_TAGS = {"bare": "{}", "quoted": '"{}"', "weak": 'W/"{}"', "blanks around": " {} "}

Write = Callable[[Cluster, AgentPool, dict[str, Any]], object]
WRITES: dict[str, Write] = {
    "cluster.put": lambda cluster, pool, how: cluster.put({"location": "region1"}, **how),
    "cluster.patch": lambda cluster, pool, how: cluster.patch(TAGS, **how),
    "cluster.delete": lambda cluster, pool, how: cluster.delete(**how),
    "pool.put": lambda cluster, pool, how: pool.put(POOL_BODY, **how),
    "pool.delete": lambda cluster, pool, how: pool.delete(**how),
}
UPDATES: dict[str, Write] = {
    "cluster.update": lambda cluster, pool, how: cluster.update(merge_patch(TAGS), **how),
    "pool.update": lambda cluster, pool, how: pool.update(merge_patch(POOL_BODY), **how),
}


def refused(mock: MockAks, write: Write, how: dict[str, Any], kind: type[Exception]) -> bool:
    """Whether the write raises just this, and nothing at all was sent."""
    with mock.client() as aks:
        cluster = aks.cluster("rg", "prod")
        with pytest.raises(kind) as raised:
            write(cluster, cluster.agent_pool("np2"), how)
    return raised.type is kind and mock.journal == []


@pytest.mark.parametrize("verb", [*WRITES, *UPDATES])
@pytest.mark.parametrize("tag", BAD_TAGS.values(), ids=BAD_TAGS)
def test_a_tag_that_is_none_is_refused(mock: MockAks, verb: str, tag: object) -> None:
    assert refused(mock, {**WRITES, **UPDATES}[verb], {"if_match": tag}, InvalidPreconditionError)


@pytest.mark.parametrize("verb", WRITES)
@pytest.mark.parametrize("value", [None, "", "xyz", '"*"', "W/*", " *", ["*"]], ids=repr)
def test_if_none_match_means_only_star_and_only_on_put(mock: MockAks, verb: str, value: object) -> None:
    assert refused(mock, WRITES[verb], {"if_none_match": value}, InvalidPreconditionError)


@pytest.mark.parametrize("verb", ["cluster.patch", "cluster.delete", "pool.delete"])
def test_if_none_match_is_refused_on_patch_and_delete(mock: MockAks, verb: str) -> None:
    assert refused(mock, WRITES[verb], {"if_none_match": "*"}, InvalidPreconditionError)


@pytest.mark.parametrize("verb", ["cluster.put", "pool.put"])
def test_both_conditions_are_refused(mock: MockAks, verb: str) -> None:
    how = {"if_match": "abc", "if_none_match": "*"}
    assert refused(mock, WRITES[verb], how, InvalidPreconditionError)


@pytest.mark.parametrize("verb", WRITES)
@pytest.mark.parametrize("condition", [{"if_match": "abc"}, {"if_match": "*"}, {"if_none_match": "*"}], ids=repr)
def test_force_with_a_condition_is_refused(mock: MockAks, verb: str, condition: dict[str, Any]) -> None:
    assert refused(mock, WRITES[verb], {"force": True, **condition}, InvalidPreconditionError)


@pytest.mark.parametrize("verb", WRITES)
@pytest.mark.parametrize("how", [{}, {"force": False}], ids=repr)
def test_a_write_without_a_condition_is_refused(mock: MockAks, verb: str, how: dict[str, Any]) -> None:
    assert refused(mock, WRITES[verb], how, PreconditionRequiredError)


@pytest.mark.parametrize("force", [1, "yes", None], ids=repr)
def test_force_is_said_with_true_and_nothing_else(mock: MockAks, force: object) -> None:
    assert refused(mock, WRITES["cluster.delete"], {"force": force}, InvalidPreconditionError)


@pytest.mark.parametrize("verb", UPDATES)
def test_an_update_cannot_be_pinned_to_star(mock: MockAks, verb: str) -> None:
    assert refused(mock, UPDATES[verb], {"if_match": "*"}, InvalidPreconditionError)


@pytest.mark.parametrize("spelling", GOOD_TAGS.values(), ids=GOOD_TAGS)
@pytest.mark.parametrize(("etag_format", "wire"), [("raw", "{}"), ("quoted", '"{}"')])
def test_a_tag_is_understood_however_it_is_spelled(mock: MockAks, spelling: str, etag_format: Any, wire: str) -> None:
    with mock.client(etag_format=etag_format) as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np2")
        tag = pool.get().etag
        assert pool.put(POOL_BODY, if_match=spelling.format(tag)).status == 200
    assert [entry.if_match for entry in mock.journal if entry.method == "PUT"] == [wire.format(tag)]


@pytest.mark.parametrize("etag_format", ["raw", "quoted"])
def test_a_star_is_never_quoted(mock: MockAks, etag_format: Any) -> None:
    with mock.client(etag_format=etag_format) as aks:
        aks.cluster("rg", "prod").agent_pool("np2").put(POOL_BODY, if_match="*")
    assert [entry.if_match for entry in mock.journal if entry.method == "PUT"] == ["*"]


def test_a_snapshot_without_a_tag_is_refused() -> None:
    mock = MockAks(tagless_api_versions=("2024-09-01",))
    mock.add_cluster("rg", "prod")
    with mock.client(api_version="2024-09-01") as aks:
        cluster = aks.cluster("rg", "prod")
        seen = cluster.get()
        assert not seen.has_etag
        with pytest.raises(MissingETagError, match="2024-09-01"):
            cluster.delete(if_match=seen)
        with pytest.raises(MissingETagError, match="2024-09-01"):
            cluster.update(merge_patch(TAGS))
    assert {entry.method for entry in mock.journal} == {"GET"}


def test_a_snapshot_of_another_resource_is_refused(mock: MockAks) -> None:
    with mock.client() as aks:
        cluster = aks.cluster("rg", "prod")
        seen: Snapshot = cluster.agent_pool("np1").get()
        with pytest.raises(InvalidPreconditionError, match="snapshot of"):
            cluster.agent_pool("np2").delete(if_match=seen)
    assert {entry.method for entry in mock.journal} == {"GET"}


def test_a_put_with_inline_pools_is_refused_unless_it_creates_or_is_told_to(mock: MockAks) -> None:
    with mock.client() as aks:
        cluster = aks.cluster("rg", "prod")
        body = cluster.get().body
        with pytest.raises(InlinePoolEditError, match="agent_pool"):
            cluster.put(body, if_match="*")
        with pytest.raises(InlinePoolEditError):
            cluster.put(body, force=True)
        assert cluster.put(body, if_match="*", inline_pools=True).status == 200


def test_an_update_of_inline_pools_is_refused_unless_told_to(mock: MockAks) -> None:
    def scale(body: dict[str, Any]) -> None:
        body["properties"]["agentPoolProfiles"][0]["count"] = 9

    with mock.client() as aks:
        cluster = aks.cluster("rg", "prod")
        with pytest.raises(InlinePoolEditError, match="agent_pool"):
            cluster.update(scale)
        assert [entry.method for entry in mock.journal] == ["GET"]
        cluster.update(scale, inline_pools=True)
    assert mock.body("rg", "prod", "np1")["properties"]["count"] == 9


def test_a_change_of_read_only_fields_is_refused(mock: MockAks) -> None:
    with mock.client() as aks:
        with pytest.raises(ReadOnlyEditError, match="provisioningState"):
            aks.cluster("rg", "prod").update(merge_patch({"properties": {"provisioningState": "Failed"}}))
    assert [entry.method for entry in mock.journal] == ["GET"]


BAD_NAMES: dict[str, tuple[str, str, str]] = {
    "slash in cluster": ("rg", "a/b", "np1"), "dots": ("rg", "..", "np1"), "query": ("rg", "a?b", "np1"),
    "fragment": ("rg", "a#b", "np1"), "percent": ("rg", "a%2fb", "np1"), "blank": ("rg", "a b", "np1"),
    "line feed": ("rg", "a\n", "np1"), "too long": ("rg", "a" * 64, "np1"), "empty": ("rg", "", "np1"),
    "ends in hyphen": ("rg", "a-", "np1"), "starts with underscore": ("rg", "_a", "np1"),
    "group with slash": ("r/g", "a", "np1"), "group ends in dot": ("rg.", "a", "np1"), "group dots": ("..", "a", "np1"),
    "group too long": ("g" * 91, "a", "np1"), "pool upper-case": ("rg", "a", "Np1"),
    "pool with hyphen": ("rg", "a", "np-1"), "pool starts with digit": ("rg", "a", "1np"),
    "pool too long": ("rg", "a", "n" * 13), "pool with slash": ("rg", "a", "n/p"),
    "pool line feed": ("rg", "a", "np1\n"),
}  # fmt: skip


@pytest.mark.parametrize(("group", "cluster", "pool"), BAD_NAMES.values(), ids=BAD_NAMES)
def test_a_bad_name_is_refused(mock: MockAks, group: str, cluster: str, pool: str) -> None:
    with mock.client() as aks, pytest.raises(InvalidResourceIdError):
        aks.cluster(group, cluster).agent_pool(pool)
    assert mock.journal == []


def test_a_windows_pool_has_a_short_name(mock: MockAks) -> None:
    with mock.client() as aks, pytest.raises(InvalidResourceIdError, match="Windows"):
        aks.cluster("rg", "prod").agent_pool("winpool").create({"properties": {"osType": "Windows"}})
    assert mock.journal == []


@pytest.mark.parametrize("subscription", ["", "a/b", "s?x", "..", "s\r\n", "-"], ids=repr)
def test_a_bad_subscription_is_refused(subscription: str) -> None:
    with pytest.raises(InvalidResourceIdError):
        AksClient(FakeCredential(), subscription)


@pytest.mark.parametrize(
    "settings",
    [
        {"base_url": "http://example.com"}, {"base_url": "ftp://127.0.0.1"}, {"base_url": "127.0.0.1"},
        {"base_url": "https://u:p@example.com"}, {"base_url": "https://example.com?x=1"},
        {"api_version": "2026&x=1"}, {"api_version": ""}, {"etag_format": "weak"}, {"on_busy": "panic"},
        {"on_doubt": "hope"}, {"polling_interval": -1}, {"polling_interval": "1"}, {"cloud_setting": "AZURE_MOON"},
    ],
    ids=repr,
)  # fmt: skip
def test_a_bad_setting_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"[a-z]"):
        AksClient(FakeCredential(), "s1", **settings)


@pytest.mark.parametrize("transport", ["requests", None, object()], ids=lambda value: type(value).__name__)
def test_an_unknown_transport_is_a_type_error(transport: object) -> None:
    with pytest.raises(TypeError, match="transport"):
        AksClient(FakeCredential(), "s1", transport=transport)
