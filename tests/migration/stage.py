# SPDX-License-Identifier: MIT
"""A CRD with a stored v1beta1 and a served v1, objects of it, and other writers that never rest."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from aks_etag.kubernetes import KubernetesClient
from aks_etag.mock import MockKubernetes

NAME = "widgets.lab.example.com"
CRD = ("apiextensions.k8s.io/v1", "CustomResourceDefinition", None, NAME)
OLD, NEW = "v1beta1", "v1"
FIELDS = {"size": {"type": "integer"}, "hits": {"type": "integer"}, "color": {"type": "string"}}


def version(name: str, *, served: bool = True, storage: bool = False, **fields: Any) -> dict[str, Any]:
    """Write one version of the definition."""
    spec = {"type": "object", "properties": {**FIELDS, **fields}}
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}
    return {"name": name, "served": served, "storage": storage, "schema": schema}


def definition(*versions: dict[str, Any]) -> dict[str, Any]:
    """Write the definition; by default v1beta1 is stored, and v1 served."""
    names = {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"}
    chosen = list(versions) or [version(OLD, storage=True), version(NEW)]
    spec = {"group": "lab.example.com", "scope": "Namespaced", "names": names, "versions": chosen}
    return {"apiVersion": CRD[0], "kind": CRD[1], "metadata": {"name": NAME}, "spec": spec}


def widget(name: str, api_version: str = OLD, **spec: Any) -> dict[str, Any]:
    """Write a widget."""
    metadata = {"name": name, "namespace": "lab"}
    return {"apiVersion": f"lab.example.com/{api_version}", "kind": "Widget", "metadata": metadata, "spec": spec}


class Stage:
    """A server with widgets, a client of it, and what a test asks of both."""

    def __init__(self, count: int = 12, *versions: dict[str, Any], **settings: Any) -> None:
        self.server = MockKubernetes(**settings)
        self.server.add(definition(*versions))
        self.names = [f"w{number:04}" for number in range(count)]
        for name in self.names:
            self.server.add(widget(name, size=1, hits=0))
        self.kube = self.client()

    def client(self) -> KubernetesClient:
        """Return another client."""
        transport, clock = self.server.httpx_transport(), self.server.clock
        return KubernetesClient(self.server.url, token="t", transport=transport, clock=clock)

    def crd(self) -> dict[str, Any]:
        """Return the definition as it is now."""
        body = self.server.object(*CRD)
        assert body is not None
        return body

    def stored_versions(self) -> list[str]:
        """Return what the definition says is stored."""
        return list(self.crd()["status"]["storedVersions"])

    def versions(self) -> list[str]:
        """Return the names of the versions."""
        return [each["name"] for each in self.crd()["spec"]["versions"]]

    def left(self) -> list[str]:
        """Return the widgets that are stored in the old version."""
        return [name for name in self.names if self.server.stored_version(NAME, "lab", name) == OLD]

    def widget(self, name: str) -> dict[str, Any]:
        """Return a widget as it is now."""
        body = self.server.object(f"lab.example.com/{NEW}", "Widget", "lab", name)
        assert body is not None
        return body

    def hits(self) -> int:
        """Return how many hits all widgets have together."""
        return sum(self.widget(name)["spec"]["hits"] for name in self.names)


class Writers:
    """Three writers that hit a random widget, before each write of anybody else; through either version."""

    def __init__(self, stage: Stage, seed: int = 7) -> None:
        self._stage = stage
        self._random = random.Random(seed)
        self.written = 0
        self.through: Callable[[], str] = lambda: self._random.choice([OLD, NEW])
        stage.server.before_write(self._write)

    def _write(self) -> None:
        served = {each["name"] for each in self._stage.crd()["spec"]["versions"] if each["served"]}
        for writer in range(3):
            chosen = self.through()
            place = f"lab.example.com/{chosen if chosen in served else NEW}"
            name = self._random.choice(self._stage.names)
            self._stage.server.edit(place, "Widget", "lab", name, _hit, f"writer-{writer}")
            self.written += 1


def _hit(body: dict[str, Any]) -> None:
    body["spec"]["hits"] += 1
