# SPDX-License-Identifier: MIT
"""Deep copies of JSON, at the speed of C: every answer and every commit is one."""

from __future__ import annotations

import copy
import marshal
from typing import Any, TypeVar, cast

T = TypeVar("T")


def copied(value: T) -> T:
    """Copy what is JSON by way of bytes, and anything else the careful way."""
    try:
        # Our own bytes of a moment ago, never anybody else's.
        twin: T = marshal.loads(marshal.dumps(cast("Any", value)))  # noqa: S302
    except ValueError:
        return copy.deepcopy(value)
    return twin
