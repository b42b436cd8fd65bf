# SPDX-License-Identifier: MIT
"""The doors in and out: the SDK's own clients, respx, httpx clients that a program already has, handles by id."""

from __future__ import annotations

import logging
from typing import Any

import httpx
import pytest
from azure.core import MatchConditions
from azure.core.exceptions import ClientAuthenticationError, ResourceModifiedError

from aks_etag import (
    AccessDeniedError,
    AgentPool,
    AksClient,
    Cluster,
    DeadlineExceededError,
    InvalidResourceIdError,
    NotFoundError,
    WriteOutcomeUnknownError,
    merge_patch,
)
from aks_etag.mock import FakeCredential, MockAks

FIVE = merge_patch({"properties": {"count": 5}})


def test_the_stock_sdk_works_on_the_mock(mock: MockAks) -> None:
    with mock.sdk_client(polling_interval=30) as sdk:
        pool = sdk.agent_pools.get("rg", "prod", "np1")
        pool.count = 5
        done = sdk.agent_pools.begin_create_or_update(
            "rg", "prod", "np1", pool, etag=pool.e_tag, match_condition=MatchConditions.IfNotModified
        ).result()
        assert done.count == 5
        with pytest.raises(ResourceModifiedError):
            sdk.agent_pools.begin_create_or_update(
                "rg", "prod", "np1", pool, etag=pool.e_tag, match_condition=MatchConditions.IfNotModified
            )
        assert [cluster.name for cluster in sdk.managed_clusters.list()] == ["prod"]
        sdk.agent_pools.begin_delete("rg", "prod", "np2").result()
    assert mock.journal[1].if_match is not None
    assert mock.journal[1].if_match.startswith('"')


@pytest.mark.anyio
async def test_the_stock_async_sdk_works_on_the_mock(mock: MockAks) -> None:
    async with mock.async_sdk_client() as sdk:
        pool = await sdk.agent_pools.get("rg", "prod", "np1")
        pool.count = 5
        poller = await sdk.agent_pools.begin_create_or_update(
            "rg", "prod", "np1", pool, etag=pool.e_tag, match_condition=MatchConditions.IfNotModified
        )
        assert (await poller.result()).count == 5
        assert [cluster.name async for cluster in sdk.managed_clusters.list()] == ["prod"]


def test_the_sdk_of_a_client_shares_its_connections(mock: MockAks) -> None:
    with mock.client() as aks:
        assert aks.sdk.managed_clusters.get("rg", "prod").name == "prod"
        assert aks.sdk is aks.sdk
        aks.cluster("rg", "prod").agent_pool("np1").update(FIVE)


def test_respx_sees_the_default_transport(mock: MockAks) -> None:
    with mock.respx_router(), AksClient(FakeCredential(), mock.subscription_id, polling_interval=0) as aks:
        assert aks.cluster("rg", "prod").agent_pool("np1").update(FIVE).outcome == "updated"


@pytest.mark.anyio
async def test_respx_sees_the_default_async_transport(mock: MockAks) -> None:
    from aks_etag import AsyncAksClient

    with mock.respx_router():
        async with AsyncAksClient(FakeCredential(), mock.subscription_id, polling_interval=0) as aks:
            assert (await aks.cluster("rg", "prod").agent_pool("np1").update(FIVE)).outcome == "updated"


def test_an_httpx_client_that_was_given_is_not_closed(mock: MockAks) -> None:
    http = httpx.Client(transport=mock.httpx_transport(), follow_redirects=True)
    with AksClient(FakeCredential(), mock.subscription_id, transport=http) as aks:
        aks.cluster("rg", "prod").get()
    assert not http.is_closed
    http.close()


def test_handles_by_snapshot_and_id(mock: MockAks) -> None:
    with mock.client() as aks:
        cluster = aks.cluster("rg", "prod")
        assert isinstance(aks.at(cluster.get()), Cluster)
        pool = aks.at(cluster.id.upper().replace("PROD", "prod") + "/AGENTPOOLS/np1")
        assert isinstance(pool, AgentPool)
        assert (pool.get().name, pool.cluster.name, pool.name) == ("np1", "prod", "np1")
        assert [aks.at(snapshot).id for snapshot in cluster.agent_pools()] == [
            cluster.agent_pool(name).id for name in ("np1", "np2")
        ]
        for bad in ("/subscriptions/s", "prod", cluster.id + "/agentPools/np1/x", cluster.id + "?x=1"):
            with pytest.raises(InvalidResourceIdError):
                aks.at(bad)


def test_handles_are_immutable_and_cheap(mock: MockAks) -> None:
    with mock.client() as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        other = pool.with_options(etag_format="quoted", polling_interval=1, on_busy="raise")
        other.update(FIVE)
        assert [entry.if_match[0] for entry in mock.journal if entry.if_match] == ['"']
        with pytest.raises(AttributeError):
            pool.color = "red"  # type: ignore[attr-defined]  # that it cannot be set is the point
        assert repr(pool) == f"<AgentPool {pool.id}>"


class NoToken(FakeCredential):
    """Has no token to give."""

    def get_token_info(self, *scopes: str, **options: Any) -> Any:
        raise ClientAuthenticationError("no token to be had")


def test_a_credential_that_fails_is_no_doubt(mock: MockAks) -> None:
    with mock.client(credential=NoToken()) as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        with pytest.raises(ClientAuthenticationError, match="no token"):
            pool.put({"properties": {"count": 5}}, if_match="*")
        with pytest.raises(ClientAuthenticationError, match="no token"):
            pool.update(FIVE)
    assert mock.journal == []


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_credential_is_said_at_once(mock: MockAks, status: int) -> None:
    mock.inject(method="PUT", effect=status)
    mock.inject(method="GET", effect=status, nth=2)
    with mock.client() as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        with pytest.raises(AccessDeniedError) as raised:
            pool.update(FIVE)
        with pytest.raises(ClientAuthenticationError):
            pool.get()
    assert (raised.value.status_code, raised.value.applied) == (status, False)


def test_an_endpoint_that_is_not_there_is_no_doubt() -> None:
    with AksClient(FakeCredential(), "s1", base_url="http://127.0.0.1:9", polling_interval=0) as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        with pytest.raises(Exception, match="Connect") as raised:
            pool.put({"properties": {"count": 5}}, if_match="abc")
        assert not isinstance(raised.value, WriteOutcomeUnknownError)
        with pytest.raises(DeadlineExceededError, match="no answer"):
            pool.update(FIVE, deadline=0.05)


def test_a_missing_group_is_not_found(mock: MockAks) -> None:
    with mock.client() as aks, pytest.raises(NotFoundError) as raised:
        aks.cluster("nowhere", "prod").create({"location": "region1", "properties": {}})
    assert raised.value.code == "ResourceGroupNotFound"


@pytest.mark.parametrize(
    ("cloud", "host"),
    [("AZURE_PUBLIC_CLOUD", "management.azure.com"), ("AZURE_CHINA_CLOUD", "management.chinacloudapi.cn"),
     ("AZURE_US_GOVERNMENT", "management.usgovcloudapi.net")],
)  # fmt: skip
def test_a_cloud_is_endpoint_scope_and_authority_together(cloud: str, host: str) -> None:
    asked: list[tuple[str, ...]] = []
    sent: list[str] = []

    class Asking(FakeCredential):
        def get_token_info(self, *scopes: str, **options: Any) -> Any:
            asked.append(scopes)
            return super().get_token_info(*scopes, **options)

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request.url.host)
        return httpx.Response(404)

    with AksClient(Asking(), "s1", cloud_setting=cloud, transport=httpx.MockTransport(answer)) as aks:
        with pytest.raises(NotFoundError):
            aks.cluster("rg", "prod").get()
        assert aks._transport.endpoint.authority.startswith("login.")
    assert sent == [host]
    assert asked[0][0].endswith("/.default")
    assert (host.split(".")[1] in asked[0][0]) or cloud == "AZURE_US_GOVERNMENT"


def test_nothing_secret_is_logged(mock: MockAks, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    secret = merge_patch({"properties": {"nodeLabels": {"password": "hunter2"}}})
    mock.inject(method="PUT", phase="after", effect="reset")
    with mock.client() as aks:
        aks.cluster("rg", "prod").agent_pool("np1").update(secret)
    everything = caplog.text + "".join(str(record.__dict__) for record in caplog.records)
    assert "aks_etag" in {record.name for record in caplog.records}
    assert "hunter2" not in everything
    assert "Bearer fake" not in everything
    assert "&s=" not in everything.replace("&s=REDACTED", "")


def test_a_listener_that_raises_does_not_break_a_write(mock: MockAks, caplog: pytest.LogCaptureFixture) -> None:
    def broken(event: object) -> None:
        raise RuntimeError("broken listener")

    with mock.client(on_event=broken) as aks:
        assert aks.cluster("rg", "prod").agent_pool("np1").update(FIVE).outcome == "updated"
    assert "broken listener" in caplog.text
