# SPDX-License-Identifier: MIT
"""Flows made of others: create or update, delete if, tags, a consistent view."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag import ConflictRetry, merge_patch
from aks_etag._core.messages import Request, Response
from aks_etag._core.precondition import CREATE
from aks_etag._core.snapshot import Snapshot
from aks_etag._flows.budget import Budget
from aks_etag._flows.compose import all_of, create_or_update, delete_if, read_consistent
from aks_etag._flows.effects import Flow, send
from aks_etag._flows.options import Options
from aks_etag._flows.read import Page
from aks_etag._flows.update import update
from aks_etag._resources.tags import ClusterTags

from .harness import (
    ARM,
    BUSY,
    CLUSTER,
    FIVE,
    GONE,
    LOST,
    POOL,
    STALE,
    Trace,
    accepted,
    cluster,
    polled,
    pool,
    profile,
    refused,
    trace,
)

TAGS = ClusterTags(address=CLUSTER.address, arm=ARM)
ONCE = ConflictRetry(attempts=1)
WRITTEN = (accepted(201), polled(), pool("t9", count=5))


def composed(flow: Any, *script: Any, on: Any = POOL, deadline: float | None = None, **options: Any) -> Trace:
    chosen = Options(**options)

    def timed() -> Flow[Any]:
        budget = yield from Budget.start(on.id, chosen, deadline)
        return (yield from flow(chosen, budget))

    return trace(timed(), *script)


def created_or_updated(*script: Any, **options: Any) -> Trace:
    request = POOL.replace({"properties": {"count": 5}}, CREATE)
    return composed(lambda chosen, budget: create_or_update(POOL, request, FIVE, chosen, budget), *script, **options)


@pytest.mark.parametrize(
    ("script", "ended"),
    [
        pytest.param([pool("t1"), *WRITTEN], "updated", id="there"),
        pytest.param([GONE, *WRITTEN], "created", id="absent"),
        pytest.param([GONE, STALE, pool("t2"), pool("t2"), *WRITTEN], "updated", id="somebody-created-it"),
        pytest.param([pool("t1"), STALE, GONE, *WRITTEN], "created", id="somebody-deleted-it"),
        pytest.param([GONE, BUSY, cluster(), *WRITTEN], "created", id="create-waits-while-busy"),
        pytest.param([pool("t1"), LOST, GONE], "ResourceGoneError", id="gone-in-doubt-is-not-created"),
        pytest.param([pool("t1"), accepted(), polled(), GONE], "ResourceGoneError", id="written-and-gone"),
        pytest.param([refused(403)], "AccessDeniedError", id="denied"),
    ],
)
def test_what_is_there_is_updated_and_what_is_not_is_created(script: Any, ended: str) -> None:
    assert created_or_updated(*script).ended == ended


def test_a_create_that_is_always_overtaken_is_given_up() -> None:
    assert created_or_updated(GONE, STALE, GONE, conflict_retry=ONCE).ended == "AlreadyExistsError"


def test_another_one_of_the_same_name_is_neither_updated_nor_created() -> None:
    request = CLUSTER.replace({"location": "x"}, CREATE)
    change = merge_patch({"tags": {"a": "1"}})
    script = [cluster("t1", uid="u1"), STALE, cluster("t2", uid="u2")]
    run = composed(
        lambda chosen, budget: create_or_update(CLUSTER, request, change, chosen, budget), *script, on=CLUSTER
    )
    assert run.ended == "ResourceReplacedError"


def small(seen: Snapshot) -> bool:
    return bool(seen.body["properties"]["count"] < 5)


def deleted_if(*script: Any, **options: Any) -> Trace:
    return composed(lambda chosen, budget: delete_if(POOL, small, chosen, budget), *script, **options)


@pytest.mark.parametrize(
    ("script", "ended", "attempts"),
    [
        pytest.param([pool("t1"), accepted(202), polled()], "deleted", 1, id="as-it-should-be"),
        pytest.param([pool("t1", count=9)], "unchanged", 0, id="as-it-should-not-be"),
        pytest.param([GONE], "absent", 0, id="absent"),
        pytest.param(
            [pool("t1"), STALE, pool("t2"), pool("t2"), accepted(202), polled()], "deleted", 2, id="asked-again"
        ),
        pytest.param([pool("t1"), STALE, pool("t2"), pool("t2", count=9)], "unchanged", 1, id="asked-again-and-kept"),
        pytest.param([pool("t1"), BUSY, cluster(), accepted(202), polled()], "deleted", 2, id="waits-while-busy"),
    ],
)
def test_only_a_version_that_was_asked_about_is_deleted(script: Any, ended: str, attempts: int) -> None:
    run = deleted_if(*script)
    assert (run.ended, run.result.attempts) == (ended, attempts)
    deletes = [request.headers["If-Match"] for request in run.requests if request.method == "DELETE"]
    assert deletes == sorted(deletes)


def test_a_delete_that_is_always_overtaken_is_given_up() -> None:
    run = deleted_if(pool("t1"), STALE, pool("t2"), conflict_retry=ONCE)
    assert (run.ended, run.error.attempts, run.error.sent) == ("ConflictRetriesExhaustedError", 1, "t1")
    assert (run.error.last_seen.etag, run.error.applied) == ("t2", False)


def test_nobody_is_asked_after_doubt() -> None:
    run = deleted_if(pool("t1"), LOST, pool("t2"))
    assert (run.ended, len(run.wire)) == ("WriteOutcomeUnknownError", 3)


def test_nobody_is_asked_after_doubt_though_it_is_known_to_be_the_same() -> None:
    asked: list[str] = []

    def always(seen: Snapshot) -> bool:
        asked.append(seen.etag)
        return True

    script = [cluster("t1", uid="u1"), LOST, cluster("t2", uid="u1")]
    run = composed(lambda chosen, budget: delete_if(CLUSTER, always, chosen, budget), *script, on=CLUSTER)
    assert (run.ended, run.error.pending, asked) == ("WriteOutcomeUnknownError", False, ["t1"])


def tagged(tag: str, **tags: str) -> Response:
    answer = cluster(tag)
    answer.body["tags"] = tags
    return answer


def retagged(change: Any, *script: Any) -> Trace:
    return composed(lambda chosen, budget: update(TAGS, change, chosen, budget), *script, on=CLUSTER)


def test_tags_are_patched_and_nothing_else_is_sent() -> None:
    done = [accepted(), polled(), tagged("t2", a="1", b="2")]
    run = retagged(merge_patch({"tags": {"b": "2"}}), tagged("t1", a="1"), *done)
    assert run.wire == ["GET cluster", "PATCH cluster If-Match=t1 r1", "GET op1", "GET cluster"]
    assert (run.ended, run.requests[1].body) == ("updated", {"tags": {"a": "1", "b": "2"}})


def test_tags_as_they_should_be_are_left_alone() -> None:
    assert retagged(merge_patch({"tags": {"a": "1"}}), tagged("t1", a="1")).ended == "unchanged"


def test_a_tag_that_is_to_go_is_removed_by_a_put_since_a_patch_may_merge() -> None:
    done = [accepted(), polled(), tagged("t2", b="2")]
    run = retagged(merge_patch({"tags": {"a": None}}), tagged("t1", a="1", b="2"), *done)
    assert run.wire == ["GET cluster", "PUT cluster If-Match=t1 r1", "GET op1", "GET cluster"]
    sent = run.requests[1].body
    assert (run.ended, run.result.attempts, sent["tags"]) == ("updated", 1, {"b": "2"})
    # As any update of a cluster: without its pools, and with nothing that the service owns.
    assert sent.keys() == {"tags", "properties"}
    assert "agentPoolProfiles" not in sent["properties"]


def test_each_round_decides_anew_whether_a_tag_is_to_go() -> None:
    change = merge_patch({"tags": {"a": None, "c": "3"}})
    overtaken = [tagged("t1", a="1"), STALE, tagged("t2", b="2")]
    run = retagged(change, *overtaken, accepted(), polled(), tagged("t3", b="2", c="3"))
    assert [step for step in run.wire if "If-Match" in step] == [
        "PUT cluster If-Match=t1 r1",
        "PATCH cluster If-Match=t2 r2",
    ]
    assert (run.ended, run.requests[3].body) == ("updated", {"tags": {"b": "2", "c": "3"}})


def test_a_patch_in_doubt_that_left_removed_tags_is_not_taken_for_done() -> None:
    script = [tagged("t1", a="1"), LOST, tagged("t2", a="1", b="2")]
    run = retagged(merge_patch({"tags": {"a": None, "b": "2"}}), *script)
    assert (run.ended, run.error.request_ids) == ("WriteOutcomeUnknownError", ("r1",))


def test_an_edit_beside_the_tags_is_not_sent() -> None:
    assert retagged(merge_patch({"location": "y"}), tagged("t1", a="1")).ended == "unchanged"
    assert TAGS.read_only_edits({"id": "x"}, {"id": "y"}) == ()


def looked(*tags: tuple[str, ...], state: str = "Succeeded") -> Trace:
    script = [answer for first, *others in tags for answer in (cluster(first), *[pool(tag, state) for tag in others])]
    several = max(len(one) for one in tags) - 1

    def pools(budget: Budget) -> Flow[list[Snapshot]]:
        found = []
        for _ in range(several):
            found.append(POOL.snapshot((yield from send(POOL.read()))))
        return found

    return composed(lambda chosen, budget: read_consistent(CLUSTER, pools, chosen, budget), *script, on=CLUSTER, deadline=2.0)  # fmt: skip  # noqa: E501


@pytest.mark.parametrize(
    ("tags", "looks"),
    [
        pytest.param([("c1", "p1"), ("c1", "p1")], 2, id="holds-still"),
        pytest.param([("c1", "p1"), ("c1", "p2"), ("c1", "p2")], 3, id="a-pool-moves"),
        pytest.param([("c1", "p1"), ("c2", "p1"), ("c2", "p1")], 3, id="the-cluster-moves"),
    ],
)
def test_a_consistent_view_was_seen_twice(tags: Any, looks: int) -> None:
    run = looked(*tags)
    assert (run.result.cluster.etag, [seen.etag for seen in run.result.pools]) == (tags[-1][0], [tags[-1][1]])
    assert len(run.wire) == 2 * looks


def test_a_view_that_never_holds_still_ends_at_the_deadline() -> None:
    run = looked(*[("c1", "p1")] * 4, state="Updating")
    assert (run.ended, run.error.waiting_for) == ("DeadlineExceededError", "aks1 and its pools to hold still")


def test_a_list_is_read_to_its_end() -> None:
    pages = {"/1": Page((POOL.snapshot(pool("t1")),), Request(method="GET", url="/2")), "/2": Page((), None)}

    def page(request: Request, seen: set[str], budget: Budget) -> Flow[Page]:
        yield from send(request)
        return pages[request.url]

    budget = Budget(resource_id="list", started=0.0, deadline=9.0, ceiling=1.0)
    run = trace(
        all_of(page, Request(method="GET", url="/1"), budget), cluster(agentPoolProfiles=[profile()]), cluster()
    )
    assert [seen.etag for seen in run.result] == ["t1"]
