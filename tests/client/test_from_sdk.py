# SPDX-License-Identifier: MIT
"""A client of the SDK that a program already has, wrapped: its settings stay, its retries are off for our calls."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from azure.core.exceptions import HttpResponseError
from azure.core.pipeline.policies import SansIOHTTPPolicy
from azure.core.pipeline.transport import HttpTransport
from azure.mgmt.containerservice import ContainerServiceClient
from azure.mgmt.containerservice.aio import ContainerServiceClient as AsyncContainerServiceClient

from aks_etag import (
    AksClient,
    AsyncAksClient,
    Doubt,
    Event,
    InvalidResourceIdError,
    WriteOutcomeUnknownError,
    merge_patch,
)
from aks_etag.mock import FakeCredential, MockAks
from aks_etag.transports._httpx import HttpxTransport

FIVE = merge_patch({"properties": {"count": 5}})


def one_more(body: dict[str, Any]) -> None:
    body["properties"]["count"] += 1


def test_a_wrapped_client_does_the_whole_job_and_is_left_open(mock: MockAks) -> None:
    sdk = mock.sdk_client()
    mock.before_write(lambda: mock.edit("rg", "prod", "np1", one_more), times=1)
    with AksClient.from_sdk(sdk, mock.subscription_id, clock=mock.clock) as aks:
        result = aks.cluster("rg", "prod").agent_pool("np1").update(one_more)
        assert aks.sdk is sdk
    assert (result.outcome, result.conflicts) == ("updated", 1)
    assert sdk.managed_clusters.get("rg", "prod").name == "prod"
    sdk.close()


@pytest.mark.anyio
async def test_a_wrapped_async_client_does_the_whole_job_and_is_left_open(mock: MockAks) -> None:
    sdk = mock.async_sdk_client()
    mock.before_write(lambda: mock.edit("rg", "prod", "np1", one_more), times=1)
    async with AsyncAksClient.from_sdk(sdk, mock.subscription_id, clock=mock.clock) as aks:
        result = await aks.cluster("rg", "prod").agent_pool("np1").update(one_more)
    assert (result.outcome, result.conflicts) == ("updated", 1)
    assert (await sdk.managed_clusters.get("rg", "prod")).name == "prod"
    await sdk.close()


def test_the_kinds_are_told_apart(mock: MockAks) -> None:
    with pytest.raises(TypeError, match=r"AsyncAksClient\.from_sdk"):
        AksClient.from_sdk(mock.async_sdk_client(), mock.subscription_id)  # type: ignore[arg-type]  # the point
    with pytest.raises(TypeError, match=r"for AksClient\.from_sdk"):
        AsyncAksClient.from_sdk(mock.sdk_client(), mock.subscription_id)  # type: ignore[arg-type]  # the point
    for other in (None, object(), FakeCredential(), httpx.Client()):
        with pytest.raises(TypeError, match="ContainerServiceClient"):
            AksClient.from_sdk(other, mock.subscription_id)  # type: ignore[arg-type]  # the point
    with pytest.raises(InvalidResourceIdError):
        AksClient.from_sdk(mock.sdk_client(), "a/b")


@pytest.mark.parametrize("effect", [503, 408, 429], ids=str)
def test_its_retries_are_off_for_our_calls_and_on_for_its_own(mock: MockAks, effect: int) -> None:
    sdk = mock.sdk_client()
    aks = AksClient.from_sdk(sdk, mock.subscription_id, clock=mock.clock)
    mock.inject(method="PUT", effect=effect, times=99)
    with pytest.raises(Exception, match=str(effect)):
        aks.cluster("rg", "prod").agent_pool("np1").put({"properties": {"count": 4}}, if_match="*")
    assert [entry.method for entry in mock.journal].count("PUT") == 1
    with pytest.raises(HttpResponseError):
        sdk.agent_pools.begin_create_or_update("rg", "prod", "np1", {"properties": {"count": 4}})
    assert [entry.method for entry in mock.journal].count("PUT") > 2


def test_its_api_version_and_base_url_are_kept(mock: MockAks) -> None:
    with mock.serve() as url:
        sdk = ContainerServiceClient(FakeCredential(), mock.subscription_id, url, api_version="2025-10-01")
        aks = AksClient.from_sdk(sdk, mock.subscription_id, polling_interval=0)
        assert aks.cluster("rg", "prod").agent_pool("np1").update(FIVE).outcome == "updated"
        sdk.close()
    assert mock.body("rg", "prod", "np1")["properties"]["count"] == 5


class Renaming(SansIOHTTPPolicy[Any, Any]):
    """Gives each request an id of its own, as a policy of a program may."""

    def __init__(self) -> None:
        self.count = 0

    def on_request(self, request: Any) -> None:
        if request.http_request.method == "PUT":
            self.count += 1
            request.http_request.headers["x-ms-client-request-id"] = f"renamed-{self.count}"


def test_the_request_id_is_that_of_the_request_that_was_really_sent(mock: MockAks) -> None:
    sdk = mock.sdk_client(per_call_policies=[Renaming()], custom_hook_policy=Renaming())
    result = (
        AksClient.from_sdk(sdk, mock.subscription_id, clock=mock.clock)
        .cluster("rg", "prod")
        .agent_pool("np1")
        .update(FIVE)
    )
    assert result.request_id == mock.commits[0].request_id
    assert result.request_id is not None
    assert result.request_id.startswith("renamed-")


def test_a_clean_412_of_an_unproved_transport_is_a_doubt(mock: MockAks) -> None:
    events: list[Event] = []
    transport = foreign(mock)
    mock.before_write(lambda: mock.edit("rg", "prod", "np1", one_more), times=1)
    with mock.client(transport=transport, on_event=events.append) as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        with pytest.raises(WriteOutcomeUnknownError):
            pool.update(one_more)
        assert aks.stats.conflicts == 0
    assert any(isinstance(event, Doubt) and "412" in event.reason for event in events)


def foreign(mock: MockAks) -> Any:
    inner = HttpxTransport(httpx.Client(transport=mock.httpx_transport()))

    class Foreign(HttpTransport):  # type: ignore[type-arg]  # any request, any answer
        def open(self) -> None: ...
        def close(self) -> None:
            inner.close()

        def __exit__(self, *_: object) -> None: ...

        def send(self, request: Any, **options: Any) -> Any:
            return inner.send(request, **options)

    return Foreign()


def test_a_wrapped_client_without_the_usual_policies_still_works(mock: MockAks) -> None:
    transport = HttpxTransport(httpx.Client(transport=mock.httpx_transport()))
    sdk = ContainerServiceClient(FakeCredential(), mock.subscription_id, transport=transport, policies=[Renaming()])
    aks = AksClient.from_sdk(sdk, mock.subscription_id, clock=mock.clock)
    assert aks.cluster("rg", "prod").agent_pool("np1").update(FIVE).outcome == "updated"


@pytest.mark.anyio
async def test_the_default_async_sdk_client_is_kept_from_sending_twice(mock: MockAks) -> None:
    """The SDK's own default, aiohttp, over a socket: a clean conflict is a conflict, not a doubt."""
    mock.before_write(lambda: mock.edit("rg", "prod", "np1", one_more), times=1)
    with mock.serve() as url:
        async with AsyncContainerServiceClient(FakeCredential(), mock.subscription_id, url) as sdk:
            aks = AsyncAksClient.from_sdk(sdk, mock.subscription_id, polling_interval=0)
            result = await aks.cluster("rg", "prod").agent_pool("np1").update(one_more)
    assert (result.outcome, result.conflicts, aks.stats.doubts) == ("updated", 1, 0)
