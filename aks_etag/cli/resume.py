# SPDX-License-Identifier: MIT
"""``resume``: go on waiting for a write that another command began."""

from __future__ import annotations

from pathlib import Path

import click

from .._core.continuation import continuation
from .._core.resource_id import parse
from . import _options
from ._edited import told
from ._handles import printed
from ._session import Where, session
from ._writing import Begun, finished, standing


@click.command(epilog="\b\nExample:\n  aks-etag resume ~/.local/state/aks-etag/1f0c2b7a9d3e.token")
@click.argument("token_file", metavar="TOKEN-FILE")
@click.option("--timeout", type=click.FloatRange(min=0), metavar="SECONDS", help="Give up waiting after this.")
@_options.output
@_options.where
def resume(where: Where, token_file: str, timeout: float | None, shown: str, query: str | None) -> None:
    """Wait for a write that --no-wait or Ctrl-C left behind; it is only looked at, never written again.

    Once the write is over, well or badly, the file is of no more use, and is removed.
    """
    path = Path(token_file)
    token = _token(path)
    try:
        named = parse(continuation(token).resource_id).subscription_id
    except ValueError as error:
        raise click.UsageError(f"{token_file}: {error}") from None
    with session(where, subscription=named) as (aks, progress):
        try:
            operation = aks.operation(token)
        except ValueError as error:
            raise click.UsageError(f"{token_file}: {error}; see --endpoint, --cloud and --subscription") from None
        result = finished(Begun.of(operation, timeout), progress, where, no_wait=False, kept=path)
        told(result, progress)
    path.unlink(missing_ok=True)
    if result.snapshot is not None:
        with standing(result.outcome):
            printed(result.snapshot, shown, query)


def _token(path: Path) -> str:
    try:
        return path.read_text("utf-8").strip()
    except (OSError, ValueError) as error:
        raise click.UsageError(f"{path}: {getattr(error, 'strerror', None) or 'it is no text'}") from None
