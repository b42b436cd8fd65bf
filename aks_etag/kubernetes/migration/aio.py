# SPDX-License-Identifier: MIT
"""The asynchronous front of a migration, made by tools/make_aio.py. Each step is one line: a flow for the driver."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Self, TypeVar

from ..._flows.effects import Flow
from ..aio import AsyncKubernetesClient
from . import _preflight, _procedure, _steps
from ._check import check
from ._job import OnProgress, Settings, prepared
from ._journal import Sweep
from ._pace import Window
from ._sweep import progress
from ._values import Preflight, Progress, Report, Verdict

T = TypeVar("T")


class AsyncMigration:
    """Moves the objects of one definition to the version ``to``; each step is idempotent and callable alone.

    ``journal`` is the file that lets a killed run go on where it was; without one, only this object remembers.
    ``chunk`` objects are listed at once, ``concurrency`` of them are written at a time, at most ``rate`` in a second.
    ``settle`` is in seconds, longer than any API server takes to learn of a change. Outside of ``window``, a daily pair
    of times (UTC unless they have a zone), nothing is written. ``old`` are the versions to get rid of: by default those
    that ``status.storedVersions`` names when the migration begins, and those it has marked.
    """

    def __init__(
        self,
        kube: AsyncKubernetesClient,
        crd_name: str,
        *,
        to: str,
        journal: str | os.PathLike[str] | None = None,
        chunk: int = 500,
        concurrency: int = 1,
        rate: float | None = None,
        settle: float = 5.0,
        window: Window | None = None,
        old: Sequence[str] | None = None,
        remove_old: bool = True,
        on_progress: OnProgress | None = None,
    ) -> None:
        self._kube = kube
        self._job = prepared(
            Settings(
                to=to,
                journal=journal,
                chunk=chunk,
                concurrency=concurrency,
                rate=rate,
                settle=settle,
                window=window,
                old=None if old is None else tuple(old),
                remove_old=remove_old,
                on_progress=on_progress,
            ),
            crd_name,
            kube._parts,
            kube._choices,
        )

    async def run(self) -> Report:
        """Do all that is left to do, in order; call it again after a pause, a crash, or to try problems again.

        Raises:
            MigrationRefusedError: a guard refused; nothing unsafe was written.
        """
        return await self._run(_procedure.migrate(self._job))

    def pause(self) -> None:
        """Stop after the chunk that is under way; on_progress may say so. The next call goes on."""
        self._job.pausing = True

    async def preflight(self) -> Preflight:
        """Say what would be pruned, added and refused; nothing is written."""
        return await self._run(_preflight.preflight(self._job))

    async def deprecate(self) -> None:
        """Mark the old versions deprecated: their clients are warned, nothing is blocked."""
        await self._run(_steps.deprecate(self._job))

    async def flip(self) -> None:
        """Store objects in the new version from now on."""
        await self._run(_steps.flip(self._job))

    async def settle(self) -> None:
        """Wait, once for each state of the definition, until every replica has had time to learn of it."""
        await self._run(_steps.settle(self._job))

    async def rewrite(self) -> Progress:
        """Write every object anew."""
        return await self._swept(_steps.rewrite(self._job))

    async def verify(self) -> Progress:
        """Send no-ops until a whole pass moves nothing; ``moved`` is zero then, and ``problems`` is what is left."""
        return await self._swept(_steps.verify(self._job))

    async def trim(self, *, keep: Sequence[str] | None = None) -> None:
        """Take the old versions out of ``status.storedVersions``; ``keep`` says what stays, by default ``to`` alone.

        Raises:
            MigrationRefusedError: it is not proved that nothing is stored in what would go.
        """
        await self._run(_steps.trim(self._job, None if keep is None else tuple(keep)))

    async def unserve(self) -> None:
        """Close the endpoints of the old versions.

        Raises:
            MigrationRefusedError: they are not trimmed yet.
        """
        await self._run(_steps.unserve(self._job))

    async def clean_managers(self) -> Progress:
        """Rename the old versions in managedFields."""
        return await self._swept(_steps.clean_managers(self._job))

    async def check(self, version: str) -> Verdict:
        """Say whether a version may be removed; nothing is written."""
        return await self._run(check(self._job, version))

    async def remove(self) -> tuple[str, ...]:
        """Remove the old versions from the definition; return those that went.

        Raises:
            MigrationRefusedError: something or somebody still needs them.
        """
        return await self._run(_steps.remove(self._job))

    async def report(self) -> Report:
        """Sum up how far it is; nothing is written."""
        return await self._run(_procedure.summary(self._job))

    async def close(self) -> None:
        """Close the journal."""
        self._job.journal.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.close()

    async def _swept(self, flow: Flow[Sweep]) -> Progress:
        return progress(await self._run(flow))

    async def _run(self, flow: Flow[T]) -> T:
        self._job.pausing = False
        return await self._kube._run(flow, self._kube._choices)


async def migrate_storage(
    kube: AsyncKubernetesClient,
    crd_name: str,
    *,
    to: str,
    journal: str | os.PathLike[str] | None = None,
    chunk: int = 500,
    concurrency: int = 1,
    rate: float | None = None,
    settle: float = 5.0,
    window: Window | None = None,
    old: Sequence[str] | None = None,
    remove_old: bool = True,
    on_progress: OnProgress | None = None,
) -> Report:
    """Move all objects of a definition to the version ``to``, and remove the old versions once nothing needs them.

    The options are those of `AsyncMigration`. Called again with the same journal, it goes on where it was.

    Raises:
        MigrationRefusedError: a guard refused; nothing unsafe was written.
    """
    async with AsyncMigration(
        kube,
        crd_name,
        to=to,
        journal=journal,
        chunk=chunk,
        concurrency=concurrency,
        rate=rate,
        settle=settle,
        window=window,
        old=old,
        remove_old=remove_old,
        on_progress=on_progress,
    ) as migration:
        return await migration.run()


async def check_storage(kube: AsyncKubernetesClient, crd_name: str, version: str) -> Verdict:
    """Say whether a version of a definition may be removed, and who still needs it; nothing is written."""
    async with AsyncMigration(kube, crd_name, to=version) as migration:
        return await migration.check(version)
