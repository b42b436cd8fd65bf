# SPDX-License-Identifier: MIT
"""What a check reads of the migrator that is built into newer servers."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag.kubernetes.migration import ServerMigration, check_storage, migrate_storage

from .stage import CRD, NAME, NEW, OLD, Stage

GROUP = "storagemigration.k8s.io"
SINCE = "2026-11-30T09:54:45Z"


def migration(name: str, *true: str, plural: str = "widgets", group: str = "lab.example.com") -> dict[str, Any]:
    """Write a StorageVersionMigration with conditions."""
    conditions = [
        {"type": each, "status": "True", "lastTransitionTime": SINCE, "message": f"it is {each}"} for each in true
    ] + [{"type": "Failed", "status": "False"}]
    return {
        "apiVersion": f"{GROUP}/v1beta1",
        "kind": "StorageVersionMigration",
        "metadata": {"name": name},
        "spec": {"resource": {"group": group, "resource": plural}},
        "status": {"conditions": conditions},
    }


def staged(*bodies: dict[str, Any]) -> Stage:
    stage = Stage(3, storage_migrator=True)
    place = (f"{GROUP}/v1beta1", "StorageVersionMigration")
    for body in bodies:
        stage.server.add(body)
        name, status = body["metadata"]["name"], body["status"]
        stage.server.edit(*place, None, name, lambda live, status=status: {**live, "status": status})
    return stage


def test_a_server_without_a_migrator_says_nothing() -> None:
    assert check_storage(Stage(1).kube, NAME, OLD).server_migrations is None


def test_a_migrator_that_we_may_not_see_says_nothing() -> None:
    stage = staged()
    stage.server.switches.deny = [("list", "storageversionmigrations")]
    assert check_storage(stage.kube, NAME, OLD).server_migrations is None


def test_migrations_of_this_definition_are_told_with_their_state() -> None:
    stage = staged(
        migration("a", "Running", "Succeeded"),
        migration("b", "Failed"),
        migration("c", "Running"),
        migration("d"),
        migration("other-kind", "Running", plural="gadgets"),
        migration("other-group", "Running", group="elsewhere.example.com"),
    )
    verdict = check_storage(stage.kube, NAME, OLD)
    assert verdict.server_migrations == (
        ServerMigration(name="a", state="succeeded", since=SINCE, message="it is Succeeded"),
        ServerMigration(name="b", state="failed", since=SINCE, message="it is Failed"),
        ServerMigration(name="c", state="running", since=SINCE, message="it is Running"),
        ServerMigration(name="d", state="pending", since="", message=""),
    )
    assert [each for each in verdict.reasons if "migration" in each] == [
        "the server's own migration c is running",
        "the server's own migration d is pending",
    ]


@pytest.mark.parametrize("state", ["Succeeded", "Failed"])
def test_a_migration_that_is_over_stands_in_nobodys_way(state: str) -> None:
    stage = staged(migration("a", state))
    migrate_storage(stage.kube, NAME, to=NEW, remove_old=False)
    served = check_storage(stage.kube, NAME, OLD)
    assert served.reasons == (f"{OLD} is still served",)


def test_a_migration_that_runs_keeps_the_version() -> None:
    stage = staged(migration("a", "Running"))
    with pytest.raises(Exception, match="own migration a is running"):
        migrate_storage(stage.kube, NAME, to=NEW)
    assert stage.versions() == [OLD, NEW]


def test_the_condition_of_the_definition_counts_where_the_migrations_cannot_be_seen() -> None:
    stage = Stage(2)

    def condition(body: dict[str, Any]) -> None:
        condition = {"type": "StorageMigrating", "status": "True", "message": "Migration move-movers is running"}
        body["status"]["conditions"] = [*body["status"].get("conditions", []), condition]

    stage.server.edit(*CRD, condition)
    (reason,) = [each for each in check_storage(stage.kube, NAME, OLD).reasons if "migrator" in each]
    assert reason == "the server's own migrator says: Migration move-movers is running"
