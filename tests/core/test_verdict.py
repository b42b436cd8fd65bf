# SPDX-License-Identifier: MIT
"""What an answer means, by status and code; texts only where one code has two meanings."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aks_etag._core.messages import NoResponse, Request, Response
from aks_etag._core.verdict import ServiceError, Verdict, judge_read, judge_write, service_error

WIRE = Path(__file__).parent.parent / "data" / "wire"
OPS = "OperationNotAllowed"


def recorded(name: str) -> Response:
    seen = json.loads((WIRE / f"{name}.json").read_text())
    return Response(status=seen["status"], body=seen["body"])


def answer(status: int, code: str = "", message: str = "", *, wrapped: bool = False) -> Response:
    error = {"code": code, "message": message}
    return Response(status=status, body={"error": error} if wrapped else error)


RECORDED = {
    "delete_pool_202": (Verdict.ACCEPTED, None),
    "error_400_generic_recorded": (Verdict.REFUSED, "ServicePrincipalNotFound"),
    "error_400_header_combination": (Verdict.REFUSED, "BadRequest"),
    "error_400_new_pool_via_cluster_put": (Verdict.REFUSED, "BadRequest"),
    "error_404_cluster_arm_gateway": (Verdict.ABSENT, "ResourceNotFound"),
    "error_404_pool_aks_rp": (Verdict.ABSENT, "NotFound"),
    "error_404_resource_group": (Verdict.ABSENT, "ResourceGroupNotFound"),
    "error_409_etag_mismatch": (Verdict.RACED, "EtagMismatch"),
    "error_409_operation_not_allowed_deleting": (Verdict.BUSY, OPS),
    "error_409_operation_not_allowed_pool": (Verdict.BUSY, OPS),
    "error_412_mismatch": (Verdict.STALE, "PreconditionFailed"),
    "error_412_not_found_with_if_match": (Verdict.STALE, "PreconditionFailed"),
    "error_429_throttled": (Verdict.THROTTLED, "Throttled"),
    "put_cluster_create_201": (Verdict.ACCEPTED, None),
    "put_cluster_update_200": (Verdict.ACCEPTED, None),
    "put_pool_create_201": (Verdict.ACCEPTED, None),
    "put_pool_update_200": (Verdict.ACCEPTED, None),
}


@pytest.mark.parametrize(("name", "said"), RECORDED.items(), ids=list(RECORDED))
def test_every_recorded_answer_to_a_write_is_understood(name: str, said: tuple[Verdict, str | None]) -> None:
    response = recorded(name)
    assert (judge_write(response), service_error(response.body).code or None) == said


def test_no_recorded_error_is_forgotten() -> None:
    names = {path.stem for path in WIRE.glob("*.json") if path.stem.startswith(("error_", "put_", "delete_"))}
    assert names - RECORDED.keys() == set()


@pytest.mark.parametrize(
    ("response", "verdict"),
    [
        pytest.param(answer(412, "PreConditionFailed"), Verdict.STALE, id="412-other-spelling"),
        pytest.param(answer(412, "PreconditionFailed", wrapped=True), Verdict.STALE, id="412-wrapped"),
        pytest.param(answer(412, "PreconditionCheckTimeOut"), Verdict.REFUSED, id="412-service-fault"),
        pytest.param(answer(412, "PreconditionFailedToo"), Verdict.REFUSED, id="412-whole-code-only"),
        pytest.param(answer(409, "etagmismatch"), Verdict.RACED, id="409-other-case"),
        pytest.param(answer(409, OPS, "an upgrade is in progress"), Verdict.BUSY, id="409-in-progress"),
        pytest.param(answer(409, OPS, "in-progress operation"), Verdict.BUSY, id="409-hyphen"),
        pytest.param(answer(409, OPS, "IN PROGRESS", wrapped=True), Verdict.BUSY, id="409-wrapped"),
        pytest.param(answer(409, OPS, "Provisioning State(Updating)"), Verdict.BUSY, id="409-provisioning-state"),
        pytest.param(answer(409, OPS, "ProvisioningState ( Scaling )"), Verdict.BUSY, id="409-provisioning-state-2"),
        pytest.param(answer(409, OPS, "Provisioning State(Failed)"), Verdict.REFUSED, id="409-settled-state"),
        pytest.param(answer(409, OPS, "the cluster is already stopped"), Verdict.REFUSED, id="409-wrong-state"),
        pytest.param(answer(409, OPS), Verdict.REFUSED, id="409-no-text"),
        pytest.param(answer(409, "Conflict", "in progress"), Verdict.REFUSED, id="409-other-code"),
        pytest.param(answer(409, "ConflictingConcurrentWriteNotAllowed"), Verdict.BUSY, id="409-arm-1"),
        pytest.param(answer(409, "AnotherOperationInProgress"), Verdict.BUSY, id="409-arm-2"),
        pytest.param(answer(409, "CanceledAndSupersededDueToAnotherOperation"), Verdict.BUSY, id="409-arm-3"),
        pytest.param(answer(429, "SubscriptionRequestsThrottled"), Verdict.THROTTLED, id="429-arm"),
        pytest.param(answer(429, "TooManyRequestsReceived"), Verdict.THROTTLED, id="429-arm-2"),
        pytest.param(answer(408), Verdict.UNSURE, id="408"),
        pytest.param(answer(500), Verdict.UNSURE, id="500"),
        pytest.param(answer(599), Verdict.UNSURE, id="599"),
        pytest.param(answer(401), Verdict.DENIED, id="401"),
        pytest.param(answer(403), Verdict.DENIED, id="403"),
        pytest.param(answer(400), Verdict.REFUSED, id="400"),
        pytest.param(answer(302), Verdict.REFUSED, id="302"),
        pytest.param(answer(405), Verdict.REFUSED, id="405"),
    ],
)
def test_the_other_answers_to_a_write(response: Response, verdict: Verdict) -> None:
    assert judge_write(response) is verdict


UNREADABLE = [None, "", "<html>", [], [{"code": "EtagMismatch"}], 0, {"error": None}, {"error": "x"}, {"code": 7}]


@pytest.mark.parametrize("body", UNREADABLE, ids=repr)
@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        (200, Verdict.ACCEPTED), (204, Verdict.ACCEPTED), (400, Verdict.REFUSED), (401, Verdict.DENIED),
        (404, Verdict.ABSENT), (408, Verdict.UNSURE), (409, Verdict.REFUSED), (412, Verdict.STALE),
        (429, Verdict.THROTTLED), (503, Verdict.UNSURE),
    ],
)  # fmt: skip
def test_a_body_that_says_nothing_leaves_the_status_to_speak(body: Any, status: int, verdict: Verdict) -> None:
    assert service_error(body).code == ""
    unlike_the_service = status == 200 and not isinstance(body, dict | None)
    assert judge_write(Response(status=status, body=body)) is (Verdict.UNSURE if unlike_the_service else verdict)


@pytest.mark.parametrize("status", [200, 201, 202])
def test_the_page_of_a_proxy_is_no_proof_that_a_write_was_accepted(status: int) -> None:
    page = Response(status=status, garbled=True)
    assert judge_write(page) is Verdict.UNSURE
    # An operation is named by the service alone.
    for name in ("azure-asyncoperation", "location"):
        assert judge_write(replace(page, headers={name: "https://x"})) is Verdict.ACCEPTED
    assert judge_write(Response(status=status)) is Verdict.ACCEPTED
    assert judge_write(Response(status=204, garbled=True)) is Verdict.ACCEPTED


@pytest.mark.parametrize("name", [name for name in RECORDED if name.startswith("error_4")])
def test_an_unproved_transport_proves_nothing_by_what_a_second_copy_may_meet(name: str) -> None:
    response = recorded(name)
    doubtful = judge_write(replace(response, sent_once=False))
    assert doubtful is (Verdict.UNSURE if response.status in (404, 409, 412, 429) else judge_write(response))


@pytest.mark.parametrize(
    ("status", "code", "verdict"),
    [
        (200, "", Verdict.ACCEPTED), (400, "BadRequest", Verdict.REFUSED), (401, "", Verdict.DENIED),
        (403, "AuthorizationFailed", Verdict.DENIED), (404, "NotFound", Verdict.UNSURE),
        (408, "", Verdict.UNSURE), (409, "EtagMismatch", Verdict.UNSURE), (409, OPS, Verdict.UNSURE),
        (412, "PreconditionFailed", Verdict.UNSURE), (412, "PreconditionCheckTimeOut", Verdict.UNSURE),
        (429, "Throttled", Verdict.UNSURE), (503, "", Verdict.UNSURE),
    ],
)  # fmt: skip
def test_what_may_have_been_sent_twice_is_refused_only_where_no_copy_could_be_why(
    status: int, code: str, verdict: Verdict
) -> None:
    assert judge_write(replace(answer(status, code), sent_once=False)) is verdict


@pytest.mark.parametrize(
    ("status", "verdict"), [(404, Verdict.ABSENT), (409, Verdict.REFUSED), (429, Verdict.THROTTLED)]
)
def test_a_read_may_be_sent_as_often_as_one_likes(status: int, verdict: Verdict) -> None:
    assert judge_read(Response(status=status, sent_once=False)) is verdict


ERROR = TimeoutError()


@pytest.mark.parametrize(
    ("outcome", "written", "read"),
    [
        pytest.param(NoResponse(error=ERROR), Verdict.UNSURE, Verdict.UNSURE, id="sent"),
        pytest.param(NoResponse(error=ERROR, final=True), Verdict.UNSURE, Verdict.FATAL, id="sent-final"),
        pytest.param(NoResponse(error=ERROR, sent=False), Verdict.NOT_SENT, Verdict.NOT_SENT, id="not-sent"),
        pytest.param(NoResponse(error=ERROR, sent=False, final=True), Verdict.FATAL, Verdict.FATAL, id="never"),
    ],
)
def test_no_answer_is_doubt_unless_it_never_left(outcome: NoResponse, written: Verdict, read: Verdict) -> None:
    assert (judge_write(outcome), judge_read(outcome)) == (written, read)


@pytest.mark.parametrize(
    ("response", "verdict"),
    [
        pytest.param(Response(status=200, body={}), Verdict.ACCEPTED, id="200"),
        *[
            pytest.param(Response(status=200, body=body), Verdict.UNSURE, id=f"200-{body!r}")
            for body in (None, [], "", 0)
        ],
        pytest.param(Response(status=201, body={}), Verdict.UNSURE, id="201"),
        pytest.param(Response(status=204), Verdict.UNSURE, id="204"),
        pytest.param(Response(status=304), Verdict.REFUSED, id="304"),
        pytest.param(Response(status=404), Verdict.ABSENT, id="404"),
        pytest.param(Response(status=409), Verdict.REFUSED, id="409"),
        pytest.param(Response(status=412), Verdict.REFUSED, id="412"),
        pytest.param(Response(status=429), Verdict.THROTTLED, id="429"),
        pytest.param(Response(status=408), Verdict.UNSURE, id="408"),
        pytest.param(Response(status=502), Verdict.UNSURE, id="502"),
        pytest.param(Response(status=401), Verdict.DENIED, id="401"),
        pytest.param(Response(status=403), Verdict.DENIED, id="403"),
    ],
)
def test_a_read_is_accepted_only_with_its_document(response: Response, verdict: Verdict) -> None:
    assert judge_read(response) is verdict


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        pytest.param(
            {"code": "A", "details": [{"code": "B", "details": [{"code": "C"}]}]}, {"a", "b", "c"}, id="nested"
        ),
        pytest.param({"code": "A", "details": None}, {"a"}, id="null-details"),
        pytest.param({"code": "A", "details": ["x", 7, {"code": None}]}, {"a", ""}, id="odd-details"),
        pytest.param({"error": {"code": "A", "details": {"code": "B"}}}, {"a"}, id="details-not-a-list"),
        pytest.param({}, {""}, id="empty"),
    ],
)
def test_codes_are_gathered_from_the_details_too(body: Any, codes: set[str]) -> None:
    assert service_error(body).codes == codes


def test_details_without_end_are_cut_off() -> None:
    body: dict[str, Any] = {"code": "Last"}
    for _ in range(200):
        body = {"code": "A", "details": [body]}
    assert service_error(body).codes == {"a"}


def test_an_error_is_read_from_both_shapes() -> None:
    bare = {"code": "C", "message": "M", "subcode": "S"}
    wanted = ServiceError(code="C", subcode="S", message="M", codes=frozenset({"c"}))
    assert [service_error(body) for body in (bare, {"error": bare})] == [wanted, wanted]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["error", "code", "message", "details", "x"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(JSON, st.integers(100, 999))
def test_no_body_is_too_odd_to_judge(body: Any, status: int) -> None:
    response = Response(status=status, body=body)
    like_the_service = status == 204 or isinstance(body, dict | None)
    assert (judge_write(response) is Verdict.ACCEPTED) == (200 <= status <= 299 and like_the_service)
    assert (judge_read(response) is Verdict.ACCEPTED) == (status == 200 and isinstance(body, dict))


@pytest.mark.parametrize(("method", "writes"), [("GET", False), ("PUT", True), ("PATCH", True), ("DELETE", True)])
def test_a_request_knows_whether_it_writes(method: str, writes: bool) -> None:
    assert Request(method=method, url="/").is_write is writes
