# SPDX-License-Identifier: MIT
"""What a command loads, and that a glance says what the client would have said."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from aks_etag.cli import main
from aks_etag.cli._glance import glance, reachable
from aks_etag.cli._session import Where
from aks_etag.mock import MockAks

from .terminal import CLUSTER, PATIENCE, POOL, SUBSCRIPTION, environment

PROXIES = ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
HEAVY = {"azure", "httpx", "jmespath", "pygments", "requests", "rich", "yaml"}
TELL = """
import atexit, json, sys
atexit.register(lambda: print(json.dumps([each for each in sys.modules if sys.modules[each]]), file=sys.stderr))
from aks_etag.cli import main
from aks_etag.cli._glance import glance, reachable
from aks_etag.cli._session import Where
sys.exit(main())
"""


@pytest.fixture
def url(mock: MockAks) -> Iterator[str]:
    with mock.serve() as url:
        yield url


def loaded(*arguments: str, home: Path, url: str | None = None) -> set[str]:
    """Return the names of all modules that a command has loaded in the end, and the tops of their packages."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", TELL, *arguments],
        capture_output=True,
        text=True,
        env=environment(home, url),
        timeout=PATIENCE,
        check=True,
    )
    names = set(json.loads(done.stderr.splitlines()[-1]))
    return names | {name.partition(".")[0] for name in names}


@pytest.mark.parametrize(
    "arguments", [("--help",), ("--version",), ("show", "--help"), ("nodepool", "--help"), ("kube", "get", "--help")]
)
def test_help_loads_nothing_heavy(arguments: tuple[str, ...], tmp_path: Path) -> None:
    assert loaded(*arguments, home=tmp_path) & HEAVY == set()


def test_show_loads_no_client(url: str, tmp_path: Path) -> None:
    found = loaded("show", *CLUSTER, home=tmp_path, url=url)
    assert found & {*HEAVY, "aks_etag.client", "aks_etag.cli._errors"} == set()


def test_what_is_asked_for_is_loaded_and_no_more(url: str, tmp_path: Path) -> None:
    found = loaded("list", "--query", "[].name", "-o", "yaml", home=tmp_path, url=url)
    assert found & {*HEAVY, "azure.identity", "azure.mgmt.containerservice"} >= {"azure", "httpx", "jmespath", "yaml"}
    assert found & {"azure.identity", "azure.mgmt.containerservice", "rich", "pygments"} == set()


@pytest.fixture
def told(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command in this process."""
    for name, value in environment(tmp_path, url).items():
        monkeypatch.setenv(name, value)

    def run(*arguments: str) -> tuple[int, str, str]:
        code = main([*arguments])
        return (code, *capsys.readouterr())

    return run


READS = [("show", *CLUSTER), ("etag", *CLUSTER), ("nodepool", "show", *POOL), ("nodepool", "etag", *POOL)]


@pytest.mark.parametrize("command", READS, ids=" ".join)
def test_a_glance_says_what_the_client_says(told: Any, mock: MockAks, command: tuple[str, ...]) -> None:
    glanced = told(*command)
    assert told(*command, "--cloud", "AzureCloud") == glanced
    assert glanced[0] == 0
    assert [each.method for each in mock.journal] == ["GET", "GET"]


def test_a_cloud_is_for_the_client_to_judge(url: str) -> None:
    named = {"api_version": None, "verbose": False, "quiet": False}
    plain = Where(subscription=SUBSCRIPTION, cloud=None, endpoint=url, **named)
    assert (glance(plain, "rg", "prod", "np1") or {}).get("name") == "np1"
    assert glance(replace(plain, cloud="AzureCloud"), "rg", "prod", "np1") is None


@pytest.mark.parametrize(
    ("fault", "reads"),
    [
        pytest.param({"effect": 503}, 2, id="unavailable"),
        pytest.param({"effect": "reset"}, 2, id="reset"),
        pytest.param({"effect": 202, "body": {"id": "/resourceGroups/x/", "name": "other"}}, 2, id="accepted"),
        pytest.param({"effect": 200, "body": []}, 2, id="no-object"),
        pytest.param({"effect": 200, "body": {"name": "prod"}}, 2, id="no-id"),
    ],
)
def test_what_a_glance_cannot_say_the_client_does(told: Any, mock: MockAks, fault: Any, reads: int) -> None:
    mock.inject("GET", **fault)
    code, out, err = told("show", *CLUSTER, "--query", "name")
    assert (code, out, err) == (0, '"prod"\n', "")
    assert len(mock.journal) == reads


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("show", "-g", "rg", "-n", "nope"), 3, "does not exist"),
        (("show", "-g", "rg", "-n", "a/../b"), 7, "is not a valid cluster name"),
        (("show", *CLUSTER, "--api-version", "x&y=z"), 2, "--api-version"),
        (("show", *CLUSTER, "--subscription", "a/b"), 7, "is not a valid subscription id"),
        (("show", *CLUSTER, "--endpoint", "http://example.invalid"), 2, "use https"),
        (("show", *CLUSTER, "--endpoint", "http://["), 2, "Invalid IPv6 URL"),
        (("show", *CLUSTER, "--endpoint", "http://127.0.0.1:x"), 1, "Invalid port: 'x'"),
    ],
)
def test_what_is_not_plain_is_refused_by_the_client(
    told: Any, arguments: tuple[str, ...], code: int, said: str
) -> None:
    ended, out, err = told(*arguments)
    assert (ended, out) == (code, "")
    assert said in err


def test_an_etag_that_is_not_there_is_an_error(told: Any, mock: MockAks) -> None:
    mock.switches.tagless_api_versions = ["2026-08-01"]
    code, out, err = told("etag", *CLUSTER)
    assert (code, out) == (7, "")
    assert "eTag" in err


@pytest.fixture
def direct(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("name", PROXIES)
def test_a_proxy_is_never_passed_by(direct: None, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    place = urlsplit("https://example.com")
    assert reachable(place)
    monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert not reachable(place)


@pytest.mark.parametrize(
    ("place", "allowed"),
    [
        ("http://127.0.0.1:80", True),
        ("https://example.com", True),
        ("http://example.com", False),
        ("ftp://127.0.0.1", False),
        ("https://user@example.com", False),
        ("https://example.com?a=b", False),
        ("", False),
    ],
)
def test_a_token_goes_over_plain_http_to_this_machine_only(direct: None, place: str, allowed: bool) -> None:
    assert reachable(urlsplit(place)) is allowed
