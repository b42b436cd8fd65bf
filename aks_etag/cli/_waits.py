# SPDX-License-Identifier: MIT
"""Waiting for a state, and watching for changes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

import click

from .. import DeadlineExceededError, NotFoundError, Snapshot, diff
from ._handles import shape
from ._output import asked

F = TypeVar("F", bound=Callable[..., Any])


def CONDITIONS(command: F) -> F:  # noqa: N802  # used as a decorator beside click's
    """Add what to wait for."""
    for option in (
        click.option("--timeout", type=click.FloatRange(min=0), default=3600.0, show_default=True, help="Seconds."),
        click.option("--interval", type=click.FloatRange(min=0), default=30.0, show_default=True, help="Seconds."),
        click.option("--custom", metavar="JMESPATH", help="Wait until this is true of what show prints."),
        click.option("--exists", is_flag=True, help="Wait until it is there."),
        click.option("--deleted", is_flag=True, help="Wait until it is gone."),
        click.option("--updated", is_flag=True, help="Wait until provisioningState is Succeeded."),
        click.option("--created", is_flag=True, help="Wait until it is there, and Succeeded."),
    ):
        command = option(command)
    return command


def waited(
    handle: Any,
    *,
    created: bool,
    updated: bool,
    deleted: bool,
    exists: bool,
    custom: str | None,
    interval: float,
    timeout: float,
) -> None:
    """Look until it is so.

    Raises:
        DeadlineExceededError: it was not so in time.
    """
    if sum([created, updated, deleted, exists, custom is not None]) != 1:
        raise click.UsageError("wait for one of --created, --updated, --deleted, --exists and --custom")
    until = time.monotonic() + timeout
    while True:
        seen = handle.get_or_none()
        if _holds(seen, created, updated, deleted, exists, custom):
            return
        left = until - time.monotonic()
        if left <= 0:
            state = "absent" if seen is None else seen.provisioning_state
            raise DeadlineExceededError(f"{handle.id}: {timeout:g} s passed, and it is {state}", waiting_for="a state")
        time.sleep(min(interval, left))


def _holds(
    seen: Snapshot | None, created: bool, updated: bool, deleted: bool, exists: bool, custom: str | None
) -> bool:
    if seen is None:
        return deleted
    if created or updated:
        return (seen.provisioning_state or "").casefold() == "succeeded"
    return exists or (custom is not None and bool(asked(shape(seen), custom)))


def watched(handle: Any, interval: float, timeout: float | None) -> None:
    """Print what changes, line by line, until it is over or somebody stops it."""
    until = None if timeout is None else time.monotonic() + timeout
    seen: dict[str, Any] = {}
    while until is None or time.monotonic() < until:
        now = _all(handle)
        for name in sorted(seen.keys() | now.keys()) if seen else ():
            if name not in now or name not in seen:
                click.echo(f"{_clock()} {name}: {'gone' if name not in now else 'there'}")
                continue
            for each in diff(seen[name], now[name], include_owned=True):
                click.echo(f"{_clock()} {name}: {each}")
        if not seen:
            states = ", ".join(f"{name} {snapshot.provisioning_state}" for name, snapshot in sorted(now.items()))
            click.echo(f"{_clock()} watching {states}")
        seen = now
        time.sleep(interval if until is None else max(0.0, min(interval, until - time.monotonic())))


def _all(handle: Any) -> dict[str, Snapshot]:
    cluster = handle.get_or_none()
    if cluster is None:
        raise NotFoundError(f"{handle.id} does not exist (any more)", resource_id=handle.id)
    return {cluster.name: cluster, **{f"{cluster.name}/{each.name}": each for each in handle.agent_pools()}}


def _clock() -> str:
    return time.strftime("%H:%M:%S")
