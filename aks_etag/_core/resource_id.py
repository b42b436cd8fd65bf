# SPDX-License-Identifier: MIT
"""ARM ids of clusters and agent pools: parse, format, compare without case, refuse what could change the path."""

from __future__ import annotations

import re
from dataclasses import InitVar, dataclass
from typing import Final

from ..errors import InvalidResourceIdError

# Names as the resource provider accepts them (Azure naming rules, Microsoft.ContainerService and Microsoft.Resources).
SUBSCRIPTION: Final = re.compile(r"[0-9A-Za-z](?:[0-9A-Za-z-]{0,62}[0-9A-Za-z])?")
RESOURCE_GROUP: Final = re.compile(r"[\w().-]{0,89}[\w()-]")
CLUSTER: Final = re.compile(r"[0-9A-Za-z](?:[0-9A-Za-z_-]{0,61}[0-9A-Za-z])?")
POOL: Final = re.compile(r"[a-z][0-9a-z]{0,11}")
WINDOWS_POOL_LENGTH: Final = 6

_HARMLESS: Final = re.compile(r"[\w().-]+")

_ID: Final = re.compile(
    r"/subscriptions/(?P<subscription>[^/]+)/resourceGroups/(?P<group>[^/]+)"
    r"/providers/Microsoft\.ContainerService/managedClusters/(?P<cluster>[^/]+)"
    r"(?:/agentPools/(?P<pool>[^/]+))?/?",
    re.IGNORECASE,
)

_RULES: Final = {
    "subscription id": (SUBSCRIPTION, "a GUID: letters, digits and hyphens"),
    "resource group name": (
        RESOURCE_GROUP,
        "1-90 letters, digits, '_', '(', ')', '-' and '.', not ending in '.'",
    ),
    "cluster name": (
        CLUSTER,
        "1-63 letters, digits, '_' and '-', starting and ending with a letter or digit",
    ),
    "agent pool name": (
        POOL,
        "1-12 lower-case letters and digits, starting with a letter (Windows: at most 6)",
    ),
}


@dataclass(frozen=True, slots=True)
class ResourceId:
    """The id of a managed cluster, or of an agent pool where ``pool`` is set."""

    subscription_id: str
    resource_group: str
    cluster: str
    pool: str | None = None
    listed: InitVar[bool] = False

    def __post_init__(self, listed: bool) -> None:
        if listed:
            for name in filter(None, (self.subscription_id, self.resource_group, self.cluster, self.pool)):
                _check_harmless(name)
            return
        check_name("subscription id", self.subscription_id)
        check_name("resource group name", self.resource_group)
        check_name("cluster name", self.cluster)
        if self.pool is not None:
            check_name("agent pool name", self.pool)

    def __str__(self) -> str:
        path = (
            f"/subscriptions/{self.subscription_id}/resourceGroups/{self.resource_group}"
            f"/providers/Microsoft.ContainerService/managedClusters/{self.cluster}"
        )
        return path if self.pool is None else f"{path}/agentPools/{self.pool}"

    @property
    def name(self) -> str:
        """The last name of the id."""
        return self.pool if self.pool is not None else self.cluster

    @property
    def parent(self) -> ResourceId:
        """The cluster of an agent pool; a cluster itself."""
        return ResourceId(self.subscription_id, self.resource_group, self.cluster, listed=True)

    def agent_pool(self, name: str) -> ResourceId:
        """Return the id of one agent pool of this cluster."""
        check_name("agent pool name", name)
        return ResourceId(self.subscription_id, self.resource_group, self.cluster, name, listed=True)

    def same(self, other: ResourceId) -> bool:
        """Whether both name one resource: ids have no case (the service itself writes ``resourcegroups``)."""
        return str(self).casefold() == str(other).casefold()


def parse(text: object, *, listed: bool = False) -> ResourceId:
    """Parse the ARM id of a cluster or an agent pool.

    ``listed``: the service itself said so, and it may have names that it would not take any more.

    Raises:
        InvalidResourceIdError: it is not such an id, or a name in it breaks the rules of the service.
    """
    match = _ID.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise InvalidResourceIdError(
            f"{text!r} is not the ARM id of a managed cluster or agent pool; expected /subscriptions/…/resourceGroups/"
            "…/providers/Microsoft.ContainerService/managedClusters/…[/agentPools/…]"
        )
    return ResourceId(match["subscription"], match["group"], match["cluster"], match["pool"], listed=listed)


def check_name(what: str, name: object) -> None:
    """Refuse a name that the service would refuse, or that could change the path of the URL."""
    pattern, rule = _RULES[what]
    if not isinstance(name, str) or pattern.fullmatch(name) is None:
        raise InvalidResourceIdError(f"{name!r} is not a valid {what}: it takes {rule}")


def _check_harmless(name: str) -> None:
    """Refuse what could change the path of a URL, whoever says that it is a name."""
    if _HARMLESS.fullmatch(name) is None or name in (".", ".."):
        raise InvalidResourceIdError(f"{name!r} cannot be a part of an id: it could change the path of a URL")


def check_windows_pool(name: str, os_type: object) -> None:
    """Refuse a Windows pool name of more than six characters before the service does."""
    if isinstance(os_type, str) and os_type.casefold() == "windows" and len(name) > WINDOWS_POOL_LENGTH:
        raise InvalidResourceIdError(
            f"{name!r} is not a valid Windows agent pool name: it takes at most {WINDOWS_POOL_LENGTH} characters"
        )
