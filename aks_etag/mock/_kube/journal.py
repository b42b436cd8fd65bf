# SPDX-License-Identifier: MIT
"""What happened: every request, and every write that reached the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple


class ObjectKey(NamedTuple):
    """Where an object lives; ``namespace`` is empty for what is not namespaced."""

    group: str
    plural: str
    namespace: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KubeJournalEntry:
    """One request. ``status`` is what the client saw, ``decided`` what the server made of it; None means nothing."""

    method: str
    path: str
    content_type: str
    status: int | None
    reason: str
    request_id: str
    at: float
    decided: int | None
    fault: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KubeCommit:
    """One write that moved a version; bodies are what the store held, in the stored version."""

    request_id: str
    key: ObjectKey
    version_before: str | None
    version_after: str | None
    body_before: Mapping[str, Any] | None
    body_after: Mapping[str, Any] | None
    method: str
    manager: str
    at: float
