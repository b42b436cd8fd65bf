# SPDX-License-Identifier: MIT
"""``aks-etag verify`` on histories that a client recorded, on doctored ones, and on what is none."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from aks_etag import AksClient
from aks_etag.cli import main
from aks_etag.cli._session import FixedToken
from aks_etag.mock import MockAks

from .terminal import SUBSCRIPTION, run

POOLS = ("nodepool", "list", "-g", "rg", "--cluster-name", "prod")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record two writers of one pool, and what a command prints of all pools before and after."""
    home, mock = tmp_path_factory.mktemp("history"), MockAks()
    mock.add_cluster("rg", "prod", pools={"np1": {"count": 3}, "np2": {"count": 1}})
    with mock.serve() as url:
        _keep(url, home, "before")
        for nodes in (1, 2):
            with AksClient(FixedToken("t"), SUBSCRIPTION, base_url=url, history=home / "history.jsonl") as aks:
                aks.cluster("rg", "prod").agent_pool("np1").update(lambda body, nodes=nodes: _add(body, nodes))
        _keep(url, home, "after")
    return home


@pytest.fixture
def recorded(kept: Path, tmp_path: Path) -> Path:
    """Give each test a copy to doctor."""
    shutil.copytree(kept, tmp_path, dirs_exist_ok=True)
    return tmp_path


def _add(body: dict[str, Any], nodes: int) -> None:
    body["properties"]["count"] += nodes


def _keep(url: str, home: Path, name: str) -> None:
    (home / f"{name}.json").write_text(run(*POOLS, home=home, url=url).stdout, "utf-8")


def verify(home: Path, *more: str) -> tuple[int, str, str]:
    """Run it where the files are."""
    states = ("--before", str(home / "before.json"), "--after", str(home / "after.json"))
    done = run("verify", str(home / "history.jsonl"), *(more or states), home=home)
    return done.returncode, done.stdout, done.stderr


def test_a_clean_history_explains_what_is_there(recorded: Path) -> None:
    code, out, err = verify(recorded)
    assert out == "2 operations, 2 writes sent, 0 commits: 0 anomalies, 0 unknown, 0 unreadable lines\n"
    assert (code, err) == (0, "")


def test_a_lost_update_is_found_and_named(recorded: Path) -> None:
    pools = json.loads((recorded / "after.json").read_text("utf-8"))
    pools[0]["count"] -= 1
    (recorded / "after.json").write_text(json.dumps(pools), "utf-8")
    code, out, err = verify(recorded)
    assert (code, err) == (1, "")
    first, second, third = out.splitlines()
    assert first.endswith("1 anomalies, 0 unknown, 0 unreadable lines")
    assert second.startswith("unexplained: /properties/count of /subscriptions/")
    assert second.endswith("/agentpools/np1 went from 3 to 5")
    assert third == "  2 writes that make +3 were acknowledged"


def test_the_report_is_there_for_programs_too(recorded: Path) -> None:
    (recorded / "after.json").write_text("[]", "utf-8")
    states = ("--before", str(recorded / "before.json"), "--after", str(recorded / "after.json"))
    code, out, err = verify(recorded, *states, "-o", "json")
    found = json.loads(out)
    assert (code, err) == (1, "")
    assert (found["clean"], found["operations"]) == (False, 2)
    assert {each["kind"] for each in found["anomalies"]} == {"unexplained"}


def test_without_states_it_says_that_there_is_nothing_to_hold_it_against(recorded: Path) -> None:
    code, out, err = verify(recorded, "--output", "text")
    assert code == 0
    assert out.startswith("2 operations, 2 writes sent")
    assert err == "note: nothing to hold it against: give --before and --after\n"


def test_a_torn_line_is_told_and_no_end_of_the_world(recorded: Path) -> None:
    with (recorded / "history.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"line":"call","op"')
    code, out, err = verify(recorded)
    assert code == 0
    assert out.endswith("1 unreadable lines\n")
    assert err == "note: lines that cannot be read belong to a process that was killed, or to another file\n"


HEADER = '{"line":"history","version":1,"key":"%s"}\n' % ("00" * 16)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(None, "No such file or directory", id="missing"),
        pytest.param(b"", "it is empty", id="empty"),
        pytest.param(b"\n\n", "it is empty", id="blank"),
        pytest.param(b'{"name": "prod"}\n', "line 1 is not the one that a history begins with", id="json"),
        pytest.param(b"\xff\xfe\x00", "line 1 is not the one", id="binary"),
        pytest.param(HEADER.replace("0000", "zz").encode(), "line 1 is not the one", id="key"),
        pytest.param(HEADER.replace(":1,", ":2,").encode(), "line 1 says version 2, known is 1", id="version"),
    ],
)
def test_what_is_no_history_is_refused_and_its_line_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: bytes | None, said: str
) -> None:
    if text is not None:
        (tmp_path / "history.jsonl").write_bytes(text)
    code = main(["verify", str(tmp_path / "history.jsonl")])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert err.startswith(f"error: HISTORY {tmp_path / 'history.jsonl'}: ")
    assert said in err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--before", "x"), "--before and --after belong together"),
        (("--before", "/dev/null", "--after", "/dev/null"), "--before /dev/null is no JSON"),
        (("--before", "list", "--after", "list"), "it is no cluster or agent pool, nor a list of them"),
    ],
)
def test_states_that_cannot_be_used_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: tuple[str, ...], said: str
) -> None:
    (tmp_path / "history.jsonl").write_text(HEADER, "utf-8")
    (tmp_path / "list").write_text('[{"name": "prod"}]', "utf-8")
    named = [str(tmp_path / each) if each == "list" else each for each in more]
    code = main(["verify", str(tmp_path / "history.jsonl"), *named])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert said in err
