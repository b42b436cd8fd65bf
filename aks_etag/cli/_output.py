# SPDX-License-Identifier: MIT
"""The result of a command on stdout: json, jsonc, yaml, table, tsv or nothing, and only the part that was asked for."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from typing import Any, Final

import click

FORMATS: Final = ("json", "jsonc", "yaml", "table", "tsv", "none")


def show(value: Any, shown: str, query: str | None) -> None:
    """Print a result."""
    value = asked(value, query)
    if shown == "none" or (value is None and shown in ("table", "tsv")):
        return
    writer = {"json": _json, "jsonc": _jsonc, "yaml": _yaml, "table": _table, "tsv": _tsv}[shown]
    click.echo(writer(value))


def asked(value: Any, query: str | None) -> Any:
    """Return the part of a value that a query names."""
    if query is None:
        return value
    import jmespath
    from jmespath.exceptions import JMESPathError

    try:
        return jmespath.search(query, value)
    except JMESPathError as error:
        said = " ".join(str(error).split())
        raise click.UsageError(f"--query is no JMESPath: {said}") from None


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _jsonc(value: Any) -> str:
    text = _json(value)
    if os.environ.get("NO_COLOR") or not sys.stdout.isatty():
        return text
    from pygments import highlight
    from pygments.formatters import TerminalFormatter
    from pygments.lexers import JsonLexer

    return str(highlight(text, JsonLexer(), TerminalFormatter())).rstrip("\n")


def _yaml(value: Any) -> str:
    import yaml

    return str(yaml.safe_dump(value, sort_keys=False, allow_unicode=True)).rstrip("\n")


def _tsv(value: Any) -> str:
    rows = value if isinstance(value, list) else [value]
    return "\n".join("\t".join(_cells(row)) for row in rows)


def _cells(row: Any) -> Iterator[str]:
    values = row.values() if isinstance(row, dict) else row if isinstance(row, list) else [row]
    for each in values:
        # As az: what has parts itself has no place in a line.
        text = "" if each is None else str(len(each)) if isinstance(each, dict | list) else _scalar(each)
        yield text.replace("\t", " ").replace("\n", " ")


def _scalar(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _table(value: Any) -> str:
    rows = [
        row if isinstance(row, dict) else {"Result": row} for row in (value if isinstance(value, list) else [value])
    ]
    names = list(dict.fromkeys(name for row in rows for name, cell in row.items() if not isinstance(cell, dict | list)))
    if not names:
        return ""
    cells = [[_scalar(row[name]) if row.get(name) is not None else "" for name in names] for row in rows]
    titles = [name[:1].upper() + name[1:] for name in names]
    widths = [max(map(len, column)) for column in zip(titles, *cells, strict=True)]
    lines = [titles, ["-" * width for width in widths], *cells]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )
