# SPDX-License-Identifier: MIT
"""``group create``: the first step of the eTag article."""

from __future__ import annotations

from typing import Any, Final

import click

from .._core.messages import Request
from .._core.resource_id import check_name
from .._core.verdict import Verdict, judge_write
from .._flows.budget import Budget
from .._flows.effects import Flow, send
from .._flows.failures import refusal
from .._flows.options import Options
from .._flows.read import fetch
from ..errors import AlreadyExistsError, NotFoundError
from . import _options
from ._config import needed
from ._output import show
from ._session import Where, session

API_VERSION: Final = "2024-03-01"


@click.command(epilog="\b\nExample:\n  aks-etag group create -n RG -l westeurope")
@click.option("-n", "-g", "--name", "--resource-group", "name", metavar="RG", required=True, help="Name of the group.")
@click.option("-l", "--location", metavar="REGION", help="Region; default: az configure.")
@_options.output
@_options.where
def create(where: Where, name: str, location: str | None, shown: str, query: str | None) -> None:
    """Create a resource group; one that is there already in that region stays as it is."""
    check_name("resource group name", needed(name, None, "--name", ""))
    region = needed(location, where.known.location, "--location", "give -l, or az configure --defaults location=…")
    with session(where) as (aks, _):
        body = aks._run(_made(aks.subscription_id, name, region, aks._settings.options), aks._settings)
    show(body, shown, query)


def _made(subscription: str, name: str, location: str, options: Options) -> Flow[Any]:
    """Return the group: as it is where it is there, since a PUT would take its tags away."""
    url = f"/subscriptions/{subscription}/resourcegroups/{name}?api-version={API_VERSION}"
    budget = yield from Budget.start(url.partition("?")[0], options)
    try:
        there = (yield from fetch(Request(method="GET", url=url), budget)).body
    except NotFoundError:
        return (yield from _put(Request(method="PUT", url=url, body={"location": location}), budget))
    if _plain(there.get("location", "")) != _plain(location):
        raise AlreadyExistsError(f"the resource group {name} is there already, in {there.get('location')}")
    return there


def _put(request: Request, budget: Budget) -> Flow[Any]:
    """Put the group: the same each time, so that it may be sent again."""
    tries = 0
    while True:
        tries += 1
        outcome = yield from send((yield from budget.allowed(request, "a resource group")))
        verdict = judge_write(outcome)
        if verdict is Verdict.ACCEPTED:
            return getattr(outcome, "body", None)
        if verdict is Verdict.THROTTLED:
            yield from budget.throttled(outcome)
        elif verdict in (Verdict.UNSURE, Verdict.NOT_SENT):
            yield from budget.back_off(tries, "a resource group", cause=outcome)
        else:
            raise refusal(budget.resource_id, verdict, outcome)


def _plain(region: str) -> str:
    """Spell "West Europe" as "westeurope"."""
    return region.replace(" ", "").casefold()
