# SPDX-License-Identifier: MIT
"""Move the stored objects of a CustomResourceDefinition to another version, and drop the old one safely.

The asynchronous twins of the two functions are in ``aks_etag.kubernetes.migration.aio``.
"""

from __future__ import annotations

from ._values import (
    DefaultProof,
    Finding,
    Manager,
    MigrationRefusedError,
    Preflight,
    Problem,
    Progress,
    Report,
    ServerMigration,
    Verdict,
)
from .aio import AsyncMigration
from .migration import Migration, check_storage, migrate_storage

__all__ = [
    "AsyncMigration",
    "DefaultProof",
    "Finding",
    "Manager",
    "Migration",
    "MigrationRefusedError",
    "Preflight",
    "Problem",
    "Progress",
    "Report",
    "ServerMigration",
    "Verdict",
    "check_storage",
    "migrate_storage",
]
