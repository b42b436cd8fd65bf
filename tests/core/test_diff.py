# SPDX-License-Identifier: MIT
"""What two bodies differ in, as values and as text."""

from __future__ import annotations

import copy
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aks_etag import ABSENT, Difference, Snapshot, diff

# Two properties of a body, and the lines that a diff of it has.
TABLE: dict[str, tuple[Any, Any, list[str]]] = {
    "nothing": ({"count": 3}, {"count": 3}, []),
    "number": ({"count": 3}, {"count": 5}, ["properties.count: 3 -> 5"]),
    "text": ({"mode": "User"}, {"mode": "System"}, ['properties.mode: "User" -> "System"']),
    "added": ({}, {"count": 3}, ["properties.count: (absent) -> 3"]),
    "removed": ({"count": 3}, {}, ["properties.count: 3 -> (absent)"]),
    "null-is-not-absent": ({"count": None}, {}, ["properties.count: null -> (absent)"]),
    "true-is-not-one": ({"count": 1}, {"count": True}, ["properties.count: 1 -> true"]),
    "one-is-one": ({"count": 1}, {"count": 1.0}, []),
    "label": (
        {"nodeLabels": {"a.b/c": "x"}}, {"nodeLabels": {"a.b/c": "é"}}, ['properties.nodeLabels["a.b/c"]: "x" -> "é"']
    ),
    "taint": (
        {"nodeTaints": ["k=1:No", "l=1:No"]}, {"nodeTaints": ["l=1:No", "k=2:No", "m=1:No"]},
        ['properties.nodeTaints[k:No]: "k=1:No" -> "k=2:No"', 'properties.nodeTaints[m:No]: (absent) -> "m=1:No"'],
    ),
    "pool": (
        {"agentPoolProfiles": [{"name": "np1", "count": 3}, {"name": "np2"}]},
        {"agentPoolProfiles": [{"name": "np3"}, {"name": "np1", "count": 5}]},
        [
            "properties.agentPoolProfiles[np1].count: 3 -> 5",
            'properties.agentPoolProfiles[np2]: {"name": "np2"} -> (absent)',
            'properties.agentPoolProfiles[np3]: (absent) -> {"name": "np3"}',
        ],
    ),
    "order-of-names": ({"agentPoolProfiles": [{"name": "a"}, {"name": "b"}]},
                       {"agentPoolProfiles": [{"name": "b"}, {"name": "a"}]}, []),
    "one-value": ({"availabilityZones": ["1"]}, {"availabilityZones": ["1", "2"]},
                  ['properties.availabilityZones: ["1"] -> ["1", "2"]']),
    "twins": ({"nodeTaints": ["k=1:No"]}, {"nodeTaints": ["k=1:No", "k=2:No"]},
              ['properties.nodeTaints: ["k=1:No"] -> ["k=1:No", "k=2:No"]']),
    "list-or-not": ({"nodeTaints": ["k=1:No"]}, {"nodeTaints": None}, ['properties.nodeTaints: ["k=1:No"] -> null']),
    "sorted": ({"b": 1, "a": 1}, {"c": 1, "b": 2}, [
        "properties.a: 1 -> (absent)", "properties.b: 1 -> 2", "properties.c: (absent) -> 1",
    ]),
    "secret": ({"windowsProfile": {"adminPassword": "hunter2"}}, {"windowsProfile": {"adminPassword": "hunter3"}},
               ["properties.windowsProfile.adminPassword: (secret) -> (secret)".replace("(secret)", '"(secret)"')]),
    "secret-inside": ({}, {"servicePrincipalProfile": {"clientId": "c", "secret": "hunter2"}},
                      ['properties.servicePrincipalProfile: (absent) -> {"clientId": "c", "secret": "(secret)"}']),
    "owned": ({"provisioningState": "Succeeded", "eTag": "t1"}, {"provisioningState": "Updating", "eTag": "t2"}, []),
    "volatile": ({"nodeImageVersion": "v1", "powerState": {"code": "Running"}}, {"nodeImageVersion": "v2"}, []),
    "volatile-inline": ({"agentPoolProfiles": [{"name": "a", "nodeImageVersion": "v1"}]},
                        {"agentPoolProfiles": [{"name": "a", "nodeImageVersion": "v2"}]}, []),
}  # fmt: skip


@pytest.mark.parametrize("case", TABLE)
def test_a_difference_reads_well(case: str) -> None:
    before, after, lines = TABLE[case]
    found = diff({"properties": before}, {"properties": after})
    assert [str(each) for each in found] == lines
    assert [repr(each) for each in found] == [f"<Difference {line}>" for line in lines]
    assert [each.path for each in diff({"properties": after}, {"properties": before})] == [each.path for each in found]


def test_the_values_are_those_of_the_bodies() -> None:
    found = diff({"tags": {"a": {"x": [1]}}}, {"tags": {"b": None}})
    assert found == (
        Difference(path="tags.a", before={"x": [1]}, after=ABSENT),
        Difference(path="tags.b", before=ABSENT, after=None),
    )


def test_what_the_service_owns_is_shown_where_it_is_asked_for() -> None:
    before = {"eTag": "t1", "properties": {"nodeImageVersion": "v1", "fqdn": "f", "count": 1}}
    after = {"eTag": "t2", "properties": {"nodeImageVersion": "v2", "count": 2}}
    assert [each.path for each in diff(before, after)] == ["properties.count"]
    assert [each.path for each in diff(before, after, include_owned=True)] == [
        "eTag", "properties.count", "properties.fqdn", "properties.nodeImageVersion",
    ]  # fmt: skip


def test_snapshots_are_compared_by_their_bodies() -> None:
    seen = Snapshot(
        id="/c", name="c", resource_group="rg", body={"eTag": "t1", "tags": {}}, version="t1", provisioning_state=None,
        settled=True, read_at=datetime.now(UTC),
    )  # fmt: skip
    assert diff(seen, seen) == ()
    assert [str(each) for each in diff(seen, {"tags": {"a": "b"}})] == ['tags.a: (absent) -> "b"']


@pytest.mark.parametrize(("a", "b"), [([], {}), ({}, None)])
def test_what_is_no_body_is_not_compared(a: Any, b: Any) -> None:
    with pytest.raises(TypeError, match="a body is a mapping"):
        diff(a, b)


VALUES = st.recursive(st.none() | st.integers(0, 2), lambda inner: st.lists(inner, max_size=2), max_leaves=3)
BODIES = st.dictionaries(
    st.sampled_from("abc"), VALUES | st.dictionaries(st.sampled_from("xy"), VALUES, max_size=2), max_size=3
)


@given(BODIES, BODIES)
def test_a_diff_leads_from_one_body_to_the_other(a: Any, b: Any) -> None:
    body = copy.deepcopy(a)
    for each in diff(a, b):
        *parents, leaf = each.path.split(".")
        holder = body
        for name in parents:
            holder = holder[name]
        assert holder.pop(leaf, ABSENT) == each.before
        if each.after is not ABSENT:
            holder[leaf] = each.after
    assert body == b


def test_a_password_in_a_proxys_address_is_not_shown() -> None:
    before = {"properties": {"httpProxyConfig": {"httpProxy": "http://proxy:80"}}}
    after = {"properties": {"httpProxyConfig": {"httpProxy": "http://me:s3cret@proxy:80"}}}
    (found,) = diff(before, after)
    assert str(found) == 'properties.httpProxyConfig.httpProxy: "http://proxy:80" -> "(secret)"'
