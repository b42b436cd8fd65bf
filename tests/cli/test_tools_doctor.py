# SPDX-License-Identifier: MIT
"""``aks-etag doctor`` against services that refuse, forget or ignore; nothing is ever changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aks_etag.cli import main
from aks_etag.mock import MockAks

from .terminal import CLUSTER, SUBSCRIPTION, run

SUBSCRIPTION_LINE = f"list: the clusters of subscription {SUBSCRIPTION} can be listed"
ALL_WELL = [
    "ok    credential: it is accepted",
    f"ok    {SUBSCRIPTION_LINE}",
    "ok    read: prod can be read",
    "ok    eTags: api-version 2026-08-01 returns them",
    "ok    pools: they can be listed",
    "ok    write: allowed, and one under a stale eTag is refused with 412",
]


@pytest.fixture
def url(mock: MockAks) -> Iterator[str]:
    with mock.serve() as url:
        yield url


@pytest.fixture
def doctor(
    mock: MockAks, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Any:
    """Run it in this process; look whether anything was changed."""
    for name in ("HOME", "AZURE_CONFIG_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("AZURE_SUBSCRIPTION_ID", SUBSCRIPTION)
    monkeypatch.setenv("AKS_ETAG_POLLING_INTERVAL", "0.01")

    def told(*arguments: str, endpoint: str = url) -> tuple[int, list[str]]:
        before = mock.body("rg", "prod")
        code = main(["doctor", "--endpoint", endpoint, *arguments])
        out, err = capsys.readouterr()
        assert (mock.body("rg", "prod"), mock.commits, err) == (before, [], "")
        return code, out.splitlines()

    return told


def refused(status: int, code: str) -> dict[str, Any]:
    return {"effect": status, "body": {"error": {"code": code, "message": "no"}}}


def test_all_is_well_as_a_process_sees_it(mock: MockAks, url: str, tmp_path: Path) -> None:
    done = run("doctor", home=tmp_path, url=url)
    assert (done.returncode, done.stdout.splitlines(), done.stderr) == (0, ALL_WELL, "")
    assert [(each.method, each.status) for each in mock.journal if each.method != "GET"] == [("PATCH", 412)]


def test_a_named_cluster_is_tried(doctor: Any) -> None:
    code, lines = doctor(*CLUSTER)
    assert (code, lines[1]) == (0, "ok    list: the clusters of resource group rg can be listed")
    assert lines[2:] == ALL_WELL[2:]


def test_a_credential_that_is_not_accepted_ends_it(doctor: Any, mock: MockAks) -> None:
    mock.inject("GET", times=2, **refused(401, "InvalidAuthenticationToken"))
    code, lines = doctor()
    assert code == 1
    assert lines[0] == "FAIL  credential: it is not accepted"
    assert lines[2:] == ["skip  read, eTags, pools, write", "      that has to be put right first"]


def test_a_list_that_is_denied_is_a_warning_if_the_cluster_can_be_read(doctor: Any, mock: MockAks) -> None:
    mock.inject("GET", **refused(403, "AuthorizationFailed"))
    code, lines = doctor(*CLUSTER)
    assert code == 0
    assert lines[:2] == [
        "ok    credential: it is accepted",
        "warn  list: the clusters of resource group rg may not be listed",
    ]
    assert lines[3:] == ALL_WELL[2:]


def test_a_read_that_is_denied_fails(doctor: Any, mock: MockAks) -> None:
    mock.inject("GET", nth=2, **refused(403, "AuthorizationFailed"))
    code, lines = doctor(*CLUSTER)
    assert code == 1
    assert lines[2] == "FAIL  read: prod cannot be read"
    assert "403 AuthorizationFailed" in lines[3]
    assert lines[4] == "skip  eTags, pools, write"


def test_a_write_that_is_denied_fails(doctor: Any, mock: MockAks) -> None:
    mock.inject("PATCH", **refused(403, "AuthorizationFailed"))
    code, lines = doctor()
    assert code == 1
    assert lines[:5] == ALL_WELL[:5]
    assert lines[5] == "FAIL  write: it is refused"
    assert "403 AuthorizationFailed" in lines[6]


def test_an_api_version_without_etags_fails_and_is_not_written_to(doctor: Any, mock: MockAks) -> None:
    mock.switches.tagless_api_versions = ["2026-08-01"]
    code, lines = doctor()
    assert code == 1
    assert lines[3] == "FAIL  eTags: api-version 2026-08-01 does not return them; choose another --api-version"
    assert lines[4].startswith("skip  write")
    assert {each.method for each in mock.journal} == {"GET"}


def test_a_service_that_guards_nothing_fails_and_loses_nothing(doctor: Any, mock: MockAks) -> None:
    mock.edit("rg", "prod", change=lambda body: body.update(tags={"team": "red"}))
    mock.commits.clear()
    mock.inject("PATCH", effect=200, body=mock.body("rg", "prod"))
    code, lines = doctor()
    assert code == 1
    assert lines[-1] == "FAIL  write: one under a stale eTag was accepted, so that this service guards nothing"


def test_a_busy_cluster_is_no_failure(doctor: Any, mock: MockAks) -> None:
    said = "Another operation (Updating) is in progress"
    mock.inject("PATCH", effect=409, body={"code": "OperationNotAllowed", "message": said})
    code, lines = doctor()
    assert code == 0
    assert lines[5] == "warn  write: not found out, an operation is in progress"


def test_an_empty_subscription_leaves_the_rest_out(doctor: Any, mock: MockAks) -> None:
    mock.inject("GET", effect=200, body={"value": []})
    code, lines = doctor()
    assert code == 0
    assert lines[2:] == [
        "skip  read, eTags, pools, write",
        "      there is no cluster to look at; give -g and -n",
    ]


def test_an_endpoint_that_is_not_there_fails(doctor: Any) -> None:
    code, lines = doctor(endpoint="http://127.0.0.1:1")
    assert code == 1
    assert lines[0] == f"FAIL  credential and subscription {SUBSCRIPTION}: nothing can be listed"
    assert "127.0.0.1:1" in lines[1]
