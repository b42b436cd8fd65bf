# SPDX-License-Identifier: MIT
"""An AKS that answers, true to eTags: in process for httpx and respx, or on loopback for anything."""

from __future__ import annotations

from aks_etag.mock._core.clock import VirtualClock
from aks_etag.mock._core.journal import Commit, JournalEntry
from aks_etag.mock._credential import FakeCredential
from aks_etag.mock._mock import MockAks
from aks_etag.mock.explore import Exploration, explore
from aks_etag.mock.kubernetes import MockKubernetes

__all__ = [
    "Commit",
    "Exploration",
    "FakeCredential",
    "JournalEntry",
    "MockAks",
    "MockKubernetes",
    "VirtualClock",
    "explore",
]
