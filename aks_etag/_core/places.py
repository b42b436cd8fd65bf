# SPDX-License-Identifier: MIT
"""Where something is in a document, and lists whose elements have names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from .document import EACH, Path
from .messages import JSON

Key: TypeAlias = Callable[[JSON], str | None]
Keys: TypeAlias = Mapping[Path, Key]

_PLAIN: Final = re.compile(r"[\w$-]+")


@dataclass(frozen=True, slots=True)
class Place:
    """A path, as people read it and, with ``*`` for every element of a list, as tables have it."""

    text: str = ""
    pattern: Path = ()

    def member(self, name: str) -> Place:
        """Return the place of a member: ``tags.team``, ``nodeLabels["example.com/team"]``."""
        plain = name if not self.text else f".{name}"
        return Place(self.text + (plain if _PLAIN.fullmatch(name) else f'["{name}"]'), (*self.pattern, name))

    def element(self, key: str) -> Place:
        """Return the place of an element: ``agentPoolProfiles[np1]``."""
        return Place(f"{self.text}[{key}]", (*self.pattern, EACH))


def by(*names: str) -> Key:
    """Return the key of elements that these fields together tell apart."""

    def key(element: JSON) -> str | None:
        values = [element.get(name) for name in names] if isinstance(element, Mapping) else [None]
        return None if any(type(value) not in (str, int) for value in values) else "/".join(map(str, values))

    return key


def itself(element: JSON) -> str | None:
    """Return the key of texts that are a set."""
    return element if isinstance(element, str) else None


def without_case(key: Key) -> Key:
    """Return the same key for ids, which the service spells in upper and lower case as it likes."""

    def folded(element: JSON) -> str | None:
        found = key(element)
        return None if found is None else found.casefold()

    return folded


def taint(element: JSON) -> str | None:
    """Return key and effect of a taint ``key=value:effect``, of which a node has no two."""
    if not isinstance(element, str):
        return None
    rest, _, effect = element.rpartition(":")
    return f"{rest.partition('=')[0]}:{effect}"


def named(value: JSON, key: Key) -> dict[str, Any] | None:
    """Return the elements of a list by key; ``None`` where it is no list, or they have no keys of their own."""
    if not isinstance(value, list):
        return None
    found: dict[str, Any] = {}
    for element in value:
        name = key(element)
        if name is None or name in found:
            return None
        found[name] = element
    return found
