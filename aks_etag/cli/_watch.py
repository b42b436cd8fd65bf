# SPDX-License-Identifier: MIT
"""Watching for changes: a line for each, as it happens."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from .. import NotFoundError, Snapshot, diff
from ._output import put


def watched(handle: Any, interval: float, timeout: float | None) -> None:
    """Print what changes, line by line, until it is over or somebody stops it.

    Raises:
        NotFoundError: the cluster is not there (any more).
    """
    until = None if timeout is None else time.monotonic() + timeout
    seen = _all(handle)
    _say("watching " + ", ".join(f"{name} {each.provisioning_state}" for name, each in sorted(seen.items())))
    while until is None or time.monotonic() < until:
        time.sleep(interval if until is None else max(0.0, min(interval, until - time.monotonic())))
        try:
            now = _all(handle)
        except NotFoundError:
            _say(f"{handle.name}: gone")
            raise
        for line in _changes(seen, now):
            _say(line)
        seen = now


def _changes(before: dict[str, Snapshot], after: dict[str, Snapshot]) -> Iterator[str]:
    for name in sorted(before.keys() | after.keys()):
        if name not in after or name not in before:
            yield f"{name}: {'gone' if name not in after else 'there'}"
            continue
        for each in diff(before[name], after[name], include_owned=True):
            yield f"{name}: {each}"


def _all(handle: Any) -> dict[str, Snapshot]:
    cluster = handle.get()
    return {cluster.name: cluster, **{f"{cluster.name}/{each.name}": each for each in handle.agent_pools()}}


def _say(text: str) -> None:
    put(f"{time.strftime('%H:%M:%S')} {text}")
