# SPDX-License-Identifier: MIT
"""Options that many commands share, with the names and letters that az gives them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import click

from ._config import needed
from ._output import FORMATS, compiled
from ._session import Where

F = TypeVar("F", bound=Callable[..., Any])

_WHERE = ("subscription", "cloud", "endpoint", "api_version", "verbose", "quiet")


def where(command: F) -> F:
    """Add where to work and how loud, given to the command as one value."""

    @functools.wraps(command)
    def called(**given: Any) -> Any:
        _refuse_empty(given)
        if given.get("query") is not None:
            # Before anything is written: afterwards it would be too late to call it a mistake.
            compiled(given["query"])
        told = {name: given.pop(name) for name in _WHERE}
        return command(where=Where(**told), **given)

    options = [
        click.option(
            "--subscription", metavar="ID", help="Subscription; default: AZURE_SUBSCRIPTION_ID, or az account."
        ),
        click.option("--cloud", metavar="NAME", help="AzureCloud, AzureChinaCloud or AzureUSGovernment."),
        click.option(
            "--endpoint", metavar="URL", envvar="AKS_ETAG_ENDPOINT", help="Another endpoint, such as the mock's."
        ),
        click.option("--api-version", metavar="VERSION", help="Another api-version of the service."),
        click.option("-v", "--verbose", is_flag=True, help="Say each step: the condition sent, each retry and wait."),
        click.option("--quiet", "--only-show-errors", is_flag=True, help="Say nothing but errors."),
    ]
    return cast("F", _with(called, options))


class AzFlags(click.Command):
    """Refuses by name what it does not know: a flag of az that is passed over in silence would be a wrong cluster."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            near = f"did you mean {', '.join(error.possibilities)}? " if error.possibilities else ""
            raise click.UsageError(
                f"{ctx.command_path} does not know {error.option_name}: {near}Say it in a body with --file or --set, "
                "or leave it to az",
                ctx,
            ) from None


def cluster(command: F) -> F:
    """Add which cluster."""
    return _with(
        command,
        [
            click.option("-g", "--resource-group", metavar="RG", help="Resource group; default: az configure."),
            click.option("-n", "--name", metavar="NAME", required=True, help="Name of the cluster."),
        ],
    )


def pool(command: F) -> F:
    """Add which agent pool of which cluster."""
    return _with(
        command,
        [
            click.option("-g", "--resource-group", metavar="RG", help="Resource group; default: az configure."),
            click.option("--cluster-name", metavar="NAME", required=True, help="Name of the cluster."),
            click.option(
                "-n", "--name", "--nodepool-name", "name", metavar="POOL", required=True, help="Name of the pool."
            ),
        ],
    )


def output(command: F) -> F:
    """Add how to show the result."""
    return _with(
        command,
        [
            click.option(
                *("-o", "--output", "shown"),
                type=click.Choice(FORMATS),
                default="json",
                show_default=True,
                help="Format of the output.",
            ),
            click.option("--query", metavar="JMESPATH", help="Show only this part of the result."),
        ],
    )


def condition(command: F) -> F:
    """Add under which condition to write."""
    return _with(
        command,
        [
            click.option("--if-match", metavar="TAG|*", help="Write only this version; * means whatever exists."),
            click.option("--force", is_flag=True, help="Write without a condition, over whatever is there."),
        ],
    )


def edits(command: F) -> F:
    """Add what to change."""
    return _with(
        command,
        [
            click.option("--set", "sets", multiple=True, metavar="PATH=VALUE...", help="Set values, as az does."),
            click.option("--add", "adds", multiple=True, metavar="PATH VALUE...", help="Append to a list."),
            click.option("--remove", "removes", multiple=True, metavar="PATH [INDEX]", help="Remove a value."),
            click.option("--patch", "patch", metavar="FILE|-", help="Apply a JSON merge patch (RFC 7396)."),
            click.option("--json-patch", metavar="FILE|-", help="Apply a JSON Patch (ARM body, RFC 6902)."),
            click.option("--file", "file", metavar="FILE|-", help="Make it this body, whose eTag counts; see --base."),
            click.option("--base", metavar="FILE", help="The body that --file was made from, for a three-way merge."),
            click.option("--force-string", is_flag=True, help="Take values of --set and --add as text, as az does."),
        ],
    )


def rehearsal(command: F) -> F:
    """Add the way to see a change before it is made."""
    text = "Show what would be changed, and under which condition."
    return _with(command, [click.option("--dry-run", is_flag=True, help=text)])


def waiting(command: F) -> F:
    """Add how long to wait."""
    return _with(
        command,
        [
            click.option("--no-wait", is_flag=True, help="Return once the write is accepted; see aks-etag resume."),
            click.option(
                "--timeout", type=click.FloatRange(min=0), metavar="SECONDS", help="Give up waiting after this."
            ),
        ],
    )


def confirmed(command: F) -> F:
    """Add the answer to the question before what cannot be undone."""
    return _with(command, [click.option("-y", "--yes", is_flag=True, help="Do not ask.")])


def _refuse_empty(given: dict[str, Any]) -> None:
    """Refuse an option that is empty: it means a shell variable that is not set, and seldom what was wanted."""
    for parameter in click.get_current_context().command.params:
        value = given.get(parameter.name or "")
        if isinstance(parameter, click.Option) and isinstance(value, str):
            needed(value, None, max(parameter.opts, key=len), "")


def _with(command: F, options: Sequence[Callable[[Any], Any]]) -> F:
    decorated: Any = command
    for option in reversed(options):
        decorated = option(decorated)
    return cast("F", decorated)
