# SPDX-License-Identifier: MIT
"""Values are frozen, and say nothing that a log may not hold."""

from __future__ import annotations

import dataclasses
import pickle
from datetime import UTC, datetime
from typing import Any

import pytest

from aks_etag._core import events, messages
from aks_etag._core.evidence import Attempt
from aks_etag._core.operation import Link, Poll, Progress
from aks_etag._core.pacing import ConflictRetry
from aks_etag._core.precondition import Condition
from aks_etag._core.resource_id import ResourceId
from aks_etag._core.snapshot import Snapshot, WriteResult
from aks_etag._core.verdict import Row, ServiceError, Verdict

SNAPSHOT = Snapshot(
    id="/x",
    name="x",
    resource_group="rg1",
    body={"a": 1},
    version="t1",
    provisioning_state="Succeeded",
    settled=True,
    read_at=datetime(2026, 1, 1, tzinfo=UTC),
)
EVENTS: list[events.Event] = [
    events.Fighting(resource_id="/x", field=".f", manager="m", times=3),
    events.Flapping(resource_id="/x", path=".f", values=2, flips=3),
    events.Warned(resource_id="r", text="old"),
    events.Event(resource_id="/x"),
    events.Conflict(resource_id="/x", attempt=1, sent="t1"),
    events.Waiting(resource_id="/x", what="it", seconds=1.0),
    events.Busy(resource_id="/x", code="C"),
    events.Retrying(resource_id="/x", attempt=2, reason="r"),
    events.OperationProgress(resource_id="/x", operation="o", status="s", elapsed=0.0),
    events.Throttled(resource_id="/x", retry_after=1.0),
    events.Doubt(resource_id="/x", request_id="r1", reason="r"),
    events.Recovered(resource_id="/x", how="h", request_ids=("r1",)),
    events.OutcomeUnknown(resource_id="/x", request_ids=("r1",), pending=True),
    events.NotFenced(resource_id="/x", etag="t1"),
]
VALUES: list[Any] = [
    *EVENTS,
    SNAPSHOT,
    WriteResult(outcome="updated", snapshot=SNAPSHOT),
    messages.Request(method="GET", url="/"),
    messages.Response(status=200),
    Attempt(request_id="r1", tag="t", before={}, after={}, paths=()),
    Condition(tag="t"),
    ConflictRetry(),
    Link("/a", is_location=False),
    Poll(Progress.RUNNING),
    ResourceId("s1", "rg1", "aks1"),
    Row((200, 200), Verdict.ACCEPTED),
    ServiceError(),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_values_are_frozen_and_have_no_room_for_more(value: Any) -> None:
    name = dataclasses.fields(value)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, name, None)
    assert not hasattr(value, "__dict__")


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_values_survive_pickling(value: Any) -> None:
    assert pickle.loads(pickle.dumps(value)) == value


def test_every_event_is_listed_here_and_is_keyword_only() -> None:
    kinds = {value for value in vars(events).values() if isinstance(value, type) and issubclass(value, events.Event)}
    assert kinds == {type(event) for event in EVENTS}
    assert {field.kw_only for kind in kinds for field in dataclasses.fields(kind)} == {True}


def test_no_event_has_room_for_a_body_or_a_url() -> None:
    names = {field.name for event in EVENTS for field in dataclasses.fields(event)}
    assert not names & {"body", "url", "headers", "request", "response"}


def test_the_raw_answer_is_neither_compared_nor_shown() -> None:
    with_raw = messages.Response(status=200, raw="TOKEN")
    assert with_raw == messages.Response(status=200)
    assert "TOKEN" not in repr(with_raw)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("/subscriptions/s1?api-version=2026-08-01", "/subscriptions/s1"),
        ("https://management.azure.com/operations/op1?t=1&s=SIGNED", "https://management.azure.com/operations/op1"),
        ("/plain", "/plain"),
    ],
)
def test_a_request_shows_its_method_and_path_and_nothing_else(url: str, shown: str) -> None:
    request = messages.Request(
        method="PUT", url=url, headers={"Authorization": "TOKEN"}, body={"adminPassword": "s3cret"}, request_id="r1"
    )
    assert (repr(request), str(request)) == (f"<Request PUT {shown}>", f"<Request PUT {shown}>")


def test_an_answer_shows_neither_headers_nor_body() -> None:
    headers = {"azure-asyncoperation": "https://x/op1?t=SIGNED"}
    answer = messages.Response(status=201, headers=headers, body={"kubeconfig": "s3cret"}, request_id="r1")
    assert (answer.headers, answer.body) == (headers, {"kubeconfig": "s3cret"})
    assert repr(answer) == "Response(status=201, received_at=0.0, sent_once=True, request_id='r1')"
