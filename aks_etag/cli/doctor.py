# SPDX-License-Identifier: MIT
"""``doctor``: what a pipeline should know before it writes."""

from __future__ import annotations

from typing import Any, Final

import click

from . import _options
from ._checks import Checks
from ._handles import group_of
from ._session import Where, session

PATIENCE: Final = 30.0
REST: Final = "read, eTags, pools, write"
EPILOG: Final = """\
\b
Examples:
  aks-etag doctor
  aks-etag doctor -g RG -n NAME

\b
Exit codes: 0 nothing failed, 1 something did.
"""


@click.command(epilog=EPILOG)
@click.option("-g", "--resource-group", metavar="RG", help="Resource group of a cluster to try on.")
@click.option("-n", "--name", metavar="NAME", help="A cluster to try on; default: the first that is listed.")
@_options.where
def doctor(where: Where, resource_group: str | None, name: str | None) -> int:
    """Check credential, subscription, eTags and permissions; nothing is changed.

    Whether you may write is found out by a write that must be refused: it sends the tags as they are, under an eTag
    that nothing has. A service that may be written to answers 412, one that may not answers 403.
    """
    from .. import ConflictRetry

    checks = Checks()
    patience = ConflictRetry(attempts=1, deadline=PATIENCE)
    with session(where, conflict_retry=patience) as (aks, _):
        named = None if name is None else aks.cluster(group_of(where, resource_group), name)
        first = _listed(checks, aks, resource_group if named is None else group_of(where, resource_group))
        if checks.code:
            checks.skip(REST, "that has to be put right first")
        elif named is not None:
            _examine(checks, named)
        elif first is not None:
            _examine(checks, aks.at(first))
        else:
            checks.skip(REST, "there is no cluster to look at; give -g and -n")
    return checks.code


def _listed(checks: Checks, aks: Any, group: str | None) -> Any:
    """Ask for a list, which tells of credential and subscription; return its first cluster."""
    from .. import AccessDeniedError

    place = f"subscription {aks.subscription_id}" if group is None else f"resource group {group}"
    try:
        first = next(iter(aks.clusters(group)), None)
    except AccessDeniedError as error:
        if error.status_code == 401:
            checks.fail("credential: it is not accepted", error)
            return None
        checks.ok("credential: it is accepted")
        checks.warn(f"list: the clusters of {place} may not be listed", error)
    except Exception as error:  # noqa: BLE001  # whatever it is, it is what was to be found out
        checks.fail(f"credential and {place}: nothing can be listed", error)
    else:
        checks.ok("credential: it is accepted")
        checks.ok(f"list: the clusters of {place} can be listed")
        return first
    return None


def _examine(checks: Checks, handle: Any) -> None:
    seen = checks.of(f"read: {handle.name} can be read", handle.get)
    if seen is None:
        checks.skip("eTags, pools, write", "it cannot be read")
        return
    if not seen.has_etag:
        checks.fail(f"eTags: api-version {handle.api_version} does not return them; choose another --api-version")
        checks.skip("write", "without eTags it cannot be tried without changing anything")
        return
    checks.ok(f"eTags: api-version {handle.api_version} returns them")
    _pools(checks, handle)
    _written(checks, handle, seen)


def _pools(checks: Checks, handle: Any) -> None:
    pools = checks.of("pools: they can be listed", lambda: list(handle.agent_pools()))
    bare = [pool.name for pool in pools or () if not pool.has_etag]
    if bare:
        checks.fail(f"pools: {', '.join(bare)} came without an eTag")


def _written(checks: Checks, handle: Any, seen: Any) -> None:
    """Send a write that must be refused: permission and guard in one, and nothing is changed."""
    from .. import AksEtagError, OperationInProgressError, PreconditionFailedError

    tags = {"tags": dict(seen.body.get("tags") or {})}
    try:
        handle.patch(tags, if_match="00000000-0000-0000-0000-000000000000")
    except PreconditionFailedError:
        checks.ok("write: allowed, and one under a stale eTag is refused with 412")
    except OperationInProgressError as error:
        checks.warn("write: not found out, an operation is in progress", error)
    except AksEtagError as error:
        checks.fail("write: it is refused", error)
    else:
        checks.fail("write: one under a stale eTag was accepted, so that this service guards nothing")
