# SPDX-License-Identifier: MIT
"""az's words for generic updates: ``--set a.b[0].c=value``, ``--add list value``, ``--remove a.b`` on az's shape."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from ._steps import BadPathError, place, steps, walked

# Maps whose values are text, and lists whose elements are, though they may look like pairs.
_TEXTS: Final = ("tags", "nodeLabels", "labels", "annotations", "data")
_TEXT_LISTS: Final = ("nodeTaints", "nodeInitializationTaints")
# The first "=" outside of brackets and quotes parts the path from the value.
_ASSIGNMENT: Final = re.compile(r"""((?:[^=\[\]'"]|\[[^\]]*\]|'[^']*'|"[^"]*")+)=(.*)""", re.DOTALL)


def value_of(text: str, *, force_string: bool = False) -> Any:
    """Read a value: JSON where it is JSON, else text."""
    if force_string:
        return text
    try:
        return json.loads(text, parse_constant=lambda name: name)
    except (ValueError, RecursionError):
        return text


def put(body: dict[str, Any], assignment: str, *, force_string: bool = False) -> None:
    """Carry out ``path=value``."""
    match = _ASSIGNMENT.match(assignment)
    if match is None:
        raise BadPathError(f"--set {assignment!r} is not PATH=VALUE")
    path, text = match[1].strip(), match[2]
    *parents, last = steps(path)
    holder = walked(body, parents, path, make=True)
    # Tags and labels are text, whatever they look like.
    is_text = force_string or bool(parents and parents[-1] in _TEXTS)
    holder[place(holder, last, path, free=_free(parents))] = value_of(text, force_string=is_text)


def add(body: dict[str, Any], path: str, values: list[str], *, force_string: bool = False) -> None:
    """Append values to a list, or pairs to a map; pairs beside each other become one object of a list."""
    if not values:
        raise BadPathError(f"--add {path}: what is to be added?")
    *parents, last = steps(path)
    holder = walked(body, parents, path, make=True)
    where = place(holder, last, path)
    target = holder.get(where) if isinstance(holder, dict) else holder[where]
    if target is None:
        target = holder[where] = {} if where in _TEXTS else []
    if isinstance(target, dict):
        target.update(_map(path, values, force_string or where in _TEXTS))
    elif not isinstance(target, list):
        raise BadPathError(f"--add {path}: that is no list and no map")
    elif where in _TEXT_LISTS or any(isinstance(each, str) for each in target):
        target.extend(values)
    else:
        target.extend(_elements(values, force_string))


def remove(body: dict[str, Any], path: str, indices: list[str]) -> None:
    """Remove what is at a path, or elements of the list there."""
    *parents, last = steps(path)
    holder = walked(body, parents, path, make=False)
    where = place(holder, last, path, absent=False)
    if not indices:
        del holder[where]
        return
    target = holder[where]
    numbers = {_index(target, index, path) for index in indices}
    for number in sorted(numbers, reverse=True):
        del target[number]


def _index(target: Any, index: str, path: str) -> int:
    known = isinstance(target, list) and re.fullmatch(r"-?\d{1,9}", index, re.ASCII) is not None
    if not known or not -len(target) <= int(index) < len(target):
        raise BadPathError(f"--remove {path} {index}: there is no such element")
    return int(index) % len(target)


def _map(path: str, values: list[str], force_string: bool) -> dict[str, Any]:
    pairs = [_pair(each, force_string) for each in values]
    if None in pairs:
        raise BadPathError(f"--add {path}: it is a map, so give KEY=VALUE")
    return dict(pair for pair in pairs if pair is not None)


def _elements(values: list[str], force_string: bool) -> Iterator[Any]:
    pairs: dict[str, Any] = {}
    for each in values:
        pair = _pair(each, force_string)
        if pair is not None:
            pairs |= [pair]
            continue
        if pairs:
            yield pairs
            pairs = {}
        yield value_of(each, force_string=force_string)
    if pairs:
        yield pairs


def _pair(text: str, force_string: bool) -> tuple[str, Any] | None:
    name, equals, value = text.partition("=")
    if not equals or not name or text.lstrip().startswith(("{", "[", '"')):
        return None
    return name, value_of(value, force_string=force_string)


def _free(parents: list[Any]) -> bool:
    """Whether the names below are anybody's: tags and labels."""
    return bool(parents) and parents[-1] in _TEXTS
