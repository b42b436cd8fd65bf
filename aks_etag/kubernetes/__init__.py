# SPDX-License-Identifier: MIT
"""Objects inside a cluster, with the same loop: the token is ``metadata.resourceVersion``, the refusal is 409."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .._core.changes import merge_patch
    from .._core.events import Fighting, Flapping
    from ._ownership import Owner
    from ._patches import json_patch, strategic_merge_patch
    from .aio import AsyncKubernetesClient, AsyncObject
    from .client import KubernetesClient, Object

_HOMES = {
    "AsyncKubernetesClient": "aio",
    "AsyncObject": "aio",
    "Fighting": "_watchdog",
    "Flapping": "_watchdog",
    "KubernetesClient": "client",
    "Object": "client",
    "Owner": "_ownership",
    "json_patch": "_patches",
    "merge_patch": "_patches",
    "strategic_merge_patch": "_patches",
}

__all__ = [
    "AsyncKubernetesClient",
    "AsyncObject",
    "Fighting",
    "Flapping",
    "KubernetesClient",
    "Object",
    "Owner",
    "json_patch",
    "merge_patch",
    "strategic_merge_patch",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
