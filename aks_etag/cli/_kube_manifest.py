# SPDX-License-Identifier: MIT
"""One manifest, in YAML or JSON, from a file or stdin."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click


def manifest(path: str) -> dict[str, Any]:
    """Read a manifest that says which object it is.

    Raises:
        UsageError: it cannot be read, is something else, or holds several objects.
    """
    found = _parsed(_text(path), path)
    if not isinstance(found, dict):
        raise click.UsageError(f"--filename {path}: it is no manifest of an object")
    metadata = found.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    if not all(isinstance(each, str) and each for each in (found.get("apiVersion"), found.get("kind"), name)):
        raise click.UsageError(f"--filename {path}: apiVersion, kind and metadata.name are needed")
    return found


def _text(path: str) -> str:
    if not path.strip():
        raise click.UsageError("--filename is empty: is a shell variable not set?")
    try:
        read = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return read.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise click.UsageError(f"--filename {path}: it is no text in UTF-8") from None
    except OSError as error:
        raise click.UsageError(f"--filename {path}: {error.strerror}") from None


def _parsed(text: str, path: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        pass
    import yaml

    try:
        found = [each for each in yaml.safe_load_all(text) if each is not None]
    except yaml.YAMLError as error:
        raise click.UsageError(f"--filename {path} is neither JSON nor YAML: {' '.join(str(error).split())}") from None
    if len(found) != 1:
        raise click.UsageError(f"--filename {path}: it holds {len(found)} objects, and one is applied at a time")
    return found[0]
