# SPDX-License-Identifier: MIT
"""May a version be removed? Read-only: stored versions, and who still writes through it."""

from __future__ import annotations

from collections.abc import Iterator

from ..._core.messages import Body
from ..._flows.effects import Flow
from ._definition import Definition
from ._job import Job
from ._lists import chunk
from ._managers import naming
from ._server import server_migrations
from ._values import Manager, ServerMigration, Verdict


def check(job: Job, version: str) -> Flow[Verdict]:
    """Say whether a version may be removed from the definition, and what stands in the way.

    ``status.storedVersions`` is believed: whether it was trimmed too early shows only by writing (`Migration.verify`).
    """
    definition = yield from job.definition()
    server = yield from server_migrations(definition, job.options)
    if version not in definition.versions:
        return _verdict(definition, version, (), server)
    managers: dict[str, Manager] = {}
    token: str | None = ""
    while token is not None:
        items, token = yield from chunk(job, definition, token, version=_readable(definition))
        for item in items:
            _collect(managers, item["metadata"], definition.api_version(version))
    return _verdict(definition, version, tuple(managers.values()), server)


def _readable(definition: Definition) -> str:
    """Choose a version to list in: most objects are stored in the storage version, which may be closed, though."""
    return definition.storage if definition.storage in definition.served else definition.served[0]


def _collect(managers: dict[str, Manager], metadata: Body, api_version: str) -> None:
    for entry in naming(metadata.get("managedFields") or [], {api_version}):
        name, seen = str(entry.get("manager", "")), str(entry.get("time", ""))
        place = f"{metadata.get('namespace', '')}/{metadata['name']}".lstrip("/")
        known = managers.get(name, Manager(name=name, objects=0, last_seen="", example=place))
        managers[name] = Manager(
            name=name,
            objects=known.objects + 1,
            last_seen=max(known.last_seen, seen),
            example=place if seen > known.last_seen else known.example,
        )


def _verdict(
    definition: Definition, version: str, managers: tuple[Manager, ...], server: tuple[ServerMigration, ...] | None
) -> Verdict:
    managers = tuple(sorted(managers, key=lambda each: (-each.objects, each.name)))
    moving = [each for each in server or () if each.state in ("pending", "running")]
    return Verdict(
        definition=definition.name,
        version=version,
        reasons=tuple(_reasons(definition, version, managers, moving)),
        stored_versions=definition.stored,
        served=version in definition.served,
        storage=version == definition.storage,
        managers=managers,
        server_migrations=server,
    )


def _reasons(
    definition: Definition, version: str, managers: tuple[Manager, ...], moving: list[ServerMigration]
) -> Iterator[str]:
    if version == definition.storage:
        yield f"{version} is the storage version"
    if version in definition.stored:
        yield f"objects may still be stored in {version}: it is in status.storedVersions"
    if version in definition.served:
        yield f"{version} is still served"
    if version in definition.versions:
        yield from (f"the server's own migration {each.name} is {each.state}" for each in moving)
    if definition.migrating and not moving:
        yield f"the server's own migrator says: {definition.migrating}"
    for manager in managers:
        yield f"{manager.name} wrote {manager.objects} objects through {version}, {manager.example} last"
