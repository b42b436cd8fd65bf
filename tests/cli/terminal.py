# SPDX-License-Identifier: MIT
"""Commands as processes: with pipes, or on a pseudo-terminal whose screen can be looked at."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any, Self

import pyte

SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"
CLUSTER = ("-g", "rg", "-n", "prod")
POOL = ("-g", "rg", "--cluster-name", "prod", "-n", "np1")
# Only for what never happens: nothing here is timed.
PATIENCE = 60.0
# Makes the terminal that it is given the one that Ctrl-C comes from, and becomes the command.
LEAD = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"


def command(*arguments: str) -> list[str]:
    """Return the command line of aks-etag."""
    return [sys.executable, "-P", "-m", "aks_etag", *arguments]


def environment(home: Path, url: str | None = None, **more: str) -> dict[str, str]:
    """Return an environment in which nothing of this machine is seen but where its programs are."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    found = {**kept, "HOME": str(home), "AZURE_CONFIG_DIR": str(home / "azure"), "AZURE_SUBSCRIPTION_ID": SUBSCRIPTION}
    if url is not None:
        found["AKS_ETAG_ENDPOINT"] = url
    return {**found, "PYTHONUTF8": "1", "AKS_ETAG_POLLING_INTERVAL": "0.01", "TERM": "xterm", **more}


def run(
    *arguments: str, home: Path, url: str | None = None, stdin: str = "", **more: str
) -> subprocess.CompletedProcess[str]:
    """Run a command with pipes."""
    return subprocess.run(
        command(*arguments),
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment(home, url, **more),
        timeout=PATIENCE,
        check=False,
    )


class Terminal:
    """A command on a pseudo-terminal; ``stdout`` may be a pipe instead."""

    def __init__(
        self, *arguments: str, env: Mapping[str, str], columns: int = 80, lines: int = 24, stdout: IO[Any] | None = None
    ) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self._screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self._screen)
        # Every screen that was seen, without those that a reader cannot tell from the one before.
        self.screens: list[str] = []
        self.raw = b""
        self._process = subprocess.Popen(
            [sys.executable, "-c", LEAD, *command(*arguments)],
            stdin=slave,
            stdout=stdout or slave,
            stderr=slave,
            env=dict(env),
            start_new_session=True,
        )
        os.close(slave)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait(PATIENCE)
        os.close(self._master)

    @property
    def text(self) -> str:
        """What is on the screen now, without the empty end."""
        return "\n".join(line.rstrip() for line in self._screen.display).rstrip()

    def press(self, keys: str) -> None:
        """Press keys; "\\x03" is Ctrl-C, "\\x04" the end of the input."""
        os.write(self._master, keys.encode())

    def until(self, *texts: str) -> str:
        """Read until all of these are on the screen at once; return it."""
        return self._read(lambda: all(each in self.text for each in texts), texts)

    def changes(self, times: int, of: Callable[[str], bool]) -> list[str]:
        """Read until so many different screens were seen for which this holds; return those."""
        self._read(lambda: sum(map(of, self.screens)) >= times, (f"{times} screens",))
        return [each for each in self.screens if of(each)]

    def end(self) -> int:
        """Read to the end of the command; return its exit code."""
        self._read(lambda: False, ())
        return self._process.wait(PATIENCE)

    def _read(self, enough: Callable[[], bool], wanted: tuple[str, ...]) -> str:
        until = time.monotonic() + PATIENCE
        while not enough():
            assert time.monotonic() < until, f"{wanted} did not appear:\n{self.text}"
            if not self._feed():
                assert not wanted, f"it ended, and {wanted} did not appear:\n{self.text}"
                break
        return self.text

    def _feed(self) -> bool:
        if not select.select([self._master], [], [], 1.0)[0]:
            return True
        try:
            found = os.read(self._master, 65536)
        except OSError:  # So Linux says that nobody has the terminal open any more.
            return False
        self.raw += found
        # A redrawn line is taken away before it is drawn anew: each of them is a screen of its own.
        for part in found.replace(b"\r\x1b[K", b"\0\r\x1b[K").split(b"\0"):
            self._stream.feed(part)
            if self.text and self.text not in self.screens[-1:]:
                self.screens.append(self.text)
        return bool(found)
