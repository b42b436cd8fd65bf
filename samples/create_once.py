# SPDX-License-Identifier: MIT
"""Create a pool only once, however many pipelines start at once: ``If-None-Match: *`` lets one of them in."""

from concurrent.futures import ThreadPoolExecutor

from aks_etag import AksClient, AlreadyExistsError
from aks_etag.mock import MockAks

POOL = {"properties": {"count": 2, "vmSize": "Standard_DS2_v2", "osType": "Linux", "mode": "User"}}


def ensure(aks: AksClient, pipeline: int) -> str:
    """Create the pool, or find that somebody else did."""
    try:
        aks.cluster("rg", "prod").agent_pool("batch").create(POOL)
    except AlreadyExistsError:
        return f"pipeline {pipeline}: it is there already"
    return f"pipeline {pipeline}: created it"


def main() -> None:
    """Start four pipelines at once."""
    mock = MockAks()
    mock.add_cluster("rg", "prod")
    with mock.client() as aks, ThreadPoolExecutor(4) as pipelines:
        for line in sorted(pipelines.map(lambda number: ensure(aks, number), range(4))):
            print(line)
    print(f"{len(mock.commits)} pool was created")


if __name__ == "__main__":
    main()
