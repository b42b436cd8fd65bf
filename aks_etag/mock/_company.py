# SPDX-License-Identifier: MIT
"""Who else writes to a mock: writers in the background, each with a timetable."""

from __future__ import annotations

from aks_etag.mock._core.background import Background, Writer
from aks_etag.mock._core.service import Service
from aks_etag.mock._core.store import Store


class Company:
    """Lets others write, as they do to every AKS."""

    core: Service
    _store: Store

    def background(
        self,
        writer: Writer,
        *,
        every: float | None = None,
        after: float | None = None,
        requests: int | None = None,
        times: int | None = None,
        name: str = "",
    ) -> None:
        """Let somebody else write: every so many virtual seconds, so many after each write, or at each nth request.

        ``writer`` is called with a ``Scene`` once the next request comes; ``aks_etag.mock.writers`` has ready-made
        ones. What it does is like what everybody does: it takes operations, waits for those of others, and moves tags;
        journal and commits show it under ``name``. ``times`` ends it.

        Raises:
            ValueError: not just one of ``every``, ``after`` and ``requests`` is given, or it is nothing to count by.
        """
        given = [each for each in (every, after, requests) if each is not None]
        if len(given) != 1 or given[0] < 0 or 0 in (every, requests):
            raise ValueError("say when: just one of every=seconds, after=seconds, requests=n")
        self.core.add_background(
            Background(
                name=name or getattr(writer, "__name__", "background"),
                writer=writer,
                store=self._store,
                every=every,
                after=after,
                requests=requests,
                times=times,
                due=None if every is None else self._store.clock.time() + every,
                seen=len(self._store.commits),
            )
        )

    def no_background(self) -> None:
        """Send the writers in the background home; what they have begun goes on."""
        self.core.end_backgrounds()
