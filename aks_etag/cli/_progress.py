# SPDX-License-Identifier: MIT
"""What a command tells on stderr while it works: one line that changes on a terminal, with -v a line for each event."""

from __future__ import annotations

import time
from typing import Any, Self

import click

from ._line import Line, can_be_drawn
from ._words import holding, line_of, passing, spoken


class Progress:
    """Listens to a client; silent in pipes and with --quiet, unless -v asks for more."""

    def __init__(self, *, verbose: bool, quiet: bool) -> None:
        self._quiet = quiet
        self._verbose = verbose and not quiet
        self._line = Line(self._text) if can_be_drawn() and not quiet and not verbose else None
        self._begun = time.monotonic()
        self._attempt = 1
        self._conflicts = 0
        self._what = ""
        self._held = False

    def __enter__(self) -> Self:
        if self._line is not None:
            self._line.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        if self._line is not None:
            self._line.__exit__()

    def tell(self, event: Any) -> None:
        """Hear of an event."""
        if self._verbose:
            click.echo(line_of(event), err=True)
        elif self._line is not None:
            self._hear(event)
            self._line.draw()

    def status(self, text: str) -> None:
        """Hear of something that is no event."""
        if self._verbose:
            click.echo(text, err=True)
        elif self._line is not None:
            self._what, self._held = text, True
            self._line.draw()

    def say(self, text: str) -> None:
        """Say something that stays."""
        if not self._quiet:
            click.echo(text, err=True)

    def note(self, text: str) -> None:
        """Say something to those who asked for more with -v."""
        if self._verbose:
            self.say(text)

    def clear(self) -> None:
        """Take the changing line away."""
        if self._line is not None:
            self._line.clear()

    def _hear(self, event: Any) -> None:
        self._attempt = getattr(event, "attempt", self._attempt)
        self._conflicts += type(event).__name__ == "Conflict"
        # Who blocks, or how an operation is, says more than that it is waited for.
        if not (self._held and passing(event)):
            self._what, self._held = spoken(event), holding(event)

    def _text(self) -> str:
        minutes, seconds = divmod(int(time.monotonic() - self._begun), 60)
        attempts = f"attempt {self._attempt}" if self._attempt > 1 else ""
        conflicts = f"{self._conflicts} conflict{'' if self._conflicts == 1 else 's'}" if self._conflicts else ""
        counts = ", ".join(filter(None, (attempts, conflicts)))
        return f"{minutes}:{seconds:02} {counts}{': ' if counts else ''}{self._what}"
