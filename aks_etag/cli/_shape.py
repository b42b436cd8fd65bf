# SPDX-License-Identifier: MIT
"""Between ARM's shape of a resource and az's, which has the properties at the top level."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

# What ARM has beside "properties"; everything else of az's shape is inside of it.
_TOP: Final = frozenset(
    {
        *("id", "name", "type", "location", "tags", "identity", "sku", "kind", "extendedLocation", "systemData"),
        *("managedBy", "plan"),
    }
)
# az's name for a property that ARM has at the top as well.
_RENAMED: Final = {"type": "typePropertiesType"}
TABLE: Final = ("name", "resourceGroup", "location", "provisioningState", "kubernetesVersion", "eTag")
POOL_TABLE: Final = ("name", "mode", "osType", "count", "vmSize", "provisioningState", "orchestratorVersion", "eTag")


def flat(body: Mapping[str, Any], resource_group: str) -> dict[str, Any]:
    """Return az's shape of a body."""
    shown = {name: value for name, value in body.items() if name != "properties"}
    inner = body.get("properties")
    for name, value in (inner if isinstance(inner, Mapping) else {}).items():
        shown[_RENAMED.get(name, str(name)) if name in shown else str(name)] = value
    shown["resourceGroup"] = resource_group
    return dict(sorted(shown.items(), key=lambda item: item[0].casefold()))


def deep(shown: Mapping[str, Any], *, pool: bool) -> dict[str, Any]:
    """Return ARM's shape again."""
    top, inner = {}, {}
    back = {new: old for old, new in _RENAMED.items()}
    for name, value in shown.items():
        if name == "resourceGroup":
            continue
        # A pool's tags and eTag are properties, a cluster's are not.
        outside = (name in _TOP and not (pool and name == "tags")) or (name in ("eTag", "etag") and not pool)
        if outside:
            top[name] = value
        else:
            inner[back.get(name, name)] = value
    return {**top, "properties": inner}


def brief(shown: Any, names: tuple[str, ...]) -> Any:
    """Return the columns that a table shows."""
    if isinstance(shown, list):
        return [brief(each, names) for each in shown]
    return {name: shown.get(name) for name in names if name in shown}
