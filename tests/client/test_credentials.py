# SPDX-License-Identifier: MIT
"""Credentials of every kind, claims challenges, expired tokens, and refusals that say what to do."""

from __future__ import annotations

import base64
import time
from typing import Any

import pytest
from azure.core.credentials import AccessToken, AccessTokenInfo

from aks_etag import (
    AccessDeniedError,
    AksClient,
    AsyncAksClient,
    RequestRefusedError,
    merge_patch,
)
from aks_etag.mock import FakeCredential, MockAks

FIVE = merge_patch({"properties": {"count": 5}})
CLAIMS = '{"access_token":{"nbf":{"essential":true,"value":"1"}}}'
CHALLENGE = (
    'Bearer realm="", authorization_uri="https://login.microsoftonline.com/common/oauth2/authorize", '
    f'error="insufficient_claims", claims="{base64.b64encode(CLAIMS.encode()).decode()}"'
)


class Old:
    """Knows only ``get_token``, as credentials did before azure-core 1.31."""

    def __init__(self, lifetime: float = 3600) -> None:
        self.asked: list[dict[str, Any]] = []
        self.lifetime = lifetime

    def get_token(self, *scopes: str, **options: Any) -> AccessToken:
        self.asked.append({"scopes": scopes, **options})
        return AccessToken(f"token-{len(self.asked)}", int(time.time() + self.lifetime))


class New:
    """Knows only ``get_token_info``."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def get_token_info(self, *scopes: str, options: Any = None) -> AccessTokenInfo:
        self.asked.append({"scopes": scopes, **(options or {})})
        return AccessTokenInfo(f"token-{len(self.asked)}", int(time.time() + 3600))


class Aio(Old):
    """The asynchronous kind."""

    async def get_token(self, *scopes: str, **options: Any) -> AccessToken:  # type: ignore[override]  # awaited
        return super().get_token(*scopes, **options)

    async def close(self) -> None: ...
    async def __aenter__(self) -> Aio:
        return self

    async def __aexit__(self, *_: object) -> None: ...


@pytest.mark.parametrize("kind", [Old, New])
def test_either_kind_of_credential_will_do_and_its_token_is_used_again(mock: MockAks, kind: Any) -> None:
    credential = kind()
    with mock.client(credential=credential) as aks:
        aks.cluster("rg", "prod").agent_pool("np1").update(FIVE)
    assert [asked["scopes"] for asked in credential.asked] == [("https://management.azure.com/.default",)]


@pytest.mark.anyio
@pytest.mark.parametrize("kind", [Old, New, Aio])
async def test_the_async_client_takes_every_kind(mock: MockAks, kind: Any) -> None:
    credential = kind()
    async with mock.async_client(credential=credential) as aks:
        await aks.cluster("rg", "prod").agent_pool("np1").update(FIVE)
    assert len(credential.asked) == 1


@pytest.mark.parametrize("credential", ["token", object(), 7], ids=lambda value: type(value).__name__)
def test_what_gives_no_token_is_refused_at_once(credential: Any) -> None:
    with pytest.raises(TypeError, match="get_token"):
        AksClient(credential, "s1")
    with pytest.raises(TypeError, match="get_token"):
        AsyncAksClient(credential, "s1")


def test_an_asynchronous_credential_is_refused_by_the_synchronous_client() -> None:
    with pytest.raises(TypeError, match="AsyncAksClient"):
        AksClient(Aio(), "s1")  # type: ignore[arg-type]  # the wrong kind is the point


@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_a_claims_challenge_is_answered_with_a_new_token(mock: MockAks, method: str) -> None:
    mock.inject(method=method, effect=401, headers={"WWW-Authenticate": CHALLENGE})
    credential = New()
    with mock.client(credential=credential) as aks:
        result = aks.cluster("rg", "prod").agent_pool("np1").update(FIVE)
        assert aks.stats.doubts == 0
    assert result.outcome == "updated"
    assert [asked.get("claims") for asked in credential.asked] == [None, CLAIMS]


@pytest.mark.anyio
async def test_a_claims_challenge_is_answered_in_asyncio(mock: MockAks) -> None:
    mock.inject(method="PUT", effect=401, headers={"WWW-Authenticate": CHALLENGE})
    credential = Aio()
    async with mock.async_client(credential=credential) as aks:
        assert (await aks.cluster("rg", "prod").agent_pool("np1").update(FIVE)).outcome == "updated"
    assert [asked.get("claims") for asked in credential.asked] == [None, CLAIMS]


@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_an_expired_token_is_renewed_once(mock: MockAks, method: str) -> None:
    mock.inject(method=method, effect=401, body={"error": {"code": "ExpiredAuthenticationToken", "message": "old"}})
    credential = Old()
    with mock.client(credential=credential) as aks:
        assert aks.cluster("rg", "prod").agent_pool("np1").update(FIVE).outcome == "updated"
    assert len(credential.asked) == 2


def test_a_token_that_stays_expired_is_an_error_at_once(mock: MockAks) -> None:
    body = {"error": {"code": "ExpiredAuthenticationToken", "message": "old"}}
    mock.inject(method="GET", effect=401, body=body, times=99)
    with mock.client(credential=Old()) as aks, pytest.raises(AccessDeniedError, match="clock"):
        aks.cluster("rg", "prod").get()
    assert len(mock.journal) == 2


def test_a_token_that_runs_out_is_renewed_in_time(mock: MockAks) -> None:
    credential = Old(lifetime=10)
    with mock.client(credential=credential) as aks:
        aks.cluster("rg", "prod").get()
        aks.cluster("rg", "prod").get()
    assert len(credential.asked) == 2


REFUSALS = [
    pytest.param(401, "InvalidAuthenticationTokenTenant", AccessDeniedError, "tenant", id="other tenant"),
    pytest.param(401, "Whatever", AccessDeniedError, "sign in", id="401"),
    pytest.param(403, "AuthorizationFailed", AccessDeniedError, "role", id="no role"),
    pytest.param(403, "RequestDisallowedByPolicy", AccessDeniedError, "Policy", id="policy"),
    pytest.param(400, "NoRegisteredProviderFound", RequestRefusedError, "api_version=", id="retired api-version"),
    pytest.param(
        409, "MissingSubscriptionRegistration", RequestRefusedError, "az provider register", id="not registered"
    ),
]


@pytest.mark.parametrize(("status", "code", "kind", "hint"), REFUSALS)
@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_a_refusal_says_what_to_do(
    mock: MockAks, method: str, status: int, code: str, kind: type[Exception], hint: str
) -> None:
    mock.inject(method=method, effect=status, body={"error": {"code": code, "message": "no"}})
    with mock.client() as aks, pytest.raises(kind, match=hint) as raised:
        aks.cluster("rg", "prod").agent_pool("np1").update(FIVE)
    assert code in str(raised.value)
    assert raised.value.applied is False  # type: ignore[attr-defined]  # both kinds have it
    assert len([entry for entry in mock.journal if entry.method == method]) == 1


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_plain_http_is_for_this_machine_only(host: str) -> None:
    AksClient(FakeCredential(), "s1", base_url=f"http://{host}:9").close()
    for other in (
        "http://example.com",
        "http://10.0.0.1",
        "http://127.0.0.1.example.com",
        "http://localhost@example.com",
    ):
        with pytest.raises(ValueError, match=r"http|host"):
            AksClient(FakeCredential(), "s1", base_url=other)
