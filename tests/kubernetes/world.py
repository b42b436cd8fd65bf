# SPDX-License-Identifier: MIT
"""Where the scenarios happen: the fake API server over its socket, or a real one that the environment names."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest

from aks_etag import NotFoundError
from aks_etag.kubernetes import KubernetesClient, Object
from aks_etag.mock.kubernetes import MockKubernetes

T = TypeVar("T")

DEFINITIONS = ("apiextensions.k8s.io/v1", "CustomResourceDefinition", None)
# A definition is served a moment after it was created: so many tries, each a request, are a long moment.
TRIES = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A server, and what this run may do there."""

    kube: KubernetesClient
    namespace: str
    group: str

    def config(self, data: dict[str, str] | None = None, **labels: str) -> Object:
        """Return a ConfigMap of its own for a scenario; created where data are given."""
        handle = self.kube.object("v1", "ConfigMap", self.namespace, f"c-{uuid.uuid4().hex[:12]}")
        if data is not None:
            handle.create({"data": data, "metadata": {"labels": labels}})
        return handle

    def widget(self, version: str, name: str) -> Object:
        """Return a custom object in one of its two versions."""
        return self.kube.object(f"{self.group}/{version}", "Widget", self.namespace, name)


def named_server() -> Iterator[KubernetesClient]:
    url, bundle, token = (os.environ.get(f"AKS_ETAG_TEST_KUBE_{name}") for name in ("URL", "CA", "TOKEN"))
    if not url:
        pytest.skip("AKS_ETAG_TEST_KUBE_URL, AKS_ETAG_TEST_KUBE_CA and AKS_ETAG_TEST_KUBE_TOKEN name no API server")
    with KubernetesClient(url, token=token, verify=bundle or True, polling_interval=0) as kube:
        yield kube


def fake_server() -> Iterator[KubernetesClient]:
    with MockKubernetes().serve() as url, KubernetesClient(url, token="t", polling_interval=0) as kube:
        yield kube


def definition(group: str) -> dict[str, Any]:
    """Return a kind with two versions of the same shape, the first of which is stored."""
    shape = {
        "type": "object",
        "properties": {
            "spec": {"type": "object", "properties": {"size": {"type": "integer"}, "color": {"type": "string"}}},
            "status": {"type": "object", "properties": {"phase": {"type": "string"}}},
        },
    }
    common = {"served": True, "schema": {"openAPIV3Schema": shape}, "subresources": {"status": {}}}
    names = {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"}
    versions = [{"name": "v1alpha1", "storage": True, **common}, {"name": "v1", "storage": False, **common}]
    return {"spec": {"group": group, "scope": "Namespaced", "names": names, "versions": versions}}


def made(servers: Iterator[KubernetesClient]) -> Iterator[World]:
    """Make a namespace and a definition for one run, and remove them after it."""
    run = uuid.uuid4().hex[:8]
    group = f"aks-etag-{run}.example.com"
    for kube in servers:
        namespace = kube.object("v1", "Namespace", None, f"aks-etag-{run}")
        kinds = kube.object(*DEFINITIONS, f"widgets.{group}")
        try:
            namespace.create({})
            kinds.create(definition(group))
            yield World(kube=kube, namespace=namespace.name, group=group)
        finally:
            for each in (namespace, kinds):
                assert each.delete(only_if=lambda now: True).outcome in ("deleted", "updated", "absent")


def once_served(call: Callable[[], T]) -> T:
    for _ in range(TRIES):
        try:
            return call()
        except NotFoundError:
            continue
    return call()
