# SPDX-License-Identifier: MIT
"""The patch kinds of Kubernetes, as values: what to send, and under which content type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .._core.changes import MergePatch, merge_patch, plain_body
from .._core.json_patch import JsonPatch, json_patch

__all__ = ["JsonPatch", "Patch", "StrategicMergePatch", "json_patch", "merge_patch", "strategic_merge_patch"]


@dataclass(frozen=True, slots=True)
class StrategicMergePatch:
    """A strategic merge patch: lists of built-in kinds merge by key; custom resources do not know it (415)."""

    patch: Mapping[str, Any] = field(repr=False)
    content_type = "application/strategic-merge-patch+json"


Patch = MergePatch | JsonPatch | StrategicMergePatch


def strategic_merge_patch(patch: Mapping[str, Any]) -> StrategicMergePatch:
    """Build a strategic merge patch."""
    return StrategicMergePatch(plain_body(patch))
