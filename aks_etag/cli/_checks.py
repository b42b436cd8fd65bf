# SPDX-License-Identifier: MIT
"""Checks that are told line by line, and what they come to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from ._errors import what
from ._exits import Exit


class Checks:
    """Tells each check; ``code`` is that of a failure once something has failed."""

    def __init__(self) -> None:
        self.code = Exit.DONE

    def of(self, title: str, check: Callable[[], Any]) -> Any:
        """Make a check that raises where it fails; return what it found."""
        try:
            found = check()
        except Exception as error:  # noqa: BLE001  # whatever it is, it is what was to be found out
            self.fail(title.replace(" can be ", " cannot be "), error)
            return None
        self.ok(title)
        return found

    def ok(self, title: str) -> None:
        """Say that all is well."""
        self._tell("ok", title)

    def warn(self, title: str, why: BaseException) -> None:
        """Say what may or may not matter."""
        self._tell("warn", title, what(why))

    def fail(self, title: str, why: BaseException | None = None) -> None:
        """Say what is wrong."""
        self.code = Exit.OTHER
        self._tell("FAIL", title, "" if why is None else what(why))

    def skip(self, title: str, why: str) -> None:
        """Say what was not looked at."""
        self._tell("skip", title, why)

    def _tell(self, mark: str, title: str, why: str = "") -> None:
        click.echo(f"{mark:<4}  {title}" + (f"\n      {why}" if why else ""))
