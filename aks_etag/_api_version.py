# SPDX-License-Identifier: MIT
"""The api-version that is spoken where nobody says another one."""

from __future__ import annotations

from typing import Final

# The default of azure-mgmt-containerservice 41.8; the headers exist from 2024-09-01 on.
DEFAULT_API_VERSION: Final = "2026-08-01"
