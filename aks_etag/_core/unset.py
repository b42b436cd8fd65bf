# SPDX-License-Identifier: MIT
"""The mark of an argument that was not given, so that an explicit ``None`` can be refused."""

from __future__ import annotations

from enum import Enum
from typing import Final


class Unset(Enum):
    """A type with one value: "this argument was left out"."""

    UNSET = "UNSET"

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = Unset.UNSET
