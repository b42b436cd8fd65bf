# SPDX-License-Identifier: MIT
"""JSON documents: strip what the service owns, compare as JSON compares, list the paths that differ."""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from .messages import JSON

Path: TypeAlias = tuple[str, ...]
Fields: TypeAlias = Mapping[str, "Fields | None"]

EACH: Final = "*"


class _Missing:
    """Nothing is there, not even a null."""

    # The one object, even in another process: it is compared with ``is``.
    def __reduce__(self) -> str:
        return "MISSING"

    def __repr__(self) -> str:
        return "ABSENT"


MISSING: Final = _Missing()
# As users see it, in conflicts and differences.
ABSENT: Final = MISSING


def fields(paths: Iterable[str]) -> Fields:
    """Turn dotted paths into a tree of names; ``*`` stands for every element of a list and every key of a map."""
    tree: dict[str, Fields | None] = {}
    for path in paths:
        *parents, leaf = path.split(".")
        node = tree
        for name in parents:
            child = node.setdefault(name, {})
            assert isinstance(child, dict), f"{path} lies below another path"
            node = child
        node[leaf] = None
    return tree


def strip(body: JSON, drop: Fields) -> JSON:
    """Return a copy of ``body`` without the fields of ``drop``; what is not touched is shared, order is kept."""
    if isinstance(body, list):
        each = drop.get(EACH)
        return body if each is None else [strip(item, each) for item in body]
    if not isinstance(body, dict):
        return body
    rest = drop.get(EACH, MISSING)
    kept = {}
    for name, value in body.items():
        below = drop.get(name, rest)
        if below is MISSING:
            kept[name] = value
        elif isinstance(below, dict):
            kept[name] = strip(value, below)
    return kept


def select(body: JSON, keep: Fields) -> JSON:
    """Return only the fields of ``keep``: the other half of ``strip``."""
    if isinstance(body, list):
        each = keep.get(EACH)
        return [] if each is None else [select(item, each) for item in body]
    if not isinstance(body, Mapping):
        return {}
    kept = {}
    for name, value in body.items():
        below = keep.get(name, MISSING) if name in keep else keep.get(EACH, MISSING)
        if isinstance(below, Mapping):
            kept[name] = select(value, below)
        elif below is None:
            kept[name] = value
    return kept


def same(left: JSON, right: JSON) -> bool:
    """Whether two values are equal as JSON: ``1`` is ``1.0`` but not ``true``, a null is not an absent key."""
    if isinstance(left, dict | list) and isinstance(right, dict | list):
        # Python's own comparison is fast and all but right: only true and 1 are one to it.
        return left == right and (_bytes_of(left) == _bytes_of(right) is not None or _same(left, right))
    return _same(left, right)


def _bytes_of(value: JSON) -> bytes | None:
    """Return bytes that are equal only for values that are equal to the letter, at the speed of C."""
    try:
        return marshal.dumps(value, 0)
    except ValueError:
        return None


def _same(left: JSON, right: JSON) -> bool:
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(_same(value, right[name]) for name, value in left.items())
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(_same, left, right))
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return bool(left == right)


def differing(before: JSON, after: JSON) -> tuple[Path, ...]:
    """List the paths at which two documents differ; a list is one value, since its elements have no names.

    A map that is not there is one without names: whoever sets a name in it touches that name, and no other.
    """
    return tuple(_differing(before, after, ()))


def _differing(before: JSON, after: JSON, path: Path) -> Iterator[Path]:
    if before is MISSING and isinstance(after, Mapping) and after:
        before = {}
    elif after is MISSING and isinstance(before, Mapping) and before:
        after = {}
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for name in dict.fromkeys([*before, *after]):
            yield from _differing(before.get(name, MISSING), after.get(name, MISSING), (*path, name))
    elif not same(before, after):
        yield path


def at(body: JSON, path: Path) -> JSON:
    """Return the value at a path, or ``MISSING``."""
    for name in path:
        if not isinstance(body, Mapping) or name not in body:
            return MISSING
        body = body[name]
    return body


def agree(left: JSON, right: JSON, paths: Iterable[Path]) -> bool:
    """Whether two documents have the same values at all these paths."""
    return all(same(at(left, path), at(right, path)) for path in paths)


def contains(body: JSON, wanted: JSON) -> bool:
    """Whether every leaf of ``wanted`` is in ``body`` with the same value; more may be there.

    Lists are compared element by element, since a service adds defaults inside their elements, too.
    """
    if isinstance(wanted, Mapping):
        return isinstance(body, Mapping) and all(
            name in body and contains(body[name], value) for name, value in wanted.items()
        )
    if isinstance(wanted, list):
        return isinstance(body, list) and len(body) == len(wanted) and all(map(contains, body, wanted))
    return same(body, wanted)
