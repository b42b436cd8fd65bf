# SPDX-License-Identifier: MIT
"""Structural schemas of custom resources: prune, fill in defaults, validate."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from aks_etag.mock._kube.refusals import Cause
from aks_etag.mock._kube.sameness import same

Schema: TypeAlias = Mapping[str, Any]
Place: TypeAlias = tuple[str | int, ...]

# The server knows these in every object, whatever its schema says.
ALWAYS_THERE: Final = ("apiVersion", "kind", "metadata")
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
}
_GO_NAMES: Final[Mapping[type, str]] = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer"}


def prune(body: dict[str, Any], schema: Schema) -> tuple[dict[str, Any], list[str]]:
    """Drop what a schema does not name; return the rest, and the paths of what went."""
    dropped: list[str] = []
    kept = _prune({name: value for name, value in body.items() if name not in ALWAYS_THERE}, schema, "", dropped)
    return {**{name: body[name] for name in ALWAYS_THERE if name in body}, **kept}, dropped


def fill_defaults(value: Any, schema: Schema) -> None:
    """Fill in the defaults of absent fields, in place."""
    if isinstance(value, dict):
        for name, child in (schema.get("properties") or {}).items():
            if name not in value and "default" in child:
                value[name] = copy.deepcopy(child["default"])
            if name in value:
                fill_defaults(value[name], child)
    elif isinstance(value, list):
        for each in value:
            fill_defaults(each, schema.get("items") or {})


def broken_rules(body: dict[str, Any], schema: Schema, before: dict[str, Any] | None = None) -> list[Cause]:
    """Validate against a schema; what was broken in the same way before, and is untouched, is let through."""
    checked = {name: value for name, value in body.items() if name not in ALWAYS_THERE}
    return [cause for cause, holder in _check(checked, schema, ()) if not _unchanged(body, before, holder)]


def list_keys(schema: Schema, names: tuple[str, ...]) -> tuple[str, ...] | None:
    """Say by which keys the list at a path is merged: none means as a set of values, None means it is atomic."""
    found = schema
    for name in names:
        found = (
            (found.get("properties") or {}).get(name) or found.get("items", {}).get("properties", {}).get(name) or {}
        )
    kind = found.get("x-kubernetes-list-type")
    if kind == "map":
        return tuple(found.get("x-kubernetes-list-map-keys") or ())
    return () if kind == "set" else None


def _prune(value: Any, schema: Schema, path: str, dropped: list[str]) -> Any:
    if isinstance(value, list):
        items = schema.get("items") or {}
        return [_prune(each, items, f"{path}[{place}]", dropped) for place, each in enumerate(value)]
    if not isinstance(value, dict):
        return value
    properties = schema.get("properties") or {}
    others = schema.get("additionalProperties")
    kept = {}
    for name, child in value.items():
        where = f"{path}.{name}".lstrip(".")
        known = properties.get(name) or (others if isinstance(others, dict) else {} if others else None)
        if known is not None or schema.get("x-kubernetes-preserve-unknown-fields"):
            kept[name] = _prune(child, known or {"x-kubernetes-preserve-unknown-fields": True}, where, dropped)
        else:
            dropped.append(where)
    return kept


def _check(value: Any, schema: Schema, path: Place) -> Iterator[tuple[Cause, Place]]:
    wanted = schema.get("type")
    if value is None and schema.get("nullable"):
        return
    if wanted and not schema.get("x-kubernetes-int-or-string") and not _is(value, wanted):
        said = f'Invalid value: "{_GO_NAMES.get(type(value), "null")}": {_spell(path)} in body must be of type {wanted}'
        yield Cause(reason="FieldValueTypeInvalid", field=_spell(path), message=said), path
        return
    for reason, message in _scalar_rules(value, schema):
        yield Cause(reason=reason, field=_spell(path), message=message), path
    if isinstance(value, dict):
        yield from _check_members(value, schema, path)
    elif isinstance(value, list):
        for place, each in enumerate(value):
            yield from _check(each, schema.get("items") or {}, (*path, place))


def _check_members(value: dict[str, Any], schema: Schema, path: Place) -> Iterator[tuple[Cause, Place]]:
    for name in schema.get("required") or ():
        if name not in value:
            yield Cause(reason="FieldValueRequired", field=_spell((*path, name)), message="Required value"), path
    for name, child in value.items():
        yield from _check(child, (schema.get("properties") or {}).get(name) or {}, (*path, name))


def _scalar_rules(value: Any, schema: Schema) -> Iterator[tuple[str, str]]:
    if "enum" in schema and value not in schema["enum"]:
        yield "FieldValueNotSupported", f"Unsupported value: {value!r}"
    limits: list[tuple[str, Callable[[Any, Any], bool]]] = [
        ("minimum", lambda found, limit: found < limit),
        ("maximum", lambda found, limit: found > limit),
    ]
    for name, beyond in limits:
        if name in schema and isinstance(value, int | float) and beyond(value, schema[name]):
            yield "FieldValueInvalid", f"Invalid value: {value}: beyond the {name} of {schema[name]}"


def _is(value: Any, wanted: str) -> bool:
    if isinstance(value, bool):
        return wanted == "boolean"
    return isinstance(value, _TYPES.get(wanted, (object,)))


def _spell(path: Place) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")


def _unchanged(body: Any, before: Any, path: Place) -> bool:
    # A stored object that a newer schema would refuse may be written again as it is (recorded: "ratcheted").
    if before is None:
        return False
    for part in path:
        try:
            body, before = body[part], before[part]
        except (KeyError, IndexError, TypeError):
            return False
    return same(body, before)
