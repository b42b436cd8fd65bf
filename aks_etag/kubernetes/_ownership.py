# SPDX-License-Identifier: MIT
"""Who owns which fields of an object, and the part that one manager owns: ``managedFields`` decoded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from .._core.document import same
from .._core.messages import Body
from ..errors import InvalidPreconditionError

Tree: TypeAlias = Mapping[str, Any]

_MEMBER: Final = "."  # In a tree that has more below: the path itself is owned, too.


class Owner(NamedTuple):
    """One entry of ``managedFields``; ``fields`` are spelled as the causes of a conflict spell them."""

    manager: str
    operation: str
    api_version: str
    subresource: str
    fields: tuple[str, ...]


def owners_of(body: Body) -> tuple[Owner, ...]:
    """List who owns what, in the order of the server."""
    return tuple(
        Owner(
            manager=_text(entry, "manager"),
            operation=_text(entry, "operation"),
            api_version=_text(entry, "apiVersion"),
            subresource=_text(entry, "subresource"),
            fields=tuple(_paths(_tree(entry), "")),
        )
        for entry in _entries(body)
    )


def owned_by(body: Body, manager: str, *, subresource: str = "") -> dict[str, Any]:
    """Return what a manager has applied, with its present values, ready to be applied again.

    Fields that it owns by updates are left out: to apply them would be a claim that it has not made yet.

    Raises:
        InvalidPreconditionError: it applied through another api version, where fields may have other names.
    """
    applied = ("Apply", manager, subresource)
    entries = _entries(body)
    mine = next((each for each in entries if _identity(each) == applied), {})
    version = body.get("apiVersion")
    if mine and mine.get("apiVersion") != version:
        raise InvalidPreconditionError(
            f"{manager} applied its fields through {mine.get('apiVersion')}, and this body was read through {version}: "
            "take a handle of that api version"
        )
    part = _part(body, _tree(mine), [_tree(each) for each in entries]) if mine else {}
    metadata = body.get("metadata") or {}
    names = {name: metadata[name] for name in ("name", "namespace") if name in metadata}
    return {"apiVersion": version, "kind": body.get("kind"), **part, "metadata": {**part.get("metadata", {}), **names}}


def _part(live: Any, mine: Tree, everyones: Sequence[Tree]) -> Any:
    """Return what one tree owns of a value; ``everyones`` are the trees of all owners at the same place."""
    below = {part: tree for part, tree in mine.items() if part != _MEMBER}
    if not below:
        # A leaf is the whole value, unless others own parts of it: then only an empty container was applied.
        shared = any(part != _MEMBER for tree in everyones for part in tree)
        return type(live)() if shared and isinstance(live, dict | list) else live
    if isinstance(live, dict):
        return dict(_named(live, below, everyones))
    return list(_items(live, below, everyones)) if isinstance(live, list) else live


def _named(live: dict[str, Any], below: Tree, everyones: Sequence[Tree]) -> Iterator[tuple[str, Any]]:
    for name, value in live.items():
        part = f"f:{name}"
        if part in below:
            yield name, _part(value, below[part], _at(everyones, part))


def _items(live: list[Any], below: Tree, everyones: Sequence[Tree]) -> Iterator[Any]:
    places = {_place(part, live): part for part in below}
    for index, item in enumerate(live):
        if index not in places:
            continue
        part = places[index]
        found = _part(item, below[part], _at(everyones, part))
        keys = json.loads(part[2:]) if part.startswith("k:") else {}
        # A key that the server filled in (protocol: TCP) is not owned; an item without any could not be found again.
        yield found if not keys or any(key in found for key in keys) else {**keys, **found}


def _place(part: str, live: list[Any]) -> int | None:
    """Return where the item is that a path element means."""
    kind, _, text = part.partition(":")
    if kind == "i":
        return int(text)
    wanted = json.loads(text)
    if kind == "v":
        return next((index for index, item in enumerate(live) if same(item, wanted)), None)
    whole = (index for index, item in enumerate(live) if _has(item, wanted))
    # A key that is filled in only where keys are compared is in the path and not in the item.
    partial = (index for index, item in enumerate(live) if _has(item, wanted, absent=True))
    return next(whole, next(partial, None))


def _has(item: Any, keys: Mapping[str, Any], *, absent: bool = False) -> bool:
    there = {key for key in keys if isinstance(item, dict) and key in item}
    return bool(there) and (absent or there == keys.keys()) and all(same(item[key], keys[key]) for key in there)


def _at(trees: Sequence[Tree], part: str) -> list[Tree]:
    return [tree[part] for tree in trees if part in tree]


def _paths(tree: Tree, above: str) -> Iterator[str]:
    for part, below in tree.items():
        if part == _MEMBER:
            continue
        path = above + _spelled(part)
        if not below or _MEMBER in below:
            yield path
        yield from _paths(below, path)


def _spelled(part: str) -> str:
    kind, _, text = part.partition(":")
    match kind:
        case "f":
            return f".{text}"
        case "k":
            keys = (f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in json.loads(text).items())
            return f"[{','.join(keys)}]"
        case "v":
            return f"[={text}]"
        case _:
            return f"[{text}]"


def _entries(body: Body) -> list[Mapping[str, Any]]:
    metadata = body.get("metadata")
    entries = metadata.get("managedFields") if isinstance(metadata, Mapping) else None
    return [each for each in entries if isinstance(each, Mapping)] if isinstance(entries, list) else []


def _identity(entry: Mapping[str, Any]) -> tuple[str, str, str]:
    return _text(entry, "operation"), _text(entry, "manager"), _text(entry, "subresource")


def _tree(entry: Mapping[str, Any]) -> Tree:
    tree = entry.get("fieldsV1")
    return tree if isinstance(tree, Mapping) else {}


def _text(entry: Mapping[str, Any], name: str) -> str:
    value = entry.get(name)
    return value if isinstance(value, str) else ""
