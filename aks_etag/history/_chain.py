# SPDX-License-Identifier: MIT
"""A commit log must form a chain: each commit of a resource begins where the one before it ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from ._leaves import INLINE, MISSING, Pair, below, differing, skipped
from ._report import Anomaly


class Commit(Protocol):
    """One accepted and stored write, as the log of a service has it; see ``aks_etag.mock.Commit``."""

    @property
    def request_id(self) -> str: ...
    @property
    def resource_id(self) -> str: ...
    @property
    def method(self) -> str: ...
    @property
    def base_tag(self) -> str | None: ...
    @property
    def new_tag(self) -> str | None: ...
    @property
    def body_before(self) -> Mapping[str, Any] | None: ...
    @property
    def body_after(self) -> Mapping[str, Any] | None: ...
    @property
    def background(self) -> bool: ...


@dataclass(slots=True)
class Chains:
    """The latest commit of each resource, and the versions that are over."""

    latest: dict[str, Commit] = field(default_factory=dict)
    over: dict[str, set[str]] = field(default_factory=dict)

    def broken(self, commit: Commit) -> Iterator[Anomaly]:
        """Enter the next commit, and say where it does not begin at the end of the one before it."""
        key = commit.resource_id.casefold()
        previous, over = self.latest.get(key), self.over.setdefault(key, set())
        if previous is not None:
            yield from _gap(previous, commit, over)
            over.add(previous.new_tag or "")
        self.latest[key] = commit
        over.add(commit.base_tag or "")
        over -= {commit.new_tag or "", ""}
        self._carried_along(key, commit)

    def _carried_along(self, key: str, commit: Commit) -> None:
        """Forget the pools of a cluster that a write to the cluster created, changed or deleted with it."""
        pools = [child for child in self.latest if child.startswith(f"{key}/")]
        if pools and any(below(path, [INLINE]) for path in transition(commit)):
            for child in pools:
                del self.latest[child]


def transition(commit: Commit) -> dict[str, Pair]:
    """Return what a commit changed."""
    return differing(as_body(commit.body_before), as_body(commit.body_after), skipped(commit.resource_id))


def name(commit: Commit) -> str:
    """Say which commit it is."""
    return f'{commit.method} {commit.request_id} on "{commit.base_tag}"'


def _gap(previous: Commit, commit: Commit, over: set[str]) -> Iterator[Anomaly]:
    ended, begins = as_body(previous.body_after), as_body(commit.body_before)
    if (ended is MISSING) != (begins is MISSING):
        where = "it was gone" if ended is MISSING else "it was there"
    elif commit.base_tag in over:
        where = f'version "{commit.base_tag}" was over'
    else:
        # The pools of a cluster are written on their own, too.
        paths = sorted(differing(ended, begins, skipped(commit.resource_id)))
        where = ", ".join([path for path in paths if not below(path, [INLINE])][:3])
    if where:
        text = f"{name(commit)} does not begin where {name(previous)} ended: {where}"
        yield Anomaly(kind="broken chain", op=None, lines=(text,))


def as_body(body: Mapping[str, Any] | None) -> Any:
    """Return a body, or that there is none."""
    return MISSING if body is None else body
