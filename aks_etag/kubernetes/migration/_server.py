# SPDX-License-Identifier: MIT
"""What the migrator that is built into newer API servers (storagemigration.k8s.io) does with a definition."""

from __future__ import annotations

from typing import Any, Final

from ..._core.messages import Request
from ..._flows.budget import Budget
from ..._flows.effects import Flow
from ..._flows.options import Options
from ..._flows.read import fetch
from ...errors import AccessDeniedError, NotFoundError
from .._flows import chunk
from ._definition import Definition
from ._values import ServerMigration, ServerState

GROUP: Final = "storagemigration.k8s.io"
PLURAL: Final = "storageversionmigrations"
_CHUNK: Final = 500
# In the order in which a condition that is true decides.
_STATES: Final[tuple[tuple[str, ServerState], ...]] = (
    ("Succeeded", "succeeded"),
    ("Failed", "failed"),
    ("Running", "running"),
)


def server_migrations(definition: Definition, options: Options) -> Flow[tuple[ServerMigration, ...] | None]:
    """List the server's own migrations of a definition; ``None`` where it has no migrator, or does not let us see."""
    try:
        version = yield from _version(options)
        return () if version is None else (yield from _listed(definition, version, options))
    except (NotFoundError, AccessDeniedError):
        return None


def _version(options: Options) -> Flow[str | None]:
    budget = yield from Budget.start(GROUP, options)
    answer = yield from fetch(Request(method="GET", url=f"/apis/{GROUP}"), budget)
    preferred = answer.body.get("preferredVersion")
    named = preferred.get("groupVersion") if isinstance(preferred, dict) else None
    return named if isinstance(named, str) else None


def _listed(definition: Definition, version: str, options: Options) -> Flow[tuple[ServerMigration, ...]]:
    found: list[ServerMigration] = []
    following: Request | None = Request(method="GET", url=f"/apis/{version}/{PLURAL}?limit={_CHUNK}")
    while following is not None:
        items, following = yield from chunk(following, PLURAL, options)
        found += [_migration(item) for item in items if _is_of(definition, item)]
    return tuple(found)


def _is_of(definition: Definition, item: Any) -> bool:
    spec = item.get("spec") if isinstance(item, dict) else None
    resource = spec.get("resource") if isinstance(spec, dict) else None
    if not isinstance(resource, dict):
        return False
    return (resource.get("group"), resource.get("resource")) == (definition.group, definition.plural)


def _migration(item: dict[str, Any]) -> ServerMigration:
    state: ServerState
    conditions = (item.get("status") or {}).get("conditions") or []
    true = {str(each.get("type")): each for each in conditions if each.get("status") == "True"}
    name, state = next(((name, state) for name, state in _STATES if name in true), ("", "pending"))
    condition = true.get(name, {})
    return ServerMigration(
        name=str((item.get("metadata") or {}).get("name", "")),
        state=state,
        since=str(condition.get("lastTransitionTime", "")),
        message=str(condition.get("message", "")),
    )
