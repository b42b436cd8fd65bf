# SPDX-License-Identifier: MIT
"""One resource as it is now, in az's shape."""

from __future__ import annotations

import re
from typing import Any, Final

from ._config import needed
from ._glance import glance
from ._handles import group_of, shape
from ._session import Where, session
from ._shape import flat

_GROUP: Final = re.compile(r"/resourcegroups/([^/]+)/", re.IGNORECASE)


def seen(
    where: Where, resource_group: str | None, cluster: str, pool: str | None = None, *, tagged: bool = False
) -> dict[str, Any]:
    """Read a cluster, or a pool of it; ``tagged`` if it is of no use without an eTag.

    Raises:
        MissingETagError: it has none, and is of no use so.
    """
    group = group_of(where, resource_group)
    needed(cluster, None, "--name" if pool is None else "--cluster-name", "")
    needed(pool, "", "--name", "")
    body = glance(where, group, cluster, pool)
    named = None if body is None else _GROUP.search(body["id"])
    if body is not None and named is not None:
        found = flat(body, named[1])
        if found.get("eTag") or not tagged:
            return found
    with session(where) as (aks, _):
        handle: Any = aks.cluster(group, cluster)
        snapshot = (handle if pool is None else handle.agent_pool(pool)).get()
    return {**shape(snapshot), "eTag": snapshot.etag} if tagged else shape(snapshot)
