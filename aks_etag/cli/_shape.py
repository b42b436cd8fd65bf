# SPDX-License-Identifier: MIT
"""Between ARM's shape of a resource and az's, which has the properties at the top level."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

# What ARM has beside "properties"; everything else of az's shape is inside of it.
_TOP: Final = frozenset(
    {
        *("id", "name", "type", "location", "tags", "identity", "sku", "kind", "extendedLocation", "systemData"),
        *("managedBy", "plan", "zones"),
    }
)
_TAGS: Final = frozenset({"eTag", "etag"})
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
    return dict(sorted(shown.items()))


def deep(shown: Mapping[str, Any], *, pool: bool) -> dict[str, Any]:
    """Return ARM's shape again."""
    top, inner = {}, {}
    back = {new: old for old, new in _RENAMED.items()}
    for name, value in shown.items():
        if name == "resourceGroup":
            continue
        if _outside(name, pool):
            top[name] = value
        else:
            inner[back.get(name, name)] = value
    return {**top, "properties": inner}


def arm(found: dict[str, Any], *, pool: bool) -> dict[str, Any]:
    """Return ARM's shape of a body that somebody gives: in that shape already, or in the one that show prints."""
    return found if "properties" in found else deep(found, pool=pool)


def present(found: Any) -> Any:
    """Leave out what is null: az prints so what is not there."""
    if isinstance(found, dict):
        return {name: present(value) for name, value in found.items() if value is not None}
    return [present(each) for each in found] if isinstance(found, list) else found


def check_arm(before: Mapping[str, Any], after: Mapping[str, Any], *, pool: bool) -> None:
    """Refuse what a change puts beside the properties and the service would pass over, and a loss of them all.

    Raises:
        InvalidPreconditionError: this is no body of ARM.
    """
    from ..errors import InvalidPreconditionError

    if not isinstance(after.get("properties"), Mapping) or not after["properties"]:
        raise InvalidPreconditionError("there are no properties in it, so it is no whole body; nothing was sent")
    for name in after:
        if name != "properties" and name not in before and not _outside(name, pool):
            raise InvalidPreconditionError(
                f"{name!r} has no place beside 'properties': in an ARM body it is properties.{name}; nothing was sent"
            )


def brief(shown: list[dict[str, Any]], names: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return the columns that a table shows."""
    return [{name: each[name] for name in names if name in each} for each in shown]


def _outside(name: str, pool: bool) -> bool:
    # A pool's tags and eTag are properties, a cluster's are not.
    return (name in _TOP and not (pool and name == "tags")) or (name in _TAGS and not pool)
