# SPDX-License-Identifier: MIT
"""A transport that may send a write twice: its refusals prove nothing, unless it says that it sends once."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
import requests
from azure.core.pipeline.transport import RequestsTransport
from urllib3 import Retry

from aks_etag import PreconditionFailedError, WriteOutcomeUnknownError, merge_patch
from aks_etag._core.messages import Request
from aks_etag.mock import MockAks
from aks_etag.transports._httpx import HttpxTransport
from aks_etag.transports._pipeline import sends_once, timeouts

FIVE = merge_patch({"properties": {"count": 5}})


class Resending(httpx.BaseTransport):
    """Sends again what got no answer, as retrying transports do."""

    def __init__(self, mock: MockAks) -> None:
        self.inner = mock.httpx_transport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        try:
            return self.inner.handle_request(request)
        except httpx.ReadError:
            return self.inner.handle_request(request)


class Counting(Resending):
    """Sends once, and says so."""

    sends_once = True

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return self.inner.handle_request(request)


def one_more(body: dict[str, Any]) -> None:
    body["properties"]["count"] += 1


@pytest.fixture
def quick() -> MockAks:
    aks = MockAks(operation_polls=0)
    aks.add_cluster("rg", "prod", pools={"np1": {"count": 3}})
    aks.inject(method="PUT", phase="after", effect="reset")
    return aks


@pytest.mark.parametrize("wrap", [lambda t: t, lambda t: httpx.Client(transport=t)], ids=["transport", "client"])
def test_an_increment_is_not_doubled_by_a_transport_that_sends_again(quick: MockAks, wrap: Any) -> None:
    with quick.client(transport=wrap(Resending(quick))) as aks, pytest.raises(WriteOutcomeUnknownError):
        aks.cluster("rg", "prod").agent_pool("np1").update(one_more)
    assert len(quick.commits) == 1


def test_a_settling_change_is_found_out_all_the_same(quick: MockAks) -> None:
    with quick.client(transport=Resending(quick)) as aks:
        result = aks.cluster("rg", "prod").agent_pool("np1").update(FIVE)
    assert (result.outcome, result.recovered, len(quick.commits)) == ("updated", "equivalent", 1)


def test_a_put_is_not_denied_when_its_own_copy_was_refused(quick: MockAks) -> None:
    with quick.client(transport=Resending(quick)) as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        body = {"properties": {"count": 9, "vmSize": "Standard_DS2_v2", "osType": "Linux"}}
        result = pool.put(body, if_match=pool.get())
    assert (result.outcome, result.recovered) == ("updated", "equivalent")


def test_a_transport_that_says_it_sends_once_is_believed(mock: MockAks) -> None:
    with mock.client(transport=Counting(mock)) as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        with pytest.raises(PreconditionFailedError):
            pool.put({"properties": {"count": 9}}, if_match="stale")
        assert aks.stats.doubts == 0


def test_an_older_body_under_a_newer_tag_is_refused(mock: MockAks) -> None:
    with mock.client() as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        old = pool.get()
        mock.edit("rg", "prod", "np1", one_more)
        new = pool.get()
        with pytest.raises(ValueError, match="older body"):
            pool.put(old.body, if_match=new)
        with pytest.raises(ValueError, match="older body"):
            pool.update(lambda body: dict(old.body))
    assert {entry.method for entry in mock.journal} == {"GET"}
    assert mock.body("rg", "prod", "np1")["properties"]["count"] == 4


@pytest.mark.parametrize("name", ["agentpoolprofiles", "AgentPoolProfiles"])
@pytest.mark.parametrize("outer", ["properties", "Properties"])
def test_inline_pools_are_found_however_they_are_spelled(mock: MockAks, outer: str, name: str) -> None:
    with mock.client() as aks, pytest.raises(ValueError, match="agentPoolProfiles"):
        aks.cluster("rg", "prod").put({"location": "region1", outer: {name: []}}, force=True)
    assert mock.journal == []


def test_no_write_begins_after_the_deadline(mock: MockAks) -> None:
    class Slow(Counting):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            mock.clock.sleep(30)
            return super().handle_request(request)

    with mock.client(transport=Slow(mock)) as aks, pytest.raises(TimeoutError, match="chance to write"):
        aks.cluster("rg", "prod").agent_pool("np1").update(one_more, deadline=5)
    assert [entry.method for entry in mock.journal] == ["GET"]


@pytest.mark.parametrize("interval", [0, 0.0])
def test_a_loop_without_an_interval_still_ends_at_the_deadline(mock: MockAks, interval: float) -> None:
    mock.set_state("rg", "prod", "np1", "Updating")
    with mock.client(polling_interval=interval) as aks, pytest.raises(TimeoutError):
        aks.cluster("rg", "prod").agent_pool("np1").update(one_more, deadline=5)
    assert len(mock.journal) < 1000


class Retrying(httpx.Client):
    """Sends again in a method of its own."""


def session(adapter: Any) -> RequestsTransport:
    own = requests.Session()
    own.mount("https://", adapter)
    return RequestsTransport(session=own, session_owner=False)


class Foreign(requests.adapters.BaseAdapter):
    """An adapter that knows nothing of retries."""

    def send(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    def close(self) -> None: ...


class Special(requests.adapters.HTTPAdapter):
    """An adapter that may do as it likes."""


STOCK = requests.adapters.HTTPAdapter
PROVED: list[tuple[Any, bool]] = [
    (HttpxTransport(httpx.Client()), True),
    (HttpxTransport(Retrying()), False),
    (RequestsTransport(), True),
    (session(STOCK()), True),
    (session(STOCK(max_retries=3)), False),
    (session(STOCK(max_retries=Retry(total=None, read=3))), False),
    (session(Special()), False),
    (session(Foreign()), False),
]


@pytest.mark.parametrize(("transport", "proved"), PROVED, ids=range(len(PROVED)))
def test_only_stock_parts_are_proved_to_send_once(transport: Any, proved: bool) -> None:
    assert sends_once(transport) is proved


@pytest.mark.parametrize(
    ("asked", "own", "given"),
    [(1800.0, (5, 20), (5.0, 20.0)), (1800.0, None, (30.0, 300.0)), (2.0, (5, 20), (2.0, 2.0)),
     (float("inf"), None, (30.0, 300.0)), (None, (5, 20), None)],
)  # fmt: skip
def test_no_answer_is_waited_for_longer_than_the_transport_itself_would(asked: Any, own: Any, given: Any) -> None:
    transport = object() if own is None else RequestsTransport(connection_timeout=own[0], read_timeout=own[1])
    wanted = {} if given is None else {"connection_timeout": given[0], "read_timeout": given[1]}
    assert timeouts(Request(method="GET", url="/x", timeout=asked), transport) == wanted
