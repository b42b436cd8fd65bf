# SPDX-License-Identifier: MIT
"""From the options of a command to a change of the library."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from .. import diff, json_patch, merge_patch, no_scale_down, rebase
from ._arguments import split
from ._paths import add, put, remove
from ._shape import deep, flat


@dataclass(frozen=True, slots=True, kw_only=True)
class Edits:
    """What is to be changed, as it was said."""

    sets: tuple[str, ...] = ()
    adds: tuple[str, ...] = ()
    removes: tuple[str, ...] = ()
    patch: str | None = None
    json_patch: str | None = None
    file: str | None = None
    base: str | None = None

    def change(self, *, pool: bool) -> Callable[[dict[str, Any]], Any]:
        """Return it as a change of an ARM body."""
        chosen = [name for name in ("patch", "json_patch", "file") if getattr(self, name) is not None]
        generic = bool(self.sets or self.adds or self.removes)
        if len(chosen) + generic != 1:
            said = "one of --set/--add/--remove, --patch, --json-patch and --file"
            raise click.UsageError(f"{'too much' if chosen else 'nothing'} to change: give {said}")
        if self.base is not None and self.file is None:
            raise click.UsageError("--base goes with --file: it is the body that the file was made from")
        if self.patch is not None:
            return merge_patch(document(self.patch, "--patch", dict))
        if self.json_patch is not None:
            return json_patch(document(self.json_patch, "--json-patch", list))
        return self._whole() if self.file is not None else self._generic(pool)

    def _whole(self) -> Callable[[dict[str, Any]], Any]:
        desired = document(self.file or "", "--file", dict)
        if self.base is None:
            return lambda _: desired
        return rebase(document(self.base, "--base", dict), desired)

    def _generic(self, pool: bool) -> Callable[[dict[str, Any]], Any]:
        def change(body: dict[str, Any]) -> dict[str, Any]:
            shown = flat(body, "")
            for assignment in (each for said in self.sets for each in split(said)):
                put(shown, assignment)
            for path, *values in map(split, self.adds):
                add(shown, path, values)
            for path, *values in map(split, self.removes):
                remove(shown, path, values)
            return deep(shown, pool=pool)

        return change


def document(path: str, option: str, kind: type) -> Any:
    """Read a JSON (or YAML) file, or stdin where it is "-"."""
    if not path.strip():
        raise click.UsageError(f"{option} is empty: is a shell variable not set?")
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{option} {path}: {getattr(error, 'strerror', None) or 'it is no text'}") from None
    try:
        found = json.loads(text)
    except ValueError as error:
        found = _yaml(text, path, option, str(error))
    if not isinstance(found, kind):
        wanted = "an object" if kind is dict else "a list of operations"
        raise click.UsageError(f"{option} {path}: it is {type(found).__name__}, and {wanted} is needed")
    return found


def _yaml(text: str, path: str, option: str, said: str) -> Any:
    if not path.endswith((".yaml", ".yml")):
        raise click.UsageError(f"{option} {path} is no JSON: {said}")
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise click.UsageError(f"{option} {path} is no YAML: {' '.join(str(error).split())}") from None


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """List what is different, a line for each."""
    return [str(each) for each in diff(before, after)]


def takes_nodes(change: Callable[[dict[str, Any]], Any], body: dict[str, Any]) -> str | None:
    """Say which nodes a change would take away from a body, if any."""
    from copy import deepcopy

    from .. import ScaleDownRefusedError

    try:
        no_scale_down(change)(deepcopy(body))
    except ScaleDownRefusedError as error:
        return " ".join(str(error).split())
    return None
