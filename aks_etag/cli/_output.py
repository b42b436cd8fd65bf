# SPDX-License-Identifier: MIT
"""The result of a command on stdout: json, jsonc, yaml, table, tsv or nothing, and only the part that was asked for.

The formats are those of az, so that scripts written for it keep working: keys in order of the alphabet, ``None`` in a
tsv line for what is not there, nothing at all for a query that finds nothing.
"""

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
    found = asked(value, query)
    if shown == "none" or found is None:
        return
    writer = {"json": _json, "jsonc": _jsonc, "yaml": _yaml, "table": _table, "tsv": _tsv}[shown]
    text = writer(found)
    if text:
        put(text)


def put(text: str) -> None:
    """Print a line of data.

    Raises:
        OSError: there is nowhere to print it.
    """
    # Without a stdout, click would swallow it.
    if sys.stdout is None:
        raise OSError("standard output is closed: the result has nowhere to go")
    try:
        click.echo(text)
    except OSError:
        # What is left in the buffer would fail once more when Python ends, and change the exit code.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise


def asked(value: Any, query: str | None) -> Any:
    """Return the part of a value that a query names."""
    return value if query is None else compiled(query).search(value)


def compiled(query: str, option: str = "--query") -> Any:
    """Read a query."""
    import jmespath
    from jmespath.exceptions import JMESPathError

    try:
        return _Asking(jmespath.compile(query), option)
    except JMESPathError as error:
        raise _refused(error, option) from None


class _Asking:
    """A query; what it makes of a value may be an error, too."""

    def __init__(self, query: Any, option: str) -> None:
        self._query = query
        self._option = option

    def search(self, value: Any) -> Any:
        """Return what it finds."""
        from jmespath.exceptions import JMESPathError

        try:
            return self._query.search(value)
        except JMESPathError as error:
            raise _refused(error, self._option) from None


def _refused(error: Exception, option: str) -> click.UsageError:
    return click.UsageError(f"{option} is no JMESPath: {' '.join(str(error).split())}")


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True)


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

    # A lone value would be followed by the mark of the document's end.
    return str(yaml.safe_dump(value, allow_unicode=True)).removesuffix("...\n").rstrip("\n")


def _tsv(value: Any) -> str:
    rows = value if isinstance(value, list) else [value]
    return "\n".join(_line(row) for row in rows)


def _line(row: Any) -> str:
    if isinstance(row, dict | list):
        return "\t".join(_cell(each) for each in (row.values() if isinstance(row, dict) else row))
    return _cell(str(row).lower() if isinstance(row, bool) else row)


def _cell(value: Any) -> str:
    text = str(len(value)) if isinstance(value, list) else "" if isinstance(value, dict) else str(value)
    return text.replace("\t", " ").replace("\n", " ")


def _table(value: Any) -> str:
    rows = [dict(_columns(row)) for row in (value if isinstance(value, list) else [value])]
    names = list(dict.fromkeys(name for row in rows for name in row))
    if not names:
        return ""
    cells = [[row.get(name, "") for name in names] for row in rows]
    # az's tables leave two more for a title.
    widths = [max(len(name) + 2, *map(len, column)) for name, *column in zip(names, *cells, strict=True)]
    lines = [names, ["-" * width for width in widths], *cells]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def _columns(row: Any) -> Iterator[tuple[str, str]]:
    """Name the cells of a row: what has parts itself, or is not there, has no place in it."""
    if isinstance(row, dict):
        named = [(name[:1].upper() + name[1:], cell) for name, cell in row.items()]
    elif isinstance(row, list):
        named = [(f"Column{number}", cell) for number, cell in enumerate(row, 1)]
    else:
        named = [("Result", row)]
    for name, cell in named:
        if cell is not None and not isinstance(cell, dict | list):
            yield name, str(cell).replace("\n", " ")
