# SPDX-License-Identifier: MIT
"""Delete only the version you saw: if somebody put the pool to use in the meantime, it stays."""

from typing import Any

from aks_etag import AksClient, PreconditionFailedError, Snapshot
from aks_etag.mock import MockAks


def idle(pool: Snapshot) -> bool:
    """Whether nobody has claimed the pool."""
    return "team" not in pool.body["properties"].get("nodeLabels", {})


def delete_idle_pools(aks: AksClient, mock: MockAks) -> None:
    """Delete every pool that was idle when it was looked at, and still is that version."""

    def claim(body: dict[str, Any]) -> None:
        body["properties"]["nodeLabels"] = {"team": "red"}

    pools = list(aks.cluster("rg", "prod").agent_pools())
    mock.edit("rg", "prod", "batch2", claim)  # a colleague is faster than this loop
    for seen in filter(idle, pools):
        if seen.body["properties"]["mode"] == "System":
            continue
        try:
            print(f"{seen.name}: {aks.at(seen).delete(if_match=seen).outcome}")
        except PreconditionFailedError as error:
            print(f"{seen.name}: kept, it is not the version that was looked at ({error.status_code})")


def main() -> None:
    """Look at three pools, of which one is claimed a moment later."""
    mock = MockAks()
    mock.add_cluster("rg", "prod", pools={"np1": {"count": 3, "mode": "System"}})
    for name in ("batch1", "batch2"):
        mock.add_pool("rg", "prod", name, {"count": 1, "mode": "User"})
    with mock.client() as aks:
        delete_idle_pools(aks, mock)


if __name__ == "__main__":
    main()
