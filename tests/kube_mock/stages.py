# SPDX-License-Identifier: MIT
"""What a server held when an exchange was recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aks_etag.mock.kubernetes import MockKubernetes

from .talk import DEFINITIONS, Api, configmap, custom, definition, reversion, version

Stage = Callable[[MockKubernetes, Api], object]

CM_SSA = "/api/v1/namespaces/lab-a/configmaps/cm-ssa"
OLD, OLD_ONLY = version("v1alpha1"), version("v1alpha1", storage=True)
NEW, NEW_ONLY = version("v1"), version("v1", storage=True)
POD = {
    "containers": [
        {"name": "main", "image": "example/main:1", "env": [{"name": "A", "value": "1"}]},
        {"name": "side", "image": "example/side:1"},
    ]
}


def empty(kube: MockKubernetes, api: Api) -> None:
    """The namespace lab-a, and nothing in it."""
    kube.add({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "lab-a"}})


def one(kube: MockKubernetes, api: Api) -> None:
    """The ConfigMap cm-1."""
    kube.add(configmap("cm-1", "lab-a", a="mp"), manager="lab-cli")


def migrator(kube: MockKubernetes, api: Api) -> None:
    """A server with a migrator of its own, and nothing for it to do."""
    kube.switches.storage_migrator = True


def migrating(kube: MockKubernetes, api: Api) -> None:
    """The migration move-movers, at work."""
    migrator(kube, api)
    path = "/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations"
    resource = {"group": "lab.example.com", "resource": "movers"}
    kind = {"apiVersion": "storagemigration.k8s.io/v1beta1", "kind": "StorageVersionMigration"}
    body = {**kind, "metadata": {"name": "move-movers"}, "spec": {"resource": resource}}
    live = api.post(path, json=body).raise_for_status().json()
    condition = {"type": "Running", "status": "True", "lastTransitionTime": "2026-11-30T09:54:45Z"}
    condition |= {"reason": "MigrationRunning", "message": "The migration is running"}
    live["status"] = {"conditions": [condition], "resourceVersion": "346"}
    api.put(f"{path}/move-movers/status", json=live).raise_for_status()


def again(kube: MockKubernetes, api: Api) -> None:
    """Two ConfigMaps that were deleted and created again."""
    for name in ("re", "re2"):
        kube.add(configmap(name, "lab-a", a="1"))
        kube.delete("v1", "ConfigMap", "lab-a", name)
        kube.add(configmap(name, "lab-a", a="1"))


def plain(kube: MockKubernetes, api: Api) -> None:
    """The ConfigMap cm-ssa before anybody applied."""
    kube.add(configmap("cm-ssa", "lab-a", a="1"))


def immutable(kube: MockKubernetes, api: Api) -> None:
    """A ConfigMap that says it does not change."""
    kube.add({**configmap("cm-imm", "lab-a", a="1"), "immutable": True})


def many(kube: MockKubernetes, api: Api) -> None:
    """25 ConfigMaps."""
    for number in range(25):
        kube.add(configmap(f"c-{number:03}", "lab-l", k="v"))


def expired(kube: MockKubernetes, api: Api) -> None:
    """25 ConfigMaps, and nothing older can be read."""
    many(kube, api)
    kube.expire_continue_tokens()


def applied(kube: MockKubernetes, api: Api) -> None:
    """cm-ssa, applied by mgr-one."""
    empty(kube, api)
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cm-ssa"}, "data": {"x": "1", "y": "1"}}
    api.apply(CM_SSA, body, "mgr-one").raise_for_status()


def shared(kube: MockKubernetes, api: Api) -> None:
    """cm-ssa, applied by mgr-one and mgr-two."""
    applied(kube, api)
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cm-ssa"}, "data": {"x": "2"}}
    api.apply(CM_SSA, body, "mgr-two", force=True).raise_for_status()


def updated(kube: MockKubernetes, api: Api) -> None:
    """cm-ssa, where mgr-upd has since taken y by an update, and mgr-one has z."""
    shared(kube, api)
    kube.edit("v1", "ConfigMap", "lab-a", "cm-ssa", lambda body: body["data"].update(y="upd"), manager="mgr-upd")
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cm-ssa"}, "data": {"z": "1"}}
    api.apply(CM_SSA, body, "mgr-one", force=True).raise_for_status()


def web(kube: MockKubernetes, api: Api) -> None:
    """The deployment web with two containers."""
    template = {"metadata": {"labels": {"app": "web"}}, "spec": POD}
    spec = {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    metadata = {"name": "web", "namespace": "lab-a"}
    kube.add({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}, manager="lab-cli")


def ending_namespace(kube: MockKubernetes, api: Api) -> None:
    """The namespace lab-term, which waits for one object."""
    held = configmap("held", "lab-term")
    held["metadata"]["finalizers"] = ["lab.example.com/hold"]
    kube.add(held)
    kube.delete("v1", "Namespace", None, "lab-term")


def ending_definition(kube: MockKubernetes, api: Api) -> None:
    """The definition of Terms, which waits for one object."""
    kube.add(definition("Term", NEW_ONLY))
    term = custom("Term", "t", "lab-a", "v1")
    term["metadata"]["finalizers"] = ["lab.example.com/hold"]
    kube.add(term)
    api.delete(f"{DEFINITIONS}/terms.lab.example.com").raise_for_status()


def widgets(kube: MockKubernetes, api: Api) -> None:
    """Widgets in their first version."""
    kube.add(definition("Widget", OLD_ONLY))
    for name in ("w-old", "w-put"):
        kube.add(custom("Widget", name, "lab-a", size=1, color="red"))
    metadata = {"name": "w-mf"}
    body = {"apiVersion": "lab.example.com/v1alpha1", "kind": "Widget", "metadata": metadata, "spec": {"size": 5}}
    api.apply("/apis/lab.example.com/v1alpha1/namespaces/lab-a/widgets/w-mf", body, "ssa-old").raise_for_status()


def two_versions(kube: MockKubernetes, api: Api) -> None:
    """Widgets that are served in a second version."""
    widgets(kube, api)
    reversion(kube, "widgets", OLD_ONLY, NEW)


def flipped(kube: MockKubernetes, api: Api) -> None:
    """Widgets that are stored in the second version from now on; w-old is still stored in the first."""
    two_versions(kube, api)
    reversion(kube, "widgets", OLD, NEW_ONLY)
    for name in ("w-put", "w-mf"):
        api.write(f"/apis/lab.example.com/v1/namespaces/lab-a/widgets/{name}", {}).raise_for_status()


def trimmed(kube: MockKubernetes, api: Api) -> None:
    """The same, and the list of stored versions no longer says so."""
    flipped(kube, api)
    reversion(kube, "widgets", stored=["v1"])


def unserved(kube: MockKubernetes, api: Api) -> None:
    """The same, and the first version is not served."""
    trimmed(kube, api)
    reversion(kube, "widgets", version("v1alpha1", served=False), NEW_ONLY)


def removed(kube: MockKubernetes, api: Api) -> None:
    """The same, and the first version is gone."""
    unserved(kube, api)
    reversion(kube, "widgets", NEW_ONLY)


def gadgets(kube: MockKubernetes, api: Api) -> None:
    """Gadgets whose new version requires a mode, and a policy that denies big ones."""
    old = {"size": {"type": "integer"}, "mode": {"type": "string"}, "legacy": {"type": "string"}}
    new = {name: old[name] for name in ("size", "mode")}
    kube.add(definition("Gadget", version("v1alpha1", storage=True, fields=old)))
    kube.add(custom("Gadget", "g-legacy", "lab-a", size=1, legacy="x"))
    kube.add(custom("Gadget", "g-deny", "lab-a", size=66, mode="m"))
    later = version("v1", storage=True, fields=new, required=["mode"])
    reversion(kube, "gadgets", version("v1alpha1", fields=old), later)
    kube.admit(lambda operation, body: "size must stay below 50" if body.get("spec", {}).get("size", 0) > 50 else None)


def gizmos(name: str) -> Stage:
    """Gizmos, of which the named one cannot be converted; without a name none can."""

    def stage(kube: MockKubernetes, api: Api) -> None:
        kube.add(definition("Gizmo", OLD_ONLY, NEW))
        for each in ("z-2", "z-bad"):
            kube.add(custom("Gizmo", each, "lab-a", size=1))
        kube.fail_conversion("gizmos.lab.example.com", name)

    return stage


def guarded(**switches: Any) -> Stage:
    """One ConfigMap behind a switch."""

    def stage(kube: MockKubernetes, api: Api) -> None:
        plain(kube, api)
        for name, value in switches.items():
            setattr(kube.switches, name, value)

    return stage


def broken(effect: str) -> Stage:
    """25 ConfigMaps, and a server that answers as recorded whatever it is asked."""

    def stage(kube: MockKubernetes, api: Api) -> None:
        many(kube, api)
        kube.inject(effect=effect, times=1)

    return stage
