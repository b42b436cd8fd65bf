# SPDX-License-Identifier: MIT
"""Whatever is sent, the mock answers: no exception, no 500, JSON with a code, and a refusal changes nothing."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aks_etag.mock import MockAks

from .conftest import CLUSTER, GROUP

CHARACTERS = st.characters(codec=None)
WORDS = st.text(CHARACTERS, max_size=8) | st.just("\ud800")
LATIN = st.text(st.characters(max_codepoint=255, exclude_characters="\r\n\0"), max_size=12)
KEYS = st.sampled_from(
    "properties agentPoolProfiles name tags identity type userAssignedIdentities provisioningState count powerState "
    "code orchestratorVersion kubernetesVersion location sku eTag dnsPrefix servicePrincipalProfile secret "
    "nodeLabels".split()
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.just(math.inf)
    | WORDS
    | st.sampled_from(["SystemAssigned", "UserAssigned", "np1", "1.35", "Succeeded", 10**400, {}, []])
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | WORDS, inner, max_size=4), max_leaves=12
)
OBJECTS = st.dictionaries(KEYS | WORDS, VALUES, max_size=5)
POOLS = st.lists(
    st.builds(
        lambda pool, name: {"name": name, **pool}, st.dictionaries(KEYS, VALUES, max_size=2), WORDS | st.just("np1")
    ),
    max_size=3,
)
# Close to what is accepted, so that it is looked at closely.
CLUSTERS = st.builds(
    lambda body, more, pools: {"location": "r", **body, "properties": {**more, "agentPoolProfiles": pools}},
    st.dictionaries(KEYS, VALUES, max_size=3),
    st.dictionaries(KEYS, VALUES, max_size=3),
    POOLS,
)
IDENTITIES = st.builds(
    lambda kind, assigned: {"identity": {"type": kind, "userAssignedIdentities": assigned}},
    LEAVES,
    st.dictionaries(WORDS, st.just({}), min_size=1, max_size=2),
)
DOCUMENTS = OBJECTS | CLUSTERS | IDENTITIES | st.builds(lambda inner: {"properties": inner}, OBJECTS)
# What Python calls Infinity has a spelling in JSON.
ENCODED = DOCUMENTS.map(lambda body: json.dumps(body).replace("Infinity", "1e999").encode())
BODIES = ENCODED | st.binary(max_size=20)

PLACES = st.sampled_from(
    [
        CLUSTER,
        CLUSTER,
        f"{CLUSTER}/agentPools/np1",
        f"{CLUSTER}/agentPools/np9",
        f"{CLUSTER}9",
        GROUP,
        f"{CLUSTER}/agentPools",
    ]
)
ENDS = st.sampled_from(
    ["", "/stop", "/start", "/abort", "/listClusterUserCredential", "/upgradeNodeImageVersion", "//"]
)
ODD_PATHS = st.lists(st.sampled_from(CLUSTER.split("/")) | LATIN, max_size=9).map("/".join)
PATHS = st.builds("{}{}".format, PLACES, ENDS) | PLACES | ODD_PATHS.map("/{}".format)
QUERIES = st.sampled_from(["api-version=2026-05-01"] * 6 + ["", "api-version", "api-version=1&$skiptoken=%ff", "&=&;"])
METHODS = st.sampled_from(["GET", "PUT", "PUT", "PATCH", "DELETE", "POST", "HEAD", "OPTIONS", "put", "B\u00e4"])
CONDITIONS = st.dictionaries(
    st.sampled_from(["If-Match", "If-None-Match", "Host", "Authorization", "Content-Type", "x-ms-client-request-id"]),
    LATIN | st.sampled_from(["*", '"', 'W/"', '""', "", "[", "127.0.0.1:1"]),
    max_size=3,
)
VERSION = st.just("api-version=2026-05-01")
# One half is odd in everything, the other would be accepted but for its body.
REQUESTS = st.lists(
    st.tuples(METHODS, PATHS, QUERIES, CONDITIONS, BODIES)
    | st.tuples(st.sampled_from(["PUT", "PUT", "PATCH", "GET"]), PLACES, VERSION, st.just({}), ENCODED),
    min_size=1,
    max_size=6,
)
SWITCHES = st.fixed_dictionaries(
    {
        "operation_polls": st.integers(0, 2),
        "page_size": st.sampled_from([1, 100]),
        "patch_tags": st.sampled_from(["replace", "merge"]),
        "partial_pools": st.sampled_from(["keep", "remove"]),
        "throttle": st.booleans(),
        "busy_first": st.booleans(),
        "keep_empty_maps": st.booleans(),
    }
)


@pytest.mark.parametrize("door", ["core", "asgi"])
@given(switches=SWITCHES, requests=REQUESTS)
def test_whatever_comes_is_answered_and_a_refusal_changes_nothing(
    door: str, switches: dict[str, Any], requests: list[tuple[str, str, str, dict[str, str], bytes]]
) -> None:
    mock = MockAks(**switches)
    mock.add_cluster("rg1", "aks1")
    ask = {"core": through_core, "asgi": through_asgi}[door]
    for method, path, query, headers, body in requests:
        before = state(mock)
        status, content = ask(mock, method, path, query, headers, body)
        assert status != 500
        assert_readable(method, status, content)
        assert status < 400 or method == "GET" or state(mock) == before
    for group, name in mock.clusters():
        strict(json.dumps(mock.body(group, name)).encode())


def through_core(mock: MockAks, method: str, path: str, query: str, headers: Mapping[str, str], body: bytes) -> Any:
    """Ask without a door."""
    answer = mock.core.handle(method, f"https://management.azure.com{path}?{query}", headers, body)
    return answer.status, answer.body


def through_asgi(mock: MockAks, method: str, path: str, query: str, headers: Mapping[str, str], body: bytes) -> Any:
    """Ask as a server for ASGI does."""
    app: Any = mock.asgi_app()
    sent: list[dict[str, Any]] = []
    scope = {
        "type": "http",
        "method": method,
        "raw_path": path.encode("latin-1"),
        "path": path,
        "query_string": query.encode("latin-1"),
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()],
    }

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    return sent[0]["status"], b"".join(message["body"] for message in sent[1:])


def state(mock: MockAks) -> Any:
    """Everything that a request could change."""
    return [
        (kept.groups, kept.clusters, [(each.id, each.polls_left) for each in kept.operations.running()])
        for _, kept in mock.core.save()
    ]


def assert_readable(method: str, status: int, content: bytes) -> None:
    """Demand JSON, and of a refusal a code and a message in one of the two shapes."""
    told = strict(content) if content else None
    if status >= 400 and method != "HEAD":
        assert isinstance(told, dict)
        error = told.get("error", told)
        assert isinstance(error["code"], str)
        assert error["message"]


def strict(content: bytes) -> Any:
    """Parse what every parser of JSON would take."""

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    return json.loads(content, parse_constant=refuse)
