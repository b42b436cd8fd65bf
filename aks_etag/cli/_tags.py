# SPDX-License-Identifier: MIT
"""Tags as words: KEY=VALUE, and KEY- to remove one."""

from __future__ import annotations

import re
from typing import Final

# Azure's rules for tags; characters that end a line would spoil what is printed for scripts.
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_FORBIDDEN: Final = frozenset("<>%&\\?/")
_LONGEST: Final = (512, 256)


def change(word: str) -> tuple[str, str | None]:
    """Read what is to become of one tag.

    Raises:
        ValueError: it is none.
    """
    if "=" not in word and word.endswith("-"):
        return _checked(word[:-1], "")[0], None
    return pair(word)


def pair(word: str) -> tuple[str, str]:
    """Read KEY=VALUE.

    Raises:
        ValueError: it is none.
    """
    key, equals, value = word.partition("=")
    if not equals:
        raise ValueError("it is not KEY=VALUE")
    return _checked(key, value)


def _checked(key: str, value: str) -> tuple[str, str]:
    if not key.strip():
        raise ValueError("its key is empty: is a shell variable not set?")
    if _CONTROL.search(key + value):
        raise ValueError("it has a line end or another control character in it")
    if _FORBIDDEN & set(key):
        raise ValueError(f"a key has none of {' '.join(sorted(_FORBIDDEN))} in it")
    if len(key) > _LONGEST[0] or len(value) > _LONGEST[1]:
        raise ValueError("a key has at most 512 characters, a value 256")
    return key, value
