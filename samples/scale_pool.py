# SPDX-License-Identifier: MIT
"""Scale a pool while somebody else writes: the update reads again, adds its node to what is there now, and wins.

Runs on an AKS in this process. For a real one, make the client with
``AksClient(DefaultAzureCredential(), subscription_id)`` and leave the rival out.
"""

from typing import Any

from aks_etag import AksClient, Conflict, Event
from aks_etag.mock import MockAks


def one_more(body: dict[str, Any]) -> None:
    """Add a node to however many there are: it may run any number of times, always on a fresh copy."""
    body["properties"]["count"] += 1


def scale(aks: AksClient, resource_group: str, cluster: str, pool: str) -> int:
    """Add one node and return how many there are now."""
    result = aks.cluster(resource_group, cluster).agent_pool(pool).update(one_more)
    assert result.snapshot is not None
    print(f"{result.outcome} after {result.conflicts} conflict(s), sent {result.condition}")
    return int(result.snapshot.body["properties"]["count"])


def main() -> None:
    """Let somebody scale the pool to ten between our read and our write."""

    def ten(body: dict[str, Any]) -> None:
        body["properties"]["count"] = 10

    def hear(event: Event) -> None:
        if isinstance(event, Conflict):
            print(f'somebody was faster: "{event.sent}" is not the version any more')

    mock = MockAks()
    mock.add_cluster("rg", "prod", pools={"np1": {"count": 3}})
    mock.before_write(lambda: mock.edit("rg", "prod", "np1", ten), times=1)
    with mock.client(on_event=hear) as aks:
        print(f"np1 has {scale(aks, 'rg', 'prod', 'np1')} nodes")


if __name__ == "__main__":
    main()
