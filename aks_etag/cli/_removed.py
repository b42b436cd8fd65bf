# SPDX-License-Identifier: MIT
"""The body of ``delete`` for clusters and pools."""

from __future__ import annotations

from typing import Any

from ._progress import Progress
from ._writing import agree, finished, one_condition, tag_of


def removed(
    handle: Any,
    progress: Progress,
    *,
    if_match: str | None,
    force: bool,
    yes: bool,
    no_wait: bool,
    timeout: float | None,
) -> None:
    """Delete a resource: the version that was asked about, if no condition was given."""
    one_condition(if_match, force)
    tag = tag_of(if_match)
    if tag is None and not force and yes:
        # Nobody looked at a version: each one is deleted under its own tag, until nobody was faster.
        operation = handle.begin_delete(only_if=bool, deadline=timeout)
    elif tag is None and not force:
        seen = handle.get()
        agree(f'Delete {seen.name} as it is now ({seen.provisioning_state}, eTag "{seen.etag}")?', yes)
        operation = handle.begin_delete(if_match=seen, deadline=timeout)
    else:
        agree(f"Delete {handle.name}?", yes)
        guard = {"force": True} if force else {"if_match": tag}
        operation = handle.begin_delete(deadline=timeout, **guard)
    result = finished(operation, progress, no_wait=no_wait, timeout=timeout)
    if result is not None and result.outcome == "absent":
        progress.say("absent: nothing to delete")
