# SPDX-License-Identifier: MIT
"""Polls that are about to be made, each for all who wait for the same thing: one asks, and all are told."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from ._core.messages import Outcome


@dataclass(slots=True, eq=False)
class Ask:
    """One poll: who waits for it, and what came of it."""

    bells: list[Callable[[], object]] = field(default_factory=list)
    outcome: Outcome | None = None


class Polls:
    """The polls of all who share what they learn; thread-safe."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._asks: dict[str, Ask] = {}

    def joined(self, url: str, bell: Callable[[], object]) -> tuple[Ask, bool]:
        """Wait for the next poll of a URL; true where nobody is about to make it, so that it is to be made."""
        if os.getpid() != self._process:
            # Whoever was about to ask in the process that this one was forked from is not here.
            self._begin()
        with self._lock:
            ask = self._asks.get(url)
            if ask is None:
                self._asks[url] = ask = Ask()
                return ask, True
            ask.bells.append(bell)
            return ask, False

    def leaves(self, url: str, ask: Ask) -> None:
        """Let whoever comes from now on wait for the next one: the answer to this one may be older than his call."""
        with self._lock:
            if self._asks.get(url) is ask:
                del self._asks[url]

    def over(self, url: str, ask: Ask, outcome: Outcome | None) -> None:
        """Tell all who wait; nothing, where it was interrupted, so that one of them makes it."""
        self.leaves(url, ask)
        ask.outcome = outcome
        for bell in ask.bells:
            # Whose event loop is closed waits no longer.
            with suppress(RuntimeError):
                bell()
