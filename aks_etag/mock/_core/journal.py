# SPDX-License-Identifier: MIT
"""What happened: every request with the rule that decided it, and every write that was accepted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from aks_etag.mock._core.copies import copied
from aks_etag.mock._core.records import Seen


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One request. ``status`` is what the client saw, ``decided`` what the service made of it; None means nothing.

    ``by``: the writer in the background that sent it.
    """

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
    by: str | None = None


@dataclass(frozen=True, kw_only=True)
class Commit:
    """One accepted and stored write: what a GET shows before it, and once its operation is over.

    ``background``: it came from ``MockAks.edit``, ``delete`` or ``background``, and not from a request.
    """

    request_id: str
    resource_id: str
    before: Seen | None
    after: Seen | None
    method: str
    at: float
    background: bool = False

    @property
    def base_tag(self) -> str | None:
        """The tag that the write found."""
        return self.before.etag if self.before else None

    @property
    def new_tag(self) -> str | None:
        """The tag that a GET shows once its operation is over."""
        return self.after.etag if self.after else None

    @cached_property
    def body_before(self) -> Mapping[str, Any] | None:
        """The body that the write found; a copy, made when it is first asked for."""
        return copied(self.before.show()) if self.before else None

    @cached_property
    def body_after(self) -> Mapping[str, Any] | None:
        """The body that a GET shows once its operation is over; None after a deletion."""
        return copied(self.after.show()) if self.after else None
