# SPDX-License-Identifier: MIT
"""``doctor``: what a pipeline should know before it writes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from . import _options
from ._exits import Exit
from ._handles import group_of
from ._session import Where, session


@click.command(epilog="\b\nExamples:\n  aks-etag doctor\n  aks-etag doctor -g RG -n NAME")
@click.option("-g", "--resource-group", metavar="RG", help="Resource group of a cluster to try on.")
@click.option("-n", "--name", metavar="NAME", help="A cluster to try on; its tags are written as they are.")
@_options.where
def doctor(where: Where, resource_group: str | None, name: str | None) -> int:
    """Check credential, subscription, eTags and permissions; nothing is changed."""
    checks = Checks()
    with session(where) as (aks, _):
        first = checks.of(
            "credential and subscription: clusters can be listed", lambda: next(iter(aks.clusters()), None)
        )
        handle: Any = None if name is None else aks.cluster(group_of(where, resource_group), name)
        if handle is None and first is not None:
            handle = aks.at(first)
        if handle is None:
            click.echo("skip  no cluster to look at; give -g and -n")
            return checks.code
        seen = checks.of(f"read: {handle.name} can be read", handle.get)
        if seen is not None:
            checks.of("eTags: this api-version returns them", lambda: seen.etag)
            checks.of("guard: a write under a stale eTag is refused with 412", lambda: _refused(handle))
            checks.of("pools: their eTags are returned", lambda: [pool.etag for pool in handle.agent_pools()])
    return checks.code


def _refused(handle: Any) -> None:
    """Send a write that must be refused: permission and guard in one, and nothing is changed."""
    from .. import PreconditionFailedError

    try:
        handle.patch({"tags": {}}, if_match="00000000-0000-0000-0000-000000000000")
    except PreconditionFailedError:
        return
    raise RuntimeError("it was accepted: this service does not evaluate If-Match")


class Checks:
    """Counts what failed."""

    def __init__(self) -> None:
        self.code = Exit.DONE

    def of(self, title: str, check: Callable[[], Any]) -> Any:
        """Make one check, and say how it went."""
        try:
            found = check()
        except Exception as error:  # noqa: BLE001  # whatever it is, it is what was to be found out
            self.code = Exit.OTHER
            click.echo(f"FAIL  {title}\n      {' '.join(str(error).split())}")
            return None
        click.echo(f"ok    {title}")
        return found
