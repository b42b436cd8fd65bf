# SPDX-License-Identifier: MIT
"""No token, body or signed URL gets into logs, errors, events or what is printed of a value."""

from __future__ import annotations

import logging
import traceback
from typing import Any

import pytest
from azure.core.credentials import AccessToken
from azure.core.pipeline.transport import RequestsTransport
from azure.mgmt.containerservice import ContainerServiceClient

from aks_etag import AksClient, AsyncAksClient, Event, merge_patch
from aks_etag._core.messages import Request, Response
from aks_etag.mock import FakeCredential, MockAks
from aks_etag.transports._redact import Redacting

LABEL = merge_patch({"properties": {"nodeLabels": {"password": "hunter2"}}})
SIGNED = ("&s=", "?s=", "&t=", "&c=")


class Leaky:
    """Has a token that was read from a file with its line end."""

    def get_token(self, *scopes: str, **options: Any) -> AccessToken:
        return AccessToken("SECRET-TOKEN\n", 2**31)


def everything(caplog: pytest.LogCaptureFixture) -> str:
    return "\n".join(f"{record.getMessage()} {record.__dict__}" for record in caplog.records)


def assert_clean(text: str) -> None:
    assert "hunter2" not in text
    assert "Bearer " not in text.replace("'Authorization': 'REDACTED'", "")
    for piece in SIGNED:
        assert piece not in text.replace(f"{piece}REDACTED", ""), piece


@pytest.mark.parametrize("transport", ["httpx", "requests"])
@pytest.mark.parametrize("level", [logging.INFO, logging.DEBUG], ids=["info", "debug"])
def test_logs_over_a_socket_are_clean(
    mock: MockAks, caplog: pytest.LogCaptureFixture, level: int, transport: str
) -> None:
    caplog.set_level(level)
    chosen: Any = RequestsTransport() if transport == "requests" else transport
    with (
        mock.serve() as url,
        AksClient(FakeCredential(), mock.subscription_id, base_url=url, polling_interval=0, transport=chosen) as aks,
    ):
        aks.cluster("rg", "prod").agent_pool("np1").update(LABEL)
    text = everything(caplog)
    assert "aks_etag" in text
    assert_clean(text)


@pytest.mark.anyio
@pytest.mark.parametrize("transport", ["httpx", "aiohttp"])
async def test_logs_of_the_async_client_are_clean(
    mock: MockAks, caplog: pytest.LogCaptureFixture, transport: str
) -> None:
    caplog.set_level(logging.DEBUG)
    with mock.serve() as url:
        async with AsyncAksClient(
            FakeCredential(), mock.subscription_id, base_url=url, polling_interval=0, transport=transport
        ) as aks:
            await aks.cluster("rg", "prod").agent_pool("np1").update(LABEL)
    assert_clean(everything(caplog))


@pytest.mark.parametrize("verb", ["get", "update", "delete"])
def test_a_token_with_a_line_end_is_refused_without_being_shown(mock: MockAks, verb: str) -> None:
    with mock.serve() as url, AksClient(Leaky(), mock.subscription_id, base_url=url, polling_interval=0) as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        calls: dict[str, Any] = {
            "get": pool.get, "update": lambda: pool.update(LABEL), "delete": lambda: pool.delete(if_match="abc")
        }  # fmt: skip
        with pytest.raises(Exception, match="control character") as raised:
            calls[verb]()
    assert "SECRET" not in "".join(traceback.format_exception(raised.value))
    assert mock.journal == []


def test_events_and_values_print_neither_bodies_nor_signatures(mock: MockAks) -> None:
    events: list[Event] = []
    mock.inject(method="PUT", phase="after", effect="reset")
    with mock.client(on_event=events.append) as aks:
        result = aks.cluster("rg", "prod").agent_pool("np1").update(LABEL)
    assert_clean(repr(events) + repr(result))
    request = Request(method="PUT", url="/providers/x/operations/1?t=1&s=2", body={"a": "hunter2"})
    response = Response(status=200, headers={"azure-asyncoperation": "https://x?t=1&s=2"}, body={"a": "hunter2"})
    assert_clean(repr(request) + repr(response))


def test_a_value_that_is_not_json_is_not_shown(mock: MockAks) -> None:
    with mock.client() as aks, pytest.raises(TypeError) as raised:
        aks.cluster("rg", "prod").put({"properties": {"windowsProfile": {"adminPassword": b"hunter2"}}}, force=True)
    assert "hunter2" not in str(raised.value)
    assert mock.journal == []


def test_a_token_with_a_line_end_is_not_shown_by_a_wrapped_client(mock: MockAks) -> None:
    with mock.serve() as url, ContainerServiceClient(Leaky(), mock.subscription_id, url) as sdk:
        pool = AksClient.from_sdk(sdk, mock.subscription_id, polling_interval=0).cluster("rg", "prod").agent_pool("np1")
        for call in (pool.get, lambda: pool.delete(if_match="abc")):
            with pytest.raises(Exception, match="control character") as raised:
                call()
            assert "SECRET" not in "".join(traceback.format_exception(raised.value))
    assert mock.journal == []


def test_what_others_log_badly_does_not_break_them(caplog: pytest.LogCaptureFixture) -> None:
    record = logging.LogRecord("httpx", logging.INFO, "x", 1, "%d", ("text",), None)
    assert Redacting().filter(record) is True
