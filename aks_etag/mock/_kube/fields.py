# SPDX-License-Identifier: MIT
"""Fields as paths: what an object holds, what differs between two, and the JSON form of a set of paths."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from aks_etag.mock._kube.sameness import same

Path: TypeAlias = tuple[str, ...]
Paths: TypeAlias = frozenset[Path]
# From the names that lead to a list to the keys by which it is merged: () is a set of values, None is atomic.
ListRule: TypeAlias = Callable[[tuple[str, ...], list[Any]], tuple[str, ...] | None]

# The markers of what holds other fields, so that only leaves count as changed.
MAP: Final = object()
ITEM: Final = object()
_TRACKED_METADATA: Final = ("annotations", "finalizers", "generateName", "labels", "ownerReferences")
_KEY_DEFAULTS: Final[Mapping[str, Any]] = {"protocol": "TCP"}


def flatten(body: Mapping[str, Any], rule: ListRule) -> dict[Path, Any]:
    """Map the path of every owned field to its value, or to the marker of a container."""
    metadata = body.get("metadata") or {}
    shown = {name: metadata[name] for name in _TRACKED_METADATA if metadata.get(name)}
    rest = {name: value for name, value in body.items() if name not in ("apiVersion", "kind", "metadata")}
    found = dict(_walk({**rest, **({"metadata": shown} if shown else {})}, (), (), rule))
    # Nobody owns the metadata as a whole.
    found.pop(("f:metadata",), None)
    return found


def stated(fields: Mapping[Path, Any]) -> Paths:
    """Return what an apply states: leaves, items, and maps that are empty."""
    parents = {path[:-1] for path in fields}
    return frozenset(path for path, value in fields.items() if value is not MAP or path not in parents)


def touched(before: Mapping[Path, Any], after: Mapping[Path, Any]) -> Paths:
    """Return the fields that are new or have another value."""
    return frozenset(path for path, value in after.items() if path not in before or not same(before[path], value))


def contested(before: Mapping[Path, Any], after: Mapping[Path, Any]) -> Paths:
    """Return the values that are new or differ: about containers as such nobody quarrels."""
    return frozenset(path for path in touched(before, after) if after[path] is not MAP and after[path] is not ITEM)


def removed(before: Mapping[Path, Any], after: Mapping[Path, Any]) -> Paths:
    """Return the fields that are gone."""
    return frozenset(before.keys() - after.keys())


def encode(paths: Iterable[Path]) -> dict[str, Any]:
    """Write a set of paths as fieldsV1."""
    root: dict[str, Any] = {}
    members = set(paths)
    for path in sorted(members):
        node = root
        for part in path:
            node = node.setdefault(part, {})
    for path in members:
        node = root
        for part in path:
            node = node[part]
        if node:
            node["."] = {}
    return root


def decode(tree: Any, above: Path = ()) -> Paths:
    """Read fieldsV1."""
    if not isinstance(tree, dict):
        return frozenset()
    found: set[Path] = set()
    for part, below in tree.items():
        if part == ".":
            continue
        if not below or "." in below:
            found.add((*above, part))
        found |= decode(below, (*above, part))
    return frozenset(found)


def spell(path: Path) -> str:
    """Write a path as the causes of a conflict do."""
    words = []
    for part in path:
        kind, _, name = part.partition(":")
        if kind == "f":
            words.append(f".{name}")
        elif kind == "k":
            keys = ",".join(f"{key}={json.dumps(value)}" for key, value in json.loads(name).items())
            words.append(f"[{keys}]")
        else:
            words.append(f"[={name}]")
    return "".join(words)


def merge(live: Any, applied: Any, rule: ListRule, names: tuple[str, ...] = ()) -> Any:
    """Lay applied fields over live ones; lists are merged by their keys, or replaced where they are atomic."""
    if isinstance(live, dict) and isinstance(applied, dict):
        merged = {name: merge(live.get(name), value, rule, (*names, name)) for name, value in applied.items()}
        return {**live, **merged}
    if not isinstance(live, list) or not isinstance(applied, list):
        return applied
    keys = rule(names, applied)
    if keys is None:
        return applied
    if not keys:
        return [*live, *(each for each in applied if each not in live)]
    by_key = {item_key(each, keys): each for each in live}
    for each in applied:
        name = item_key(each, keys)
        by_key[name] = merge(by_key.get(name), each, rule, names)
    return list(by_key.values())


def cut(body: dict[str, Any], paths: Paths, kept: Paths) -> None:
    """Remove fields that nobody keeps, and what becomes empty by it; an item goes as a whole, with its defaults."""
    for path in sorted(paths - kept, key=len):
        if not any(other[: len(path)] == path for other in kept):
            _cut(body, path)


def item_key(item: Any, keys: tuple[str, ...]) -> str:
    """Spell the path element of a list item."""
    named = {key: item.get(key, _KEY_DEFAULTS.get(key)) for key in sorted(keys)}
    return "k:" + json.dumps(named, separators=(",", ":"))


def _walk(value: Any, path: Path, names: tuple[str, ...], rule: ListRule) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, dict):
        if path:
            yield path, ITEM if path[-1].startswith("k:") else MAP
        for name, child in value.items():
            yield from _walk(child, (*path, f"f:{name}"), (*names, name), rule)
        return
    keys = rule(names, value) if isinstance(value, list) else None
    if keys is None:
        yield path, value
    elif not keys:
        yield path, MAP
        yield from (((*path, f"v:{json.dumps(each)}"), each) for each in value)
    else:
        yield path, MAP
        for each in value:
            yield from _walk(each, (*path, item_key(each, keys)), names, rule)


def _cut(value: Any, path: Path) -> None:
    part, below = path[0], path[1:]
    child = _child(value, part)
    if child is None:
        return
    if below:
        _cut(child, below)
    if not below or child in ({}, []):
        if isinstance(value, dict):
            value.pop(part[2:], None)
        elif child in value:
            value.remove(child)


def _child(value: Any, part: str) -> Any:
    kind, _, name = part.partition(":")
    if kind == "f":
        return value.get(name) if isinstance(value, dict) else None
    wanted = json.loads(name)
    items = value if isinstance(value, list) else []
    if kind == "v":
        return wanted if wanted in items else None
    return next((each for each in items if item_key(each, tuple(wanted)) == part), None)
