# SPDX-License-Identifier: MIT
"""Forty threads change the same pool at once, and the service sees a single write: group commit."""

from concurrent.futures import ThreadPoolExecutor

from aks_etag import AgentPool, WriteResult, merge_patch
from aks_etag.mock import MockAks

TEAMS = [f"team-{number}" for number in range(40)]


def enroll(pool: AgentPool, team: str) -> WriteResult:
    """Set one label; what others set stays."""
    return pool.update(merge_patch({"properties": {"nodeLabels": {team: "yes"}}}))


def main() -> None:
    """Let all teams enroll at the same time."""
    mock = MockAks()
    mock.add_cluster("rg", "prod", pools={"np1": {"count": 3}})
    with mock.client(group_commit=True, linger=1.0) as aks, ThreadPoolExecutor(len(TEAMS)) as threads:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        results = list(threads.map(lambda team: enroll(pool, team), TEAMS))
        labels = pool.get().body["properties"]["nodeLabels"]
    writes = {result.request_id for result in results}
    print(f"{len(labels)} labels by {len(results)} calls; fewer writes than calls: {len(writes) < len(results)}")


if __name__ == "__main__":
    main()
