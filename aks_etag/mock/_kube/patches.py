# SPDX-License-Identifier: MIT
"""JSON Merge Patch, JSON Patch and strategic merge patch."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any, Final

from aks_etag.mock._kube.refusals import bad_request, blind_invalid
from aks_etag.mock._kube.sameness import same

# How the built-in kinds merge their lists: the first key that an item has counts. Without an entry a list is replaced.
LIST_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "conditions": ("type",),
    "containers": ("name",),
    "env": ("name",),
    "ephemeralContainers": ("name",),
    "hostAliases": ("ip",),
    "imagePullSecrets": ("name",),
    "initContainers": ("name",),
    "ownerReferences": ("uid",),
    "ports": ("containerPort", "port"),
    "topologySpreadConstraints": ("topologyKey",),
    "volumeDevices": ("devicePath",),
    "volumeMounts": ("mountPath",),
    "volumes": ("name",),
}
SETS: Final = frozenset({"finalizers"})


def built_in_list_keys(names: tuple[str, ...], items: list[Any]) -> tuple[str, ...] | None:
    """Say by which keys server-side apply merges a list of a built-in kind: () is a set, None is atomic."""
    name = names[-1] if names else ""
    if name in SETS:
        return ()
    key = _merge_key(name, items)
    if key is None or not all(isinstance(each, dict) and key in each for each in items):
        return None
    return (key, "protocol") if name == "ports" else (key,)


def merge_patch(target: Any, patch: Any) -> Any:
    """Apply a JSON Merge Patch (RFC 7396)."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merge_patch(result.get(name), value)
    return result


def strategic_patch(target: Any, patch: Any) -> Any:
    """Apply a strategic merge patch: maps as in a merge patch, lists by their keys."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    order = patch.get("$patch")
    patch = {name: value for name, value in patch.items() if not name.startswith(("$patch", "$setElementOrder/"))}
    result = dict(target) if isinstance(target, dict) and order != "replace" else {}
    for name, value in patch.items():
        if name.startswith("$deleteFromPrimitiveList/"):
            field = name.partition("/")[2]
            result[field] = [each for each in result.get(field) or [] if each not in value]
        elif value is None:
            result.pop(name, None)
        elif isinstance(value, list):
            result[name] = _strategic_list(name, result.get(name) or [], value)
        else:
            result[name] = strategic_patch(result.get(name), value)
    return result


def json_patch(target: Any, operations: Any) -> Any:
    """Apply a JSON Patch (RFC 6902); every failure looks the same, as on the real server."""
    if not isinstance(operations, list) or not all(isinstance(each, dict) for each in operations):
        raise bad_request("error decoding patch: a list of operations is expected")
    result = copy.deepcopy(target)
    for operation in operations:
        apply = _OPERATIONS.get(operation.get("op"))
        if apply is None:
            raise blind_invalid()
        try:
            result = apply(result, operation)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError):
            raise blind_invalid() from None
    return result


def _strategic_list(name: str, live: list[Any], patch: list[Any]) -> list[Any]:
    orders = [each for each in patch if isinstance(each, dict) and each.get("$patch") == "replace"]
    items = [each for each in patch if each not in orders]
    if name in SETS:
        return [*live, *(each for each in items if each not in live)]
    key = _merge_key(name, [*items, *live])
    if key is None or orders:
        return strategic_items(items)
    result = list(live)
    for each in items:
        if key not in each:
            raise bad_request(f"map does not contain the key {key}")
        place = next((at for at, old in enumerate(result) if old.get(key) == each[key]), None)
        deleted = each.get("$patch") == "delete"
        if place is None:
            result += [] if deleted else strategic_items([each])
        else:
            result[place : place + 1] = [] if deleted else [strategic_patch(result[place], each)]
    return result


def strategic_items(items: list[Any]) -> list[Any]:
    """Turn the items of a patch into plain ones."""
    return [strategic_patch({}, each) if isinstance(each, dict) else each for each in items]


def _merge_key(name: str, items: list[Any]) -> str | None:
    keys = LIST_KEYS.get(name, ())
    if len(keys) == 1:
        return keys[0]
    return next((key for key in keys if any(isinstance(each, dict) and key in each for each in items)), None)


def _parts(pointer: str) -> list[str]:
    if pointer and not pointer.startswith("/"):
        raise ValueError(pointer)
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def _at(document: Any, parts: list[str]) -> Any:
    for part in parts:
        document = document[int(part)] if isinstance(document, list) else document[part]
    return document


def _get(document: Any, pointer: str) -> Any:
    return _at(document, _parts(pointer))


def _put(document: Any, pointer: str, value: Any, *, exists: bool) -> Any:
    parts = _parts(pointer)
    if not parts:
        return value
    holder, last = _at(document, parts[:-1]), parts[-1]
    if isinstance(holder, list):
        place = len(holder) if last == "-" else int(last)
        if not 0 <= place <= len(holder) - exists:
            raise IndexError(place)
        holder[place : place + exists] = [value]
    else:
        if exists and last not in holder:
            raise KeyError(last)
        holder[last] = value
    return document


def _add(document: Any, operation: dict[str, Any]) -> Any:
    return _put(document, operation["path"], copy.deepcopy(operation["value"]), exists=False)


def _replace(document: Any, operation: dict[str, Any]) -> Any:
    return _put(document, operation["path"], copy.deepcopy(operation["value"]), exists=True)


def _remove(document: Any, operation: dict[str, Any]) -> Any:
    *above, last = _parts(operation["path"])
    holder = _at(document, above)
    del holder[int(last) if isinstance(holder, list) else last]
    return document


def _copy(document: Any, operation: dict[str, Any]) -> Any:
    value = copy.deepcopy(_get(document, operation["from"]))
    return _put(document, operation["path"], value, exists=False)


def _move(document: Any, operation: dict[str, Any]) -> Any:
    value = _get(document, operation["from"])
    return _put(_remove(document, {"path": operation["from"]}), operation["path"], value, exists=False)


def _test(document: Any, operation: dict[str, Any]) -> Any:
    try:
        found = _get(document, operation["path"])
    except (KeyError, IndexError):
        found = None  # Recorded: a test for null holds where there is nothing.
    if not same(found, operation.get("value")):
        raise ValueError(operation["path"])
    return document


_OPERATIONS: Final[Mapping[Any, Callable[[Any, dict[str, Any]], Any]]] = {
    "add": _add,
    "copy": _copy,
    "move": _move,
    "remove": _remove,
    "replace": _replace,
    "test": _test,
}
