# SPDX-License-Identifier: MIT
"""Questions on a terminal, and Ctrl-C: before anything was sent, and while an operation goes on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from aks_etag.mock import MockAks

from .terminal import POOL, Terminal, environment, run

DELETE = ("nodepool", "delete", *POOL)
SCALE = ("nodepool", "scale", *POOL, "-o", "none", "--node-count")


@pytest.fixture
def url(mock: MockAks) -> Iterator[str]:
    with mock.serve() as url:
        yield url


def writes(mock: MockAks) -> list[str]:
    """List the writes that were sent."""
    return [each.method for each in mock.journal if each.method != "GET"]


@pytest.mark.parametrize(
    ("keys", "code", "said", "sent"),
    [
        pytest.param("y\r", 0, "", ["DELETE"], id="yes"),
        pytest.param("n\r", 1, "error: nothing was changed", [], id="no"),
        pytest.param("\r", 1, "error: nothing was changed", [], id="enter-is-no"),
        pytest.param("\x04", 130, "interrupted", [], id="end-of-input"),
        pytest.param("\x03", 130, "interrupted", [], id="ctrl-c"),
    ],
)
def test_a_deletion_is_asked_about_with_the_version_that_is_meant(
    mock: MockAks, url: str, tmp_path: Path, keys: str, code: int, said: str, sent: list[str]
) -> None:
    tag = mock.body("rg", "prod", "np1")["properties"]["eTag"]
    with Terminal(*DELETE, env=environment(tmp_path, url), columns=120) as terminal:
        asked = terminal.until("[y/N]:")
        assert asked.startswith(f'Delete np1 as it is now (Succeeded, eTag "{tag}")? [y/N]:')
        terminal.press(keys)
        assert terminal.end() == code
    assert said in terminal.text
    assert "Traceback" not in terminal.text
    assert writes(mock) == sent


def test_nodes_that_would_go_are_asked_about_and_the_line_makes_way(mock: MockAks, url: str, tmp_path: Path) -> None:
    mock.set_state("rg", "prod", "np1", "Updating")
    env = environment(tmp_path, url, AKS_ETAG_POLLING_INTERVAL="0.2")
    with Terminal(*SCALE, "1", env=env) as terminal:
        terminal.until("waiting for np1 to settle")
        mock.set_state("rg", "prod", "np1", "Succeeded")
        assert terminal.until("[y/N]:").startswith("This takes nodes away: ")
        terminal.press("y\r")
        assert terminal.end() == 0
    assert len(terminal.text.splitlines()) == 1
    assert mock.body("rg", "prod", "np1")["properties"]["count"] == 1


def test_a_version_that_moved_while_somebody_thought_is_not_deleted(mock: MockAks, url: str, tmp_path: Path) -> None:
    with Terminal(*DELETE, env=environment(tmp_path, url)) as terminal:
        terminal.until("[y/N]:")
        mock.edit("rg", "prod", "np1")
        terminal.press("y\r")
        assert terminal.end() == 4
    assert mock.body("rg", "prod", "np1")["name"] == "np1"


def test_ctrl_c_leaves_an_accepted_write_running_and_says_how_to_go_on(mock: MockAks, url: str, tmp_path: Path) -> None:
    mock.switches.operation_polls = 20
    # Each look a second or more after the one before: the operation outlasts the interruption.
    env = environment(tmp_path, url, AKS_ETAG_POLLING_INTERVAL="30")
    with Terminal(*SCALE, "5", env=env, columns=250) as terminal:
        terminal.until("operation on np1")
        terminal.press("\x03")
        assert terminal.end() == 130
    *_, stopped, goes_on, way = terminal.text.splitlines()
    assert stopped.endswith("interrupted")
    assert goes_on == "the write was accepted and goes on without us: nothing was cancelled"
    found = re.fullmatch(rf"aks-etag resume (\S+) --endpoint {url}", way)
    assert found is not None, way
    done = run("resume", found[1], "--query", "count", home=tmp_path, url=url)
    assert (done.returncode, done.stdout, done.stderr) == (0, "5\n", "")
    assert writes(mock) == ["PUT"]
    assert not Path(found[1]).exists()


def test_ctrl_c_while_a_resumed_write_runs_leaves_the_way_open(mock: MockAks, url: str, tmp_path: Path) -> None:
    mock.switches.operation_polls = 20
    left = run(*SCALE, "5", "--no-wait", home=tmp_path, url=url)
    token = left.stderr.partition("aks-etag resume ")[2].split()[0]
    env = environment(tmp_path, url, AKS_ETAG_POLLING_INTERVAL="30")
    with Terminal("resume", token, "-o", "none", env=env, columns=250) as terminal:
        terminal.until("operation on np1")
        terminal.press("\x03")
        assert terminal.end() == 130
    assert terminal.text.splitlines()[-1] == f"aks-etag resume {token} --endpoint {url}"
    assert run("resume", token, "-o", "none", home=tmp_path, url=url).returncode == 0


def test_ctrl_c_before_anything_was_sent_says_that_nothing_was_written(mock: MockAks, url: str, tmp_path: Path) -> None:
    mock.set_state("rg", "prod", "np1", "Updating")
    env = environment(tmp_path, url, AKS_ETAG_POLLING_INTERVAL="30")
    with Terminal(*SCALE, "5", env=env, columns=250) as terminal:
        terminal.until("waiting for np1 to settle")
        terminal.press("\x03")
        assert terminal.end() == 130
    assert writes(mock) == []
    assert terminal.text.splitlines()[-2:] == ["interrupted", "nothing was written"]
