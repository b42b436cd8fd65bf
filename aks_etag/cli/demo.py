# SPDX-License-Identifier: MIT
"""``aks-etag demo``: the story of the eTag article, then the status table, on an AKS in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import click

from .. import AksClient, AlreadyExistsError, Conflict, Event, PreconditionFailedError, Snapshot
from .._status_table import PREFLIGHT, ROWS
from ..mock import MockAks
from .table import check

GROUP, CLUSTER = "rg-demo", "prod"
BODY = {
    "location": "region1",
    "identity": {"type": "SystemAssigned"},
    "properties": {
        "dnsPrefix": "prod",
        "agentPoolProfiles": [
            {"name": "np1", "count": 3, "vmSize": "Standard_DS2_v2", "mode": "System", "osType": "Linux"}
        ],
    },
}


@dataclass(slots=True)
class Story:
    """Steps with what is expected of each; it counts what comes out otherwise."""

    quiet: bool
    steps: int = 0
    failures: list[str] = field(default_factory=list)

    def say(self, text: str = "") -> None:
        """Print a line, unless told to be quiet."""
        if not self.quiet:
            print(text)

    def step(self, title: str, expected: str, observed: str) -> None:
        """Print a step, and compare what was expected with what was observed."""
        self.steps += 1
        agrees = expected == observed
        if not agrees:
            self.failures.append(title)
        self.say(f"{self.steps:>2}. {title}")
        self.say(f"      {'ok ' if agrees else 'NOT'}  expected {expected}; observed {observed}")


@click.command(epilog="\b\nExample:\n  aks-etag demo && echo all rows as documented")
@click.option("--quiet", is_flag=True, help="Print only the verdict.")
def demo(quiet: bool) -> int:
    """Tell the story of the eTag article on an embedded mock, then check the status table row by row.

    Needs no account and no network; the exit code is 1 if anything came out otherwise.
    """
    return demonstrate(quiet=quiet)


def demonstrate(*, quiet: bool = False) -> int:
    """Tell the story; return 0 only if every step and every row of the table came out as expected."""
    story = Story(quiet)
    story.say("An AKS in this process; nothing leaves this machine.\n")
    _tell(story)
    story.say("\nThe status table: what is documented, what this AKS answers, what AksClient makes of it.\n")
    for kind in ("cluster", "pool"):
        for row in (*ROWS, *PREFLIGHT):
            found = check(row, kind)
            if not found.agrees:
                story.failures.append(f"{kind}: {row.name}")
            story.say(found.line)
        story.say()
    if story.failures:
        print("not as expected: " + "; ".join(story.failures), file=sys.stderr)
        return 1
    print(f"{story.steps} steps and {2 * (len(ROWS) + len(PREFLIGHT))} rows of the table: all as expected")
    return 0


def _tell(story: Story) -> None:
    mock = MockAks()
    mock.add_resource_group(GROUP)
    story.step(f"create the resource group {GROUP}", "created", "created" if GROUP in _groups(mock) else "missing")
    events: list[Event] = []
    with mock.client(on_event=events.append) as aks:
        cluster = aks.cluster(GROUP, CLUSTER)
        created = cluster.create(BODY)
        story.step(
            f"create the cluster {CLUSTER} with If-None-Match: *", "created 201", f"{created.outcome} {created.status}"
        )
        again = _refused(AlreadyExistsError, lambda: cluster.create(BODY))
        story.step("create it a second time", "AlreadyExistsError 412", again)
        _races(story, mock, aks, events)
        _deletion(story, aks)


def _races(story: Story, mock: MockAks, aks: AksClient, events: list[Event]) -> None:
    pool = aks.cluster(GROUP, CLUSTER).agent_pool("np1")
    seen = pool.get()
    mock.edit(GROUP, CLUSTER, "np1", _scaled_to(7))
    stale = {**seen.body, "properties": {**seen.body["properties"], "count": 4}}
    refused = _refused(PreconditionFailedError, lambda: pool.put(stale, if_match=seen))
    story.step(
        "somebody scales np1 from 3 to 7; write a stale 4 with the eTag seen before",
        "PreconditionFailedError 412",
        refused,
    )
    mock.before_write(lambda: mock.edit(GROUP, CLUSTER, "np1", _scaled_to(10)), times=1)
    result = pool.update(_one_more)
    count = _count(result.snapshot)
    conflicts = sum(isinstance(event, Conflict) for event in events)
    story.step(
        "add one node with update(); somebody scales to 10 between its read and its write",
        "updated, 11 nodes, 1 conflict",
        f"{result.outcome}, {count} nodes, {conflicts} conflict",
    )


def _deletion(story: Story, aks: AksClient) -> None:
    cluster = aks.cluster(GROUP, CLUSTER)
    cluster.agent_pool("np2").create({"properties": {"count": 1, "vmSize": "Standard_DS2_v2", "osType": "Linux"}})
    extra = cluster.agent_pool("np2")
    old = extra.get()
    extra.update(_one_more)
    refused = _refused(PreconditionFailedError, lambda: extra.delete(if_match=old))
    story.step("delete np2 by a version that is not there any more", "PreconditionFailedError 412", refused)
    gone = extra.delete(if_match=extra.get())
    story.step("delete the version of np2 that was just seen", "deleted", gone.outcome)


def _refused(kind: type[AlreadyExistsError | PreconditionFailedError], call: Callable[[], object]) -> str:
    try:
        call()
    except kind as error:
        return f"{type(error).__name__} {error.status_code}"
    return "no refusal"


def _scaled_to(count: int) -> Callable[[dict[str, Any]], None]:
    def change(body: dict[str, Any]) -> None:
        body["properties"]["count"] = count

    return change


def _one_more(body: dict[str, Any]) -> None:
    body["properties"]["count"] += 1


def _count(snapshot: Snapshot | None) -> int:
    return -1 if snapshot is None else int(snapshot.body["properties"]["count"])


def _groups(mock: MockAks) -> str:
    import httpx

    with httpx.Client(transport=mock.httpx_transport()) as http:
        url = f"https://management.azure.com/subscriptions/{mock.subscription_id}/resourcegroups/{GROUP}"
        return http.get(url, params={"api-version": "2024-07-01"}).text
