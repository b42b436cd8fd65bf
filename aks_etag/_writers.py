# SPDX-License-Identifier: MIT
"""The ids under which a client notes its writes with ``exactly_once``: one for each write that is under way."""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

from ._core.marker import LENGTH

_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz234567"


@dataclass(slots=True)
class _Known:
    """The ids that were used on one resource, and those of them whose writes are all decided."""

    used: set[str] = field(default_factory=set)
    back: set[str] = field(default_factory=set)
    free: list[str] = field(default_factory=list)


class Writers:
    """Hands out ids, never one to two writes of one resource at a time; thread-safe.

    An id whose last write stayed in doubt does not come back: its slot may still change. After a fork, all are new.
    """

    def __init__(self, dice: random.Random | None = None) -> None:
        # Not from a seeded generator, whose state a fork would share.
        self._dice = dice or random.SystemRandom()
        self._begin()

    def take(self, resource_id: str, taken: Collection[str]) -> str:
        """Return an id for a write; ``taken`` are those that others may be using there."""
        with self._mine():
            known = self._known.setdefault(resource_id.casefold(), _Known())
            if known.free and not taken:
                return known.free.pop()
            writer = self._first
            while writer in known.used or writer in taken:
                writer = self._drawn()
            known.used.add(writer)
            return writer

    def give_back(self, resource_id: str, writer: str) -> None:
        """Take an id back once every write under it is decided."""
        with self._mine():
            known = self._known.get(resource_id.casefold())
            if known is not None and writer in known.used:
                known.back.add(writer)
                known.free.append(writer)

    def has_written(self, resource_id: str, writer: str) -> bool:
        """Whether an id was used there before, and came back."""
        with self._mine():
            known = self._known.get(resource_id.casefold())
            return known is not None and writer in known.back

    def _mine(self) -> threading.Lock:
        """Return the lock. The one that a fork has copied may be held by a thread that is not there."""
        if os.getpid() != self._process:
            self._begin()
        return self._lock

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._known: dict[str, _Known] = {}
        self._first = self._drawn()

    def _drawn(self) -> str:
        return "".join(self._dice.choice(_ALPHABET) for _ in range(LENGTH))
