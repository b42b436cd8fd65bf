# SPDX-License-Identifier: MIT
"""What two bodies of a cluster or agent pool differ in, for people to read."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from .._core import document
from .._core.differences import differences
from .._core.document import MISSING
from .._core.messages import JSON, Body
from .._core.snapshot import Snapshot
from .model import NOT_COMPARED, RULES, body_of
from .owned import WRITE_ONLY

# A proxy's URL may have a user and a password in it.
_WITH_PASSWORD: Final = re.compile(r"[a-z]+://[^/@]*:[^/@]*@", re.IGNORECASE)
_SECRET: Final = frozenset(path.rsplit(".", 1)[-1] for path in WRITE_ONLY)


@dataclass(frozen=True, slots=True, repr=False)
class Difference:
    """One place where two bodies differ; ``ABSENT`` where there is nothing. As text: ``properties.count: 3 -> 5``."""

    path: str
    before: Any
    after: Any

    def __str__(self) -> str:
        name = self.path.rsplit(".", 1)[-1]
        return f"{self.path}: {_shown(name, self.before)} -> {_shown(name, self.after)}"

    def __repr__(self) -> str:
        return f"<Difference {self}>"


def diff(a: Body | Snapshot, b: Body | Snapshot, *, include_owned: bool = False) -> tuple[Difference, ...]:
    """List where two bodies of a cluster or agent pool differ, ordered by path.

    Lists whose elements have names are compared element by element, whatever their order. What the service owns or
    keeps by itself (eTags, states, node image versions) is left out unless ``include_owned`` asks for it.
    """
    before, after = body_of(a), body_of(b)
    if not include_owned:
        before, after = (document.strip(body, NOT_COMPARED) for body in (before, after))
    found = (Difference(place.text, old, new) for place, old, new in differences(before, after, RULES.keys))
    return tuple(sorted(found, key=lambda difference: difference.path))


def _shown(name: str, value: JSON) -> str:
    return "(absent)" if value is MISSING else json.dumps(_without_secrets(name, value), ensure_ascii=False)


def _without_secrets(name: str, value: JSON) -> JSON:
    # What the service takes and never shows again is not for logs, and a difference may be printed.
    if name in _SECRET or (isinstance(value, str) and _WITH_PASSWORD.match(value)):
        return "(secret)"
    if isinstance(value, Mapping):
        return {key: _without_secrets(key, item) for key, item in value.items()}
    return value
