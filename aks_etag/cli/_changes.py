# SPDX-License-Identifier: MIT
"""From the options of a command to a change of the library."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import click

from .. import diff, json_patch, merge_patch, rebase
from .._core.changes import applied
from ._arguments import split
from ._documents import document
from ._paths import add, put, remove
from ._shape import arm, check_arm, deep, flat, present

Change = Callable[[dict[str, Any]], Any]


@dataclass(frozen=True, slots=True)
class Whole:
    """A change that makes a body this one; it knows nothing of what others did meanwhile."""

    body: Mapping[str, Any] = field(repr=False)

    def __call__(self, _: dict[str, Any]) -> Mapping[str, Any]:
        return self.body


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
    force_string: bool = False

    def change(self, *, pool: bool) -> Change:
        """Return it as a change of an ARM body."""
        chosen = [name for name in ("patch", "json_patch", "file") if getattr(self, name) is not None]
        generic = bool(self.sets or self.adds or self.removes)
        if len(chosen) + generic != 1:
            said = "one of --set/--add/--remove, --patch, --json-patch and --file"
            raise click.UsageError(f"{'too much' if chosen else 'nothing'} to change: give {said}")
        if self.base is not None and self.file is None:
            raise click.UsageError("--base goes with --file: it is the body that the file was made from")
        if self.patch is not None:
            return _checked(merge_patch(arm(document(self.patch, "--patch", dict), pool=pool)), pool)
        if self.json_patch is not None:
            return _checked(json_patch(_operations(document(self.json_patch, "--json-patch", list))), pool)
        return self._whole(pool) if self.file is not None else self._generic(pool)

    def _whole(self, pool: bool) -> Change:
        if self.file == self.base == "-":
            raise click.UsageError("--file and --base cannot both be read from stdin")
        desired = whole(self.file or "", "--file", pool=pool)
        if self.base is None:
            return Whole(desired)
        return rebase(whole(self.base, "--base", pool=pool), desired)

    def _generic(self, pool: bool) -> Change:
        text = self.force_string

        def change(body: dict[str, Any]) -> dict[str, Any]:
            shown = flat(body, "")
            for assignment in (each for said in self.sets for each in split(said)):
                put(shown, assignment, force_string=text)
            for path, *values in map(split, self.adds):
                add(shown, path, values, force_string=text)
            for path, *values in map(split, self.removes):
                remove(shown, path, values)
            return deep(shown, pool=pool)

        return change


def whole(path: str, option: str, *, pool: bool) -> dict[str, Any]:
    """Read a whole body: ARM's, or what show (here, or of az) has printed.

    Raises:
        UsageError: it is none.
    """
    found = document(path, option, dict)
    body = arm(found if "properties" in found else present(found), pool=pool)
    try:
        check_arm({}, body, pool=pool)
    except ValueError as error:
        raise click.UsageError(f"{option} {path}: {error}") from None
    return body


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """List what is different, a line for each."""
    return [str(each) for each in diff(before, after)]


def _checked(change: Change, pool: bool) -> Change:
    def checked(body: dict[str, Any]) -> dict[str, Any]:
        before = dict(body)
        after: dict[str, Any] = dict(applied(change, body))
        check_arm(before, after, pool=pool)
        return after

    return checked


def _operations(found: list[Any]) -> list[Any]:
    if not all(isinstance(each, dict) for each in found):
        raise click.UsageError('--json-patch: each operation is an object, as {"op": "remove", "path": "/tags/a"} is')
    return found
