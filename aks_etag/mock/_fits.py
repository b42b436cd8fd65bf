# SPDX-License-Identifier: MIT
"""Whether values that came as JSON suit the annotations of what they are meant for."""

from __future__ import annotations

import collections.abc
import math
import types
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

# What no annotation says: the smallest and the largest that make sense.
RANGES: Final[Mapping[str, tuple[float, float]]] = {
    "page_size": (1, 10_000),
    "operation_polls": (0, 1e9),
    "operation_seconds": (0, 1e9),
    "seconds": (0, 1e9),
    "effect": (200, 599),
}


def check(sent: Any, target: Callable[..., Any]) -> dict[str, Any]:
    """Return arguments that came as JSON, or refuse those that ``target`` could not use later.

    Raises:
        ValueError: it names the argument and what it takes.
    """
    if not isinstance(sent, dict):
        raise ValueError("send an object")
    hints = _hints(target)
    for name, value in sent.items():
        if name not in hints:
            raise ValueError(f"there is no {name!r}; there are {', '.join(hints)}")
        if not fits(value, hints[name]) or not _in_range(name, value):
            raise ValueError(f"{name} cannot be {value!r}")
    return sent


def fits(value: Any, hint: Any) -> bool:
    """Say whether a value of JSON is what an annotation asks for; True is no number."""
    origin = get_origin(hint)
    if hint is Any:
        return True
    if origin is Literal:
        return value in get_args(hint) and not isinstance(value, bool)
    if origin in (Union, types.UnionType):
        return any(fits(value, each) for each in get_args(hint))
    if origin is collections.abc.Mapping:
        return isinstance(value, dict) and all(map(_sendable, value.items()))
    if origin is collections.abc.Collection:
        return isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)
    if hint in (int, float):
        numbers = int if hint is int else int | float
        return isinstance(value, numbers) and not isinstance(value, bool) and math.isfinite(value)
    return isinstance(value, hint)


def _sendable(header: tuple[str, Any]) -> bool:
    name, value = header
    return (
        isinstance(value, str) and bool(name) and all(each.isascii() and each.isprintable() for each in (name, value))
    )


def _in_range(name: str, value: Any) -> bool:
    low, high = RANGES.get(name, (-math.inf, math.inf))
    return not isinstance(value, int | float) or low <= value <= high


@cache
def _hints(target: Callable[..., Any]) -> dict[str, Any]:
    return {name: hint for name, hint in get_type_hints(target).items() if name != "return"}
