# SPDX-License-Identifier: MIT
"""The places at which two bodies differ, down to single values, and how a value is shown without being told."""

from __future__ import annotations

import hashlib
import json
import marshal
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from .._core.document import Fields, fields
from .._resources.owned import MARKER, WRITE_ONLY, cluster_fields, pool_fields

Shown: TypeAlias = str | int | float | bool | None
Pair: TypeAlias = tuple[Any, Any]
Transition: TypeAlias = tuple[Any, Any]

ABSENT: Final = "-"
UNKNOWN: Final = "?"
DIGEST_BYTES: Final = 6


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = _Missing()

# A proxy's URL may hold a password; what only goes to the service is no business of a file.
_HIDDEN: Final = (*WRITE_ONLY, "properties.httpProxyConfig.httpProxy", "properties.httpProxyConfig.httpsProxy")
# A write may leave these out, and the service keeps them: not sent is not removed.
KEPT: Final = frozenset(
    {"agentPoolProfiles", "kubernetesVersion", "nodeImageVersion", "orchestratorVersion", "powerState"}
)
# Pools are resources of their own, and shown in their cluster as well.
INLINE: Final = "/properties/agentPoolProfiles"
# The notes of exactly_once are no part of a change.
CLUSTER_SKIPPED: Final[Fields] = fields(
    (*cluster_fields(), *_HIDDEN, f"tags.{MARKER}", f"properties.agentPoolProfiles.*.tags.{MARKER}")
)
POOL_SKIPPED: Final[Fields] = fields((*pool_fields(), f"properties.tags.{MARKER}"))
OBJECT_SKIPPED: Final[Fields] = fields(
    (
        "metadata.uid", "metadata.resourceVersion", "metadata.generation", "metadata.creationTimestamp",
        "metadata.deletionTimestamp", "metadata.managedFields", "metadata.selfLink", "status",
        "metadata.annotations.aks-etag/writers",
    )
)  # fmt: skip
SECRET_SKIPPED: Final[Fields] = {**OBJECT_SKIPPED, "data": None, "stringData": None}


def skipped(resource_id: str) -> Fields:
    """Return the fields of a resource that are neither compared nor recorded."""
    path = resource_id.casefold()
    if "/microsoft.containerservice/" in path:
        return POOL_SKIPPED if "/agentpools/" in path else CLUSTER_SKIPPED
    return SECRET_SKIPPED if "/secrets/" in f"{path}/" else OBJECT_SKIPPED


def differing(before: Any, after: Any, skip: Fields, *, sent: bool = False) -> dict[str, Pair]:
    """Return the values before and after at each JSON Pointer (RFC 6901) where two bodies differ.

    A map is no more than what is in it, so an empty one is an absent one. A list whose elements have names is a map of
    them; any other list is one value. ``sent``: the second body is that of a write, which leaves out what is kept.
    """
    return dict(_differing(before, after, skip, "", sent))


def _differing(before: Any, after: Any, skip: Fields, path: str, sent: bool) -> Iterator[tuple[str, Pair]]:
    old, new = _as_map(before), _as_map(after)
    if old is None or new is None or (before is MISSING and after is MISSING):
        if not _same(before, after):
            yield path, (before, after)
        return
    for name in {**old, **new}:
        below = skip.get(name, skip.get("*", _NOTHING))
        if below is None:
            continue
        left, right = old.get(name, MISSING), new.get(name, MISSING)
        if left is right or (sent and right is MISSING and name in KEPT):
            continue
        # Equal maps are passed over at the speed of C; only there, true and 1 are one.
        if isinstance(left, dict) and left == right and marshal.dumps(left) == marshal.dumps(right):
            continue
        yield from _differing(left, right, below, f"{path}/{name.replace('~', '~0').replace('/', '~1')}", sent)


_NOTHING: Final[Fields] = {}


def _as_map(value: Any) -> Mapping[str, Any] | None:
    if isinstance(value, dict):
        return value
    if value is MISSING:
        return _NOTHING
    if isinstance(value, list) and value and all(isinstance(item, dict) and "name" in item for item in value):
        return {str(item["name"]): item for item in value}
    return None


def _same(left: Any, right: Any) -> bool:
    return bool(left == right) and isinstance(left, bool) == isinstance(right, bool)


def value_at(body: Any, pointer: str) -> Any:
    """Return the value that a pointer leads to, or ``MISSING``."""
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(body, list):
            body = next((item for item in body if isinstance(item, dict) and item.get("name") == key), MISSING)
        else:
            body = body.get(key, MISSING) if isinstance(body, Mapping) else MISSING
    return body


def below(path: str, pointers: Iterable[str]) -> bool:
    """Whether a pointer is one of these, or leads to something below one of them."""
    return any(path == each or path.startswith(f"{each}/") for each in pointers)


def clone(body: Any) -> Any:
    """Copy what was parsed from JSON."""
    # Our own bytes of a moment ago, never anybody else's.
    return marshal.loads(marshal.dumps(body))  # noqa: S302


@dataclass(frozen=True, slots=True)
class Digests:
    """Shows values as short digests under a key: equal ones look equal; numbers and booleans are shown as they are."""

    key: bytes

    def shown(self, value: Any) -> Shown:
        """Show one value."""
        if value is MISSING:
            return ABSENT
        if value is None or isinstance(value, bool | int | float):
            return value
        text = json.dumps(value, sort_keys=True, separators=(",", ":"))
        return hashlib.blake2b(text.encode(), key=self.key, digest_size=DIGEST_BYTES).hexdigest()

    def transitions(self, pairs: Mapping[str, Pair]) -> dict[str, Transition]:
        """Show the values before and after of each place."""
        return {path: (self.shown(before), self.shown(after)) for path, (before, after) in pairs.items()}
