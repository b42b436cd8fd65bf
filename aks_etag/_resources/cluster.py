# SPDX-License-Identifier: MIT
"""Managed clusters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from .._core import document, etag
from .._core.document import Fields, Path
from .._core.messages import Body, Request, Response
from .._core.operation import is_settled
from .._core.precondition import Condition
from .._core.snapshot import Snapshot
from ..errors import InlinePoolEditError
from .arm import ArmResource, properties, tag
from .owned import MARKER, MOST_TAGS, cluster_fields, without_empty, without_volatile
from .protocol import MarkerPlace, Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class ManagedCluster(ArmResource):
    """A managed cluster. Its tag does not protect its pools, so they do not travel with it unless told to."""

    inline_pools: bool = False

    read_only: ClassVar[Fields] = document.fields(cluster_fields())
    marker: ClassVar[MarkerPlace] = MarkerPlace(("tags",), MARKER, MOST_TAGS)

    def version_of(self, body: Body) -> str | None:
        return etag.of(tag(body))

    def snapshot(self, response: Response) -> Snapshot:
        idle = all(is_settled(profile.get("provisioningState")) for profile in _profiles(response.body))
        return self._snapshot(response, tag(response.body), idle)

    def identity(self, body: Body) -> Mapping[str, str]:
        found = {
            "resourceUID": properties(body).get("resourceUID"),
            "createdAt": document.at(body, ("systemData", "createdAt")),
        }
        return {name: value for name, value in found.items() if isinstance(value, str)}

    def writable(self, body: Body) -> Body:
        stripped = without_empty(document.strip(self._without_pools(body), self.read_only))
        if not self.inline_pools or not _profiles(stripped):
            return stripped
        profiles = [without_empty(profile) for profile in _profiles(stripped)]
        return {**stripped, "properties": {**properties(stripped), "agentPoolProfiles": profiles}}

    def check_edit(self, before: Body, after: Body) -> None:
        if self.inline_pools or not _spellings(after):
            return
        only = _spellings(after) == [_POOLS]
        if only and document.agree(before, after, [_POOLS]):
            return
        old, new = (document.strip(body, self.read_only) for body in (before, after))
        if not only or not document.agree(old, new, [_POOLS]):
            raise InlinePoolEditError(_INLINE.format("the change edits", self.id), resource_id=self.id)

    def read_only_edits(self, before: Body, after: Body) -> tuple[Path, ...]:
        # Every write of the cluster moves the tags of its inline pools: an older one is no edit, but an older body.
        old, new = (document.strip(body, _INLINE_TAGS) for body in (before, after))
        return ArmResource.read_only_edits(self, old, new)

    def replace(self, desired: Body, condition: Condition, *, base: Body | None = None) -> Request:
        if base is not None:
            body = self._unchanged_left_out(document.strip(self._without_pools(desired), self.read_only), base)
            return self._request("PUT", body, condition)
        body = document.strip(desired, self.read_only)
        if not condition.create:
            self._check_put(body)
        return self._request("PUT", body, condition)

    def blockers(self, named: str | None) -> tuple[Resource, ...]:
        # Its own body shows the state of every pool.
        return ()

    def _check_put(self, body: Body) -> None:
        if _spellings(body) and not self.inline_pools:
            raise InlinePoolEditError(_INLINE.format("the body carries", self.id), resource_id=self.id)

    def _unchanged_left_out(self, body: Body, base: Body) -> Body:
        kept = dict(properties(body))
        # Sent unchanged, an older version would be an order to downgrade what an upgrade is about to finish.
        if document.agree(body, base, [("properties", "kubernetesVersion")]):
            kept.pop("kubernetesVersion", None)
        if "agentPoolProfiles" in kept:
            olds = {profile.get("name"): profile for profile in _profiles(base)}
            kept["agentPoolProfiles"] = [
                without_volatile(profile, olds.get(profile.get("name"), {})) for profile in _profiles(body)
            ]
        return {**body, "properties": kept} if isinstance(body.get("properties"), Mapping) else body

    def _without_pools(self, body: Body) -> Body:
        if self.inline_pools or "agentPoolProfiles" not in properties(body):
            return body
        kept = {name: value for name, value in properties(body).items() if name != "agentPoolProfiles"}
        return {**body, "properties": kept}


_INLINE_TAGS: Final = document.fields(f"properties.agentPoolProfiles.*.{name}" for name in ("eTag", "etag"))
_POOLS: Final = ("properties", "agentPoolProfiles")
_INLINE: Final = (
    "{} agentPoolProfiles of {}: a cluster's eTag does not protect its pools, so an older copy could undo a scaling "
    "without a 412; use cluster.agent_pool(name).update(...), or inline_pools=True to send them all the same"
)


def _spellings(body: Body) -> list[tuple[str, ...]]:
    """List where inline pools are in a body, however it is spelled: the service may read names without case."""
    return [
        (outer, inner)
        for outer, value in body.items()
        if outer.casefold() == "properties" and isinstance(value, Mapping)
        for inner in value
        if inner.casefold() == "agentpoolprofiles"
    ]


def _profiles(body: Body) -> list[Body]:
    profiles = properties(body).get("agentPoolProfiles")
    return [profile for profile in profiles if isinstance(profile, Mapping)] if isinstance(profiles, list) else []
