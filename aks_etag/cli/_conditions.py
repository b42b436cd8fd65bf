# SPDX-License-Identifier: MIT
"""Under which condition a command writes."""

from __future__ import annotations

from typing import Any

import click

from .. import Snapshot, errors
from .._flows.rounds import check_age
from ._changes import Change, Whole
from ._config import needed


def tag_of(given: str | None) -> str | None:
    """Return a tag however a shell has dressed it: bare, in quotes, in escaped quotes; refuse an empty one."""
    if given is None:
        return None
    bare = given.strip().replace('\\"', '"')
    bare = bare.removeprefix("W/").strip('"')
    if bare.startswith("-"):
        raise click.UsageError(f"--if-match has no value, and {given} follows: is a shell variable not set?")
    if bare == "*" and given.strip() != "*":
        raise click.UsageError("--if-match: only a bare * means any version, and this one is in quotes")
    return needed(bare, None, "--if-match", "")


def one_condition(if_match: str | None, force: bool) -> None:
    """Refuse two conditions at once."""
    if if_match is not None and force:
        raise click.UsageError("--if-match and --force cannot be used together: one names a version, the other none")


def condition_of(seen: Snapshot, tag: str | None, *, force: bool) -> str:
    """Spell the condition that a write would go out under."""
    return "none (--force)" if force else f"If-Match: {tag or seen.etag}"


def check_foreseen(seen: Snapshot, tag: str | None) -> None:
    """Say of a write that was only rehearsed whether its condition would hold.

    Raises:
        PreconditionFailedError: it would not.
    """
    if tag not in (None, "*", seen.version):
        said = "this would be refused with 412: another version is there"
        raise errors.PreconditionFailedError(said, sent=tag, current=seen)


def version_of(change: Change, tag: str | None, force: bool, handle: Any) -> str | None:
    """Return the tag that a write is bound to: the one said, or the one that a whole body carries.

    Raises:
        InvalidPreconditionError: they are two.
        PreconditionRequiredError: a whole body that says nowhere which version it was made from.
    """
    if force or tag == "*" or not isinstance(change, Whole):
        return tag
    resource = handle._calls.resource()
    if tag is not None:
        check_age(resource, dict(change.body), tag)
        return tag
    carried: str | None = resource.version_of(change.body)
    if carried is None:
        raise errors.PreconditionRequiredError(
            "a whole body without eTag may be older than what is there, and would undo what others wrote since"
        )
    return carried
