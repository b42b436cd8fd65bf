# SPDX-License-Identifier: MIT
"""A rolling label change over all pools of a cluster: one at a time, each guarded, safe to run again after a stop."""

from aks_etag import AksClient, ResourceGoneError, merge_patch
from aks_etag.mock import MockAks


def roll_out(aks: AksClient, resource_group: str, cluster: str, labels: dict[str, str | None]) -> None:
    """Set labels (``None`` removes one) on every pool; what has them already is not written again."""
    change = merge_patch({"properties": {"nodeLabels": labels}})
    for seen in aks.cluster(resource_group, cluster).agent_pools():
        try:
            result = aks.at(seen).update(change)
        except ResourceGoneError:
            print(f"{seen.name}: deleted meanwhile")
        else:
            print(f"{seen.name}: {result.outcome}")


def main() -> None:
    """Roll out twice: the second run finds nothing to do."""
    mock = MockAks()
    mock.add_cluster("rg", "prod", pools={"np1": {"count": 3}, "np2": {"count": 1}, "np3": {"count": 2}})
    with mock.client() as aks:
        roll_out(aks, "rg", "prod", {"stage": "test", "old": None})
        writes = aks.stats.writes
        roll_out(aks, "rg", "prod", {"stage": "test", "old": None})
        print(f"{writes} writes, then {aks.stats.writes - writes}")


if __name__ == "__main__":
    main()
