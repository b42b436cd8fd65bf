# SPDX-License-Identifier: MIT
"""A file that many threads and processes append lines to, each in one write."""

from __future__ import annotations

import json
import logging
import os
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

Line: TypeAlias = Mapping[str, Any]

VERSION: Final = 1
# Every line begins so. Inside a string the quotes would be escaped, so that it is nowhere else in a line.
START: Final = b'{"line":'
_LOG: Final = logging.getLogger("aks_etag")


class HistoryFile:
    """The end of a history that lines are appended to; ``key`` is the one that its first line holds."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        # Unbuffered and appending: one system call a line, and no two lines mixed.
        self._file = open(self.path, "ab", buffering=0, opener=_private)  # noqa: SIM115
        self.key = self._agreed_key()

    def write(self, line: Line) -> None:
        """Append a line; that it cannot be written is logged, since a write to the service must not die of it."""
        try:
            self._file.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
        except (OSError, ValueError):
            _LOG.exception("a line of the history %s is lost", self.path)

    def close(self) -> None:
        """Close it."""
        self._file.close()

    def _agreed_key(self) -> bytes:
        # Whoever finds an empty file appends a first line; whichever of several came first is the one that counts.
        first = next(lines(self.path), None)
        if first is None:
            self._file.write(json.dumps(first_line(secrets.token_hex(16)), separators=(",", ":")).encode() + b"\n")
            first = next(lines(self.path), {})
        if first.get("line") == "history":
            return bytes.fromhex(first["key"])
        self._file.close()
        raise ValueError(f"{self.path} is something else than a history: it does not begin like one; take another file")


def first_line(key: str) -> Line:
    """Return the line that a history begins with."""
    return {"line": "history", "version": VERSION, "key": key}


def lines(path: str | os.PathLike[str]) -> Iterator[Line]:
    """Read a history; what a torn line hides is skipped, and shows up as ``{"line": "torn"}``."""
    with Path(path).open("rb") as file:
        for text in file:
            yield from _parsed(text)


def _parsed(text: bytes) -> Iterator[Line]:
    if not text.strip():
        return
    # A process that was killed may have torn its last line, and another one's next line may follow at once.
    torn, start, rest = text.rpartition(START)
    if torn:
        yield {"line": "torn"}
    try:
        line = json.loads(start + rest)
    except ValueError:
        line = None
    yield line if start and isinstance(line, dict) else {"line": "torn"}


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
