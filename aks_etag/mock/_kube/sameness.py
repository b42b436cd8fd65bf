# SPDX-License-Identifier: MIT
"""Equality of JSON values: Python takes true for 1, the server does not."""

from __future__ import annotations

from typing import Any


def same(one: Any, two: Any) -> bool:
    """Whether two JSON values are equal, types included."""
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(same(value, two[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(map(same, one, two))
    return isinstance(one, bool) == isinstance(two, bool) and bool(one == two)
