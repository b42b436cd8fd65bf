# SPDX-License-Identifier: MIT
"""Move the stored objects of a CustomResourceDefinition to another version, and drop the old one safely."""

from __future__ import annotations

from ._values import (
    Finding,
    Manager,
    MigrationRefusedError,
    Preflight,
    Problem,
    Progress,
    Report,
    Verdict,
)
from .migration import Migration, check_storage, migrate_storage

__all__ = [
    "Finding",
    "Manager",
    "Migration",
    "MigrationRefusedError",
    "Preflight",
    "Problem",
    "Progress",
    "Report",
    "Verdict",
    "check_storage",
    "migrate_storage",
]
