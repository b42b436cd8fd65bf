# SPDX-License-Identifier: MIT
"""The tree of commands. A command's module is imported when it is run or asked for help, and not before."""

from __future__ import annotations

import importlib
import logging
import os
import sys
from typing import TYPE_CHECKING, Any, Final

import click

from .._version import __version__
from ._arguments import gathered
from ._exits import Exit

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# Where a command lives, and what the list of commands says of it: nothing is imported to show that list.
COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "apply": ("plan", "Carry out a plan, if nobody has changed anything since."),
    "completion": ("completion", "Print the completion script for bash, zsh or fish."),
    "create": ("create", "Create a cluster, never over one that exists."),
    "delete": ("delete", "Delete a cluster, only as you have seen it."),
    "demo": ("demo", "Show what eTags do, on an AKS in this process."),
    "doctor": ("doctor", "Check credential, subscription, eTags and permissions."),
    "etag": ("read", "Print the bare eTag of a cluster or agent pool."),
    "group": ("group", "Resource groups."),
    "kube": ("kube", "Objects inside a cluster."),
    "list": ("read", "List clusters."),
    "mock": ("mock", "An AKS for tests that is true to eTags."),
    "nodepool": ("nodepool", "Agent pools of a cluster."),
    "plan": ("plan", "Write down a change, to be looked at and applied later."),
    "resume": ("resume", "Wait for a write that another command began."),
    "show": ("read", "Show a cluster."),
    "tag": ("tag", "Set or remove tags of a cluster."),
    "update": ("update", "Change a cluster without losing anybody's update."),
    "verify": ("verify", "Check a recorded history for lost, doubled and denied writes."),
    "wait": ("read", "Wait until a cluster is in a state."),
    "watch": ("read", "Show changes of tags and states as they happen."),
}


class Lazy(click.Group):
    """A group whose commands are in modules that are imported when they are needed."""

    def __init__(self, *arguments: Any, table: dict[str, tuple[str, str]], package: str, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._table = table
        self._package = package

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(Exit.USAGE)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._table:
            return None
        module = importlib.import_module(f".{self._table[cmd_name][0]}", self._package)
        name = cmd_name.replace("-", "_")
        # A command may be called like something of Python; its function is not, then.
        command: click.Command = getattr(module, f"{name}_", None) or getattr(module, name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, words) for name, (_, words) in sorted(self._table.items())])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        found = [CompletionItem(name, help=words) for name, (_, words) in sorted(self._table.items())]
        # Options, as any command has them; a group would import each of its commands.
        options = super(click.Group, self).shell_complete(ctx, incomplete)
        return [each for each in found if each.value.startswith(incomplete)] + options

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in self._table and not name.startswith("-") and not ctx.resilient_parsing:
            raise click.UsageError(f"there is no command {name!r}{_near(name, self._table)}", ctx)
        return super().resolve_command(ctx, args)


def _near(name: str, known: Any) -> str:
    import difflib

    found = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {found[0]!r}?" if found else ""


EPILOG: Final = """\
\b
Examples:
  aks-etag show -g RG -n NAME --query eTag
  aks-etag update -g RG -n NAME --set tags.team=red
  aks-etag nodepool scale -g RG --cluster-name NAME -n np1 --node-count 5
  aks-etag demo

\b
Exit codes: 0 done, 1 other, 2 usage, 3 not found, 4 precondition failed, 5 busy, 6 throttled,
  7 refused locally, 8 outcome unknown, 9 operation failed, 10 deadline, 130 interrupted.
"""

app = Lazy(
    name="aks-etag",
    table=COMMANDS,
    package=__package__,
    help="Change AKS clusters and agent pools from many hands without losing an update.",
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=lambda ctx, _, wanted: _say_version(ctx) if wanted else None,
            help="Show the version and exit.",
        )
    ],
)


def _say_version(ctx: click.Context) -> None:
    click.echo(f"aks-etag {__version__}")
    ctx.exit(0)


def run(arguments: list[str]) -> int:
    """Run a command; every way it can end has an exit code, and none of them is a traceback."""
    # What libraries have to say is in our own words already.
    logging.getLogger().addHandler(logging.NullHandler())
    try:
        code = app.main(
            gathered(arguments), prog_name="aks-etag", complete_var="_AKS_ETAG_COMPLETE", standalone_mode=False
        )
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as error:
        return _usage(error)
    except BrokenPipeError:
        return _hung_up()
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  # each has an exit code, and none is a traceback
        return _failed(error, kube=arguments[:1] == ["kube"])
    return code if isinstance(code, int) else Exit.DONE


def _failed(error: BaseException, *, kube: bool) -> int:
    from ._errors import explained

    if not kube:
        return explained(error)
    from ._kube_errors import CODES, HINTS

    return explained(error, CODES, HINTS)


def _usage(error: click.ClickException) -> int:
    click.echo(f"error: {error.format_message()}", err=True)
    ctx = getattr(error, "ctx", None)
    if isinstance(error, click.UsageError) and ctx is not None:
        click.echo(f"hint: {ctx.command_path} --help", err=True)
    return Exit.USAGE


def _hung_up() -> int:
    """Whoever read our output has gone: nobody is there to be told."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return Exit.OTHER
