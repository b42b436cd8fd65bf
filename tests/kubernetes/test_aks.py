# SPDX-License-Identifier: MIT
"""From an AKS cluster to its API server: the kubeconfig Azure gives, and a token instead of an exec plugin."""

from __future__ import annotations

import asyncio
import base64
import time
from typing import Any

import httpx
import pytest
import yaml
from azure.core.credentials import AccessToken

from aks_etag import AccessDeniedError, AksClient, ThrottledError, merge_patch
from aks_etag._drivers import run
from aks_etag._flows.options import Options
from aks_etag._surroundings import Surroundings
from aks_etag.kubernetes import AsyncKubernetesClient, KubernetesClient
from aks_etag.kubernetes._aks import SCOPE, access, entra_token, kubeconfig
from aks_etag.kubernetes._config import KubeconfigError
from aks_etag.mock import FakeCredential, MockAks, MockKubernetes

EXEC = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "must-never-run"}}


def text(user: dict[str, Any]) -> str:
    return yaml.safe_dump(
        {
            "current-context": "one",
            "contexts": [{"name": "one", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": {"server": "https://example.test"}}],
            "users": [{"name": "u", "user": user}],
        }
    )


def asked(*answers: httpx.Response) -> tuple[Any, list[str]]:
    """Ask for the kubeconfig of a cluster, through a client that is answered so."""
    sent: list[str] = []
    script = iter(answers)

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(f"{request.method} {request.url.path.rsplit('/', 1)[-1]}")
        return next(script)

    with AksClient(FakeCredential(), "s1", transport=httpx.MockTransport(answer), polling_interval=0) as aks:
        around: Surroundings = aks._parts.around(None)
        flow = kubeconfig(aks.cluster("rg", "prod").id, "2026-08-01", Options(polling_interval=0))
        try:
            return run(flow, aks._transport, around), sent
        except Exception as error:
            return error, sent


def given(value: str) -> httpx.Response:
    return httpx.Response(200, json={"kubeconfigs": [{"name": "clusterUser", "value": value}]})


def test_the_kubeconfig_is_asked_for_and_decoded() -> None:
    found, sent = asked(httpx.Response(503), given(base64.b64encode(b"apiVersion: v1").decode()))
    assert (found, sent) == ("apiVersion: v1", ["POST listClusterUserCredential"] * 2)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (httpx.Response(403), AccessDeniedError),
        (httpx.Response(429, headers={"Retry-After": "9999"}), ThrottledError),
        (httpx.Response(200, json={"kubeconfigs": []}), KubeconfigError),
        (given("%%%"), KubeconfigError),
    ],
    ids=["denied", "throttled", "none", "not-base64"],
)
def test_what_is_no_kubeconfig_is_an_error(answer: httpx.Response, kind: type[Exception]) -> None:
    assert isinstance(asked(answer)[0], kind)


class Credential:
    """Gives tokens that live for a while."""

    def __init__(self, lifetime: float = 3600) -> None:
        self.scopes: list[str] = []
        self.lifetime = lifetime

    def get_token(self, *scopes: str, **options: Any) -> AccessToken:
        self.scopes += scopes
        return AccessToken(f"t{len(self.scopes)}", int(time.time() + self.lifetime))


class AsyncCredential(Credential):
    """The same for asyncio."""

    async def get_token(self, *scopes: str, **options: Any) -> AccessToken:  # type: ignore[override]  # awaited
        return super().get_token(*scopes, **options)


def test_a_credential_stands_in_for_the_plugin_which_is_never_run() -> None:
    credential = Credential()
    found = access(text(EXEC), credential)
    assert callable(found.token)
    assert [found.token(False), found.token(False), found.token(True)] == ["t1", "t1", "t2"]
    assert credential.scopes == [SCOPE, SCOPE]


def test_a_token_of_the_kubeconfig_itself_is_used() -> None:
    assert access(text({"token": "own"}), Credential()).token == "own"


def test_a_token_that_is_about_to_run_out_is_asked_for_again() -> None:
    token = entra_token(Credential(lifetime=10))
    assert [token(False), token(False)] == ["t1", "t2"]


def test_an_asynchronous_credential_is_awaited() -> None:
    token = entra_token(AsyncCredential())

    async def first() -> str:
        return str(await token(False))

    assert asyncio.run(first()) == "t1"
    assert token(False) == "t1"


CONFIG = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cm", "namespace": "default"}, "data": {}}


def azure(server: str) -> MockAks:
    """An Azure whose cluster has Entra ID, and this API server."""
    mock = MockAks()
    mock.add_cluster("rg", "prod")
    mock.set_kubeconfig("rg", "prod", text(EXEC).replace("https://example.test", server))
    return mock


def test_from_a_cluster_of_azure_to_an_object_inside() -> None:
    server = MockKubernetes(token="t1")
    server.add(CONFIG)
    with server.serve() as url, azure(url).client() as aks:
        with KubernetesClient.from_aks(aks.cluster("rg", "prod"), credential=Credential(), polling_interval=0) as kube:
            result = kube.object("v1", "ConfigMap", "default", "cm").update(merge_patch({"data": {"a": "1"}}))
    assert result.outcome == "updated"


@pytest.mark.anyio
async def test_the_same_in_asyncio_with_an_asynchronous_credential() -> None:
    server = MockKubernetes(token="t1")
    server.add(CONFIG)
    credential = AsyncCredential()
    credential.scopes.clear()
    with server.serve() as url:
        async with azure(url).async_client() as aks:
            kube = await AsyncKubernetesClient.from_aks(aks.cluster("rg", "prod"), credential=credential)
            async with kube:
                result = await kube.object("v1", "ConfigMap", "default", "cm").update(merge_patch({"data": {"a": "1"}}))
    assert (result.outcome, credential.scopes) == ("updated", [SCOPE])
