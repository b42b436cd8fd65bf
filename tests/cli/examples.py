# SPDX-License-Identifier: MIT
"""The commands that a text shows, and whether aks-etag takes them: nothing is run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import click

from aks_etag.cli._app import app
from aks_etag.cli._arguments import gathered

# A command ends where a shell would end it, or where a comment begins.
_END = re.compile(r"\s+#|\s*(?:\|\||&&|[;&>]|\|(?=\s)|\)(?:$|[\s\"]))")


def shown(text: str) -> Iterator[str]:
    """List the commands in the lines of a shell."""
    for line in text.replace("\\\n", " ").splitlines():
        for found in re.finditer(r"(?<![\w/.-])aks-etag ", line):
            yield _END.split(line[found.start() :], maxsplit=1)[0].strip()


def refusal(command: str) -> str:
    """Return why a command is not taken; empty, where it is."""
    _, *words = shlex.split(command)
    called: click.Command = app
    while isinstance(called, click.Group):
        found = called.get_command(click.Context(called), words[0])
        if found is None:
            return f"{command}: there is no {words[0]}"
        called, words = found, words[1:]
    try:
        called.make_context(command, gathered(words)).close()
    except click.ClickException as error:
        return f"{command}: {error.format_message()}"
    return ""


def commands(group: click.Group = app, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """List all commands, groups included."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (*words, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*words, name))
