# SPDX-License-Identifier: MIT
"""One line of a terminal that changes: drawn anew every second, it makes way for whatever else is written."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from typing import Any, Final, Self, cast

SECOND: Final = 1.0
_ANYWAY: Final = 80
_CLEAR: Final = "\r\x1b[K"


class Line:
    """Draws what ``text`` returns, from the first ``draw`` on; a thread keeps it moving."""

    def __init__(self, text: Callable[[], str]) -> None:
        self._text = text
        self._terminal = sys.stderr
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._ticker: threading.Thread | None = None
        self._drawn = False
        self._redirected = ExitStack()

    def __enter__(self) -> Self:
        self._redirected.enter_context(redirect_stderr(self._yielding(sys.stderr)))
        if sys.stdout is not None and sys.stdout.isatty():
            self._redirected.enter_context(redirect_stdout(self._yielding(sys.stdout)))
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._ticker is not None:
            self._ticker.join()
        self.clear()
        self._redirected.close()

    def draw(self) -> None:
        """Draw it, and keep it moving until something else is written."""
        with self._lock:
            self._draw()
        if self._ticker is None:
            self._ticker = threading.Thread(target=self._tick, name="aks-etag-progress", daemon=True)
            self._ticker.start()

    def clear(self) -> None:
        """Take it away."""
        with self._lock:
            if self._drawn:
                self._terminal.write(_CLEAR)
                self._terminal.flush()
                self._drawn = False

    def _draw(self) -> None:
        self._terminal.write(_CLEAR + fitting(self._text(), _columns(self._terminal.fileno())))
        self._terminal.flush()
        self._drawn = True

    def _tick(self) -> None:
        while not self._over.wait(SECOND):
            with self._lock:
                if self._drawn:
                    self._draw()

    def _yielding(self, stream: Any) -> Any:
        return cast("Any", _Yielding(stream, self.clear))


class _Yielding:
    """A stream before which the line makes way."""

    def __init__(self, stream: Any, clear: Callable[[], None]) -> None:
        self._stream = stream
        self._clear = clear

    def write(self, text: str) -> int:
        if text:
            self._clear()
        return int(self._stream.write(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def fitting(text: str, columns: int) -> str:
    """Return what of a text fits before the last column; what a terminal would not print is a question mark."""
    plain = "".join(each if each.isprintable() else "?" for each in text)
    width = max(1, columns - 1)
    return plain if len(plain) <= width else plain[: width - 1] + "…"


def can_be_drawn() -> bool:
    """Say whether stderr is a terminal that can take a line away again."""
    return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def _columns(terminal: int) -> int:
    # Of stderr: stdout may be a pipe, and that is where shutil would look.
    try:
        return os.get_terminal_size(terminal).columns or _ANYWAY
    except OSError:
        return _ANYWAY
