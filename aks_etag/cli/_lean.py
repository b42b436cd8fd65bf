# SPDX-License-Identifier: MIT
"""What is not to be loaded along with what is."""

from __future__ import annotations

import sys


def without_extras() -> None:
    """Keep httpx from loading its own command line, and rich with it, where these happen to be installed."""
    # So an import of it fails, for which httpx is prepared.
    sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]  # what the import system understands
