# SPDX-License-Identifier: MIT
"""The front of the fake API server: one object for fixtures, faults, other writers and doors."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from aks_etag.mock._core.answers import MISSING, Answer
from aks_etag.mock._core.clock import VirtualClock
from aks_etag.mock._core.faults import Aim
from aks_etag.mock._core.hooks import Hook, Hooks
from aks_etag.mock._kube.backstage import Backstage, Change
from aks_etag.mock._kube.faults import Fault, Faults, Phase
from aks_etag.mock._kube.journal import KubeCommit, KubeJournalEntry, ObjectKey
from aks_etag.mock._kube.service import KubeService
from aks_etag.mock._kube.store import KubeStore
from aks_etag.mock._kube.switches import KubeSwitches

if TYPE_CHECKING:
    from aks_etag.mock.httpx_door import HttpxDoor

__all__ = ["KubeCommit", "KubeJournalEntry", "KubeSwitches", "MockKubernetes", "ObjectKey"]


def _nothing(body: dict[str, Any]) -> None:
    """Change nothing: such a write does not move the version."""


class MockKubernetes:
    """A Kubernetes API server in memory, true to versions, ownership and storage; every door shows the same state."""

    url = "https://kubernetes.default.svc"

    def __init__(
        self,
        *,
        seed: int = 0,
        token: str | None = None,
        deny: Collection[tuple[str, str]] = (),
        flip_race: int | float = 0,
        defaults_on_read: bool = False,
        storage_migrator: bool = False,
    ) -> None:
        self.switches = KubeSwitches(
            token=token,
            deny=deny,
            flip_race=flip_race,
            defaults_on_read=defaults_on_read,
            storage_migrator=storage_migrator,
        )
        self._store = KubeStore(self.switches, seed)
        self._hooks = Hooks()
        self._faults = Faults()
        self._backstage = Backstage(self._store)
        self.core = KubeService(self._store, self._hooks, self._faults)

    @property
    def clock(self) -> VirtualClock:
        """The virtual clock that stamps journal, commits and objects."""
        return self._store.clock

    @property
    def journal(self) -> list[KubeJournalEntry]:
        """Every request so far; a test may clear it."""
        return self._store.journal

    @property
    def commits(self) -> list[KubeCommit]:
        """Every write that moved a version, in order; a test may clear it."""
        return self._store.commits

    def handle(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Answer one request without any HTTP library."""
        return self.core.handle(method, url, headers, body)

    def add(self, manifest: Mapping[str, Any], manager: str = "kubectl-create") -> dict[str, Any]:
        """Create an object, and its namespace where there is none; return it as a GET would show it."""
        return self._backstage.add(manifest, manager)

    def object(self, api_version: str, kind: str, namespace: str | None, name: str) -> dict[str, Any] | None:
        """Return a copy of what a GET would show now, without counting as one; None where there is nothing."""
        return self._backstage.object(api_version, kind, namespace, name)

    def edit(
        self,
        api_version: str,
        kind: str,
        namespace: str | None,
        name: str,
        change: Change = _nothing,
        manager: str = "rival",
    ) -> dict[str, Any]:
        """Be another writer: ``change`` edits the object in place or returns another; return what is there then."""
        return self._backstage.edit(api_version, kind, namespace, name, change, manager)

    def delete(self, api_version: str, kind: str, namespace: str | None, name: str) -> None:
        """Be another writer that deletes; finalizers hold the object as they would."""
        self._backstage.delete(api_version, kind, namespace, name)

    def stored_version(self, definition: str, namespace: str | None, name: str) -> str | None:
        """Return the version that an object is stored in; ``definition`` is "widgets.x.io", or "x.io/v1 Widget"."""
        return self._backstage.stored_version(definition, namespace, name)

    def expire_continue_tokens(self) -> None:
        """Forget every older version: continue tokens handed out so far, and exact reads, answer 410."""
        with self._store.lock:
            self._store.compact()

    def fail_conversion(self, definition: str, name: str = "", message: str | None = "cannot convert it") -> None:
        """Let objects of a definition (or the named one) fail to convert to another version; None heals it."""
        with self._store.lock:
            self._store.unconvertible.pop((definition, name), None)
            if message is not None:
                self._store.unconvertible[(definition, name)] = message

    def admit(self, rule: Callable[[str, dict[str, Any]], str | None] | None) -> None:
        """Show each operation (CREATE, UPDATE) and its object to ``rule``: what it returns, unless None, is a 422."""
        self._store.admission = rule

    def before_write(self, hook: Hook | None, times: int | None = None) -> None:
        """Call ``hook`` (with the request, if it takes one) before each write is evaluated; None removes it."""
        self._hooks.set(hook, times)

    def inject(
        self,
        method: str | None = None,
        path: str | None = None,
        nth: int = 1,
        phase: Phase = "before",
        effect: str | int = "reset",
        headers: Mapping[str, str] | None = None,
        body: Any = MISSING,
        times: int = 1,
        probability: float | None = None,
        seed: int = 0,
    ) -> None:
        """Break the nth matching request from now on: drop its answer, or answer with a status or a recorded answer."""
        aim = Aim(method=method, path=path, nth=nth, times=times, chance=probability, dice=random.Random(seed))
        self._faults.add(Fault(aim=aim, phase=phase, effect=effect, headers=headers, body=body))

    def drain(self) -> int:
        """Let the requests that a "late" fault held back reach the server now; return their number."""
        return self.core.drain()

    def httpx_transport(self) -> HttpxDoor:
        """Return a transport for sync and async httpx clients, in process."""
        from aks_etag.mock.httpx_door import HttpxDoor

        # The door only ever calls ``handle``, which both cores have.
        return HttpxDoor(cast("Any", self.core))

    @contextmanager
    def serve(self) -> Iterator[str]:
        """Serve on loopback; yield the base URL."""
        from aks_etag.mock.server import serve

        with serve(cast("Any", self.core)) as url:
            yield url
