# SPDX-License-Identifier: MIT
"""``completion``: the script that a shell sources."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from ._app import app


@click.command(epilog='\b\nExample:\n  eval "$(aks-etag completion bash)"')
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for a shell."""
    kind = get_completion_class(shell)
    assert kind is not None  # noqa: S101  # one of the choices
    click.echo(kind(app, {}, "aks-etag", "_AKS_ETAG_COMPLETE").source())
