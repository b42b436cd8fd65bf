# SPDX-License-Identifier: MIT
"""What happened: every request with the rule that decided it, and every write that was accepted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One request. ``status`` is what the client saw, ``decided`` what the service made of it; None means nothing."""

    method: str
    path: str
    if_match: str | None
    if_none_match: str | None
    status: int | None
    row: str
    request_id: str
    at: float
    decided: int | None
    fault: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One accepted and stored write; ``new_tag`` is the one that a GET shows once its operation is over.

    ``background``: it came from ``MockAks.edit`` or ``delete``, and not from a request.
    """

    request_id: str
    resource_id: str
    base_tag: str | None
    new_tag: str | None
    body_before: Mapping[str, Any] | None
    body_after: Mapping[str, Any] | None
    method: str
    at: float
    background: bool = False
