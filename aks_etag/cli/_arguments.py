# SPDX-License-Identifier: MIT
"""az takes several values after one ``--set``, ``--add`` or ``--remove``: they are made one argument for click."""

from __future__ import annotations

import re
from typing import Final

SEPARATOR: Final = "\x1f"
_MANY: Final = frozenset({"--set", "--add", "--remove", "--tags"})
# A value may begin with a minus sign, an option has a letter after it.
_OPTION: Final = re.compile(r"--?[A-Za-z]")


def gathered(arguments: list[str]) -> list[str]:
    """Join the values of each such option; what follows ``--`` is left alone."""
    joined: list[str] = []
    rest = iter(arguments)
    values: list[str] | None = None
    for each in rest:
        if values is not None and not _OPTION.match(each) and each != "--":
            values.append(each)
            continue
        joined += [] if values is None else [SEPARATOR.join(values)] if values else []
        values = [] if each in _MANY else None
        joined.append(each)
        if each == "--":
            return [*joined, *rest]
    return joined if values is None else [*joined, *([SEPARATOR.join(values)] if values else [])]


def split(value: str) -> list[str]:
    """Return the values that were joined."""
    return value.split(SEPARATOR)
