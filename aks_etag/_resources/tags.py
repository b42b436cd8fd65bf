# SPDX-License-Identifier: MIT
"""The tags of a cluster, as a thing of their own: written by PATCH, which takes nothing else.

Whether a PATCH merges tags or replaces them is not documented, so that one which is to go is removed by a PUT.
"""

from __future__ import annotations

from dataclasses import dataclass

from .._core.document import Path
from .._core.messages import Body, Request
from .._core.precondition import Condition
from .cluster import ManagedCluster


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterTags(ManagedCluster):
    """A managed cluster of which only the tags are looked at and written."""

    def writable(self, body: Body) -> Body:
        return {"tags": body.get("tags") or {}}

    def check_edit(self, before: Body, after: Body) -> None:
        """Let any edit pass: what is not a tag is not sent."""

    def read_only_edits(self, before: Body, after: Body) -> tuple[Path, ...]:
        return ()

    def replace(self, desired: Body, condition: Condition, *, base: Body | None = None) -> Request:
        wanted = self.writable(desired)
        if base is None or self.writable(base)["tags"].keys() <= wanted["tags"].keys():
            return self.merge(wanted, condition)
        return ManagedCluster.replace(self, {**base, **wanted}, condition, base=base)
