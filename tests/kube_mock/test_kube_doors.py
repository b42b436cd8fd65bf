# SPDX-License-Identifier: MIT
"""Doors, faults, other writers, and what the server does not let in."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from aks_etag.mock.kubernetes import MockKubernetes

from . import stages
from .talk import CONFIGMAPS, JSON_PATCH, STRATEGIC, Api, configmap

PATH = f"{CONFIGMAPS}/a"


@pytest.fixture
def live(kube: MockKubernetes) -> dict[str, Any]:
    return kube.add(configmap("a", x="0"))


def add_one(client: httpx.Client) -> int:
    """Read, add one, write with the version; again until it is taken. Return the number of refusals."""
    for refused in range(1000):
        body = client.get(PATH).json()
        body["data"]["x"] = str(int(body["data"]["x"]) + 1)
        answer = client.put(PATH, json=body)
        if answer.status_code == 200:
            return refused
        assert (answer.status_code, answer.json()["reason"]) == (409, "Conflict")
    raise AssertionError("never taken")


@pytest.fixture
def impatient() -> Iterator[None]:
    """Let threads interrupt each other as often as they can, so that a missing lock shows."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def test_thirty_two_threads_over_the_socket_lose_no_update(kube: MockKubernetes, live: Any, impatient: None) -> None:
    together = threading.Barrier(32)

    def work(url: str) -> int:
        with Api(kube, url) as client:
            together.wait(30)
            return sum(add_one(client) for _ in range(3))

    with kube.serve() as url, ThreadPoolExecutor(32) as pool:
        refused = sum(pool.map(work, [url] * 32))
    assert (kube.object("v1", "ConfigMap", "default", "a") or {})["data"] == {"x": "96"}
    writes = [commit for commit in kube.commits if commit.method == "PUT"]
    assert [commit.body_after["data"]["x"] for commit in writes if commit.body_after] == [str(n) for n in range(1, 97)]
    assert sum(entry.status == 409 for entry in kube.journal) == refused


def test_sync_async_socket_and_bare_core_share_one_state(kube: MockKubernetes, live: Any, api: Api) -> None:
    async def get() -> Any:
        async with httpx.AsyncClient(transport=kube.httpx_transport(), base_url=kube.url) as client:
            return (await client.get(PATH)).json()

    assert kube.httpx_transport().sends_once
    with kube.serve() as url, Api(kube, url) as served:
        assert asyncio.run(get()) == served.get(PATH).json() == api.get(PATH).json() == live
        assert served.write(PATH, {"data": {"x": "1"}}).status_code == 200
    answer = kube.handle("GET", f"{kube.url}{PATH}", {}, b"")
    assert (answer.status, b'"x":"1"' in answer.body) == (200, True)


def test_a_lost_answer_leaves_a_write_that_landed_or_did_not(kube: MockKubernetes, live: Any, api: Api) -> None:
    kube.inject("PATCH", phase="before")
    kube.inject("PATCH", phase="after", nth=2)
    for value in ("1", "2"):
        with pytest.raises(httpx.ReadError):
            api.write(PATH, {"data": {"x": value}})
    assert [(entry.status, entry.decided) for entry in kube.journal] == [(None, None), (None, 200)]
    assert api.get(PATH).json()["data"] == {"x": "2"}


def test_a_late_write_lands_after_the_client_gave_up(kube: MockKubernetes, live: Any, api: Api) -> None:
    kube.inject("PATCH", phase="late", times=2)
    guarded = {"metadata": {"resourceVersion": live["metadata"]["resourceVersion"]}, "data": {"x": "late"}}
    for patch in (guarded, {"data": {"x": "blind"}}):
        with pytest.raises(httpx.ReadError):
            api.write(PATH, patch)
    assert api.write(PATH, {"data": {"x": "mine"}}).status_code == 200
    assert kube.drain() == 2
    # The version makes the late write harmless; the blind one overwrites.
    assert [entry.decided for entry in kube.journal[-2:]] == [409, 200]
    assert api.get(PATH).json()["data"] == {"x": "blind"}
    assert kube.drain() == 0


@pytest.mark.parametrize(
    ("effect", "status", "reason"),
    [
        (500, 500, "InternalError"),
        (503, 503, "ServiceUnavailable"),
        (409, 409, "Conflict"),
        (410, 410, "Expired"),
        ("auth_401", 401, "Unauthorized"),
        ("conversion_webhook_down", 500, None),
        ("quota_409", 409, "Conflict"),
        ("webhook_500_timeout", 500, "InternalError"),
        ("timeout_504", 504, "Timeout"),
    ],
)
def test_effects(effect: Any, status: int, reason: str | None, kube: MockKubernetes, live: Any, api: Api) -> None:
    kube.inject("GET", path="/configmaps/a", effect=effect, headers={"Retry-After": "7"})
    answer = api.get(PATH)
    assert (answer.status_code, answer.json().get("reason")) == (status, reason)
    assert answer.headers["Retry-After"] == "7"
    assert api.get(PATH).status_code == 200


def test_an_effect_that_nobody_recorded_is_an_error_at_once(kube: MockKubernetes) -> None:
    with pytest.raises(ValueError, match="throttled_429_max_inflight"):
        kube.inject(effect="throttled")


def test_throttling_is_plain_text(kube: MockKubernetes, live: Any, api: Api) -> None:
    kube.inject(effect=429)
    answer = api.get(PATH)
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "1")
    assert answer.headers["Content-Type"].startswith("text/plain")


def test_a_body_of_its_own(kube: MockKubernetes, api: Api) -> None:
    kube.inject(effect=502, body=b"<html>", headers={"content-type": "text/html"})
    answer = api.get(PATH)
    assert (answer.status_code, answer.text, answer.headers["Content-Type"]) == (502, "<html>", "text/html")


@pytest.mark.parametrize("served", [False, True])
def test_another_writer_gets_in_before_a_write(served: bool, kube: MockKubernetes, live: Any, api: Api) -> None:
    seen: list[Any] = []

    def rival(request: Any) -> None:
        seen.append((request.method, request.body))
        kube.edit("v1", "ConfigMap", "default", "a", lambda body: body["data"].update(y="rival"))

    kube.before_write(rival, times=1)
    body = {**live, "data": {"x": "1"}}
    if served:
        with kube.serve() as url, Api(kube, url) as client:
            answers = [client.put(PATH, json=body).status_code, client.write(PATH, {}).status_code]
    else:
        answers = [api.put(PATH, json=body).status_code, api.write(PATH, {}).status_code]
    assert (answers, seen) == ([409, 200], [("PUT", body)])


def test_a_token_lets_in_and_a_rule_keeps_out(live: Any) -> None:
    kube = MockKubernetes(token="right", deny=[("delete", "*")])
    kube.add(configmap("a"))
    with Api(kube) as api:
        for headers, status in (
            ({}, 401),
            ({"Authorization": "Bearer wrong"}, 401),
            ({"Authorization": "Bearer right"}, 200),
        ):
            assert api.get(PATH, headers=headers).status_code == status
        refused = api.delete(PATH, headers={"Authorization": "Bearer right"})
        assert (refused.status_code, refused.json()["reason"]) == (403, "Forbidden")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/api/v1/namespaces/default/things", 404),
        ("GET", "/api/v2/configmaps", 404),
        ("GET", "/api/v1/namespaces/default/configmaps/a/status", 404),
        ("GET", "/api/v1/namespaces/default/namespaces/a", 404),
        ("GET", "/api/v1/a/b/c/d/e", 404),
        ("POST", "/api/v1/configmaps", 405),
        ("DELETE", CONFIGMAPS, 501),
        ("PUT", CONFIGMAPS, 405),
        ("POST", PATH, 405),
        ("BREW", PATH, 405),
        ("DELETE", "/apis/apps/v1/namespaces/default/deployments/web/scale", 405),
    ],
)
def test_paths_that_lead_nowhere(method: str, path: str, status: int, live: Any, api: Api) -> None:
    answer = api.request(method, path)
    assert answer.status_code == status
    assert answer.headers["Content-Type"].startswith("text/plain" if status == 404 else "application/json")


def test_a_deployment_is_scaled_through_its_scale(kube: MockKubernetes, api: Api) -> None:
    stages.web(kube, api)
    path = "/apis/apps/v1/namespaces/lab-a/deployments/web"
    scale = api.get(f"{path}/scale").json()
    scale["spec"]["replicas"] = 5
    scaled = api.put(f"{path}/scale", json=scale)
    assert (scaled.json()["kind"], scaled.json()["spec"], api.get(path).json()["spec"]["replicas"]) == (
        "Scale",
        {"replicas": 5},
        5,
    )
    assert api.put(f"{path}/scale", json=scale).status_code == 409
    patched = api.write(f"{path}/scale", {"spec": {"replicas": 6}}).json()
    assert (patched["spec"], api.get(path).json()["metadata"]["generation"]) == ({"replicas": 6}, 3)


@pytest.mark.parametrize(
    ("kind", "patch", "left"),
    [
        (STRATEGIC, {"data": {"$patch": "replace", "z": "1"}}, {"z": "1"}),
        (STRATEGIC, {"data": {"x": None, "z": "1"}}, {"z": "1"}),
        (JSON_PATCH, [{"op": "copy", "from": "/data/x", "path": "/data/z"}], {"x": "0", "z": "0"}),
        (JSON_PATCH, [{"op": "move", "from": "/data/x", "path": "/data/z"}], {"z": "0"}),
        (JSON_PATCH, [{"op": "add", "path": "/data/a~1b", "value": "1"}], {"x": "0", "a/b": "1"}),
        (JSON_PATCH, [{"op": "replace", "path": "/data", "value": {"z": "1"}}], {"z": "1"}),
        (JSON_PATCH, [{"op": "remove", "path": "/data/x"}, {"op": "add", "path": "/data/z", "value": "1"}], {"z": "1"}),
    ],
)
def test_patches(kind: str, patch: Any, left: dict[str, str], live: Any, api: Api) -> None:
    assert api.write(PATH, patch, kind).json()["data"] == left


def test_secrets_and_services_get_their_defaults(kube: MockKubernetes) -> None:
    metadata = {"name": "s"}
    secret = kube.add({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": {"a": "b"}})
    assert (secret["data"], secret["type"], "stringData" in secret) == ({"a": "Yg=="}, "Opaque", False)
    service = kube.add({"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"ports": [{"port": 80}]}})
    assert service["spec"]["ports"] == [{"port": 80, "protocol": "TCP", "targetPort": 80}]
