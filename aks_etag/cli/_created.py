# SPDX-License-Identifier: MIT
"""The body of ``create`` and ``nodepool add``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click
from click.core import ParameterSource

from .. import AlreadyExistsError
from ._changes import differences, whole
from ._edited import told
from ._handles import printed
from ._output import put
from ._progress import Progress
from ._session import Where
from ._writing import begun, finished, standing


def created(
    handle: Any,
    body: dict[str, Any],
    progress: Progress,
    where: Where,
    *,
    if_none_match: str | None,
    dry_run: bool,
    no_wait: bool,
    timeout: float | None,
    shown: str,
    query: str | None,
) -> None:
    """Create a resource where nothing is."""
    if if_none_match not in (None, "*"):
        raise click.UsageError(
            f'--if-none-match takes only "*", not {if_none_match!r}: it means "only if there is none"'
        )

    if dry_run:
        _foreseen(handle, body)
        return

    def create(seconds: float | None) -> Any:
        # A server that is not there is noticed by a read: of a write without an answer nobody knows.
        handle.get_or_none(deadline=seconds)
        return handle.begin_create(body, deadline=seconds)

    result = finished(begun(create, handle, timeout), progress, where, no_wait=no_wait)
    if result is not None:
        told(result, progress)
        with standing(result.outcome):
            printed(result.snapshot, shown, query)


def _foreseen(handle: Any, body: dict[str, Any]) -> None:
    put("\n".join([*differences({}, body), "condition: If-None-Match: *"]))
    seen = handle.get_or_none()
    if seen is not None:
        raise AlreadyExistsError(f"{handle.id} exists already: this would be refused with 412", current=seen)


def from_file(file: str, flags: Mapping[str, str], *, pool: bool) -> dict[str, Any]:
    """Read the whole body; the flags (parameter and spelling) that would be in it as well must not be said beside it.

    Raises:
        UsageError: one of them was.
    """
    ctx = click.get_current_context()
    said = [flags[name] for name in flags if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    if said:
        raise click.UsageError(f"--file is the whole body: {', '.join(said)} cannot be said beside it", ctx)
    return whole(file, "--file", pool=pool)
