# SPDX-License-Identifier: MIT
"""The official SDK as it is, sync and asyncio, over TLS against the served mock: its happy paths, and its 412s."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from azure.core import MatchConditions
from azure.core.exceptions import HttpResponseError, ResourceModifiedError
from azure.mgmt.containerservice import ContainerServiceClient
from azure.mgmt.containerservice.aio import ContainerServiceClient as AsyncContainerServiceClient
from azure.mgmt.containerservice.models import AgentPool, ManagedCluster, TagsObject
from azure.mgmt.containerservice.operations import AgentPoolsOperations, ManagedClustersOperations

from aks_etag.mock import FakeCredential, MockAks

# Calls an operation by its name, as "agent_pools.get", and waits for its end.
Call: TypeAlias = Callable[..., Any]

CLUSTER = ("rg1", "aks1")
POOL = ("rg1", "aks1", "np1")
NEW = ManagedCluster(
    {"location": "region1", "properties": {"agentPoolProfiles": [{"name": "np1", "count": 1, "mode": "System"}]}}
)
WITH_CONDITION: dict[str, tuple[Any, ...]] = {
    "managed_clusters.begin_create_or_update": (*CLUSTER, ManagedCluster(location="region1")),
    "managed_clusters.begin_update_tags": (*CLUSTER, TagsObject(tags={"team": "red"})),
    "managed_clusters.begin_delete": CLUSTER,
    "agent_pools.begin_create_or_update": (*POOL, AgentPool({"properties": {"count": 5}})),
    "agent_pools.begin_delete": POOL,
}


@contextmanager
def sync_sdk(url: str, ca: Path, subscription: str) -> Iterator[Call]:
    """The synchronous client."""
    credential: Any = FakeCredential()
    client = ContainerServiceClient(
        credential, subscription, base_url=url, connection_verify=str(ca), polling_interval=0, retry_total=0
    )
    with client as sdk:

        def call(name: str, *arguments: Any, **options: Any) -> Any:
            found = _operation(sdk, name)(*arguments, **options)
            if ".begin_" in name:
                return found.result()
            return list(found) if ".list" in name and "credentials" not in name else found

        yield call


@contextmanager
def async_sdk(url: str, ca: Path, subscription: str) -> Iterator[Call]:
    """The asynchronous client, in a loop of its own."""
    credential: Any = FakeCredential()
    client = AsyncContainerServiceClient(
        credential, subscription, base_url=url, connection_verify=str(ca), polling_interval=0, retry_total=0
    )

    async def finished(name: str, found: Awaitable[Any] | AsyncIterator[Any]) -> Any:
        if isinstance(found, AsyncIterator):
            return [each async for each in found]
        answered = await found
        return await answered.result() if ".begin_" in name else answered

    with asyncio.Runner() as loop:

        def call(name: str, *arguments: Any, **options: Any) -> Any:
            return loop.run(finished(name, _operation(client, name)(*arguments, **options)))

        yield call
        loop.run(client.close())


@pytest.fixture(params=[sync_sdk, async_sdk])
def call(request: pytest.FixtureRequest, mock: MockAks, tmp_path: Path) -> Iterator[Call]:
    """One of the SDK's clients, connected to the mock."""
    ca = tmp_path / "ca.pem"
    with mock.serve(tls_ca=ca) as url, request.param(url, ca, mock.subscription_id) as call:
        yield call


def test_the_life_of_a_cluster(call: Call, mock: MockAks) -> None:
    created = call(
        "managed_clusters.begin_create_or_update", "rg1", "new", NEW, match_condition=MatchConditions.IfMissing
    )
    assert (created.name, created.provisioning_state) == ("new", "Succeeded")
    seen = call("managed_clusters.get", "rg1", "new")
    seen.tags = {"team": "red"}
    guard = {"etag": seen.e_tag, "match_condition": MatchConditions.IfNotModified}
    updated = call("managed_clusters.begin_create_or_update", "rg1", "new", seen, **guard)
    assert (updated.tags, updated.e_tag != seen.e_tag) == ({"team": "red"}, True)
    guard["etag"] = updated.e_tag
    tagged = call("managed_clusters.begin_update_tags", "rg1", "new", TagsObject(tags={"a": "b"}), **guard)
    assert tagged.tags == {"a": "b"}
    assert [each.name for each in call("managed_clusters.list")] == ["aks1", "new"]
    assert [each.name for each in call("managed_clusters.list_by_resource_group", "rg1")] == ["aks1", "new"]
    guard["etag"] = tagged.e_tag
    assert call("managed_clusters.begin_delete", "rg1", "new", **guard) is None
    assert mock.clusters() == [CLUSTER]
    mock.assert_no_unconditional_writes()


def test_the_life_of_a_pool(call: Call, mock: MockAks) -> None:
    fresh = AgentPool({"properties": {"count": 1, "mode": "User", "vmSize": "Standard_DS2_v2"}})
    place = ("rg1", "aks1", "np2")
    created = call("agent_pools.begin_create_or_update", *place, fresh, match_condition=MatchConditions.IfMissing)
    assert (created.name, created.count) == ("np2", 1)
    seen = call("agent_pools.get", *place)
    seen.count = 4
    guard = {"etag": seen.e_tag, "match_condition": MatchConditions.IfNotModified}
    updated = call("agent_pools.begin_create_or_update", *place, seen, **guard)
    assert (updated.count, updated.e_tag != seen.e_tag) == (4, True)
    assert [each.name for each in call("agent_pools.list", *CLUSTER)] == ["np1", "np2"]
    guard["etag"] = updated.e_tag
    assert call("agent_pools.begin_delete", *place, **guard) is None
    assert [each.name for each in call("agent_pools.list", *CLUSTER)] == ["np1"]
    mock.assert_no_unconditional_writes()


def test_actions(call: Call, mock: MockAks) -> None:
    call("managed_clusters.begin_stop", *CLUSTER)
    assert call("managed_clusters.get", *CLUSTER).power_state.code == "Stopped"
    call("managed_clusters.begin_start", *CLUSTER)
    assert call("managed_clusters.get", *CLUSTER).power_state.code == "Running"
    before = call("agent_pools.get", *POOL).node_image_version
    call("agent_pools.begin_upgrade_node_image_version", *POOL)
    assert call("agent_pools.get", *POOL).node_image_version > before
    for who in ("admin", "user", "monitoring_user"):
        [file] = call(f"managed_clusters.list_cluster_{who}_credentials", *CLUSTER).kubeconfigs
        assert file.value.startswith(b"apiVersion: v1\n")


@pytest.mark.parametrize(("kind", "place", "pool"), [("managed_clusters", CLUSTER, None), ("agent_pools", POOL, "np1")])
def test_what_runs_is_aborted(kind: str, place: tuple[str, ...], pool: str | None, call: Call, mock: MockAks) -> None:
    mock.switches.operation_polls = 9
    body = ManagedCluster(location="region1") if pool is None else AgentPool({"properties": {"count": 4}})
    call(f"{kind}.begin_create_or_update", *place, body, polling=False)
    call(f"{kind}.begin_abort_latest_operation", *place)
    assert call(f"{kind}.get", *place).provisioning_state == "Canceled"


@pytest.mark.parametrize("name", WITH_CONDITION)
def test_a_stale_tag_is_a_412_and_nothing_has_changed(name: str, call: Call, mock: MockAks) -> None:
    before = mock.body("rg1", "aks1")
    with pytest.raises(ResourceModifiedError) as raised:
        call(name, *WITH_CONDITION[name], etag="stale", match_condition=MatchConditions.IfNotModified)
    assert (raised.value.status_code, raised.value.error and raised.value.error.code) == (412, "PreconditionFailed")
    assert (mock.body("rg1", "aks1"), mock.commits) == (before, [])


@pytest.mark.parametrize("name", [name for name in WITH_CONDITION if "create" in name])
def test_what_is_there_is_not_created_again(name: str, call: Call, mock: MockAks) -> None:
    with pytest.raises(HttpResponseError) as raised:
        call(name, *WITH_CONDITION[name], match_condition=MatchConditions.IfMissing)
    assert (raised.value.status_code, mock.commits) == (412, [])


def test_these_are_all_operations_that_take_a_condition() -> None:
    kinds = {"managed_clusters": ManagedClustersOperations, "agent_pools": AgentPoolsOperations}
    taking = {
        f"{kind}.{name}"
        for kind, operations in kinds.items()
        for name, each in inspect.getmembers(operations, inspect.isfunction)
        if not name.startswith("_") and "match_condition" in inspect.signature(each).parameters
    }
    assert taking == set(WITH_CONDITION)


def _operation(sdk: Any, name: str) -> Any:
    kind, _, operation = name.partition(".")
    return getattr(getattr(sdk, kind), operation)
