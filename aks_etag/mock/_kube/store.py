# SPDX-License-Identifier: MIT
"""The state of one server behind one lock: records with their versions, and what they were at older versions."""

from __future__ import annotations

import bisect
import copy
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from aks_etag.mock._core.clock import VirtualClock
from aks_etag.mock._core.mint import Mint
from aks_etag.mock._kube.journal import KubeCommit, KubeJournalEntry, ObjectKey
from aks_etag.mock._kube.kinds import BUILT_IN, DEFINITION, STORAGE_MIGRATION, Kind, custom_kind
from aks_etag.mock._kube.races import Races
from aks_etag.mock._kube.switches import KubeSwitches

# From the operation (CREATE, UPDATE, DELETE) and the object to why it is denied, or None.
Admission: TypeAlias = Callable[[str, dict[str, Any]], str | None]

FIRST_VERSION: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One object as it is stored: ``body`` has no resourceVersion, and the apiVersion it was encoded in."""

    key: ObjectKey
    body: Mapping[str, Any]
    version: int
    stored: str

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The metadata, without the resourceVersion."""
        found: Mapping[str, Any] = self.body["metadata"]
        return found


class KubeStore:
    """Objects, their history, journal and commits; methods expect the lock to be held."""

    def __init__(self, switches: KubeSwitches, seed: int) -> None:
        self.lock = threading.RLock()
        self.switches = switches
        self.mint = Mint(seed)
        self.clock = VirtualClock()
        self.races = Races()
        self.journal: list[KubeJournalEntry] = []
        self.commits: list[KubeCommit] = []
        self.version = FIRST_VERSION
        self.compacted = 0
        self.unconvertible: dict[tuple[str, str], str] = {}
        self.admission: Admission | None = None
        self._records: dict[ObjectKey, Record] = {}
        self._history: dict[ObjectKey, list[tuple[int, Record | None]]] = {}

    def now(self) -> str:
        """Return the virtual time as metadata show it."""
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.clock.time()))

    def kind(self, group: str, plural: str) -> Kind | None:
        """Find a kind by its resource."""
        for kind in self._built_in():
            if (kind.group, kind.plural) == (group, plural):
                return kind
        definition = self._records.get(ObjectKey(DEFINITION.group, DEFINITION.plural, "", f"{plural}.{group}"))
        return custom_kind(definition.body) if definition else None

    def kinds(self) -> list[Kind]:
        """Return all kinds."""
        definitions = self.collection(DEFINITION.group, DEFINITION.plural)
        return [*self._built_in(), *(custom_kind(record.body) for record in definitions)]

    def _built_in(self) -> tuple[Kind, ...]:
        return (*BUILT_IN, STORAGE_MIGRATION) if self.switches.storage_migrator else BUILT_IN

    def get(self, key: ObjectKey) -> Record | None:
        """Find an object."""
        return self._records.get(key)

    def collection(self, group: str, plural: str, namespace: str = "", at: int | None = None) -> list[Record]:
        """Return the objects of a resource in order, now or as they were at a version."""
        keys = self._records if at is None else self._history
        wanted = sorted(
            key for key in keys if key[:2] == (group, plural) and (not namespace or key.namespace == namespace)
        )
        found = [self._records.get(key) if at is None else self._as_of(key, at) for key in wanted]
        return [record for record in found if record is not None]

    def contents(self, namespace: str) -> list[Record]:
        """Return everything that lives in a namespace."""
        return [record for key, record in sorted(self._records.items()) if key.namespace == namespace]

    def keep(self, key: ObjectKey, body: dict[str, Any], stored: str, **commit: str) -> Record:
        """Store the next value of an object under the next version, and write the commit down."""
        self.version += 1
        before = self._records.get(key)
        record = Record(key=key, body=copy.deepcopy(body), version=self.version, stored=stored)
        self._records[key] = record
        self._note(key, before, record, commit)
        return record

    def drop(self, key: ObjectKey, **commit: str) -> None:
        """Remove an object."""
        self.version += 1
        before = self._records.pop(key)
        self._note(key, before, None, commit)

    def compact(self) -> None:
        """Forget every older version: continue tokens handed out so far expire."""
        # Counted on, so that a token for this very moment expires, too, and later ones do not.
        self.version += 1
        self.compacted = self.version
        self._history = {key: [(record.version, record)] for key, record in self._records.items()}

    def _as_of(self, key: ObjectKey, at: int) -> Record | None:
        history = self._history[key]
        place = bisect.bisect_right(history, at, key=lambda entry: entry[0])
        return history[place - 1][1] if place else None

    def _note(self, key: ObjectKey, before: Record | None, after: Record | None, commit: Mapping[str, str]) -> None:
        self._history.setdefault(key, []).append((self.version, after))
        self.commits.append(
            KubeCommit(
                request_id=commit.get("request_id", ""),
                key=key,
                version_before=str(before.version) if before else None,
                version_after=str(after.version) if after else None,
                body_before=before.body if before else None,
                body_after=after.body if after else None,
                method=commit.get("method", ""),
                manager=commit.get("manager", ""),
                at=self.clock.time(),
            )
        )
