# SPDX-License-Identifier: MIT
"""``kube check-storage`` and ``kube migrate-storage`` on a socket: verdicts, progress, a stop and its continuation."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from aks_etag.mock import MockKubernetes

from ..migration.stage import NAME, OLD, definition, version, widget
from .terminal import Terminal, environment, run

COUNT = 12
MIGRATE = ("kube", "migrate-storage", NAME, "--to", "v1", "--settle", "0")


@pytest.fixture
def server() -> MockKubernetes:
    """A server with a dozen widgets that are stored in v1beta1."""
    server = MockKubernetes()
    server.add(definition())
    for number in range(COUNT):
        server.add(widget(f"w{number:02}", size=1))
    return server


@pytest.fixture
def url(server: MockKubernetes) -> Iterator[str]:
    with server.serve() as url:
        yield url


def old(server: MockKubernetes) -> int:
    """Count the widgets that are stored in v1beta1."""
    return sum(server.stored_version(NAME, "lab", f"w{number:02}") == OLD for number in range(COUNT))


def test_a_version_that_is_needed_is_no_and_one_that_is_not_is_yes(
    server: MockKubernetes, url: str, tmp_path: Path
) -> None:
    check = ("kube", "check-storage", NAME, OLD, "--server", url)
    before = run(*check, home=tmp_path)
    verdict = json.loads(before.stdout)
    assert (before.returncode, before.stderr, verdict["removable"]) == (1, "", False)
    assert f"{OLD} is the storage version" in verdict["reasons"]
    moved = run(*MIGRATE, "--server", url, home=tmp_path)
    report = json.loads(moved.stdout)
    assert (moved.returncode, moved.stderr) == (0, "")
    assert (report["finished"], report["moved"], report["removed"]) == (True, COUNT, [OLD])
    assert old(server) == 0
    after = run(*check, "--query", "removable", home=tmp_path)
    assert (after.returncode, after.stdout, after.stderr) == (0, "true\n", "")


def test_a_dry_run_names_what_would_be_lost_and_writes_nothing(tmp_path: Path) -> None:
    server = MockKubernetes()
    server.add(definition(version(OLD, storage=True, legacy={"type": "string"}), version("v1")))
    server.add(widget("w00", legacy="x"))
    with server.serve() as url:
        done = run(*MIGRATE, "--server", url, "--dry-run", home=tmp_path)
    found = json.loads(done.stdout)
    assert (done.returncode, done.stderr, found["clean"]) == (1, "", False)
    assert found["findings"][0]["name"] == "w00"
    assert found["findings"][0]["pruned"] == ["spec.legacy"]
    assert server.stored_version(NAME, "lab", "w00") == OLD


def test_a_version_that_is_not_there_is_refused(url: str, tmp_path: Path) -> None:
    done = run("kube", "migrate-storage", NAME, "--to", "v7", "--server", url, home=tmp_path)
    assert (done.returncode, done.stdout) == (7, "")
    assert "it has no version v7" in done.stderr


def test_a_terminal_shows_how_far_it_is(server: MockKubernetes, url: str, tmp_path: Path) -> None:
    chunks = (*MIGRATE, "--chunk", "4", "--server", url, "-o", "none")
    with Terminal(*chunks, env=environment(tmp_path)) as terminal:
        assert terminal.end() == 0
    texts = [each.partition(" ")[2] for each in terminal.screens]
    told = [each.partition(" problems")[0] for each in texts if each.startswith("rewrite ")]
    wanted = [f"rewrite {done}/{COUNT}, {done} moved, 0 conflicts, 0" for done in (4, 8, 12)]
    assert list(dict.fromkeys(told)) == wanted
    assert terminal.text == ""


def test_verbose_says_each_phase_on_a_line_of_its_own_in_a_pipe(url: str, tmp_path: Path) -> None:
    done = run(*MIGRATE, "--server", url, "-v", "-o", "none", home=tmp_path)
    phases = list(dict.fromkeys(line.partition(" ")[0] for line in done.stderr.splitlines()))
    assert (done.returncode, done.stdout) == (0, "")
    assert [each for each in phases if ":" not in each] == [
        *("deprecate", "flip", "settle", "rewrite", "verify", "trim", "unserve", "clean_managers", "remove")
    ]


def test_what_was_stopped_goes_on_where_it_was(server: MockKubernetes, url: str, tmp_path: Path) -> None:
    journal = str(tmp_path / "run.db")
    again = (*MIGRATE, "--chunk", "2", "--journal", journal, "--server", url)
    with Terminal(*again, "--rate", "3", env=environment(tmp_path), columns=200) as terminal:
        terminal.until("rewrite 4/")
        terminal.press("\x03")
        assert terminal.end() == 130
    assert terminal.text.splitlines()[-1] == f"run it again with --journal {journal}: it goes on where it was"
    left = old(server)
    assert 0 < left < COUNT
    server.journal.clear()
    done = run(*again, "--query", "[finished, moved]", home=tmp_path)
    assert (done.returncode, json.loads(done.stdout), done.stderr) == (0, [True, COUNT], "")
    assert old(server) == 0
