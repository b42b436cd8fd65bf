# SPDX-License-Identifier: MIT
"""Three-way merge: what one side changed since the base, replayed on what the other side has now."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

from .document import EACH, MISSING, Fields, Path, same, strip
from .messages import JSON, Body
from .places import Keys, Place, named

OnConflict: TypeAlias = Literal["raise", "ours", "theirs"]


@dataclass(frozen=True, slots=True)
class MergeConflict:
    """A place that both sides changed, each to something else; ``ABSENT`` where there is nothing."""

    path: str
    base: Any = field(repr=False)
    ours: Any = field(repr=False)
    theirs: Any = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What a merge knows of its documents.

    ``owned`` fields are never merged: theirs stay. ``kept`` ones are merged only where base and ours have both of them.
    ``keys`` tell the elements of a list apart; any other list is one value.
    """

    owned: Fields
    kept: Collection[Path]
    keys: Keys


class _Three(NamedTuple):
    base: JSON
    ours: JSON
    theirs: JSON

    def at(self, name: str) -> _Three:
        return _Three(*(side.get(name, MISSING) if isinstance(side, Mapping) else MISSING for side in self))


@dataclass(frozen=True, slots=True)
class _Work:
    rules: Rules
    ours_first: bool
    conflicts: list[MergeConflict]


def merge(
    base: Body, ours: Body, theirs: Body, rules: Rules, *, ours_first: bool = False
) -> tuple[dict[str, Any], tuple[MergeConflict, ...]]:
    """Replay base -> ours on theirs; return the result, and the conflicts, which are settled for one side in it."""
    work = _Work(rules, ours_first, [])
    three = _Three(strip(base, rules.owned), strip(ours, rules.owned), theirs)
    body: dict[str, Any] = _members(three, Place(), rules.owned, work)
    return body, tuple(work.conflicts)


def _merged(three: _Three, place: Place, owned: Fields, work: _Work) -> JSON:
    if same(three.ours, three.base):
        return three.theirs
    if isinstance(three.ours, Mapping) and isinstance(three.theirs, Mapping):
        return _members(three, place, owned, work)
    elements = _elements(three, place, work)
    if elements is not None:
        names = _in_their_order(elements)
        below = _below(owned, EACH)
        found = [_merged(elements.at(name), place.element(name), below, work) for name in names]
        return [value for value in found if value is not MISSING]
    return _one_value(three, place, owned, work)


def _members(three: _Three, place: Place, owned: Fields, work: _Work) -> dict[str, Any]:
    result = {}
    for name in _in_their_order(three):
        inside, sides = place.member(name), three.at(name)
        unsaid = inside.pattern in work.rules.kept and MISSING in (sides.base, sides.ours)
        value = sides.theirs if unsaid else _merged(sides, inside, _below(owned, name), work)
        if value is not MISSING:
            result[name] = value
    return result


def _one_value(three: _Three, place: Place, owned: Fields, work: _Work) -> JSON:
    theirs = strip(three.theirs, owned)
    if same(theirs, three.base):
        return three.ours
    if not same(three.ours, theirs):
        work.conflicts.append(MergeConflict(place.text, three.base, three.ours, theirs))
        if work.ours_first:
            return three.ours
    return three.theirs


def _elements(three: _Three, place: Place, work: _Work) -> _Three | None:
    """Return three lists by the keys of their elements, where all that are there have such keys."""
    key = work.rules.keys.get(place.pattern)
    if key is None:
        return None
    base, ours, theirs = (named(side, key) for side in three)
    if ours is None or theirs is None or (base is None and three.base is not MISSING):
        return None
    return _Three({} if base is None else base, ours, theirs)


def _in_their_order(three: _Three) -> list[str]:
    return list(dict.fromkeys([*three.theirs, *three.ours]))


def _below(owned: Fields, name: str) -> Fields:
    # What is owned as a whole is not merged, so that there is nothing to look for below it.
    return owned.get(name, owned.get(EACH)) or {}
