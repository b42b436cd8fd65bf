# SPDX-License-Identifier: MIT
"""Exit codes: documented, and stable from release to release."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """How a command ended."""

    DONE = 0
    OTHER = 1
    USAGE = 2
    NOT_FOUND = 3
    PRECONDITION_FAILED = 4
    BUSY = 5
    THROTTLED = 6
    REFUSED = 7
    UNKNOWN = 8
    OPERATION_FAILED = 9
    DEADLINE = 10
    INTERRUPTED = 130
