# SPDX-License-Identifier: MIT
"""Field ownership, decoded from what real servers recorded; what a manager owns, it can apply again for nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aks_etag import InvalidPreconditionError
from aks_etag.kubernetes import AsyncKubernetesClient, KubernetesClient
from aks_etag.kubernetes._ownership import owned_by, owners_of
from aks_etag.mock.kubernetes import MockKubernetes

SAMPLES = Path(__file__).parent.parent / "data" / "kubernetes"


def answered(sample: str) -> Any:
    """Return the object that a real server answered with."""
    return json.loads((SAMPLES / f"{sample}.json").read_text("utf-8"))["response"]["body"]


OWNERS = {
    "apply_200_force": [
        ("mgr-one", "Apply", "v1", "", (".data.y",)),
        ("mgr-two", "Apply", "v1", "", (".data.x",)),
    ],
    "apply_200_shared_same_value": [
        ("mgr-two", "Apply", "v1", "", (".data.x",)),
        ("mgr-one", "Apply", "v1", "", (".data.x", ".data.y")),
    ],
    "apply_409_field_conflict": [],
}


@pytest.mark.parametrize(("sample", "owners"), OWNERS.items(), ids=OWNERS)
def test_recorded_owners_are_listed_in_the_order_of_the_server(sample: str, owners: list[Any]) -> None:
    assert list(owners_of(answered(sample))) == owners


def test_items_and_subresources_are_told_apart_in_what_was_recorded() -> None:
    containers = [path for owner in owners_of(answered("strategic_patch_list_merge_by_name")) for path in owner.fields]
    assert '.spec.template.spec.containers[name="main"].image' in containers
    status = [owner for owner in owners_of(answered("crd_get_200")) if owner.subresource == "status"]
    assert [(owner.operation, '.status.conditions[type="Established"].status' in owner.fields) for owner in status] == [
        ("Update", True)
    ]


SPELLED = [
    pytest.param({"f:data": {"f:a": {}}}, [".data.a"], id="a field"),
    pytest.param({"f:data": {".": {}, "f:a": {}}}, [".data", ".data.a"], id="a map and its field"),
    pytest.param(
        {"f:spec": {"f:containers": {'k:{"name":"app"}': {".": {}, "f:image": {}}}}},
        ['.spec.containers[name="app"]', '.spec.containers[name="app"].image'],
        id="an item by its key",
    ),
    pytest.param(
        {"f:ports": {'k:{"containerPort":80,"protocol":"TCP"}': {}}},
        ['.ports[containerPort=80,protocol="TCP"]'],
        id="an item by two keys",
    ),
    pytest.param({"f:finalizers": {'v:"x.io/a"': {}}}, ['.finalizers[="x.io/a"]'], id="a value of a set"),
    pytest.param({"f:args": {"i:3": {}}}, [".args[3]"], id="an item by its index"),
    pytest.param({"f:a.b/c": {}}, [".a.b/c"], id="a name with dots"),
    pytest.param("broken", [], id="no tree"),
]


@pytest.mark.parametrize(("tree", "paths"), SPELLED)
def test_a_path_is_spelled_as_the_causes_of_a_conflict_spell_it(tree: Any, paths: list[str]) -> None:
    assert [path for owner in owners_of(owned(tree)) for path in owner.fields] == paths


def owned(*trees: Any, **live: Any) -> dict[str, Any]:
    """Return a live object whose managers m0, m1, ... own one tree each."""
    entries = [
        {"manager": f"m{number}", "operation": "Apply", "apiVersion": "v1", "fieldsV1": tree}
        for number, tree in enumerate(trees)
    ]
    return {"apiVersion": "v1", "kind": "K", **live, "metadata": {"name": "n", "uid": "u", "managedFields": entries}}


@pytest.mark.parametrize("body", [{}, {"metadata": None}, {"metadata": {"managedFields": [None, 7]}}])
def test_an_object_without_owners_has_none(body: Any) -> None:
    assert owners_of(body) == ()


PORTS = [{"port": 53, "protocol": "TCP"}, {"port": 53, "protocol": "UDP", "name": "u"}]
PARTS = [
    pytest.param([{"f:data": {"f:a": {}}}], {"data": {"a": "1", "b": "2"}}, {"data": {"a": "1"}}, id="a field"),
    pytest.param([{"f:data": {}}], {"data": {"a": "1"}}, {"data": {"a": "1"}}, id="an atomic map"),
    pytest.param([{"f:data": {}}, {"f:data": {"f:a": {}}}], {"data": {"a": "1"}}, {"data": {}}, id="an empty map"),
    pytest.param([{"f:args": {}}], {"args": ["a", "b"]}, {"args": ["a", "b"]}, id="an atomic list"),
    pytest.param([{"f:gone": {}, "f:n": {}}], {"n": 0}, {"n": 0}, id="a field that is not there"),
    pytest.param([{"f:data": {"f:a": {}}}], {"data": "x"}, {"data": "x"}, id="a map that is none any more"),
    pytest.param(
        [{"f:c": {'k:{"name":"b"}': {".": {}, "f:image": {}, "f:name": {}}}}],
        {"c": [{"name": "a", "image": "1"}, {"name": "b", "image": "2", "stdin": True}]},
        {"c": [{"name": "b", "image": "2"}]},
        id="an item by its key",
    ),
    pytest.param(
        [{"f:c": {'k:{"name":"b"}': {"f:image": {}}}}],
        {"c": [{"name": "b", "image": "2"}]},
        {"c": [{"name": "b", "image": "2"}]},
        id="an item whose key is somebody else's",
    ),
    pytest.param(
        [{"f:p": {'k:{"port":53,"protocol":"TCP"}': {".": {}, "f:port": {}}}}],
        {"p": PORTS},
        {"p": [{"port": 53}]},
        id="an item with a key that the server filled in",
    ),
    pytest.param(
        [{"f:p": {'k:{"port":53,"protocol":"TCP"}': {"f:port": {}}, 'k:{"port":9,"protocol":"TCP"}': {}}}],
        {"p": [{"port": 53, "protocol": "UDP"}, {"port": 53}]},
        {"p": [{"port": 53}]},
        id="a key that is not in the item, and an item that is gone",
    ),
    pytest.param([{"f:f": {'v:"b"': {}, "v:1": {}}}], {"f": ["a", "b", True, 1]}, {"f": ["b", 1]}, id="values"),
    pytest.param([{"f:f": {"i:1": {}}}], {"f": ["a", "b"]}, {"f": ["b"]}, id="an item by its index"),
]


@pytest.mark.parametrize(("trees", "live", "part"), PARTS)
def test_the_part_that_a_manager_owns_is_cut_out_of_the_live_object(trees: Any, live: Any, part: Any) -> None:
    assert owned_by(owned(*trees, **live), "m0") == {
        "apiVersion": "v1", "kind": "K", **part, "metadata": {"name": "n"}
    }  # fmt: skip


def test_who_has_applied_nothing_owns_nothing_that_could_be_applied_again() -> None:
    body = answered("apply_200_force")
    names = {"name": "cm-ssa", "namespace": "lab-a"}
    assert owned_by(body, "nobody") == {"apiVersion": "v1", "kind": "ConfigMap", "metadata": names}
    assert owned_by(body, "mgr-two")["data"] == {"x": "2"}


def test_fields_that_were_applied_through_another_api_version_are_not_guessed() -> None:
    body = {**owned({"f:spec": {}}, spec=1), "apiVersion": "v2"}
    with pytest.raises(InvalidPreconditionError, match="through v1"):
        owned_by(body, "m0")


DEPLOYMENT: dict[str, Any] = {
    "metadata": {"labels": {"app": "web"}, "annotations": {"a.b/c": "1"}, "finalizers": ["x.io/hold"]},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {
                "containers": [
                    {"name": "app", "image": "i:1", "args": ["-v"], "ports": [{"containerPort": 80}]},
                    {"name": "side", "image": "s:1", "env": [{"name": "A", "value": "1"}]},
                ]
            },
        },
    },
}
SERVICE: dict[str, Any] = {
    "spec": {
        "selector": {"app": "web"},
        "ports": [{"name": "d", "port": 53, "protocol": "UDP"}, {"name": "t", "port": 53}],
    }
}
APPLIED: dict[str, tuple[str, dict[str, Any]]] = {
    "ConfigMap": ("v1", {"data": {"a": "1", "b": "2"}, "metadata": {"labels": {"l": "1"}}}),
    "Deployment": ("apps/v1", DEPLOYMENT),
    "Service": ("v1", SERVICE),
}


@pytest.mark.parametrize("kind", APPLIED)
def test_applying_again_what_is_owned_changes_nothing(kind: str) -> None:
    server = MockKubernetes()
    version, body = APPLIED[kind]
    with KubernetesClient(server.url, transport=server.httpx_transport(), clock=server.clock) as kube:
        handle = kube.object(version, kind, "default", "x")
        handle.apply(body, "one")
        handle.apply({"metadata": {"annotations": {"of": "two"}}}, "two")
        for manager in ("one", "two", "nobody"):
            before = handle.get()
            again = handle.apply(handle.owned(manager), manager)
            assert again.snapshot is not None
            assert (again.snapshot.version, again.snapshot.body) == (before.version, before.body)
        assert {owner.manager for owner in handle.owners()} == {"one", "two"}
        assert handle.owned("two")["metadata"] == {"annotations": {"of": "two"}, "name": "x", "namespace": "default"}


def test_owners_and_owned_are_one_read_each() -> None:
    server = MockKubernetes()
    server.add({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "namespace": "default"}})
    with KubernetesClient(server.url, transport=server.httpx_transport(), clock=server.clock) as kube:
        handle = kube.object("v1", "ConfigMap", "default", "x")
        handle.get()
        server.journal.clear()
        handle.owners()
        handle.owned("m")
    assert [entry.method for entry in server.journal] == ["GET", "GET"]


@pytest.mark.anyio
async def test_the_async_handle_tells_the_same() -> None:
    server = MockKubernetes()
    async with AsyncKubernetesClient(server.url, transport=server.httpx_transport(), clock=server.clock) as kube:
        handle = kube.object("v1", "ConfigMap", "default", "x")
        await handle.apply({"data": {"a": "1"}}, "one")
        assert [(owner.manager, owner.fields) for owner in await handle.owners()] == [("one", (".data.a",))]
        assert (await handle.owned("one"))["data"] == {"a": "1"}
