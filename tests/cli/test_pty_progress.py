# SPDX-License-Identifier: MIT
"""What a terminal shows while a command waits, screen by screen."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from aks_etag.cli._line import fitting
from aks_etag.mock import MockAks

from .terminal import CLUSTER, PATIENCE, POOL, Terminal, environment, run

SCALE = ("nodepool", "scale", *POOL, "--node-count", "5", "-o", "none")


@pytest.fixture
def url(mock: MockAks) -> Iterator[str]:
    with mock.serve() as url:
        yield url


def blocked(mock: MockAks) -> None:
    """Refuse the next write as the service does while somebody else's operation is in progress."""
    said = (
        "Operation is not allowed because there's an in progress update managed cluster operation (operation ID: "
        "0f4c) on the managed cluster started on UTC 2026-11-30T09:54:45Z."
    )
    mock.inject("PUT", effect=409, body={"code": "OperationNotAllowed", "message": said})


def test_an_operation_is_shown_while_it_runs_and_the_line_goes_when_it_is_over(
    mock: MockAks, url: str, tmp_path: Path
) -> None:
    mock.switches.operation_polls = 3
    with Terminal(*SCALE, env=environment(tmp_path, url)) as terminal:
        assert terminal.end() == 0
    assert terminal.text == ""
    texts = [each.partition(" ")[2] for each in terminal.screens]
    assert list(dict.fromkeys(texts)) == [
        "waiting for the operation on np1",
        "operation on np1: InProgress",
        "operation on np1: Succeeded",
    ]


def test_the_time_moves_on_between_two_looks(mock: MockAks, url: str, tmp_path: Path) -> None:
    mock.inject("GET", effect=429, headers={"Retry-After": "2"})
    with Terminal(*SCALE, env=environment(tmp_path, url)) as terminal:
        assert terminal.end() == 0
    # Nothing is heard of meanwhile: the second time is the line's own doing.
    times = [each[:4] for each in terminal.screens if each[5:] == "waiting for the service's request budget"]
    assert times[:2] in (["0:00", "0:01"], ["0:01", "0:02"])


def test_who_blocks_and_since_when_is_shown_until_it_is_over(mock: MockAks, url: str, tmp_path: Path) -> None:
    blocked(mock)
    with Terminal(*SCALE, env=environment(tmp_path, url), columns=100) as terminal:
        assert terminal.end() == 0
    first, *rest = [each.partition(" ")[2] for each in terminal.screens]
    assert first == "np1 is blocked by update managed cluster since 09:54:45 UTC"
    assert [each for each in rest if "in progress (update" in each] == []
    assert rest[-1] == "attempt 2: operation on np1: Succeeded"


def test_the_line_makes_way_for_an_error(mock: MockAks, url: str, tmp_path: Path) -> None:
    mock.set_state("rg", "prod", "np1", "Updating")
    with Terminal(*SCALE, "--timeout", "0.3", env=environment(tmp_path, url)) as terminal:
        assert terminal.end() == 10
    assert terminal.screens[0][4:].startswith(" waiting for np1 to settle")
    assert terminal.text.startswith("error: ")
    assert "waiting for np1 to settle" not in terminal.text.splitlines()[0][:40]


def test_attempts_and_conflicts_are_counted(mock: MockAks, url: str, tmp_path: Path) -> None:
    mock.before_write(lambda: mock.edit("rg", "prod", "np1"), times=2)
    with Terminal(*SCALE, env=environment(tmp_path, url)) as terminal:
        assert terminal.end() == 0
    texts = [each.partition(" ")[2] for each in terminal.screens]
    assert "1 conflict: somebody else changed np1, reading it again" in texts
    assert texts[-1] == "attempt 3, 2 conflicts: operation on np1: Succeeded"


@pytest.mark.parametrize("columns", [40, 12])
def test_a_narrow_line_never_wraps(mock: MockAks, url: str, tmp_path: Path, columns: int) -> None:
    blocked(mock)
    with Terminal(*SCALE, env=environment(tmp_path, url), columns=columns) as terminal:
        assert terminal.end() == 0
    assert terminal.text == ""
    assert terminal.screens[0][4:] == " np1 is blocked by update managed cl"[: columns - 6] + "…"
    assert not [each for each in terminal.screens if "\n" in each]


def test_the_width_is_that_of_the_terminal_although_stdout_is_a_pipe(mock: MockAks, url: str, tmp_path: Path) -> None:
    blocked(mock)
    with (tmp_path / "out").open("w") as out:
        env = environment(tmp_path, url)
        with Terminal(*SCALE[:-2], env=env, columns=40, stdout=out) as terminal:
            assert terminal.end() == 0
    assert terminal.screens
    assert not [each for each in terminal.screens if "\n" in each]
    assert '"count": 5' in (tmp_path / "out").read_text("utf-8")


@pytest.mark.parametrize(("more", "term"), [(("--quiet",), "xterm"), ((), "dumb"), (("--quiet", "--verbose"), "xterm")])
def test_nothing_is_drawn_when_nobody_wants_it_or_it_cannot_be(
    mock: MockAks, url: str, tmp_path: Path, more: tuple[str, ...], term: str
) -> None:
    mock.switches.operation_polls = 3
    with Terminal(*SCALE, *more, env=environment(tmp_path, url, TERM=term)) as terminal:
        assert terminal.end() == 0
    assert terminal.raw == b""


def test_pipes_stay_silent(mock: MockAks, url: str, tmp_path: Path) -> None:
    mock.switches.operation_polls = 3
    done = run(*SCALE, home=tmp_path, url=url)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_verbose_says_the_condition_each_retry_and_each_wait_on_lines_of_their_own(
    mock: MockAks, url: str, tmp_path: Path
) -> None:
    mock.before_write(lambda: mock.edit("rg", "prod", "np1"), times=1)
    done = run(*SCALE, "--verbose", home=tmp_path, url=url)
    *_, written = [each for each in mock.journal if each.method == "PUT"]
    heads = [line.partition(": ")[0] for line in done.stderr.splitlines()]
    assert heads == ["Conflict", "Waiting", "Retrying", "Waiting", "OperationProgress", "updated"]
    assert f"If-Match: {written.if_match}, 2 writes, 1 conflict" in done.stderr.splitlines()[-1]
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("create", "-g", "rg", "-n", "new", "-l", "region1", "-o", "none"), "created: If-None-Match: *, 1 write, "),
        (("tag", *CLUSTER, "a=b", "-o", "none"), "updated: If-Match: {cluster}, 1 write, "),
        (("nodepool", "delete", *POOL, "--yes"), "deleted: If-Match: {pool}, 1 write, "),
        (("update", *CLUSTER, "--set", "tags.a=b", "--force", "-o", "none"), "updated: no condition, 1 write, "),
    ],
    ids=lambda each: each[0],
)
def test_verbose_says_the_condition_of_every_kind_of_write(
    mock: MockAks, url: str, tmp_path: Path, command: tuple[str, ...], said: str
) -> None:
    tags = {"cluster": mock.body("rg", "prod")["eTag"], "pool": mock.body("rg", "prod", "np1")["properties"]["eTag"]}
    done = run(*command, "-v", home=tmp_path, url=url)
    assert done.returncode == 0
    assert done.stderr.splitlines()[-1].startswith(said.format(**tags))


def test_what_is_printed_is_not_garbled_by_the_line(mock: MockAks, url: str, tmp_path: Path) -> None:
    mock.switches.operation_polls = 2
    with Terminal(*SCALE[:-2], "--query", "count", env=environment(tmp_path, url)) as terminal:
        assert terminal.end() == 0
    assert terminal.text == "5"


@pytest.mark.parametrize(
    ("no_color", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True)], ids=repr
)
def test_colours_are_for_terminals_and_respect_no_color(
    url: str, tmp_path: Path, no_color: dict[str, str], coloured: bool
) -> None:
    show = ("show", *CLUSTER, "-o", "jsonc", "--query", "{name: name}")
    with Terminal(*show, env=environment(tmp_path, url, **no_color)) as terminal:
        assert terminal.end() == 0
    assert (b"\x1b[" in terminal.raw) is coloured
    assert terminal.text.split() == ["{", '"name":', '"prod"', "}"]
    assert "\x1b" not in run(*show, home=tmp_path, url=url, **no_color).stdout


def test_a_reader_that_goes_away_ends_the_command_without_a_word(url: str, tmp_path: Path) -> None:
    shell = '"$@" | head -c 1; echo "${PIPESTATUS[0]}"'
    from .terminal import command

    done = subprocess.run(
        ["bash", "-c", shell, "bash", *command("list")],
        capture_output=True,
        text=True,
        env=environment(tmp_path, url),
        timeout=PATIENCE,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout[:1] == "["


@pytest.mark.parametrize(
    ("text", "columns", "drawn"),
    [
        ("0:00 short", 80, "0:00 short"),
        ("0123456789", 11, "0123456789"),
        ("0123456789", 10, "01234567…"),
        ("0123456789", 1, "…"),
        ("bell\a, \x1b[31mred\nline", 80, "bell?, ?[31mred?line"),
    ],
)
def test_a_line_fits_and_prints_what_a_terminal_would_not_obey(text: str, columns: int, drawn: str) -> None:
    assert fitting(text, columns) == drawn
