# SPDX-License-Identifier: MIT
"""get, wait and page: tried again until the deadline, and never taken for "nothing there"."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from aks_etag._core.messages import Request, Response
from aks_etag._core.operation import trusted
from aks_etag._core.resource_id import parse
from aks_etag._flows.effects import Flow
from aks_etag._flows.options import Options
from aks_etag._flows.read import Page, get, page, wait
from aks_etag._resources import ManagedCluster

from .harness import (
    ARM,
    CLUSTER,
    CLUSTER_ID,
    ENDPOINT,
    EPOCH,
    GONE,
    LOST,
    NO_TOKEN,
    POOL,
    UNSENT,
    Trace,
    cluster,
    pool,
    profile,
    recorded,
    refused,
    trace,
)


def test_a_get_is_a_snapshot() -> None:
    seen = trace(get(POOL, Options()), pool("t1")).result
    assert (seen.id, seen.name, seen.resource_group, seen.etag) == (POOL.id, "np1", "rg1", "t1")
    assert (seen.provisioning_state, seen.settled) == ("Succeeded", True)
    assert seen.read_at == datetime.fromtimestamp(EPOCH, UTC)


def test_a_get_does_not_wait_for_the_resource_to_settle() -> None:
    run = trace(get(CLUSTER, Options()), cluster(agentPoolProfiles=[profile(state="Updating")]))
    assert (run.result.provisioning_state, run.result.settled) == ("Succeeded", False)


@pytest.mark.parametrize(
    ("failed", "slept"),
    [
        pytest.param(LOST, "SLEEP 1", id="lost"),
        pytest.param(UNSENT, "SLEEP 1", id="not-sent"),
        pytest.param(refused(500), "SLEEP 1", id="500"),
        pytest.param(refused(503, retry_after="4"), "SLEEP 4", id="503-with-a-hint"),
        pytest.param(refused(408), "SLEEP 1", id="408"),
        pytest.param(refused(200), "SLEEP 1", id="empty-body"),
        pytest.param(Response(status=200, body=[1]), "SLEEP 1", id="not-an-object"),
        pytest.param(refused(204), "SLEEP 1", id="204"),
    ],
)
def test_a_read_without_a_usable_answer_is_tried_again(failed: Any, slept: str) -> None:
    run = trace(get(POOL, Options()), failed, pool("t1"))
    assert run.steps == ["GET pool", slept, "GET pool"]


@pytest.mark.parametrize(
    ("answer", "ended"),
    [
        pytest.param(recorded("error_404_pool_aks_rp"), "NotFoundError", id="404"),
        pytest.param(recorded("error_404_cluster_arm_gateway"), "NotFoundError", id="404-gateway"),
        pytest.param(recorded("error_404_resource_group"), "NotFoundError", id="404-group"),
        pytest.param(refused(401), "AccessDeniedError", id="401"),
        pytest.param(refused(403), "AccessDeniedError", id="403"),
        pytest.param(refused(400, "BadRequest"), "RequestRefusedError", id="400"),
        pytest.param(refused(302), "RequestRefusedError", id="redirect"),
        pytest.param(NO_TOKEN, "PermissionError", id="no-token"),
    ],
)
def test_a_read_that_is_refused_is_raised_at_once(answer: Any, ended: str) -> None:
    run = trace(get(POOL, Options()), answer)
    assert (run.steps, run.ended) == (["GET pool"], ended)


def test_a_get_keeps_to_its_own_deadline() -> None:
    run = trace(get(POOL, Options(), deadline=2.0), LOST, LOST, LOST)
    assert (run.ended, run.slept) == ("DeadlineExceededError", 2.0)


def test_a_wait_returns_the_first_settled_read() -> None:
    run = trace(wait(POOL, Options()), pool("t1", "Creating"), pool("t2", "Upgrading"), pool("t3", "Failed"))
    assert run.steps == ["GET pool", "SLEEP 1", "GET pool", "SLEEP 1.5", "GET pool"]
    assert run.result.etag == "t3"


def test_a_wait_for_what_disappears_says_so() -> None:
    assert trace(wait(POOL, Options()), pool("t1", "Deleting"), GONE).ended == "NotFoundError"


def test_a_wait_at_its_deadline_names_the_state() -> None:
    run = trace(wait(POOL, Options(), deadline=1.0), pool("t1", "Creating"), pool("t1", "Creating"))
    assert (run.ended, run.error.waiting_for) == ("DeadlineExceededError", "np1 to settle (it is Creating)")


def listed(value: Any, **more: Any) -> Trace:
    return paged(Response(status=200, body={"value": value, **more}, received_at=EPOCH))


def paged(*script: Any) -> Trace:
    return trace(listing(Request(method="GET", url="/subscriptions/s1/managedClusters")), *script)


def listing(request: Request) -> Flow[Page]:
    return page(
        request,
        "the clusters of s1",
        Options(),
        resource_of=lambda item: ManagedCluster(address=parse(item["id"]), arm=ARM),
        trusted=lambda url: trusted(url, ENDPOINT),
        seen=set(),
    )


ITEM = {"id": CLUSTER_ID, "eTag": "t1", "properties": {"provisioningState": "Succeeded"}}
NEXT = f"{ENDPOINT}/subscriptions/s1/managedClusters?$skiptoken=x"


def test_a_page_is_snapshots_and_the_request_for_the_next() -> None:
    found = listed([ITEM, {**ITEM, "id": CLUSTER_ID.replace("aks1", "aks2"), "eTag": "t2"}], nextLink=NEXT).result
    assert [(item.name, item.etag, item.read_at.timestamp()) for item in found.items] == [
        ("aks1", "t1", EPOCH), ("aks2", "t2", EPOCH),
    ]  # fmt: skip
    assert found.following == Request(method="GET", url=NEXT)


@pytest.mark.parametrize("link", [None, "", 7])
def test_the_last_page_has_no_next_one(link: Any) -> None:
    found = listed([], nextLink=link).result
    assert (found.items, found.following) == ((), None)


@pytest.mark.parametrize("link", ["https://evil.example/x", "http://management.azure.com/x", "//evil.example/x"])
def test_a_next_page_on_another_host_is_refused(link: str) -> None:
    run = listed([ITEM], nextLink=link)
    assert (run.ended, "evil" in str(run.error)) == ("RequestRefusedError", False)


def test_a_next_page_that_is_the_same_page_is_refused() -> None:
    for own in (NEXT, "https://evil.example/x"):
        flow = listing(Request(method="GET", url=own))
        run = trace(flow, Response(status=200, body={"value": [ITEM], "nextLink": own}))
        assert (run.ended, "read already" in str(run.error)) == ("RequestRefusedError", True)
    assert listed([ITEM], nextLink=NEXT).result.following.url == NEXT


@pytest.mark.parametrize("value", [None, {}, "text"])
def test_what_is_not_a_list_is_refused(value: Any) -> None:
    assert listed(value).ended == "RequestRefusedError"


def test_a_page_is_tried_again_like_any_read() -> None:
    run = paged(LOST, Response(status=200, body={"value": []}))
    assert run.steps == ["GET managedClusters", "SLEEP 1", "GET managedClusters"]


def test_a_list_that_goes_in_a_circle_is_refused() -> None:
    seen = {NEXT}
    answer = Response(status=200, body={"value": [], "nextLink": NEXT}, received_at=EPOCH)
    flow = page(
        Request(method="GET", url="/x"),
        "x",
        Options(),
        resource_of=lambda item: CLUSTER,
        trusted=lambda url: True,
        seen=seen,
    )
    assert trace(flow, answer).ended == "RequestRefusedError"
    assert seen == {NEXT, "/x"}
