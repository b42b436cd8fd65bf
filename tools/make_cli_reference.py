# SPDX-License-Identifier: MIT
"""Write docs/cli.md from the tree of commands, so that they cannot drift apart; ``--check`` compares."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click

from aks_etag.cli._app import app
from aks_etag.cli._exits import Exit

PAGE = Path(__file__).resolve().parent.parent / "docs" / "cli.md"

# An option of so many commands is told once.
MANY = 6
NEEDED = "Needed. "
HEAD = "| option | what it does |\n|---|---|\n"
EXITS = {
    Exit.DONE: "done; also where there was nothing to do",
    Exit.OTHER: "anything else: a refusal of the service, a no of `verify`, `check-storage` or `doctor`, or your own",
    Exit.USAGE: "usage: an option, a file or a value that cannot be used; nothing was sent",
    Exit.NOT_FOUND: "the resource, or what it is in, does not exist",
    Exit.PRECONDITION_FAILED: "somebody else was faster, it exists already, or a merge conflicts; nothing was written",
    Exit.BUSY: "another operation is in progress, and the command was not to wait",
    Exit.THROTTLED: "the service asks for a longer silence than the command may take",
    Exit.REFUSED: "refused before anything was sent: no eTag, a condition that is none, nodes that would go unasked",
    Exit.UNKNOWN: "it could not be found out whether the write happened: look before you write again",
    Exit.OPERATION_FAILED: "the write was accepted, and its operation failed",
    Exit.DEADLINE: "the time was up; an operation that was accepted goes on",
    Exit.INTERRUPTED: "Ctrl-C; what goes on without us is said, with the way to resume",
}
ENVIRONMENT = {
    "AZURE_SUBSCRIPTION_ID": "subscription, before that of `az account`",
    "AZURE_DEFAULTS_GROUP, AZURE_DEFAULTS_LOCATION": "group and region, before those of `az configure`",
    "AZURE_CONFIG_DIR": "where az's files are; `~/.azure` without it",
    "AZURE_CLOUD_NAME": "cloud, before that of `az cloud`",
    "AKS_ETAG_ENDPOINT": "as `--endpoint`",
    "AKS_ETAG_TOKEN": "a bearer token, instead of DefaultAzureCredential",
    "AKS_ETAG_KUBE_TOKEN": "a bearer token for `kube ... --server`",
    "AKS_ETAG_POLLING_INTERVAL": "the longest pause between two looks, in seconds; 30 without it, 5 in `kube`",
    "KUBECONFIG": "kubeconfig of `kube` commands",
    "NO_COLOR": "no colours, whatever stdout is",
    "XDG_STATE_HOME": "where tokens for `resume` are kept; `~/.local/state` without it",
}
INTRODUCTION = """\
# `aks-etag`, command by command

Made by `tools/make_cli_reference.py`; change the commands, not this page. Data goes to stdout, words go to stderr,
progress is shown on a terminal only. The way over from `az aks` is told in [from-az.md](from-az.md).
"""


def main() -> None:
    """Write the page, or compare it."""
    wanted = page()
    if "--check" not in sys.argv:
        PAGE.write_text(wanted, "utf-8")
    elif not PAGE.exists() or PAGE.read_text("utf-8") != wanted:
        raise SystemExit("docs/cli.md is not what tools/make_cli_reference.py makes: run it")


def page() -> str:
    """Return the whole page."""
    commands = dict(walked(app, ()))
    inside = {words: command for words, command in commands.items() if words[0] == "kube"}
    outside = {words: command for words, command in commands.items() if words[0] != "kube"}
    parts = [INTRODUCTION, _codes(), _environment()]
    for title, chosen in (("commands for AKS", outside), ("`kube` commands", inside)):
        common = _common(chosen)
        parts += [f"## Options of many {title}\n", f"{HEAD}{chr(10).join(common)}\n"]
        parts += [_section(words, command, common) for words, command in chosen.items()]
    return "\n".join(parts)


def walked(group: click.Group, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """List all commands below a group, groups left out."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from walked(command, (*words, name))
        elif command is not None:
            yield (*words, name), command


def _common(commands: dict[tuple[str, ...], click.Command]) -> list[str]:
    rows = Counter(_row(option) for command in commands.values() for option in _options(command))
    return [row for row, times in rows.items() if times >= MANY and NEEDED not in row]


def _codes() -> str:
    rows = "\n".join(f"| {code.value} | {EXITS[code]} |" for code in Exit)
    return f"## Exit codes\n\n| code | what it means |\n|---|---|\n{rows}\n"


def _environment() -> str:
    rows = "\n".join(f"| `{names.replace(', ', '`, `')}` | {what} |" for names, what in ENVIRONMENT.items())
    return f"## Environment\n\n| variable | what it says |\n|---|---|\n{rows}\n"


def _section(words: tuple[str, ...], command: click.Command, common: list[str]) -> str:
    rows = {_row(option): option for option in _options(command)}
    arguments = [each.metavar or str(each.name).upper() for each in command.params if isinstance(each, click.Argument)]
    own = [row for row in rows if row not in common]
    shared = [f"`{max(option.opts, key=len)}`" for row, option in rows.items() if row in common]
    parts = [
        f"### aks-etag {' '.join(words)}\n",
        _paragraphs(command.help or ""),
        f"```text\naks-etag {' '.join([*words, *arguments, '[OPTIONS]'])}\n```\n",
        HEAD + "\n".join(own) + "\n" if own else "",
        f"And of those above: {', '.join(shared)}.\n" if shared else "",
        _epilog(command.epilog or ""),
    ]
    return "\n".join(filter(None, parts))


def _paragraphs(text: str) -> str:
    return "\n\n".join(" ".join(each.split()) for each in text.split("\n\n")) + "\n"


def _epilog(text: str) -> str:
    """Show the examples as a block, and what else there is as it stands."""
    parts = []
    for block in text.strip().split("\n\n"):
        head, _, rest = block.replace("\b\n", "").strip().partition("\n")
        lines = "\n".join(line.removeprefix("  ") for line in rest.splitlines())
        parts.append(f"```bash\n{lines}\n```\n" if head.startswith("Example") else f"{head}{lines}\n")
    return "\n".join(parts)


def _options(command: click.Command) -> list[click.Option]:
    return [each for each in command.params if isinstance(each, click.Option) and not each.hidden]


def _row(option: click.Option) -> str:
    names = ", ".join(f"`{name}`" for name in sorted(option.opts, key=len))
    value = "" if option.is_flag else f" `{_value(option)}`".replace("|", "\\|")
    facts = [f"default: {option.default}"] if option.show_default else []
    told = f"{option.help} ({'; '.join(facts)})" if facts else str(option.help)
    needed = NEEDED if option.required else ""
    return f"| {names}{value} | {needed}{told.replace('|', chr(92) + '|')} |"


def _value(option: click.Option) -> str:
    if option.metavar is not None:
        return option.metavar
    if isinstance(option.type, click.Choice):
        return "/".join(map(str, option.type.choices))
    return "NUMBER" if isinstance(option.type, click.IntRange | click.FloatRange) else "TEXT"


if __name__ == "__main__":
    main()
