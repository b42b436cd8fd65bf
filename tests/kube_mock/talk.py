# SPDX-License-Identifier: MIT
"""A client that knows the content types of patches, and the manifests that the tests share."""

from __future__ import annotations

import json
from typing import Any

import httpx

from aks_etag.mock.kubernetes import MockKubernetes

MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"
CONFIGMAPS = "/api/v1/namespaces/default/configmaps"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


class Api(httpx.Client):
    """An httpx client of one mock, in process or over its socket."""

    def __init__(self, kube: MockKubernetes, url: str | None = None) -> None:
        transport = None if url else kube.httpx_transport()
        super().__init__(transport=transport, base_url=url or kube.url, headers={"User-Agent": "kube-tests/1"})

    def write(self, path: str, patch: Any, kind: str = MERGE, **headers: str) -> httpx.Response:
        """Send a patch."""
        return self.patch(path, content=json.dumps(patch), headers={"Content-Type": kind, **headers})

    def apply(self, path: str, body: Any, manager: str, *, force: bool = False) -> httpx.Response:
        """Send a server-side apply."""
        query = {"fieldManager": manager, **({"force": "true"} if force else {})}
        headers = {"Content-Type": APPLY}
        return self.patch(path, params=query, content=json.dumps(body), headers=headers)

    def version(self, path: str) -> str:
        """Return the resourceVersion of an object."""
        return str(self.get(path).json()["metadata"]["resourceVersion"])


def configmap(name: str, namespace: str = "default", **data: str) -> dict[str, Any]:
    """Write a ConfigMap."""
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def schema(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    """Write a structural schema with a spec and a status."""
    spec = {"type": "object", "properties": properties, **({"required": list(required)} if required else {})}
    status = {"type": "object", "properties": {"phase": {"type": "string"}}}
    return {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec, "status": status}}}


WIDGET_FIELDS = {"size": {"type": "integer"}, "color": {"type": "string"}}


def version(
    name: str, *, served: bool = True, storage: bool = False, fields: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    """Write one version of a definition."""
    shape = schema(WIDGET_FIELDS if fields is None else fields, *more.pop("required", ()))
    common = {"name": name, "served": served, "storage": storage, "schema": shape}
    return {**common, "subresources": {"status": {}}, **more}


def definition(kind: str, *versions: dict[str, Any]) -> dict[str, Any]:
    """Write a CustomResourceDefinition in lab.example.com."""
    plural = f"{kind.lower()}s"
    names = {"plural": plural, "singular": kind.lower(), "kind": kind, "listKind": f"{kind}List"}
    spec = {"group": "lab.example.com", "scope": "Namespaced", "names": names, "versions": list(versions)}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.lab.example.com"},
        "spec": spec,
    }


def custom(kind: str, name: str, namespace: str, version: str = "v1alpha1", **spec: Any) -> dict[str, Any]:
    """Write a custom resource."""
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": f"lab.example.com/{version}", "kind": kind, "metadata": metadata, "spec": spec}


def reversion(kube: MockKubernetes, plural: str, *versions: dict[str, Any], stored: list[str] | None = None) -> None:
    """Change the versions of a definition, and then, if asked for, what it says is stored."""
    name = f"{plural}.lab.example.com"
    place = ("apiextensions.k8s.io/v1", "CustomResourceDefinition", None, name)
    if versions:
        kube.edit(*place, lambda body: body["spec"].update(versions=list(versions)))
    if stored is not None:
        kube.edit(*place, lambda body: body["status"].update(storedVersions=stored))
