# SPDX-License-Identifier: MIT
"""The race after a flip: for a while, writes still land in the version that was stored before."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, kw_only=True)
class _Race:
    version: str
    writes: int
    until: float


class Races:
    """Running races, by the name of the definition."""

    def __init__(self) -> None:
        self._races: dict[str, _Race] = {}

    def flipped(self, definition: str, old: str, race: int | float, now: float) -> None:
        """Begin a race: an ``int`` counts writes, a ``float`` seconds."""
        if not race:
            return
        writes, until = (race, float("inf")) if isinstance(race, int) else (-1, now + race)
        self._races[definition] = _Race(version=old, writes=writes, until=until)

    def version(self, definition: str, storage: str, now: float) -> str:
        """Say in which version a write lands now, without counting it."""
        race = self._races.get(definition)
        return race.version if race is not None and race.writes != 0 and now < race.until else storage

    def count(self, definition: str) -> None:
        """Count one write."""
        race = self._races.get(definition)
        if race is not None and race.writes > 0:
            race.writes -= 1
