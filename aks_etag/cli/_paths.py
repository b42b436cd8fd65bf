# SPDX-License-Identifier: MIT
"""az's words for generic updates: ``--set a.b[0].c=value``, ``--add list value``, ``--remove a.b`` on az's shape."""

from __future__ import annotations

import json
import re
from typing import Any, Final, TypeAlias

from ..errors import InvalidPreconditionError

Step: TypeAlias = str | int | tuple[str, str]

# A name, a name in quotes (for dots and slashes), an index, or the element with a value: [name=np1].
_STEP: Final = re.compile(
    r"""(?:^|\.)(?P<name>[^.\[\]'"=]+)|(?:^|\.)?\[?(?P<quote>['"])(?P<quoted>.+?)(?P=quote)\]?|\[(?P<index>-?\d+)\]"""
    r"""|\[(?P<key>[^\]=]+)=(?P<value>[^\]]*)\]"""
)


# Maps whose values are text, and lists whose elements are, though they may look like pairs.
_TEXTS: Final = ("tags", "nodeLabels", "labels", "annotations", "data")
_TEXT_LISTS: Final = ("nodeTaints", "nodeInitializationTaints")


class BadPathError(InvalidPreconditionError):
    """A path that is none, or that leads nowhere."""


def steps(path: str) -> list[Step]:
    """Read a path."""
    found: list[Step] = []
    place = 0
    while place < len(path):
        match = _STEP.match(path, place)
        if match is None or match.end() == place:
            raise BadPathError(
                f"{path!r} is no path at {path[place:]!r}; write it like a.b[0].c or pools[name=np1].count"
            )
        place = match.end()
        if match["index"] is not None:
            found.append(int(match["index"]))
        elif match["key"] is not None:
            found.append((match["key"], match["value"]))
        else:
            found.append((match["name"] or match["quoted"]).strip())
    if not found:
        raise BadPathError("an empty path: what is to be changed?")
    return found


def value_of(text: str) -> Any:
    """Read a value: JSON where it is JSON, else text."""
    try:
        return json.loads(text, parse_constant=lambda name: name)
    except ValueError:
        return text


def put(body: dict[str, Any], assignment: str) -> None:
    """Carry out ``path=value``."""
    # The first "=" outside of brackets and quotes.
    match = re.match(r"""((?:[^=\[\]'"]|\[[^\]]*\]|'[^']*'|"[^"]*")+)=(.*)""", assignment, re.DOTALL)
    if match is None:
        raise BadPathError(f"--set {assignment!r} is not PATH=VALUE")
    path, text = match[1].strip(), match[2]
    *parents, last = steps(path)
    holder = _walk(body, parents, path, make=True)
    where = _place(holder, last, path)
    # Tags and labels are text, whatever they look like.
    holder[where] = text if parents and parents[-1] in _TEXTS else value_of(text)


def add(body: dict[str, Any], path: str, values: list[str]) -> None:
    """Append values to a list, or pairs to a map; ``k=v`` pairs become one object of a list."""
    if not values:
        raise BadPathError(f"--add {path}: what is to be added?")
    *parents, last = steps(path)
    holder = _walk(body, parents, path, make=True)
    pairs = dict(_pair(each) for each in values if _pair(each) is not None)  # type: ignore[misc]
    where = _place(holder, last, path, absent=True)
    target = holder.get(where) if isinstance(holder, dict) else holder[where]
    if isinstance(target, dict):
        if len(pairs) != len(values):
            raise BadPathError(f"--add {path}: it is a map, so give KEY=VALUE")
        target.update(pairs)
        return
    if target is None:
        target = holder[where] = []
    if not isinstance(target, list):
        raise BadPathError(f"--add {path}: that is no list and no map")
    if where in _TEXT_LISTS or any(isinstance(each, str) for each in target):
        target.extend(values)
    else:
        target.extend([pairs] if pairs and len(pairs) == len(values) else [value_of(each) for each in values])


def remove(body: dict[str, Any], path: str, indices: list[str]) -> None:
    """Remove what is at a path, or elements of the list there."""
    *parents, last = steps(path)
    holder = _walk(body, parents, path, make=False)
    where = _place(holder, last, path)
    if not indices:
        del holder[where]
        return
    target = holder[where]
    for index in indices:
        if (
            not isinstance(target, list)
            or not re.fullmatch(r"-?\d+", index)
            or not -len(target) <= int(index) < len(target)
        ):
            raise BadPathError(f"--remove {path} {index}: there is no such element")
    for number in sorted((int(index) % len(target) for index in indices), reverse=True):
        del target[number]


def _walk(body: Any, path: list[Step], whole: str, *, make: bool) -> Any:
    for step in path:
        where = _place(body, step, whole, absent=make)
        if isinstance(body, dict) and make and body.get(where) is None:
            body[where] = {}
        body = body[where]
    return body


def _place(holder: Any, step: Step, whole: str, *, absent: bool = True) -> Any:
    """Return the key or index that a step means in what it is taken from."""
    if isinstance(step, str):
        if isinstance(holder, dict) and (absent or step in holder):
            return step
        raise BadPathError(f"{whole}: there is no {step!r} there")
    if isinstance(holder, list) and isinstance(step, int) and -len(holder) <= step < len(holder):
        return step
    if isinstance(holder, list) and isinstance(step, tuple):
        key, value = step
        found = [place for place, each in enumerate(holder) if isinstance(each, dict) and str(each.get(key)) == value]
        if len(found) == 1:
            return found[0]
    shown = f"[{step[0]}={step[1]}]" if isinstance(step, tuple) else f"[{step}]"
    raise BadPathError(f"{whole}: there is no {shown} there")


def _pair(text: str) -> tuple[str, Any] | None:
    name, equals, value = text.partition("=")
    return (name, value_of(value)) if equals and name and not text.lstrip().startswith(("{", "[", '"')) else None
