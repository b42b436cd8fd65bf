# SPDX-License-Identifier: MIT
"""The differences of two documents, each at its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from .document import MISSING, same
from .messages import JSON
from .places import Keys, Place, named

Found: TypeAlias = tuple[Place, JSON, JSON]


def differences(before: JSON, after: JSON, keys: Keys, place: Place = Place()) -> Iterator[Found]:  # noqa: B008
    """List where two documents differ; lists of ``keys`` element by element, whatever their order."""
    if same(before, after):
        return
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for name in dict.fromkeys([*before, *after]):
            yield from differences(before.get(name, MISSING), after.get(name, MISSING), keys, place.member(name))
        return
    key = keys.get(place.pattern)
    old, new = (None, None) if key is None else (named(before, key), named(after, key))
    if old is None or new is None:
        yield place, before, after
        return
    for name in dict.fromkeys([*old, *new]):
        yield from differences(old.get(name, MISSING), new.get(name, MISSING), keys, place.element(name))
