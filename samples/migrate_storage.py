# SPDX-License-Identifier: MIT
"""Move 2,000 stored objects of a CRD to another version while others keep writing, and drop the old version."""

from itertools import count, cycle
from typing import Any

from aks_etag.kubernetes import KubernetesClient
from aks_etag.kubernetes.migration import Migration, Progress, check_storage
from aks_etag.mock import MockKubernetes

OBJECTS = 2000
CRD = "widgets.lab.example.com"


def main() -> None:
    """Look first, migrate, and look again."""
    server = prepared()
    hits = live_writers(server)
    with KubernetesClient(server.url, token="t", transport=server.httpx_transport(), clock=server.clock) as kube:
        for reason in check_storage(kube, CRD, "v1beta1").reasons:
            print(f"before: {reason}")
        with Migration(kube, CRD, to="v1", chunk=500, on_progress=show) as migration:
            found = migration.preflight()
            print(f"pre-flight: {len(found.pruned)} would lose fields, {len(found.problems)} would be refused")
            report = migration.run()
        print(
            f"after: {check_storage(kube, CRD, 'v1').stored_versions} stored, {report.conflicts} conflicts on the way"
        )
        counted = sum(each.body["spec"]["hits"] for each in kube.objects("lab.example.com/v1", "Widget"))
        print(f"{counted} of {next(hits)} updates of the live writers are there")
        print(f"{report.objects} objects, {report.left} left in v1beta1")


def show(progress: Progress) -> None:
    """Print one line of progress."""
    of = f" {progress.done}/{progress.total}, {progress.moved} moved" if progress.done else ""
    print(f"{progress.phase}{of}")


def prepared() -> MockKubernetes:
    """Make a server whose widgets are stored in v1beta1, right in the race that follows a flip."""
    server = MockKubernetes(flip_race=100)
    fields = {"hits": {"type": "integer"}}
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": fields}}}
    versions = [
        {"name": name, "served": True, "storage": storage, "schema": {"openAPIV3Schema": schema}}
        for name, storage in (("v1beta1", True), ("v1", False))
    ]
    names = {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"}
    spec = {"group": "lab.example.com", "scope": "Namespaced", "names": names, "versions": versions}
    kind = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
    server.add({**kind, "metadata": {"name": CRD}, "spec": spec})
    for number in range(OBJECTS):
        metadata = {"name": f"w{number:04}", "namespace": "lab"}
        server.add(
            {"apiVersion": "lab.example.com/v1beta1", "kind": "Widget", "metadata": metadata, "spec": {"hits": 0}}
        )
    return server


def live_writers(server: MockKubernetes) -> "count[int]":
    """Let three writers hit a widget each before every twentieth write; return their counter."""
    hits, turn, writers = count(), count(), cycle(["alice", "bob", "carol"])

    def hit(body: dict[str, Any]) -> None:
        body["spec"]["hits"] += 1

    def write() -> None:
        number = next(turn)
        if number % 20 == 0:
            for step in (1, 7, 400):
                name = f"w{(number + step) % OBJECTS:04}"
                server.edit("lab.example.com/v1", "Widget", "lab", name, hit, next(writers))
                next(hits)

    server.before_write(write)
    return hits


if __name__ == "__main__":
    main()
