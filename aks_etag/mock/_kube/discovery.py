# SPDX-License-Identifier: MIT
"""Discovery: groups, versions and resources, also in one aggregated answer."""

from __future__ import annotations

import hashlib
from typing import Any, Final

from aks_etag.mock._core.answers import Answer
from aks_etag.mock._kube.call import Call
from aks_etag.mock._kube.kinds import Kind
from aks_etag.mock._kube.refusals import USUAL_HEADERS, json_answer, unknown_path
from aks_etag.mock._kube.store import KubeStore

AGGREGATED: Final = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
VERSION: Final = {"major": "1", "minor": "36", "gitVersion": "v1.36.2", "platform": "linux/amd64"}
_VERBS: Final = ("create", "delete", "get", "list", "patch", "update")


def discover(store: KubeStore, call: Call) -> Answer | None:
    """Answer a path of the discovery; None where it is none."""
    parts = call.path.strip("/").split("/")
    if parts == ["version"]:
        return json_answer(200, VERSION, row="version")
    if parts[0] not in ("api", "apis") or len(parts) > (2 if parts[0] == "api" else 3):
        return None
    kinds = [kind for kind in store.kinds() if bool(kind.group) == (parts[0] == "apis")]
    if len(parts) == 1 and "as=APIGroupDiscoveryList" in call.headers.get("accept", ""):
        return _aggregated(call, kinds)
    if parts == ["api"]:
        return json_answer(200, {"kind": "APIVersions", "versions": ["v1"]}, row="versions")
    if parts == ["apis"]:
        groups = [_group(group, kinds) for group in sorted({kind.group for kind in kinds})]
        return json_answer(200, {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}, row="groups")
    if parts[0] == "apis" and len(parts) == 2:
        if all(kind.group != parts[1] for kind in kinds):
            raise unknown_path()
        return json_answer(200, {"kind": "APIGroup", "apiVersion": "v1", **_group(parts[1], kinds)}, row="group")
    group, version = ("", parts[1]) if parts[0] == "api" else (parts[1], parts[2])
    return _resources(group, version, kinds)


def _resources(group: str, version: str, kinds: list[Kind]) -> Answer:
    found = [kind for kind in kinds if kind.group == group and version in kind.served]
    if not found:
        raise unknown_path()
    resources = [resource for kind in found for resource in _of_kind(kind, version)]
    shown = {"kind": "APIResourceList", "groupVersion": found[0].api_version(version), "resources": resources}
    return json_answer(200, shown, row="resources")


def _of_kind(kind: Kind, version: str) -> list[dict[str, Any]]:
    common = {"singularName": kind.kind.lower(), "namespaced": kind.namespaced, "kind": kind.kind}
    own = {"name": kind.plural, **common, "verbs": list(_VERBS)}
    parts = [name for name in ("scale", "status") if kind.has(name, version)]
    return [own, *({"name": f"{kind.plural}/{name}", **common, "verbs": ["get", "patch", "update"]} for name in parts)]


def _group(group: str, kinds: list[Kind]) -> dict[str, Any]:
    names = list(dict.fromkeys(name for kind in kinds if kind.group == group for name in kind.served))
    versions = [{"groupVersion": f"{group}/{name}", "version": name} for name in names]
    return {"name": group, "versions": versions, "preferredVersion": versions[0] if versions else None}


def _aggregated(call: Call, kinds: list[Kind]) -> Answer:
    items = []
    for group in sorted({kind.group for kind in kinds}):
        own = [kind for kind in kinds if kind.group == group]
        names = dict.fromkeys(name for kind in own for name in kind.served)
        versions = [
            {"version": name, "resources": [_short(kind) for kind in own if name in kind.served]} for name in names
        ]
        items.append({"metadata": {"name": group} if group else {}, "versions": versions})
    shown = {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items}
    answer = json_answer(200, shown, row="aggregated", headers={"Content-Type": AGGREGATED, "Vary": "Accept"})
    tag = '"' + hashlib.sha256(answer.body).hexdigest().upper() + '"'
    if call.headers.get("if-none-match") == tag:
        return Answer(status=304, row="not modified", headers={**USUAL_HEADERS, "ETag": tag, "Vary": "Accept"})
    return Answer(status=200, row=answer.row, headers={**answer.headers, "ETag": tag}, body=answer.body)


def _short(kind: Kind) -> dict[str, Any]:
    return {
        "resource": kind.plural,
        "responseKind": {"group": kind.group, "kind": kind.kind},
        "scope": "Namespaced" if kind.namespaced else "Cluster",
        "verbs": list(_VERBS),
    }
