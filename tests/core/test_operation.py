# SPDX-License-Identifier: MIT
"""Long-running operations: where to ask, whom to believe, and when they are over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aks_etag._core.messages import Response
from aks_etag._core.operation import Link, Poll, Progress, is_settled, link, read_poll, trusted
from aks_etag._core.verdict import ServiceError

WIRE = Path(__file__).parent.parent / "data" / "wire"
HOME = "https://management.azure.com"


@pytest.mark.parametrize(
    ("status", "headers", "found"),
    [
        pytest.param(200, {"azure-asyncoperation": "/a"}, Link("/a", is_location=False), id="200"),
        pytest.param(201, {"azure-asyncoperation": "/a"}, Link("/a", is_location=False), id="201"),
        pytest.param(202, {"azure-asyncoperation": "/a", "location": "/b"}, Link("/a", is_location=False), id="both"),
        pytest.param(202, {"location": "/b"}, Link("/b", is_location=True), id="202-location"),
        pytest.param(201, {"location": "/b"}, None, id="201-location-is-the-resource"),
        pytest.param(200, {"location": "/b"}, None, id="200-location"),
        pytest.param(202, {"azure-asyncoperation": "", "location": ""}, None, id="empty"),
        pytest.param(204, {}, None, id="nothing"),
    ],
)
def test_an_answer_says_where_to_follow_it(status: int, headers: dict[str, str], found: Link | None) -> None:
    assert link(Response(status=status, headers=headers)) == found


def test_a_link_never_shows_its_signature() -> None:
    signed = Link(f"{HOME}/operations/op1/?t=1&s=SIGNATURE", is_location=False)
    assert (signed.name, repr(signed), str(signed)) == ("op1", "Link('op1')", "Link('op1')")


@pytest.mark.parametrize(
    ("url", "fine"),
    [
        (f"{HOME}/x", True),
        ("HTTPS://Management.Azure.Com/x", True),
        ("https://eastus.management.azure.com/x", True),
        ("/subscriptions/x", True),
        ("http://management.azure.com/x", False),
        ("https://evil.example/x", False),
        ("https://management.azure.com.evil.example/x", False),
        ("https://evilmanagement.azure.com/x", False),
        ("https://management.azure.com@evil.example/x", False),
        ("https://evil.example#.management.azure.com", False),
        ("https://evil.example?.management.azure.com", False),
        ("https://azure.com/x", False),
        ("https://evil.example\\.management.azure.com/x", False),
        ("https://user:password@eastus.management.azure.com/x", False),
        ("https://management.azure.com:8443/x", False),
        ("//evil.example/x", False),
        ("ftp://management.azure.com/x", False),
        ("file:///x", False),
        ("https://[::1", False),
        ("https://[::1]/x", False),
        ("x", False),
        ("", False),
    ],
)
def test_a_link_is_followed_only_to_our_own_endpoint(url: str, fine: bool) -> None:
    assert trusted(url, HOME) is fine


@pytest.mark.parametrize(
    ("body", "progress"),
    [
        ({"status": "Succeeded"}, Progress.SUCCEEDED),
        ({"status": "SUCCEEDED"}, Progress.SUCCEEDED),
        ({"status": "Canceled"}, Progress.CANCELED),
        ({"status": "Cancelled"}, Progress.CANCELED),
        ({"status": "Failed"}, Progress.FAILED),
        ({"status": "failed", "error": None}, Progress.FAILED),
        ({"status": "Failed", "error": {"code": "Quota"}}, Progress.FAILED),
        ({"status": "Failed", "error": {"code": "OriginalEtagNotExpect"}}, Progress.PREEMPTED),
        ({"status": "Failed", "error": {"code": "aksoperationpreempted"}}, Progress.PREEMPTED),
        ({"status": "Failed", "error": {"code": "AKSOperationPreemptedByDelete"}}, Progress.PREEMPTED),
        ({"status": "Failed", "error": {"code": "OperationPreempted"}}, Progress.PREEMPTED),
        (
            {"status": "Failed", "error": {"code": "X", "details": [{"details": [{"code": "OperationPreempted"}]}]}},
            Progress.PREEMPTED,
        ),
        ({"status": "Failed", "code": "OperationPreempted"}, Progress.FAILED),
        ({"status": "InProgress"}, Progress.RUNNING),
        ({"status": "InProgress", "error": {"code": "OperationPreempted"}}, Progress.RUNNING),
        ({"status": "Brewing"}, Progress.RUNNING),
        ({"status": ""}, Progress.RUNNING),
        ({"status": None}, Progress.RUNNING),
        ({"status": 7}, Progress.RUNNING),
        ({"status": " Succeeded"}, Progress.RUNNING),
        ({}, Progress.RUNNING),
        (None, Progress.RUNNING),
        ([], Progress.RUNNING),
    ],
    ids=repr,
)
def test_only_known_words_end_an_operation(body: Any, progress: Progress) -> None:
    assert read_poll(Response(status=200, body=body)).progress is progress


@pytest.mark.parametrize(
    ("name", "poll"),
    [
        ("op_poll_inprogress_200", Poll(Progress.RUNNING, "InProgress")),
        ("op_poll_succeeded_200", Poll(Progress.SUCCEEDED, "Succeeded")),
    ],
)
def test_recorded_polls(name: str, poll: Poll) -> None:
    assert read_poll(Response(status=200, body=json.loads((WIRE / f"{name}.json").read_text())["body"])) == poll


def test_a_recorded_failure_was_a_lost_race() -> None:
    poll = read_poll(Response(status=200, body=json.loads((WIRE / "op_poll_failed_200.json").read_text())["body"]))
    assert (poll.progress, poll.status, poll.error.code) == (Progress.PREEMPTED, "Failed", "OriginalEtagNotExpect")


@pytest.mark.parametrize(
    ("status", "progress"),
    [(202, Progress.RUNNING), (200, Progress.SUCCEEDED), (201, Progress.SUCCEEDED), (204, Progress.SUCCEEDED)],
)
@pytest.mark.parametrize("body", [None, {}, [], {"status": None}, {"status": 7}, {"status": ""}, {"name": "np1"}])
def test_a_location_without_a_status_runs_while_it_says_202(status: int, progress: Progress, body: Any) -> None:
    assert read_poll(Response(status=status, body=body), is_location=True) == Poll(progress)


@pytest.mark.parametrize("status", [200, 202])
@pytest.mark.parametrize(
    ("word", "code", "progress"),
    [
        ("Succeeded", "", Progress.SUCCEEDED),
        ("InProgress", "", Progress.RUNNING),
        ("Canceled", "", Progress.CANCELED),
        ("Failed", "Quota", Progress.FAILED),
        ("Failed", "OperationPreempted", Progress.PREEMPTED),
    ],
)
def test_a_location_with_a_status_goes_by_it(status: int, word: str, code: str, progress: Progress) -> None:
    body = {"status": word, **({"error": {"code": code}} if code else {})}
    poll = read_poll(Response(status=status, body=body), is_location=True)
    assert (poll.progress, poll.status, poll.error.code) == (progress, word, code)


def test_a_poll_has_no_error_of_its_own() -> None:
    assert Poll(Progress.RUNNING).error == ServiceError()


@pytest.mark.parametrize(
    ("state", "settled"),
    [
        ("Succeeded", True), ("failed", True), ("CANCELED", True), (None, True), ("Updating", False),
        ("Deleting", False), ("", False), ("Brewing", False), (7, False), ({}, False),
    ],
)  # fmt: skip
def test_unknown_states_mean_busy_and_none_means_settled(state: Any, settled: bool) -> None:
    assert is_settled(state) is settled
