# SPDX-License-Identifier: MIT
"""``completion``: the script that a shell sources."""

from __future__ import annotations

import click

from ._app import app

EXAMPLES = """\
\b
Examples:
  eval "$(aks-etag completion bash)"   # in ~/.bashrc
  eval "$(aks-etag completion zsh)"    # in ~/.zshrc, after compinit
  aks-etag completion fish > ~/.config/fish/completions/aks-etag.fish
"""


@click.command(epilog=EXAMPLES)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for a shell."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None  # noqa: S101  # one of the choices
    click.echo(kind(app, {}, "aks-etag", "_AKS_ETAG_COMPLETE").source())
