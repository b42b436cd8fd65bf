# SPDX-License-Identifier: MIT
"""Agent pools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from .._core import document, etag
from .._core.document import Fields
from .._core.messages import Body, Request, Response
from .._core.precondition import Condition
from .._core.resource_id import POOL, check_windows_pool
from .._core.snapshot import Snapshot
from ..errors import InvalidPreconditionError
from .arm import ArmResource, properties, tag
from .cluster import ManagedCluster
from .owned import MARKER, MOST_TAGS, pool_fields, without_empty, without_volatile
from .protocol import MarkerPlace, Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentPool(ArmResource):
    """An agent pool. It has no PATCH, and no identity besides its name."""

    read_only: ClassVar[Fields] = document.fields(pool_fields())
    marker: ClassVar[MarkerPlace] = MarkerPlace(("properties", "tags"), MARKER, MOST_TAGS)

    def writable(self, body: Body) -> Body:
        stripped: Body = document.strip(body, self.read_only)
        held = stripped.get("properties")
        return {**stripped, "properties": without_empty(held)} if isinstance(held, Mapping) else stripped

    def version_of(self, body: Body) -> str | None:
        return etag.of(tag(properties(body)))

    def snapshot(self, response: Response) -> Snapshot:
        return self._snapshot(response, tag(properties(response.body)), settled=True)

    def identity(self, body: Body) -> Mapping[str, str]:
        return {}

    def check_edit(self, before: Body, after: Body) -> None:
        self._check_name(after)

    def replace(self, desired: Body, condition: Condition, *, base: Body | None = None) -> Request:
        self._check_name(desired)
        body = document.strip(desired, self.read_only)
        if base is not None and isinstance(body.get("properties"), Mapping):
            body = {**body, "properties": without_volatile(properties(body), properties(base))}
        return self._request("PUT", body, condition)

    def merge(self, patch: Body, condition: Condition) -> Request:
        raise InvalidPreconditionError(f"{self.id} is an agent pool: the service has no PATCH for it; use update()")

    def blockers(self, named: str | None) -> tuple[Resource, ...]:
        cluster = self.address.parent
        if named is None or POOL.fullmatch(named) is None or named.casefold() == cluster.cluster.casefold():
            return (ManagedCluster(address=cluster, arm=self.arm),)
        # Its own state is read by the loop anyway.
        return () if named == self.address.name else (AgentPool(address=cluster.agent_pool(named), arm=self.arm),)

    def _check_name(self, body: Body) -> None:
        check_windows_pool(self.address.name, properties(body).get("osType"))
