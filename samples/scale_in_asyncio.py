# SPDX-License-Identifier: MIT
"""The same job in asyncio: several tasks add nodes to one pool at once, and every one of them counts."""

import asyncio
from typing import Any

from aks_etag import AsyncAgentPool, ConflictRetry
from aks_etag.mock import MockAks

TASKS = 5


def one_more(body: dict[str, Any]) -> None:
    """Add a node to however many there are."""
    body["properties"]["count"] += 1


async def add_node(pool: AsyncAgentPool, task: int) -> None:
    """Add one node, whoever else does what."""
    result = await pool.update(one_more)
    print(f"task {task}: {result.outcome} after {result.conflicts} conflict(s)")


async def main() -> None:
    """Let five tasks scale a pool of three nodes."""
    mock = MockAks()
    mock.add_cluster("rg", "prod", pools={"np1": {"count": 3}})
    async with mock.async_client(conflict_retry=ConflictRetry(attempts=100)) as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        await asyncio.gather(*(add_node(pool, task) for task in range(TASKS)))
        print(f"np1 has {(await pool.get()).body['properties']['count']} nodes")


if __name__ == "__main__":
    asyncio.run(main())
