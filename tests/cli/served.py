# SPDX-License-Identifier: MIT
"""The command as a process, against a mock that is served from the test."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pytest

from aks_etag.cli import main
from aks_etag.mock import MockAks

CLUSTER = ("-g", "rg", "-n", "prod")
POOL = ("-g", "rg", "--cluster-name", "prod", "-n", "np1")

COMMAND = [sys.executable, "-P", "-m", "aks_etag"]
# In which a command may hang at most, in seconds.
PATIENCE = 60.0


@dataclass(frozen=True)
class Ran:
    """What a command came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def refusal(self) -> tuple[int, str]:
        """The exit code and the first line of the words; it is one of three at most, and none is a traceback."""
        assert "Traceback" not in self.err
        assert "defect of aks-etag" not in self.err
        return self.code, self.err.splitlines()[0]


@dataclass(frozen=True)
class World:
    """A mock on a port, a home of one's own, and commands in it."""

    mock: MockAks
    url: str
    home: Path

    def environment(self, **more: str | None) -> dict[str, str]:
        """Return what a command sees: nothing of this machine."""
        known = {
            "HOME": str(self.home),
            "AZURE_CONFIG_DIR": str(self.home / ".azure"),
            "AKS_ETAG_ENDPOINT": self.url,
            "AZURE_SUBSCRIPTION_ID": self.mock.subscription_id,
            "PATH": os.defpath,
            "PYTHONIOENCODING": "utf-8",
            **more,
        }
        return {name: value for name, value in known.items() if value is not None}

    def run(self, *arguments: object, stdin: str | bytes = b"", **more: str | None) -> Ran:
        """Run a command to its end."""
        done = subprocess.run(
            [*COMMAND, *map(str, arguments)],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            env=self.environment(**more),
            cwd=self.home,
            timeout=PATIENCE,
            check=False,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def shell(self, script: str, **more: str | None) -> Ran:
        """Run a script in which ``aks`` is the command."""
        aks = " ".join(f"'{word}'" for word in COMMAND)
        done = subprocess.run(
            ["bash", "-c", f'aks() {{ {aks} "$@"; }}\n{script}'],
            capture_output=True,
            env=self.environment(**more),
            cwd=self.home,
            timeout=PATIENCE,
            check=False,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    @contextmanager
    def started(self, *arguments: object) -> Iterator[subprocess.Popen[str]]:
        """Start a command, and see that it ends."""
        process = subprocess.Popen(
            [*COMMAND, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment(),
            cwd=self.home,
            text=True,
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait()
            for stream in (process.stdout, process.stderr):
                assert stream is not None
                stream.close()

    def file(self, name: str, content: Any) -> Path:
        """Write a file: text as it is, else as JSON."""
        path = self.home / name
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
        return path

    @property
    def writes(self) -> list[tuple[str, str | None]]:
        """Method and If-Match of each write that arrived."""
        return [(each.method, each.if_match) for each in self.mock.journal if each.method != "GET"]

    def tag(self, pool: str | None = None) -> str:
        """Return the eTag that is there now."""
        body = self.mock.body("rg", "prod", pool)
        return str(body["eTag"] if pool is None else body["properties"]["eTag"])


def told(stream: IO[str] | None, word: str) -> str:
    """Read what a command says until it says this."""
    assert stream is not None
    while word not in (line := stream.readline()):
        assert line, f"it ended without a word of {word!r}"
    return line


class Inside:
    """Runs commands in this process: for tables of many cases, each of which would cost a process."""

    def __init__(self, world: World, capsys: pytest.CaptureFixture[str]) -> None:
        self.world = world
        self._capsys = capsys

    def run(self, *arguments: object) -> Ran:
        """Run a command to its end."""
        self._capsys.readouterr()
        code = main([str(each) for each in arguments])
        said = self._capsys.readouterr()
        return Ran(code, said.out, said.err)
