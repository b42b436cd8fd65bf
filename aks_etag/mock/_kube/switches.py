# SPDX-License-Identifier: MIT
"""What a test may want otherwise about the API server: one field each."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(slots=True, kw_only=True)
class KubeSwitches:
    """The switches of one mock; they may be turned while it runs.

    ``flip_race`` says what still lands in the old version after a flip of the storage version: an ``int`` counts
    writes, a ``float`` virtual seconds. ``deny`` holds pairs of verb and resource ("*" is any) that are forbidden.
    With ``storage_migrator`` the API storagemigration.k8s.io is there, but no controller that works for it.
    """

    token: str | None = None
    deny: Collection[tuple[str, str]] = ()
    flip_race: int | float = 0
    defaults_on_read: bool = False
    storage_migrator: bool = False
