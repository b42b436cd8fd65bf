# SPDX-License-Identifier: MIT
"""What a run has to remember to be resumed: one SQLite file for each migration, one transaction for each chunk."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Final, cast

from ._definition import Definition, refuse
from ._values import Phase, Problem, Reason

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS sweeps (phase TEXT PRIMARY KEY, content TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS problems (
    phase TEXT, namespace TEXT, name TEXT, reason TEXT NOT NULL, detail TEXT NOT NULL,
    PRIMARY KEY (phase, namespace, name));
"""


@dataclass(slots=True, kw_only=True)
class Sweep:
    """One pass over all objects: where it is, and of which state of the definition it speaks."""

    phase: Phase
    number: int
    resource_version: str
    generation: int
    token: str = ""
    done: int = 0
    total: int | None = None
    moved: int = 0
    conflicts: int = 0
    problems: int = 0
    finished: bool = False
    # A chunk was begun: what it moved is lost if the run is killed before it is noted.
    torn: bool = False


class Journal:
    """The memory of one migration. Two migrations never share one: it is bound to the definition's uid and target."""

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self._connection = sqlite3.connect(os.fspath(path or ":memory:"), check_same_thread=False)
        self._connection.executescript(_SCHEMA)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def bind(self, definition: Definition, to: str, old: Sequence[str]) -> tuple[str, ...]:
        """Note whose journal it is, or check it; return the old versions as they were noted first.

        Raises:
            MigrationRefusedError: it is the journal of another migration.
        """
        whose = [definition.name, definition.uid, to]
        noted = self.fact("migration")
        if noted is None:
            self.note("migration", json.dumps(whose))
            self.note("old", json.dumps(list(old)))
            return tuple(old)
        if json.loads(noted) != whose:
            raise refuse(definition.name, "journal", f"the journal is of another migration ({noted}): use a new file")
        return tuple(json.loads(self.fact("old") or "[]"))

    def fact(self, name: str) -> str | None:
        """Return what was noted."""
        row = self._connection.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return None if row is None else cast("str", row[0])

    def note(self, name: str, value: str) -> None:
        """Note something, durably."""
        with self._connection:
            self._connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def count(self, name: str) -> int:
        """Return a counter."""
        return int(self.fact(name) or 0)

    def sweep(self, phase: Phase) -> Sweep | None:
        """Return the last pass of a phase."""
        row = self._connection.execute("SELECT content FROM sweeps WHERE phase = ?", (phase,)).fetchone()
        return None if row is None else Sweep(**json.loads(row[0]))

    def begin(self, sweep: Sweep) -> None:
        """Start a pass: the problems of an older one are found again, or are none any more."""
        with self._connection:
            self._connection.execute("DELETE FROM problems WHERE phase = ?", (sweep.phase,))
            self._keep(sweep)

    def opening(self, sweep: Sweep) -> None:
        """Note that a chunk is begun."""
        with self._connection:
            sweep.torn = True
            self._keep(sweep)

    def advance(self, sweep: Sweep, problems: Iterable[Problem], moved: int, conflicts: int) -> None:
        """Note that a chunk is done, with its counts and problems, all or nothing."""
        with self._connection:
            rows = [(sweep.phase, each.namespace, each.name, each.reason, each.detail) for each in problems]
            self._connection.executemany("INSERT OR REPLACE INTO problems VALUES (?, ?, ?, ?, ?)", rows)
            for name, more in (("moved", moved), ("conflicts", conflicts)):
                total = str(self.count(name) + more)
                self._connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, total))
            sweep.torn = False
            self._keep(sweep)

    def problems(self, phase: Phase) -> tuple[Problem, ...]:
        """Return the problems of the last pass of a phase."""
        query = "SELECT namespace, name, reason, detail FROM problems WHERE phase = ? ORDER BY namespace, name"
        rows: Iterable[tuple[str, str, Reason, str]] = self._connection.execute(query, (phase,))
        return tuple(
            Problem(namespace=namespace, name=name, reason=reason, detail=detail)
            for namespace, name, reason, detail in rows
        )

    def _keep(self, sweep: Sweep) -> None:
        content = json.dumps(asdict(sweep))
        self._connection.execute("INSERT OR REPLACE INTO sweeps VALUES (?, ?)", (sweep.phase, content))
