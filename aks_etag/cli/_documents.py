# SPDX-License-Identifier: MIT
"""JSON and YAML files, and stdin, that a command is given."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NoReturn

import click

from .._core.changes import plain
from ._config import needed


def document(path: str, option: str, kind: type) -> Any:
    """Read a JSON (or YAML) file, or stdin where it is "-".

    Raises:
        UsageError: it cannot be read, or is something else.
    """
    needed(path, None, option, "")
    text = _text(path, option)
    try:
        found = json.loads(text, parse_constant=_no_constant)
    except ValueError as error:
        found = _yaml(text, path, option, str(error))
    except RecursionError:
        raise click.UsageError(f"{option} {path}: it is nested too deeply") from None
    if not isinstance(found, kind):
        wanted = "an object" if kind is dict else "a list of operations"
        raise click.UsageError(f"{option} {path}: it is {_named(found)}, and {wanted} is needed")
    try:
        return plain(found)
    except TypeError as error:
        # YAML has dates, and keys that are no text.
        raise click.UsageError(f"{option} {path} is {error}") from None


def _text(path: str, option: str) -> str:
    try:
        if path == "-":
            return sys.stdin.buffer.read().decode("utf-8-sig")
        return Path(path).read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise click.UsageError(f"{option} {path}: it is no text in UTF-8") from None
    except (OSError, ValueError) as error:
        raise click.UsageError(f"{option} {path}: {getattr(error, 'strerror', None) or error}") from None


def _yaml(text: str, path: str, option: str, said: str) -> Any:
    if not path.endswith((".yaml", ".yml")):
        raise click.UsageError(f"{option} {path} is no JSON: {said}")
    import yaml

    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        raise click.UsageError(f"{option} {path} is no YAML: {' '.join(str(error).split())}") from None


def _named(found: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "empty"}
    return names.get(type(found), "a number")


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")
