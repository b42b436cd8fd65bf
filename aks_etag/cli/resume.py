# SPDX-License-Identifier: MIT
"""``resume``: go on waiting for a write that another command began."""

from __future__ import annotations

from pathlib import Path

import click

from . import _options
from ._handles import shape
from ._output import show
from ._session import Where, session
from ._writing import finished


@click.command(epilog="\b\nExample:\n  aks-etag resume ~/.local/state/aks-etag/1f0c2b7a9d3e.token")
@click.argument("token_file", metavar="TOKEN-FILE")
@click.option("--timeout", type=click.FloatRange(min=0), metavar="SECONDS", help="Give up waiting after this.")
@_options.output
@_options.where
def resume(where: Where, token_file: str, timeout: float | None, shown: str, query: str | None) -> None:
    """Wait for a write that --no-wait or Ctrl-C left behind; it is only looked at, never written again."""
    try:
        token = Path(token_file).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{token_file}: {getattr(error, 'strerror', None) or 'it is no text'}") from None
    with session(where) as (aks, progress):
        result = finished(aks.operation(token), progress, no_wait=False, timeout=timeout, kept=token_file)
    if result.snapshot is not None:
        show(shape(result.snapshot), shown, query)
    Path(token_file).unlink(missing_ok=True)
