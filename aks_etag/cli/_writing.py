# SPDX-License-Identifier: MIT
"""What all writing commands do: ask before nodes go, write under a condition, wait, and leave a way to go on."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from .. import ScaleDownRefusedError, no_scale_down
from ._config import needed
from ._progress import Progress


class DeclinedError(Exception):
    """Whoever was asked said no."""


Change = Callable[[dict[str, Any]], Any]


def tag_of(given: str | None) -> str | None:
    """Return a tag however a shell has dressed it: bare, in quotes, in escaped quotes; refuse an empty one."""
    if given is None:
        return None
    bare = given.strip().replace('\\"', '"')
    bare = bare.removeprefix("W/").strip('"')
    return needed(bare, None, "--if-match", "")


def one_condition(if_match: str | None, force: bool) -> None:
    """Refuse two conditions at once."""
    if if_match is not None and force:
        raise click.UsageError("--if-match and --force cannot be used together: one names a version, the other none")


def with_consent(write: Callable[[Change], Any], change: Change, yes: bool) -> Any:
    """Write a change; where it would take nodes away, ask first."""
    if yes:
        return write(change)
    try:
        return write(no_scale_down(change))
    except ScaleDownRefusedError as error:
        said = str(error).partition("(")[2].partition(")")[0]
        agree(f"This takes nodes away: {said}. Go on?", yes, error)
        return write(change)


def agree(question: str, yes: bool, refusal: Exception | None = None) -> None:
    """Ask a yes or no question; without a terminal to ask on, refuse."""
    if yes:
        return
    if not sys.stdin.isatty():
        if refusal is not None:
            refusal.add_note("give --yes to do it all the same")
            raise refusal
        raise click.UsageError(f"{question} There is no terminal to ask on: give --yes")
    if not click.confirm(question, err=True):
        raise DeclinedError("nothing was changed")


def updated(handle: Any, change: Change, if_match: str | None, force: bool, timeout: float | None) -> Any:
    """Begin an update: by the loop, pinned to a version, or over whatever is there."""
    if force:
        return handle.begin_put(_whole(handle, change), force=True, deadline=timeout)
    if if_match == "*":
        return handle.begin_put(_whole(handle, change), if_match="*", deadline=timeout)
    return handle.begin_update(change, deadline=timeout, **({} if if_match is None else {"if_match": if_match}))


def _whole(handle: Any, change: Change) -> dict[str, Any]:
    """Make the body of a write that no version guards, from a read made for it."""
    from .._core.changes import applied

    seen = handle.get()
    body = applied(change, seen.body)
    inner = body.get("properties")
    if isinstance(inner, dict) and inner.get("agentPoolProfiles") == seen.body["properties"].get("agentPoolProfiles"):
        # Unedited, they stay out of it, as they do in the loop.
        body["properties"] = {name: value for name, value in inner.items() if name != "agentPoolProfiles"}
    return body


def finished(
    operation: Any, progress: Progress, *, no_wait: bool, timeout: float | None, kept: str | None = None
) -> Any:
    """Wait for a write, or leave a token behind; an interruption leaves one, too, where none is ``kept`` already."""
    if no_wait and not operation.done():
        progress.say(f"accepted, not waiting for it; aks-etag resume {keep(operation.continuation_token())}")
        return None
    try:
        result = operation.result(timeout)
    except KeyboardInterrupt as reason:
        progress.clear()
        left = kept or keep(operation.continuation_token())
        reason.add_note("the write was accepted and goes on without us: nothing was cancelled")
        reason.add_note(f"aks-etag resume {left}")
        raise
    progress.clear()
    return result


def keep(token: str) -> str:
    """Keep a token, which is as good as a secret, where only its owner can read it; return the path."""
    home = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "aks-etag"
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = home / f"{hashlib.sha256(token.encode()).hexdigest()[:12]}.token"
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(token)
    return str(path)
