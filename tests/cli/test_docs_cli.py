# SPDX-License-Identifier: MIT
"""Help, reference and the way over from az: they are what the commands are, and what they show is taken."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import click
import pytest

import aks_etag.cli
from aks_etag.cli import main
from aks_etag.cli._app import app
from aks_etag.cli._exits import Exit

from .examples import commands, refusal, shown

ROOT = Path(__file__).parent.parent.parent
COMMANDS = dict(commands())
NAMED = pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
EXAMPLES = re.compile(r"^\s*Examples?:\n(.*?)(?:\n\s*\n|\Z)", re.MULTILINE | re.DOTALL)


def page(name: str) -> str:
    path = ROOT / "docs" / name
    if not path.exists():
        pytest.skip("this copy of the source has no docs")
    return path.read_text("utf-8")


@NAMED
def test_every_help_has_examples_that_are_taken(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words, "--help"]) == 0
    found = EXAMPLES.search(capsys.readouterr().out)
    assert found is not None
    examples = list(shown(found[1]))
    assert [each for each in examples if each.startswith(f"aks-etag {' '.join(words)}")] != []
    assert [*filter(None, map(refusal, examples))] == []


@NAMED
def test_every_option_says_what_it_does_in_a_sentence(words: tuple[str, ...]) -> None:
    options = [each for each in COMMANDS[words].params if isinstance(each, click.Option)]
    said = {each.name: each.help or "" for each in options}
    assert [name for name, text in said.items() if not re.match(r"[^a-z].*\.$", text)] == []


def test_every_command_says_what_it_does() -> None:
    assert [
        words for words, command in COMMANDS.items() if not (command.help or "").partition("\n")[0].endswith(".")
    ] == []


def test_help_names_every_exit_code() -> None:
    epilog = app.epilog or ""
    named = re.findall(r"\b(\d+) [a-z]", epilog[epilog.index("Exit codes") :])
    assert list(map(int, named)) == [code.value for code in Exit]


def test_the_reference_is_what_its_generator_makes() -> None:
    tool = ROOT / "tools" / "make_cli_reference.py"
    assert runpy.run_path(str(tool))["page"]() == page("cli.md")


def test_the_reference_names_every_variable_of_the_environment() -> None:
    sources = "\n".join(path.read_text("utf-8") for path in Path(aks_etag.cli.__file__).parent.glob("*.py"))
    read = set(re.findall(r'(?:environ(?:ment)?(?:\.get\(|\[)|envvar=|NAME: Final = )"([A-Z_]+)"', sources))
    assert {"AKS_ETAG_ENDPOINT", "AKS_ETAG_POLLING_INTERVAL", "AZURE_CONFIG_DIR", "NO_COLOR"} <= read
    table = page("cli.md").partition("## Environment")[2].partition("##")[0]
    assert sorted(read - {"TERM"} - set(re.findall(r"`([A-Z_]+)`", table))) == []


@pytest.mark.parametrize("name", ["from-az.md", "cli.md"])
def test_every_command_of_the_pages_is_taken(name: str) -> None:
    text = page(name)
    blocks = re.findall(r"^```bash\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    inline = re.findall(r"`(aks-etag [^`]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE))
    examples = [*shown("\n".join(blocks)), *(" ".join(each.split()) for each in inline)]
    assert len(examples) > 15
    assert [*filter(None, map(refusal, examples))] == []


def test_the_page_for_users_of_az_knows_every_command_and_exit_code() -> None:
    text = page("from-az.md")
    own = ("apply", "completion", "demo", "kube", "mock", "plan", "resume", "verify", "watch")
    wanted = [" ".join(words) for words, command in COMMANDS.items() if not isinstance(command, click.Group)]
    lacking = [each for each in wanted if f"aks-etag {each}" not in text and each.split()[0] not in own]
    assert lacking == ["nodepool etag"]
    codes = re.findall(r"^\| (\d+) \|", text.partition("## Exit codes")[2], re.MULTILINE)
    assert list(map(int, codes)) == [code.value for code in Exit]


@pytest.mark.parametrize(
    ("command", "taken"),
    [
        ("aks-etag show -g RG -n NAME", True),
        ("aks-etag show -g RG -n NAME --nope", False),
        ("aks-etag nope", False),
        ("aks-etag show -g RG", False),
        ("aks-etag nodepool scale -g RG --cluster-name C -n p -c x", False),
    ],
)
def test_what_is_not_taken_is_noticed(command: str, taken: bool) -> None:
    assert (refusal(command) == "") is taken


def test_commands_end_where_a_shell_ends_them() -> None:
    lines = (
        "tag=$(aks-etag etag -g RG -n N)",
        "aks-etag show -g RG \\\n  -n N | jq .",
        'eval "$(aks-etag completion bash)"  # all',
    )
    assert list(shown("\n".join(lines))) == [
        "aks-etag etag -g RG -n N",
        "aks-etag show -g RG    -n N",
        "aks-etag completion bash",
    ]
