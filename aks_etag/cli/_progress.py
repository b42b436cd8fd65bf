# SPDX-License-Identifier: MIT
"""What a command tells on stderr while it works: one line that changes on a terminal, with -v a line for each event."""

from __future__ import annotations

import shutil
import sys
import time
from typing import Any, Self

import click

from ._words import line_of, spoken


class Progress:
    """Listens to a client; silent in pipes and with --quiet, unless -v asks for more."""

    def __init__(self, *, verbose: bool, quiet: bool) -> None:
        self._quiet = quiet
        self._verbose = verbose and not quiet
        self._drawing = sys.stderr.isatty() and not quiet and not verbose
        self._begun = time.monotonic()
        self._conflicts = self._writes = 0
        self._drawn = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def tell(self, event: Any) -> None:
        """Hear of an event."""
        name = type(event).__name__
        self._conflicts += name == "Conflict"
        self._writes += name in ("Conflict", "Retrying")
        if self._verbose:
            click.echo(line_of(event), err=True)
        elif self._drawing:
            self._draw(spoken(event))

    def say(self, text: str) -> None:
        """Say something that stays."""
        self.clear()
        if not self._quiet:
            click.echo(text, err=True)

    def note(self, text: str) -> None:
        """Say something to those who asked for more with -v."""
        if self._verbose:
            self.say(text)

    def clear(self) -> None:
        """Take the changing line away."""
        if self._drawn:
            click.echo("\r\x1b[K", nl=False, err=True)
            self._drawn = False

    def _draw(self, what: str) -> None:
        elapsed = int(time.monotonic() - self._begun)
        counts = f", {self._conflicts} conflicts" if self._conflicts else ""
        text = f"{elapsed // 60}:{elapsed % 60:02} {what}{counts}"
        width = max(20, shutil.get_terminal_size().columns) - 1
        click.echo("\r\x1b[K" + (text if len(text) <= width else text[: width - 1] + "…"), nl=False, err=True)
        self._drawn = True
