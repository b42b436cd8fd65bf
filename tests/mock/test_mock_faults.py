# SPDX-License-Identifier: MIT
"""Faults: which request they hit, what the client sees, and what the service has done meanwhile."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import httpx
import pytest

from aks_etag.mock import MockAks

LOST = "no answer"


def outcome(aks: Any, method: str, path: str, **arguments: Any) -> int | str:
    """Send one request; return its status, or LOST."""
    try:
        return int(aks.ask(method, path, **arguments).status_code)
    except httpx.TransportError:
        return LOST


@pytest.mark.parametrize(
    ("phase", "effect", "seen", "commits"),
    [
        ("before", "reset", LOST, 0),
        ("after", "reset", LOST, 1),
        ("before", 503, 503, 0),
        ("after", 503, 503, 1),
        ("after", 429, 429, 1),
    ],
)
@pytest.mark.parametrize("socket", [False, True], ids=["in-process", "over-a-socket"])
def test_before_means_not_processed_and_after_means_the_answer_is_lost(
    socket: bool, phase: Any, effect: Any, seen: Any, commits: int, mock: MockAks, aks: Any
) -> None:
    mock.inject("PUT", phase=phase, effect=effect)
    with mock.serve() as url, type(aks)(base_url=url) if socket else nullcontext(aks) as client:
        assert outcome(client, "PUT", aks.np1, body={}, x_ms_client_request_id="mine") == seen
        assert outcome(client, "GET", aks.np1) == 200
    assert mock.drain() == 0
    entry = mock.journal[0]
    assert (entry.status, entry.request_id) == (None if seen == LOST else seen, "mine")
    assert entry.decided == (200 if commits else None)
    assert entry.fault == f"fault {phase}: {effect}"
    assert [commit.request_id for commit in mock.commits] == ["mine"] * commits


def test_a_late_request_lands_when_the_client_has_given_up(mock: MockAks, aks: Any) -> None:
    mock.inject("PUT", phase="late")
    body = mock.body("rg1", "aks1", "np1")
    tag = body["properties"]["eTag"]
    assert outcome(aks, "PUT", aks.np1, body=body, If_Match=tag, x_ms_client_request_id="late") == LOST
    assert mock.body("rg1", "aks1", "np1") == body
    assert (mock.drain(), mock.drain()) == (1, 0)
    assert [commit.request_id for commit in mock.commits] == ["late"]
    assert [(entry.status, entry.decided) for entry in mock.journal] == [(None, None), (None, 200)]


def test_a_late_request_is_fenced_by_what_landed_before_it(mock: MockAks, aks: Any) -> None:
    mock.inject("PUT", phase="late", effect=504)
    body = mock.body("rg1", "aks1", "np1")
    assert outcome(aks, "PUT", aks.np1, body=body, If_Match=body["properties"]["eTag"]) == 504
    mock.edit("rg1", "aks1", "np1")
    assert mock.drain() == 1
    assert mock.journal[-1].decided == 412
    assert [commit.request_id for commit in mock.commits] == ["edit-1"]


@pytest.mark.parametrize(
    ("aim", "hits"),
    [
        pytest.param({}, [1], id="the-next"),
        pytest.param({"nth": 2}, [2], id="the-second"),
        pytest.param({"nth": 2, "times": 2}, [2, 3], id="two-from-the-second-on"),
        pytest.param({"method": "get", "times": 2}, [1, 3], id="a-method"),
        pytest.param({"path": "AGENTPOOLS/np1"}, [3], id="a-path-without-case"),
        pytest.param({"path": "nowhere"}, [], id="another-path"),
        pytest.param({"probability": 1.0}, [1, 2, 3, 4], id="always"),
        pytest.param({"probability": 0.0}, [], id="never"),
    ],
)
def test_which_request_is_hit(aim: Any, hits: list[int], mock: MockAks, aks: Any) -> None:
    mock.inject(effect=500, **aim)
    requests = [("GET", aks.cluster), ("PATCH", aks.cluster), ("GET", aks.np1), ("DELETE", aks.np2)]
    statuses = [outcome(aks, method, path, body={} if method == "PATCH" else None) for method, path in requests]
    assert [number for number, status in enumerate(statuses, 1) if status == 500] == hits


def test_chance_is_seeded(mock: MockAks, aks: Any) -> None:
    runs = []
    for seed in (1, 1, 2):
        mock = MockAks()
        mock.inject(probability=0.5, seed=seed, effect=503)
        with httpx.Client(transport=mock.httpx_transport(), base_url="https://management.azure.com") as client:
            runs.append([client.get(aks.cluster).status_code for _ in range(30)])
    assert runs[0] == runs[1] != runs[2]
    assert {400, 503} >= set(runs[0]) > {503}


def test_several_faults_count_on_their_own(mock: MockAks, aks: Any) -> None:
    mock.inject("GET", nth=1, effect=500)
    mock.inject("GET", nth=2, effect="reset")
    mock.inject("GET", nth=3, effect=429, headers={"Retry-After": "7"})
    assert [outcome(aks, "GET", aks.cluster) for _ in range(4)] == [500, LOST, 429, 200]


@pytest.mark.parametrize(
    ("effect", "code"),
    [
        (400, "BadRequest"),
        (403, "AuthorizationFailed"),
        (404, "NotFound"),
        (409, "OperationNotAllowed"),
        (412, "PreconditionFailed"),
        (429, "Throttled"),
        (500, "InternalServerError"),
        (503, "ServiceUnavailable"),
    ],
)
def test_a_status_comes_with_the_body_that_goes_with_it(effect: int, code: str, mock: MockAks, aks: Any) -> None:
    mock.inject(effect=effect)
    body = aks.ask("GET", aks.np1).json()
    assert body.get("error", body)["code"] == code


def test_a_throttled_answer_is_as_recorded(mock: MockAks, aks: Any, recorded: Any) -> None:
    recording = recorded("error_429_throttled")
    mock.inject(effect=429, headers=recording["headers"])
    response = aks.ask("PUT", aks.cluster, {})
    assert response.json() == recording["body"]
    assert response.headers["Retry-After"] == "36"


@pytest.mark.parametrize(
    ("body", "content"),
    [(None, b"null"), (b"", b""), (b"<html>", b"<html>"), ({"code": "Odd"}, b'{"code":"Odd"}')],
)
def test_a_body_of_its_own(body: Any, content: bytes, mock: MockAks, aks: Any) -> None:
    mock.inject(effect=502, body=body, headers={"content-type": "text/html"})
    response = aks.ask("GET", aks.cluster)
    assert (response.status_code, response.content) == (502, content)
    assert response.headers.get_list("Content-Type") == ["text/html"]
