# SPDX-License-Identifier: MIT
"""The tree of commands itself: what is no command, and what a command is started with."""

from __future__ import annotations

import subprocess
from pathlib import Path

import click
import pytest

from aks_etag.cli import main
from aks_etag.cli._pace import pace

from .terminal import PATIENCE, command, environment


@pytest.mark.parametrize("group", [(), ("nodepool",), ("kube",), ("mock",), ("group",)], ids=" ".join)
def test_a_group_alone_shows_what_is_in_it(group: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    code = main([*group])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert err.startswith(f"Usage: {' '.join(('aks-etag', *group))} ")
    assert ("\nCommands:\n" in err, "error: " in err) == (True, False)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("shwo",), "error: there is no command 'shwo'; did you mean 'show'?\nhint: aks-etag --help\n"),
        (("nodepool", "scal"), "error: there is no command 'scal'; did you mean 'scale'?\nhint: aks-etag nodepool"),
        (("xyzzy",), "error: there is no command 'xyzzy'\nhint: aks-etag --help\n"),
    ],
)
def test_what_is_no_command_is_named_with_what_was_perhaps_meant(
    arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments]) == 2
    assert capsys.readouterr().err.startswith(said)


@pytest.mark.parametrize("closed", ["2>&-", ">&-", "<&-"])
def test_a_stream_that_is_closed_is_no_crash(closed: str, tmp_path: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", f'"$@" {closed}', "bash", *command("kube", "get", "v1", "Node", "n", "--kubeconfig", "/nope")],
        capture_output=True,
        text=True,
        env=environment(tmp_path),
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("said", "settings"), [("", {}), ("0", 0.0), ("2.5", 2.5)])
def test_the_environment_sets_the_pace(said: str, settings: float | dict[str, float]) -> None:
    wanted = settings if isinstance(settings, dict) else {"polling_interval": settings}
    assert pace({"AKS_ETAG_POLLING_INTERVAL": said}) == wanted


@pytest.mark.parametrize("said", ["soon", "-1", "inf", "nan", "1s"])
def test_a_pace_that_is_none_is_refused(said: str) -> None:
    with pytest.raises(click.UsageError, match=f"AKS_ETAG_POLLING_INTERVAL={said} is no number of seconds"):
        pace({"AKS_ETAG_POLLING_INTERVAL": said})
