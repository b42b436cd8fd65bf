# SPDX-License-Identifier: MIT
"""Paths into az's shape of a resource: ``a.b[0].c``, ``pools[name=np1].count``, ``labels."x.io/y"``."""

from __future__ import annotations

import re
from typing import Any, Final, TypeAlias

from ..errors import InvalidPreconditionError

Step: TypeAlias = str | int | tuple[str, str]

# A name, a name in quotes (for dots and slashes), an index, or the element with a value: [name=np1].
_STEP: Final = re.compile(
    r"""(?:^|\.)(?P<name>[^.\[\]'"=]+)|(?:^|\.)?\[?(?P<quote>['"])(?P<quoted>.+?)(?P=quote)\]?|\[(?P<index>-?\d{1,9})\]"""
    r"""|\[(?P<key>[^\]=]+)=(?P<value>[^\]]*)\]""",
    re.ASCII,
)


class BadPathError(InvalidPreconditionError):
    """A path that is none, or that leads nowhere."""


def steps(path: str) -> list[Step]:
    """Read a path."""
    found: list[Step] = []
    start = 0
    while start < len(path):
        match = _STEP.match(path, start)
        if match is None or match.end() == start:
            raise BadPathError(
                f"{path!r} is no path at {path[start:]!r}; write it like a.b[0].c or pools[name=np1].count"
            )
        start = match.end()
        found.append(_step(match))
    if not found:
        raise BadPathError("an empty path: what is to be changed?")
    if found[0] == "properties" and len(found) > 1:
        raise BadPathError(f"{path}: paths are those of show, which has no 'properties'; leave it out")
    return found


def walked(body: Any, path: list[Step], whole: str, *, make: bool) -> Any:
    """Follow steps; ``make`` what is not there."""
    above: Step | None = None
    for step in path:
        where = place(body, step, whole, absent=make, free=above in ("tags", "nodeLabels"))
        if isinstance(body, dict) and make and body.get(where) is None:
            body[where] = {}
        body, above = body[where], step
    return body


def place(holder: Any, step: Step, whole: str, *, absent: bool = True, free: bool = False) -> Any:
    """Return the key or index that a step means in what it is taken from.

    ``absent``: a key need not be there. ``free``: keys may differ in case only.
    """
    if isinstance(step, str):
        return _key(holder, step, whole, absent=absent, free=free)
    if isinstance(holder, list) and isinstance(step, int) and -len(holder) <= step < len(holder):
        return step
    if isinstance(holder, list) and isinstance(step, tuple):
        key, value = step
        found = [number for number, each in enumerate(holder) if isinstance(each, dict) and str(each.get(key)) == value]
        if len(found) == 1:
            return found[0]
    shown = f"[{step[0]}={step[1]}]" if isinstance(step, tuple) else f"[{step}]"
    raise BadPathError(f"{whole}: there is no {shown} there")


def _step(match: re.Match[str]) -> Step:
    if match["index"] is not None:
        return int(match["index"])
    if match["key"] is not None:
        return match["key"], match["value"]
    return (match["name"] or match["quoted"]).strip()


def _key(holder: Any, step: str, whole: str, *, absent: bool, free: bool) -> str:
    if not isinstance(holder, dict):
        raise BadPathError(f"{whole}: there is no {step!r} there")
    if step in holder:
        return step
    # The service reads names without case: a second spelling beside the first would be one order too many.
    near = next((name for name in holder if name.casefold() == step.casefold()), None)
    if near is not None and not free:
        raise BadPathError(f"{whole}: there is no {step!r} there; did you mean {near!r}?")
    if not absent:
        raise BadPathError(f"{whole}: there is no {step!r} there")
    return step
