# SPDX-License-Identifier: MIT
"""The body of ``create`` and ``nodepool add``."""

from __future__ import annotations

from typing import Any

import click

from ._handles import shape
from ._output import show
from ._progress import Progress
from ._writing import finished


def created(
    handle: Any,
    body: dict[str, Any],
    progress: Progress,
    *,
    if_none_match: str | None,
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
    result = finished(handle.begin_create(body, deadline=timeout), progress, no_wait=no_wait, timeout=timeout)
    if result is not None:
        show(shape(result.snapshot), shown, query)
