# SPDX-License-Identifier: MIT
"""The loop without trouble, and what stops it before anything is sent."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag import merge_patch
from aks_etag._core.events import NotFenced
from aks_etag._flows.rounds import check_age
from aks_etag.errors import InvalidPreconditionError, InvalidResourceIdError

from .harness import CLUSTER, FIVE, GONE, INLINE, POOL, accepted, cluster, more, polled, pool, profile, refused, traced

READ, WRITE = "GET pool", ["UNDECIDED r1", "PUT pool If-Match=t1 r1"]
FOLLOWED = ["SLEEP 1", "GET op1", "OperationProgress", "UNDECIDED -"]


def replaced(body: dict[str, Any]) -> dict[str, Any]:
    return {**body, "properties": {**body["properties"], "count": 5}}


@pytest.mark.parametrize(
    "change", [pytest.param(FIVE, id="edits-in-place"), pytest.param(replaced, id="returns-a-new-body")]
)
def test_an_update_costs_two_reads_one_write_and_its_polls(change: Any) -> None:
    run = traced(change, pool("t1"), accepted(), polled(), pool("t2", count=5))
    assert run.steps == [READ, *WRITE, *FOLLOWED, READ]
    assert run.requests[1].body == {"properties": {"count": 5, "nodeLabels": {"read": "t1"}}}
    result = run.result
    assert (result.outcome, result.snapshot.etag, result.status, result.attempts) == ("updated", "t2", 200, 1)
    assert (result.conflicts, result.waited, result.condition, result.fenced) == (0, 1.0, "If-Match: t1", True)
    assert (result.recovered, result.request_id) == (None, "r1")


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(merge_patch({"properties": {"count": 3}}), id="same-value"),
        pytest.param(merge_patch({"properties": {"count": 3.0}}), id="same-number-spelled-otherwise"),
        pytest.param(merge_patch({}), id="empty-patch"),
        pytest.param(lambda body: None, id="untouched"),
        pytest.param(lambda body: body, id="the-copy-returned"),
    ],
)
def test_nothing_to_do_sends_nothing(change: Any) -> None:
    run = traced(change, pool("t1"))
    assert run.steps == [READ]
    result = run.result
    assert (result.outcome, result.attempts, result.condition, result.fenced) == ("unchanged", 0, None, None)
    assert result.snapshot.etag == "t1"


def test_the_body_that_is_changed_is_the_first_settled_read() -> None:
    run = traced(more, pool("t1", "Updating", count=3), pool("t2", count=7), accepted(), polled(), pool("t3"))
    assert run.steps == [READ, "SLEEP 1", READ, "UNDECIDED r1", "PUT pool If-Match=t2 r1", *FOLLOWED, READ]
    assert run.requests[2].body["properties"]["count"] == 8
    assert run.waits == ["np1 to settle (it is Updating)", "operation op1"]


def test_a_cluster_is_settled_when_its_pools_are() -> None:
    busy = cluster(agentPoolProfiles=[profile("np1"), profile("np2", "Scaling")])
    run = traced(
        merge_patch({"tags": {"a": "1"}}), busy, cluster("t2"), accepted(), polled(), cluster("t3"), on=CLUSTER
    )
    assert run.wire == ["GET cluster", "GET cluster", "PUT cluster If-Match=t2 r1", "GET op1", "GET cluster"]


def test_a_write_that_moves_no_tag_is_reported_as_not_fenced() -> None:
    run = traced(FIVE, pool("t1"), accepted(), polled(), pool("t1", count=5))
    assert (run.ended, run.result.fenced) == ("updated", False)
    assert run.told(NotFenced) == [NotFenced(resource_id=POOL.id, etag="t1")]


@pytest.mark.parametrize(("tag", "count"), [("t1", 3), ("t9", 3)], ids=["pinned-to-what-is-there", "quoted"])
def test_a_pinned_update_goes_ahead_at_its_version(tag: str, count: int) -> None:
    run = traced(FIVE, pool(tag), accepted(), polled(), pool("t10"), pin=tag)
    assert run.ended == "updated"


def test_a_pinned_update_stops_at_another_version_without_a_write() -> None:
    run = traced(FIVE, pool("t2"), pin="t1")
    assert (run.ended, run.wire) == ("PreconditionFailedError", [READ])
    assert (run.error.sent, run.error.current.etag, run.error.applied) == ("t1", "t2", False)
    assert run.error.status_code == 412


def test_what_is_absent_at_first_is_not_found() -> None:
    run = traced(FIVE, GONE)
    assert (run.ended, run.wire, run.error.status_code) == ("NotFoundError", [READ], 404)


def test_no_tag_no_write() -> None:
    run = traced(FIVE, pool(None))
    assert (run.ended, run.wire) == ("MissingETagError", [READ])
    assert "2026-08-01" in str(run.error)


@pytest.mark.parametrize(
    ("change", "names"),
    [
        pytest.param({"properties": {"provisioningState": "Failed"}}, "properties.provisioningState", id="state"),
        pytest.param(
            {"properties": {"provisioningState": "Odd"}, "name": "b"}, "name, properties.provisioningState", id="two"
        ),
    ],
)
def test_an_edit_of_read_only_fields_alone_is_refused(change: Any, names: str) -> None:
    run = traced(merge_patch(change), pool("t1"))
    assert (run.ended, run.wire) == ("ReadOnlyEditError", [READ])
    assert f"({names})" in str(run.error)


AGE = [
    pytest.param(POOL, pool("t2"), {"properties": {"eTag": "t1", "count": 5}}, id="pool"),
    pytest.param(POOL, pool("t2"), {"properties": {"eTag": '"t1"'}}, id="pool-nothing-else"),
    pytest.param(POOL, pool("t2", eTag=None, etag="t2"), {"properties": {"etag": "t1", "count": 5}}, id="preview"),
    pytest.param(CLUSTER, cluster("t2"), {"eTag": "t1", "tags": {"a": "1"}}, id="cluster"),
    pytest.param(INLINE, cluster("t2"), {"eTag": 'W/"t1"', "tags": {"a": "1"}}, id="inline"),
]


@pytest.mark.parametrize(("on", "seen", "patch"), AGE)
def test_a_body_of_another_version_than_the_read_is_refused(on: Any, seen: Any, patch: Any) -> None:
    run = traced(merge_patch(patch), seen, on=on)
    assert (run.ended, len(run.wire), run.error.applied) == ("InvalidPreconditionError", 1, False)
    assert ('"t1"' in str(run.error), '"t2"' in str(run.error)) == (True, True)


@pytest.mark.parametrize("left_out", [True, False], ids=["says-no-version", "says-the-version-of-the-read"])
def test_a_body_that_claims_no_other_version_goes_out(left_out: bool) -> None:
    def fresh(body: dict[str, Any]) -> None:
        body["properties"]["count"] = 5
        body["properties"].pop("eTag") if left_out else body["properties"].update(eTag='W/"t1"')

    assert traced(fresh, pool("t1"), accepted(), polled(), pool("t2")).ended == "updated"


@pytest.mark.parametrize(("carried", "fine"), [("t1", True), ('"t1"', True), (None, True), ("*", True), ("t2", False)])
def test_the_age_of_a_body_is_what_it_says(carried: Any, fine: bool) -> None:
    body = {"properties": {"eTag": carried}}
    if fine:
        check_age(POOL, body, "t1")
        return
    with pytest.raises(InvalidPreconditionError, match=r'of version "t2".*under "t1"') as caught:
        check_age(POOL, body, "t1")
    assert caught.value.resource_id == POOL.id


def test_read_only_fields_that_are_left_out_are_no_edit() -> None:
    def bare(body: dict[str, Any]) -> dict[str, Any]:
        return {"properties": {"count": 3, "nodeLabels": body["properties"]["nodeLabels"]}}

    assert traced(bare, pool("t1")).ended == "unchanged"


def test_a_read_only_field_beside_a_real_edit_is_left_out() -> None:
    both = merge_patch({"properties": {"provisioningState": "Failed", "count": 5}})
    run = traced(both, pool("t1"), accepted(), polled(), pool("t2"))
    assert run.requests[1].body == {"properties": {"count": 5, "nodeLabels": {"read": "t1"}}}


def _scale(body: dict[str, Any]) -> None:
    body["properties"]["agentPoolProfiles"][0]["count"] = 9


def test_an_edit_of_inline_pools_is_refused() -> None:
    run = traced(_scale, cluster(agentPoolProfiles=[profile()]), on=CLUSTER)
    assert (run.ended, run.wire) == ("InlinePoolEditError", ["GET cluster"])
    assert "agent_pool(name).update" in str(run.error)


@pytest.mark.parametrize("name", ["agentpoolprofiles", "AgentPoolProfiles", "AGENTPOOLPROFILES"])
@pytest.mark.parametrize("holder", ["properties", "Properties"])
def test_inline_pools_are_found_however_they_are_spelled(holder: str, name: str) -> None:
    change = merge_patch({holder: {name: [profile(count=9)]}})
    run = traced(change, cluster("t1", agentPoolProfiles=[profile()]), on=CLUSTER)
    assert (run.ended, run.wire, run.error.applied) == ("InlinePoolEditError", ["GET cluster"], False)


def test_inline_pools_go_along_when_asked_for() -> None:
    there = cluster(agentPoolProfiles=[profile(nodeImageVersion="v1", powerState={"code": "Running"})])
    run = traced(_scale, there, accepted(), polled(), cluster("t2"), on=INLINE)
    assert run.ended == "updated"
    assert run.requests[1].body["properties"] == {"agentPoolProfiles": [{"name": "np1", "count": 9}]}


def test_a_cluster_update_leaves_its_pools_and_its_version_out() -> None:
    there = cluster(agentPoolProfiles=[profile()])
    run = traced(merge_patch({"tags": {"a": "1"}}), there, accepted(), polled(), cluster("t2"), on=CLUSTER)
    assert run.requests[1].body == {"tags": {"read": "t1", "a": "1"}, "properties": {}}


def test_a_cluster_update_sends_the_version_it_changes() -> None:
    run = traced(
        merge_patch({"properties": {"kubernetesVersion": "1.36"}}),
        cluster(), accepted(), polled(), cluster("t2"), on=CLUSTER,
    )  # fmt: skip
    assert run.requests[1].body["properties"] == {"kubernetesVersion": "1.36"}


def _raise(body: dict[str, Any]) -> None:
    raise LookupError("mine")


def test_an_error_of_the_change_comes_through_as_it_is() -> None:
    run = traced(_raise, pool("t1"))
    assert (run.ended, str(run.error), run.wire) == ("LookupError", "mine", [READ])


@pytest.mark.parametrize("garbage", [3, "text", [], True, object()], ids=["int", "str", "list", "bool", "object"])
def test_a_change_that_returns_garbage_is_a_type_error(garbage: Any) -> None:
    run = traced(lambda body: garbage, pool("t1"))
    assert (run.ended, run.wire) == ("TypeError", [READ])
    assert type(garbage).__name__ in str(run.error)


def test_a_windows_pool_keeps_to_its_six_characters() -> None:
    long = POOL.__class__(address=POOL.address.parent.agent_pool("sevenup"), arm=POOL.arm)
    run = traced(merge_patch({"properties": {"osType": "Windows"}}), pool("t1"), on=long)
    assert (type(run.error), run.wire) == (InvalidResourceIdError, [READ])


@pytest.mark.parametrize(
    ("answer", "error", "applied"),
    [
        pytest.param(refused(400, "BadRequest"), "RequestRefusedError", False, id="400"),
        pytest.param(refused(401), "AccessDeniedError", False, id="401"),
        pytest.param(refused(403, "AuthorizationFailed"), "AccessDeniedError", False, id="403"),
        pytest.param(refused(412, "PreconditionCheckTimeOut"), "RequestRefusedError", False, id="412-service-fault"),
        pytest.param(refused(409, "OperationNotAllowed", "already stopped"), "RequestRefusedError", False, id="409"),
        pytest.param(refused(307), "RequestRefusedError", False, id="redirect"),
    ],
)
def test_a_plain_refusal_is_raised_as_it_is(answer: Any, error: str, applied: bool) -> None:
    run = traced(FIVE, pool("t1"), answer)
    assert run.steps == [READ, *WRITE, "UNDECIDED -"]
    assert (run.ended, run.error.applied, run.error.status_code) == (error, applied, answer.status)
