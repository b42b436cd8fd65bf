# SPDX-License-Identifier: MIT
"""Completion as a shell does it, and what it costs."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .terminal import PATIENCE, environment, run

# What the line editor does for a TAB at the end of a line.
PRESS_TAB = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
complete -p aks-etag > /dev/null && _aks_etag_completion aks-etag
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def bash(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A script to source, and an environment in which there is an aks-etag."""
    if shutil.which("bash") is None:
        pytest.skip("there is no bash here")
    home = tmp_path_factory.mktemp("bash")
    program = home / "aks-etag"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m aks_etag "$@"\n', "utf-8")
    program.chmod(0o755)
    env = environment(home)
    (home / "script").write_text(run("completion", "bash", home=home).stdout, "utf-8")
    return home / "script", {**env, "PATH": f"{home}:{env['PATH']}"}


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (("nodepool", "sc"), ["scale"]),
        (("nodepool", ""), ["add", "delete", "etag", "list", "scale", "show", "update", "wait"]),
        (("nod",), ["nodepool"]),
        (("kube", "migrate-storage", "--con"), ["--concurrency", "--context"]),
        (("show", "-o", "js"), ["json", "jsonc"]),
        (("nope", "sc"), [""]),
    ],
)
def test_bash_completes(bash: tuple[Path, dict[str, str]], words: tuple[str, ...], completed: list[str]) -> None:
    script, env = bash
    done = subprocess.run(
        ["bash", "--norc", "-c", PRESS_TAB, "bash", str(script), "aks-etag", *words],
        capture_output=True,
        text=True,
        env=env,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(done.stdout.splitlines()) == sorted(completed)


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_scripts_of_other_shells_are_what_these_take(shell: str, tmp_path: Path) -> None:
    done = run("completion", shell, home=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "_AKS_ETAG_COMPLETE=" + f"{shell}_complete" in done.stdout
    if shutil.which(shell) is not None:
        script = tmp_path / "script"
        script.write_text(done.stdout, "utf-8")
        subprocess.run([shell, "-n", str(script)], check=True, timeout=PATIENCE)


def test_a_shell_that_is_not_known_is_refused(tmp_path: Path) -> None:
    done = run("completion", "tcsh", home=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "'tcsh' is not one of 'bash', 'zsh', 'fish'" in done.stderr


def test_completing_a_command_imports_none(tmp_path: Path) -> None:
    told = "import atexit, json, sys; atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))"
    code = f"{told}; from aks_etag.cli import main; main()"
    env = environment(tmp_path, _AKS_ETAG_COMPLETE="bash_complete", COMP_WORDS="aks-etag ", COMP_CWORD="1")
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, env=env, timeout=PATIENCE, check=False
    )
    loaded = set(json.loads(done.stderr.splitlines()[-1]))
    assert "plain,nodepool" in done.stdout.splitlines()
    own = {name for name in loaded if name.startswith("aks_etag.")}
    assert own == {"aks_etag._version", *(f"aks_etag.cli{part}" for part in ("", "._app", "._arguments", "._exits"))}
    assert not loaded & {"azure", "httpx", "jmespath", "pygments", "rich", "yaml"}
