# SPDX-License-Identifier: MIT
"""The steps of a migration, as flows. Each looks first at what is there, and does only what is left to do."""

from __future__ import annotations

import json
from typing import Any, Final

from ..._flows.effects import Flow
from ...errors import PreconditionFailedError
from . import _definition
from ._check import check
from ._defaults import note_absent
from ._definition import Definition, Edit, refuse
from ._job import Job
from ._journal import Sweep
from ._managers import lock_only, renamed
from ._sweep import sweep
from ._touch import PatchOf

# Writers may keep re-adding what a pass has cleaned, and a definition may never rest.
MOST_PASSES: Final = 10


def deprecate(job: Job) -> Flow[None]:
    """Mark the old versions deprecated, so that their clients are warned; nothing is blocked."""
    definition = yield from job.definition()
    old = job.old(definition)
    if any(each in definition.versions for each in old):
        yield from job.write(_definition.deprecated(job.to, old))


def flip(job: Job) -> Flow[None]:
    """Store objects in the new version from now on."""
    definition = yield from job.definition()
    job.old(definition)
    if definition.storage != job.to:
        yield from job.write(_definition.flipped(job.to))


def settle(job: Job) -> Flow[None]:
    """Wait until every replica has had time to learn of the definition: right after a flip, old ones store the old."""
    yield from job.settled()


def rewrite(job: Job) -> Flow[Sweep]:
    """Write every object anew, and rename the old version in its managedFields along the way."""
    definition = yield from _flipped(job)
    yield from note_absent(job, definition)
    return (yield from sweep(job, "rewrite", 1, definition, renaming(job, definition)))


def verify(job: Job) -> Flow[Sweep]:
    """Send no-ops to all objects until a whole pass moves none, all of it under one state of the definition.

    Unfinished if paused. A pass that moves none but meets problems ends it as well: they will not go away by trying.
    """
    for _ in range(MOST_PASSES):
        before = yield from _flipped(job)
        known = job.journal.sweep("verify")
        if known is not None and _proves(known, before):
            return known
        again = known is not None and not known.finished and known.resource_version == before.resource_version
        number = (known.number if known is not None else 0) + (0 if again else 1)
        done = yield from sweep(job, "verify", number, before, lock_only)
        if not done.finished:
            return done
        after = yield from job.definition()
        if done.moved == 0 and after.resource_version == before.resource_version:
            return done
    raise refuse(job.name, "moving", f"{MOST_PASSES} passes went by, and objects or the definition still moved")


def trim(job: Job, keep: tuple[str, ...] | None = None) -> Flow[None]:
    """Say in the definition that only the new version is stored; the server checks nothing of this, the guard does.

    Raises:
        MigrationRefusedError: no pass that moved nothing proves it for the definition as it is now.
    """
    wanted = (job.to,) if keep is None else keep
    definition = yield from job.definition()
    job.old(definition)
    if not wanted:
        raise refuse(job.name, "empty", "an empty storedVersions is a silent early trim: name the storage version")
    if definition.storage not in wanted:
        raise refuse(job.name, "storage", f"{definition.storage} is the storage version and stays in storedVersions")
    unknown = [each for each in wanted if each not in definition.stored]
    if unknown:
        raise refuse(job.name, "unknown", f"storedVersions does not have {', '.join(unknown)}: a trim adds nothing")
    if set(wanted) == set(definition.stored):
        return
    _check_proof(job, definition)
    pin = definition.resource_version
    try:
        yield from job.write(_definition.trimmed(wanted), pin=pin, subresource="status")
    except PreconditionFailedError as error:
        raise refuse(job.name, "changed", "the definition changed just now: verify again") from error


def unserve(job: Job) -> Flow[None]:
    """Close the endpoints of the old versions, once nothing is stored in them."""
    definition = yield from job.definition()
    old = job.old(definition)
    _check_trimmed(job, definition, old)
    if any(each in definition.served for each in old):
        yield from job.write(_checked(job, old, _definition.unserved(old)))


def clean_managers(job: Job) -> Flow[Sweep]:
    """Rename the old versions in managedFields: once one is removed, every apply to an object that names it fails."""
    for _ in range(MOST_PASSES):
        definition = yield from job.settled()
        job.old(definition)
        known = job.journal.sweep("clean_managers")
        running = known is not None and not known.finished and known.resource_version == definition.resource_version
        number = (known.number if known is not None else 0) + (0 if running else 1)
        done = yield from sweep(job, "clean_managers", number, definition, only_renaming(job, definition))
        if not done.finished or done.moved == 0:
            return done
    raise refuse(job.name, "managers", f"{MOST_PASSES} passes went by, and an old version is still written through")


def remove(job: Job) -> Flow[tuple[str, ...]]:
    """Take the old versions out of the definition, if nothing and nobody needs them; return those that went.

    Raises:
        MigrationRefusedError: something stands in the way; the message names it.
    """
    definition = yield from job.definition()
    old = tuple(each for each in job.old(definition) if each in definition.versions)
    if not old:
        return ()
    _check_trimmed(job, definition, old)
    _check_verified(job)
    for version in old:
        verdict = yield from check(job, version)
        if not verdict.removable:
            raise refuse(job.name, "needed", f"{version} is still needed: {'; '.join(verdict.reasons)}")
    yield from job.write(_checked(job, old, _definition.removed(old)))
    job.journal.note("removed", json.dumps(old))
    return old


def renaming(job: Job, definition: Definition) -> PatchOf:
    """Return what makes the patch of a rewrite."""
    rename = only_renaming(job, definition)
    return lambda metadata: rename(metadata) or lock_only(metadata)


def only_renaming(job: Job, definition: Definition) -> PatchOf:
    """Return what makes the patch of a clean-up, or none where nothing is to be cleaned."""
    old = frozenset(definition.api_version(each) for each in job.old(definition))
    return lambda metadata: renamed(metadata, old, definition.api_version(job.to))


def _flipped(job: Job) -> Flow[Definition]:
    """Return the settled definition, if it stores the new version."""
    definition = yield from job.settled()
    job.old(definition)
    if definition.storage != job.to:
        raise refuse(job.name, "not-flipped", f"{definition.storage} is still stored: a rewrite would change nothing")
    return definition


def _proves(known: Sweep, definition: Definition) -> bool:
    clean = known.finished and known.moved == 0 and known.problems == 0
    seen = (known.resource_version, known.generation)
    return clean and seen == (definition.resource_version, definition.generation)


def _check_proof(job: Job, definition: Definition) -> None:
    known = job.journal.sweep("verify")
    if known is None or not known.finished:
        raise refuse(job.name, "early", "no finished verification says that no object is stored in an old version")
    if known.problems:
        raise refuse(job.name, "problems", f"{known.problems} objects could not be written and may be stored as before")
    if known.moved:
        raise refuse(job.name, "early", f"the last verification still moved {known.moved} objects")
    if not _proves(known, definition):
        raise refuse(job.name, "changed", "the definition has changed since the last verification: verify again")


def _checked(job: Job, old: tuple[str, ...], change: Edit) -> Edit:
    """Check again on the very body that is written: between the guard and the write, somebody may have flipped back."""

    def checked(body: dict[str, Any]) -> None:
        _check_trimmed(job, Definition.of(body), old)
        change(body)

    return checked


def _check_verified(job: Job) -> None:
    """Refuse where we have not seen ourselves that nothing is left: anybody can trim storedVersions to anything."""
    known = job.journal.sweep("verify")
    if known is None or not known.finished or known.moved:
        raise refuse(job.name, "unverified", "no verification of ours says that nothing is left: call verify() first")
    blocked = job.journal.problems("verify") + job.journal.problems("clean_managers")
    if blocked:
        raise refuse(job.name, "problems", f"{len(blocked)} objects have problems, {blocked[0].name} for one")


def _check_trimmed(job: Job, definition: Definition, old: tuple[str, ...]) -> None:
    left = [each for each in old if each in definition.stored or each == definition.storage]
    if left:
        raise refuse(job.name, "stored", f"objects may still be stored in {', '.join(left)}: verify and trim first")
