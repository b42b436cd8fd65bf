# SPDX-License-Identifier: MIT
"""What the service owns is what the SDK's models call read-only, and a PUT carries what the SDK's would."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from azure.mgmt.containerservice import models
from azure.mgmt.containerservice._utils.model_base import Model, SdkJSONEncoder, _deserialize
from azure.mgmt.containerservice.models import _models

from aks_etag._core.precondition import Condition
from aks_etag._core.resource_id import parse
from aks_etag._resources import AgentPool, Arm, ManagedCluster
from aks_etag._resources.owned import CLUSTER_READ_ONLY, PROFILE_READ_ONLY, WRITE_ONLY, cluster_fields, pool_fields

WIRE = Path(__file__).parent.parent / "data" / "wire"
ARM = Arm(endpoint="https://management.azure.com", api_version="2026-08-01")
PROFILES = "properties.agentPoolProfiles.*."
NEWEST = "2026-08-01"


def model_version() -> str:
    """Return the api-version that the installed models were made for."""
    from azure.mgmt.containerservice import ContainerServiceClient

    from aks_etag.mock import FakeCredential

    return str(ContainerServiceClient(FakeCredential(), "s")._config.api_version)


pytestmark = pytest.mark.skipif(
    model_version() != NEWEST, reason=f"our lists are those of {NEWEST}; older models call other fields read-only"
)


def nested(kind: type, attribute: str) -> tuple[type | None, str]:
    """Return the model of an attribute, and ``*.`` where it is inside a list or a map."""
    for ancestor in kind.__mro__:
        if attribute in inspect.get_annotations(ancestor):
            text = str(ancestor.__annotations__[attribute])
            break
    else:
        return None, ""
    name = re.search(r"_models\.(\w+)", text)
    found = getattr(models, name[1], getattr(_models, name[1], None)) if name else None
    is_model = isinstance(found, type) and issubclass(found, Model)
    return found if is_model else None, "*." if re.search(r"\b(list|dict|List|Dict)\[", text) else ""


def of_visibility(kind: type, wanted: list[str], prefix: str = "", above: tuple[type, ...] = ()) -> Iterator[str]:
    """List the dotted paths of all fields of one visibility; what is read-only has nothing of its own below it."""
    kind({})
    for attribute, field in kind._attr_to_rest_field.items():  # type: ignore[attr-defined]
        path = prefix + field._rest_name
        if field._visibility == wanted:
            yield path
        elif field._visibility != ["read"]:
            below, each = nested(kind, attribute)
            if below is not None and below not in above:
                yield from of_visibility(below, wanted, f"{path}.{each}", (*above, kind))


def read_only(kind: type) -> set[str]:
    return set(of_visibility(kind, ["read"]))


def ours(*paths: str) -> set[str]:
    """Leave out the tag as some 2024 previews spelled it."""
    return {path for path in paths if path.rsplit(".", 1)[-1] != "etag"}


def test_the_read_only_fields_of_a_cluster_are_those_of_the_sdk() -> None:
    theirs = {path for path in read_only(models.ManagedCluster) if not path.startswith(PROFILES)}
    assert ours(*CLUSTER_READ_ONLY) == theirs


def test_the_read_only_fields_of_an_inline_pool_are_those_of_the_sdk() -> None:
    theirs = {path.removeprefix(PROFILES) for path in read_only(models.ManagedCluster) if path.startswith(PROFILES)}
    assert ours(*PROFILE_READ_ONLY) == theirs


def test_the_read_only_fields_of_a_pool_are_those_of_the_sdk() -> None:
    assert ours(*pool_fields()) - {"eTag"} == read_only(models.AgentPool)


def test_the_write_only_fields_are_those_of_the_sdk() -> None:
    assert set(WRITE_ONLY) == set(of_visibility(models.ManagedCluster, ["create", "update"]))
    assert set(of_visibility(models.AgentPool, ["create", "update"])) == set()


@pytest.mark.parametrize("kind", [models.ManagedCluster, models.AgentPool])
def test_no_other_visibility_has_come_up(kind: type) -> None:
    assert [list(of_visibility(kind, other)) for other in (["create"], ["update"], ["read", "update"], [])] == [[]] * 4


def test_the_tag_is_ours_in_both_spellings() -> None:
    assert {"eTag", "etag", PROFILES + "eTag", PROFILES + "etag"} <= set(cluster_fields())
    assert {"properties.eTag", "properties.etag", "eTag", "etag"} <= set(pool_fields())


def recorded(name: str) -> Any:
    return json.loads((WIRE / f"{name}.json").read_text())["body"]


def sdk_sends(kind: type, body: Any) -> Any:
    return json.loads(json.dumps(_deserialize(kind, body), cls=SdkJSONEncoder, exclude_readonly=True))


def without(body: Any, *names: str) -> Any:
    return {**body, "properties": {name: item for name, item in body["properties"].items() if name not in names}}


def cluster(*, inline_pools: bool = False) -> ManagedCluster:
    address = parse("/subscriptions/s1/resourceGroups/rg1/providers/Microsoft.ContainerService/managedClusters/aks1")
    return ManagedCluster(address=address, arm=ARM, inline_pools=inline_pools)


POOL = AgentPool(address=cluster().address.agent_pool("np2"), arm=ARM)
TAG = Condition(tag="t1")
CLUSTERS = pytest.mark.parametrize("name", ["get_cluster_200", "get_cluster_200_no_etag"])


@CLUSTERS
def test_a_cluster_update_sends_what_the_sdk_would_without_pools_and_version(name: str) -> None:
    body = recorded(name)
    sent = cluster().replace(body, TAG, base=body).body
    assert sent == without(sdk_sends(models.ManagedCluster, body), "agentPoolProfiles", "kubernetesVersion")


@CLUSTERS
def test_a_cluster_update_that_changes_the_version_sends_it(name: str) -> None:
    body = recorded(name)
    desired = {**body, "properties": {**body["properties"], "kubernetesVersion": "1.99"}}
    sent = cluster().replace(desired, TAG, base=body).body
    assert sent == without(sdk_sends(models.ManagedCluster, desired), "agentPoolProfiles")


@CLUSTERS
def test_a_cluster_put_with_its_pools_sends_what_the_sdk_would(name: str) -> None:
    body = recorded(name)
    assert cluster(inline_pools=True).replace(body, TAG).body == sdk_sends(models.ManagedCluster, body)
    assert cluster().replace(body, Condition(create=True)).body == sdk_sends(models.ManagedCluster, body)


@CLUSTERS
def test_an_update_with_its_pools_leaves_out_what_the_service_keeps(name: str) -> None:
    body = recorded(name)
    theirs = without(sdk_sends(models.ManagedCluster, body), "kubernetesVersion")
    for profile in theirs["properties"]["agentPoolProfiles"]:
        del profile["nodeImageVersion"], profile["powerState"]
    assert cluster(inline_pools=True).replace(body, TAG, base=body).body == theirs


def test_a_pool_update_sends_what_the_sdk_would_without_what_the_service_keeps() -> None:
    body = recorded("get_pool_200")
    sent = POOL.replace(body, TAG, base=body).body
    assert sent == without(sdk_sends(models.AgentPool, body), "nodeImageVersion", "powerState")


@pytest.mark.parametrize(
    ("changed", "left_out"),
    [({"nodeImageVersion": "v2"}, "powerState"), ({"powerState": {"code": "Stopped"}}, "nodeImageVersion")],
)
def test_a_pool_update_sends_what_it_changes_of_them(changed: dict[str, Any], left_out: str) -> None:
    body = recorded("get_pool_200")
    desired = {**body, "properties": {**body["properties"], **changed}}
    assert POOL.replace(desired, TAG, base=body).body == without(sdk_sends(models.AgentPool, desired), left_out)


def test_a_pool_put_sends_what_the_sdk_would() -> None:
    body = recorded("get_pool_200")
    assert POOL.replace(body, TAG).body == sdk_sends(models.AgentPool, body)
