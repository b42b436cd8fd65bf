# SPDX-License-Identifier: MIT
"""What makes a body unacceptable, whatever the state of the resource."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aks_etag.mock._core import errors
from aks_etag.mock._core.answers import RefusalError


def check_cluster(sent: Mapping[str, Any], *, creating: bool) -> None:
    """Refuse a cluster body that cannot be stored."""
    properties = _object(sent, "properties")
    _object(sent, "identity")
    _object(sent, "tags")
    _text(sent, "location", required=creating)
    profiles = properties.get("agentPoolProfiles")
    if not isinstance(profiles, list | None):
        raise RefusalError(errors.bad_field("properties.agentPoolProfiles", "a list"))
    if creating and not profiles:
        raise RefusalError(errors.bad_field("properties.agentPoolProfiles", "at least one agent pool"))
    _check_names(profiles or [])


def check_pool(sent: Mapping[str, Any]) -> None:
    """Refuse a pool body that cannot be stored."""
    _object(sent, "properties")


def check_state(sent: Mapping[str, Any], state: str) -> None:
    """Refuse a provisioningState that differs from the service's."""
    claimed = (sent.get("properties") or {}).get("provisioningState")
    if claimed is None or claimed == state:
        return
    message = f"The provisioningState '{claimed}' differs from '{state}'; it is read-only."
    raise RefusalError(errors.bad_request(message, row="provisioningState differs -> 400"))


def _check_names(profiles: list[Any]) -> None:
    names = [profile.get("name") if isinstance(profile, dict) else None for profile in profiles]
    if not all(isinstance(name, str) and name for name in names):
        raise RefusalError(errors.bad_field("properties.agentPoolProfiles", "a list of named objects"))
    if len({str(name).lower() for name in names}) < len(names):
        raise RefusalError(errors.bad_field("properties.agentPoolProfiles", "every name only once"))


def _object(sent: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = sent.get(name)
    if not isinstance(value, dict | None):
        raise RefusalError(errors.bad_field(name, "an object"))
    return value or {}


def _text(sent: Mapping[str, Any], name: str, *, required: bool) -> None:
    value = sent.get(name)
    if value is None and not required and name not in sent:
        return
    if not isinstance(value, str) or not value:
        raise RefusalError(errors.bad_field(name, "a text"))
