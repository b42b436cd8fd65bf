# SPDX-License-Identifier: MIT
"""The kinds of ARM resources: how to address, read, version and condition each."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aks_etag._core.messages import Request, Response
from aks_etag._core.operation import Link
from aks_etag._core.precondition import CREATE, Condition
from aks_etag._core.resource_id import parse
from aks_etag._resources import AgentPool, Arm, ManagedCluster
from aks_etag._resources.arm import properties, tag
from aks_etag.errors import InlinePoolEditError, InvalidPreconditionError, InvalidResourceIdError, MissingETagError

WIRE = Path(__file__).parent.parent / "data" / "wire"
ID = "/subscriptions/s1/resourceGroups/rg1/providers/Microsoft.ContainerService/managedClusters/aks1"
ARM = Arm(endpoint="https://management.azure.com", api_version="2026-08-01")
QUOTED = replace(ARM, etag_format="quoted")
CLUSTER = ManagedCluster(address=parse(ID), arm=ARM)
INLINE = replace(CLUSTER, inline_pools=True)
POOL = AgentPool(address=parse(f"{ID}/agentPools/np1"), arm=ARM)
T1 = Condition(tag="t1")


def recorded(name: str) -> Response:
    return Response(status=200, body=json.loads((WIRE / f"{name}.json").read_text())["body"], received_at=0.0)


@pytest.mark.parametrize(
    ("request_", "wanted"),
    [
        pytest.param(CLUSTER.read(), Request(method="GET", url=f"{ID}?api-version=2026-08-01"), id="read"),
        pytest.param(
            POOL.remove(T1),
            Request(method="DELETE", url=f"{ID}/agentPools/np1?api-version=2026-08-01", headers={"If-Match": "t1"}),
            id="delete",
        ),
        pytest.param(
            CLUSTER.merge({"tags": {}}, T1),
            Request(method="PATCH", url=f"{ID}?api-version=2026-08-01", headers={"If-Match": "t1"}, body={"tags": {}}),
            id="patch",
        ),
        pytest.param(
            POOL.replace({"name": "np1", "properties": {"count": 1}}, CREATE),
            Request(
                method="PUT",
                url=f"{ID}/agentPools/np1?api-version=2026-08-01",
                headers={"If-None-Match": "*"},
                body={"properties": {"count": 1}},
            ),
            id="create",
        ),
    ],
)
def test_requests_name_their_version_and_carry_one_condition(request_: Request, wanted: Request) -> None:
    assert request_ == wanted


@pytest.mark.parametrize(
    ("arm", "condition", "spelled"),
    [
        (ARM, T1, "If-Match: t1"),
        (QUOTED, T1, 'If-Match: "t1"'),
        (QUOTED, Condition(tag="*"), "If-Match: *"),
        (QUOTED, CREATE, "If-None-Match: *"),
        (ARM, Condition(), None),
    ],
)
def test_a_condition_is_spelled_as_it_is_sent(arm: Arm, condition: Condition, spelled: str | None) -> None:
    pool = replace(POOL, arm=arm)
    headers = pool.remove(condition).headers
    assert pool.spelled(condition) == spelled
    assert [f"{name}: {value}" for name, value in headers.items()] == ([] if spelled is None else [spelled])


@pytest.mark.parametrize(
    ("resource", "name", "version"),
    [
        (CLUSTER, "get_cluster_200", "aaaaaaaa-0001-4000-8000-aaaaaaaaaaaa"),
        (CLUSTER, "get_cluster_200_no_etag", None),
        (POOL, "get_pool_200", "cccccccc-0002-4000-8000-cccccccccccc"),
        (CLUSTER, "put_cluster_create_201", None),
    ],
)
def test_a_tag_is_where_the_service_puts_it(resource: Any, name: str, version: str | None) -> None:
    seen = resource.snapshot(recorded(name))
    assert (seen.version, seen.has_etag) == (version, version is not None)
    if version is None:
        with pytest.raises(MissingETagError, match="2026-08-01"):
            _ = seen.etag


@pytest.mark.parametrize(
    ("holder", "found"),
    [
        ({"eTag": "a"}, "a"),
        ({"etag": "b"}, "b"),
        ({"eTag": "a", "etag": "b"}, "a"),
        ({"eTag": None, "etag": "b"}, None),
        ({}, None),
    ],
)
def test_a_preview_spelled_the_tag_otherwise(holder: Any, found: str | None) -> None:
    assert tag(holder) == found


def body(state: Any = "Succeeded", profiles: Any = None, **more: Any) -> Response:
    shown = {"provisioningState": state, "agentPoolProfiles": profiles, **more}
    return Response(status=200, body={"eTag": "t1", "properties": shown})


@pytest.mark.parametrize(
    ("answer", "settled"),
    [
        (body(), True),
        (body("Failed"), True),
        (body("Updating"), False),
        (body(7), False),
        (body(profiles=[{"provisioningState": "Succeeded"}, {}]), True),
        (body(profiles=[{"provisioningState": "Succeeded"}, {"provisioningState": "Creating"}]), False),
        (body("Updating", [{"provisioningState": "Succeeded"}]), False),
        (body(profiles=["odd", 7]), True),
        (body(profiles={"odd": 1}), True),
        (Response(status=200, body={}), True),
        (Response(status=200, body={"properties": None}), True),
    ],
)
def test_a_cluster_is_settled_with_all_its_pools(answer: Response, settled: bool) -> None:
    assert CLUSTER.snapshot(answer).settled is settled


@pytest.mark.parametrize(
    ("resource", "given", "version"),
    [
        (CLUSTER, {"eTag": "t1"}, "t1"),
        (CLUSTER, {"eTag": 'W/"t1"'}, "t1"),
        (CLUSTER, {"etag": "t1"}, "t1"),
        (CLUSTER, {"properties": {"eTag": "t1"}}, None),
        (CLUSTER, {"eTag": "*"}, None),
        (CLUSTER, {"eTag": 7}, None),
        (CLUSTER, {}, None),
        (POOL, {"properties": {"eTag": '"t1"'}}, "t1"),
        (POOL, {"properties": {"etag": "t1"}}, "t1"),
        (POOL, {"eTag": "t1"}, None),
        (POOL, {"properties": None}, None),
    ],
)
def test_a_body_says_which_version_it_is_of(resource: Any, given: Any, version: str | None) -> None:
    assert resource.version_of(given) == version


def test_a_state_that_is_no_text_is_not_shown() -> None:
    assert CLUSTER.snapshot(body(7)).provisioning_state is None


@pytest.mark.parametrize(
    ("resource", "given", "found"),
    [
        (CLUSTER, {"properties": {"resourceUID": "u"}}, {"resourceUID": "u"}),
        (CLUSTER, {"systemData": {"createdAt": "c"}}, {"createdAt": "c"}),
        (CLUSTER, {"systemData": None, "properties": {"resourceUID": 7}}, {}),
        (POOL, {"systemData": {"createdAt": "c"}}, {}),
    ],
)
def test_only_a_cluster_has_an_identity(resource: Any, given: Any, found: Any) -> None:
    assert resource.identity(given) == found


PROFILES = {"properties": {"agentPoolProfiles": [{"name": "np1", "count": 3}]}}
SCALED = {"properties": {"agentPoolProfiles": [{"name": "np1", "count": 9}]}}
POOLS_SETTLED = {"properties": {"agentPoolProfiles": [{"name": "np1", "count": 3, "provisioningState": "Failed"}]}}


@pytest.mark.parametrize(
    ("resource", "after", "refused"),
    [
        (CLUSTER, PROFILES, False),
        (CLUSTER, POOLS_SETTLED, False),
        (CLUSTER, {"properties": {}}, False),
        (CLUSTER, {}, False),
        (CLUSTER, SCALED, True),
        (CLUSTER, {"properties": {"agentPoolProfiles": []}}, True),
        (CLUSTER, {"properties": {"agentpoolprofiles": []}}, True),
        (CLUSTER, {"properties": {"AgentPoolProfiles": [{"name": "np1", "count": 3}]}}, True),
        (CLUSTER, {"Properties": {"agentPoolProfiles": [{"name": "np1", "count": 3}]}}, True),
        (CLUSTER, {"properties": {}, "PROPERTIES": {"AGENTPOOLPROFILES": None}}, True),
        (CLUSTER, {"Properties": None, "properties": None}, False),
        (CLUSTER, {"agentPoolProfiles": [], "properties": {"other": {"agentPoolProfiles": []}}}, False),
        (INLINE, SCALED, False),
        (INLINE, {"Properties": {"AgentPoolProfiles": []}}, False),
    ],
)
def test_an_edit_of_inline_pools_is_refused_unless_told(resource: Any, after: Any, refused: bool) -> None:
    if not refused:
        resource.check_edit(PROFILES, after)
        return
    with pytest.raises(InlinePoolEditError, match="agent_pool"):
        resource.check_edit(PROFILES, after)


def test_a_put_that_carries_pools_is_refused_unless_it_creates_or_is_told() -> None:
    for condition in (T1, Condition(), Condition(tag="*")):
        with pytest.raises(InlinePoolEditError, match="the body carries"):
            CLUSTER.replace(PROFILES, condition)
    assert [
        resource.replace(PROFILES, condition).body for resource, condition in ((CLUSTER, CREATE), (INLINE, T1))
    ] == [PROFILES] * 2
    assert CLUSTER.replace({"location": "x"}, T1, base={"location": "y"}).body == {"location": "x"}


@pytest.mark.parametrize(
    "carried",
    [
        {"properties": {"AgentPoolProfiles": []}},
        {"properties": {"agentpoolprofiles": None}},
        {"Properties": {"agentPoolProfiles": [{"name": "np1"}]}},
        {"PROPERTIES": {"AGENTPOOLPROFILES": []}, "properties": {}},
    ],
    ids=repr,
)
def test_pools_are_found_however_their_name_is_spelled(carried: Any) -> None:
    with pytest.raises(InlinePoolEditError, match="the body carries"):
        CLUSTER.replace(carried, T1)
    assert [one.replace(carried, how).body for one, how in ((CLUSTER, CREATE), (INLINE, T1))] == [carried] * 2


@pytest.mark.parametrize("resource", [CLUSTER, INLINE])
@pytest.mark.parametrize("base", [None, {"properties": None}, PROFILES], ids=["put", "from-null", "from-pools"])
def test_a_cluster_whose_properties_are_null_keeps_them_null(resource: Any, base: Any) -> None:
    null = {"location": "x", "properties": None}
    assert resource.replace(null, T1, base=base).body == null
    assert (resource.writable(null), resource.check_edit(null, null)) == (null, None)


def test_a_pool_that_is_new_among_its_siblings_is_sent_whole() -> None:
    new = {"properties": {"agentPoolProfiles": [{"name": "np9", "nodeImageVersion": "v", "powerState": {}}]}}
    assert INLINE.replace(new, T1, base=PROFILES).body == new


def test_a_pool_has_no_patch() -> None:
    with pytest.raises(InvalidPreconditionError, match="no PATCH"):
        POOL.merge({"tags": {}}, T1)


def test_a_windows_pool_has_a_short_name() -> None:
    long = replace(POOL, address=POOL.address.parent.agent_pool("sevenup"))
    with pytest.raises(InvalidResourceIdError):
        long.replace({"properties": {"osType": "Windows"}}, CREATE)
    assert long.replace({}, T1, base={}).body == {}


@pytest.mark.parametrize(
    ("named", "blockers"),
    [
        pytest.param(None, (CLUSTER,), id="nobody named"),
        pytest.param("np2", (replace(POOL, address=POOL.address.parent.agent_pool("np2")),), id="a sibling"),
        pytest.param("np1", (), id="itself"),
        pytest.param("aks1", (CLUSTER,), id="its cluster"),
        pytest.param("No.Pool", (CLUSTER,), id="no name of a pool"),
        pytest.param("../../evil", (CLUSTER,), id="a path"),
    ],
)
def test_what_blocks_a_pool(named: str | None, blockers: Any) -> None:
    assert POOL.blockers(named) == blockers
    assert CLUSTER.blockers(named) == ()


def test_an_answer_to_a_write_shows_no_tag_to_keep() -> None:
    assert CLUSTER.result(recorded("put_cluster_update_200")) is None


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("https://management.azure.com/a", Link("https://management.azure.com/a", is_location=False)),
        ("https://evil.example/a", Link("", is_location=False)),
    ],
)
def test_an_operation_elsewhere_is_lost_not_done(url: str, found: Link) -> None:
    assert POOL.operation(Response(status=200, headers={"azure-asyncoperation": url})) == found
    assert POOL.operation(Response(status=200)) is None


def test_what_is_shown_has_no_secret_and_nothing_read_only() -> None:
    sent = {"id": "x", "properties": {"windowsProfile": {"adminUsername": "a", "adminPassword": "s3cret"}, "fqdn": "f"}}
    assert CLUSTER.shown(sent) == {"properties": {"windowsProfile": {"adminUsername": "a"}}}


@pytest.mark.parametrize(
    ("after", "paths"),
    [
        ({"id": "x", "location": "y"}, ()),
        ({"id": "z"}, (("id",),)),
        ({}, ()),
        ({"id": "x", "properties": {"fqdn": "f"}}, (("properties", "fqdn"),)),
    ],
)
def test_edits_of_read_only_fields_are_named_and_leaving_them_out_is_none(after: Any, paths: Any) -> None:
    assert CLUSTER.read_only_edits({"id": "x", "properties": {}}, after) == paths


def test_an_older_tag_of_an_inline_pool_is_no_edit() -> None:
    def cluster(**profile: str) -> Any:
        return {"properties": {"agentPoolProfiles": [{"name": "np1", **profile}]}}

    pools = (("properties", "agentPoolProfiles"),)
    assert CLUSTER.read_only_edits(cluster(eTag="t2"), cluster(eTag="t1")) == ()
    assert CLUSTER.read_only_edits(cluster(etag="t2"), cluster()) == ()
    assert CLUSTER.read_only_edits(cluster(provisioningState="A"), cluster(provisioningState="B")) == pools


def test_properties_are_empty_where_there_are_none() -> None:
    assert [properties(given) for given in ({}, {"properties": None}, {"properties": {"a": 1}})] == [{}, {}, {"a": 1}]
