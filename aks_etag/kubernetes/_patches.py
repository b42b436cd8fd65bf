# SPDX-License-Identifier: MIT
"""The patch kinds of Kubernetes, as values: what to send, and under which content type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._core.changes import MergePatch, merge_patch, plain, plain_body

__all__ = ["JsonPatch", "Patch", "StrategicMergePatch", "json_patch", "merge_patch", "strategic_merge_patch"]


@dataclass(frozen=True, slots=True)
class JsonPatch:
    """A JSON Patch (RFC 6902): operations in order; lists by index."""

    operations: tuple[Mapping[str, Any], ...] = field(repr=False)
    content_type = "application/json-patch+json"


@dataclass(frozen=True, slots=True)
class StrategicMergePatch:
    """A strategic merge patch: lists of built-in kinds merge by key; custom resources do not know it (415)."""

    patch: Mapping[str, Any] = field(repr=False)
    content_type = "application/strategic-merge-patch+json"


Patch = MergePatch | JsonPatch | StrategicMergePatch


def json_patch(operations: Sequence[Mapping[str, Any]]) -> JsonPatch:
    """Build a JSON Patch from its operations."""
    if isinstance(operations, Mapping | str) or not all(isinstance(each, Mapping) for each in operations):
        raise TypeError("a JSON Patch is a list of operations")
    return JsonPatch(tuple(plain(dict(each)) for each in operations))


def strategic_merge_patch(patch: Mapping[str, Any]) -> StrategicMergePatch:
    """Build a strategic merge patch."""
    return StrategicMergePatch(plain_body(patch))
