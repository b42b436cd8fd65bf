# SPDX-License-Identifier: MIT
"""The question before what cannot be undone: deletes, and changes that take nodes away."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from .. import ScaleDownRefusedError, no_scale_down
from .._core.changes import applied
from ..errors import InvalidPreconditionError
from ._changes import Change

T = TypeVar("T")


class DeclinedError(Exception):
    """Whoever was asked said no."""


class NobodyToAskError(InvalidPreconditionError):
    """There is no terminal to ask on, and no --yes."""


def with_consent(write: Callable[[Change], T], change: Change, yes: bool) -> T:
    """Write a change; where it would take nodes away, ask first, and again where it would take others than was said."""
    if yes:
        return write(change)
    agreed: str | None = None
    while True:
        try:
            return write(guarded(change, agreed))
        except ScaleDownRefusedError as error:
            agreed = _lowered(error)
            agree(f"This takes nodes away: {agreed}. Go on?", yes)


def agree(question: str, yes: bool) -> None:
    """Ask a yes or no question.

    Raises:
        NobodyToAskError: there is no terminal to ask on.
        DeclinedError: the answer is no.
    """
    if yes:
        return
    if sys.stdin is None or not sys.stdin.isatty():
        raise NobodyToAskError(f"{question.rpartition('Go on?')[0].strip() or question} Nothing was sent")
    try:
        said = click.confirm(question, err=True)
    except click.Abort as reason:
        reason.add_note("nothing was written")
        raise
    if not said:
        raise DeclinedError("nothing was changed")


def taken(change: Change, body: dict[str, Any]) -> str | None:
    """Say which nodes a change would take away from a body, if any."""
    try:
        applied(no_scale_down(change), body)
    except ScaleDownRefusedError as error:
        return _lowered(error)
    return None


def guarded(change: Change, agreed: str | None) -> Change:
    """Guard a change: it takes no nodes away but those that were agreed to, in these very words."""

    def kept(body: dict[str, Any]) -> Any:
        try:
            return applied(no_scale_down(change), body)
        except ScaleDownRefusedError as error:
            if _lowered(error) != agreed:
                raise
            return applied(change, body)

    return kept


def _lowered(error: ScaleDownRefusedError) -> str:
    found = re.search(r"\((.*)\), which", str(error))
    return ", ".join(error.paths) if found is None else found[1]
