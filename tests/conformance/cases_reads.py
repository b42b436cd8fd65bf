# SPDX-License-Identifier: MIT
"""Reads, lists, what is missing, api-versions, bodies that cannot be, budgets, and what breaks on the way."""

from __future__ import annotations

from typing import Any, Final

from .case import CLUSTER, PLACES, SUBSCRIPTION, Step, case, delete, fault, get, moves, patch, put, switch

NO_GROUP: Final = f"{SUBSCRIPTION}/resourceGroups/none/providers/Microsoft.ContainerService/managedClusters/x"
NO_PARENT: Final = f"{PLACES['new']}/agentPools/np1"
NOT_FOUND: Final[dict[str, Any]] = {"status": 404, "wrapped": True}
NO_CLUSTER: Final = {**NOT_FOUND, "code": "ResourceNotFound"}
NO_POOL: Final[dict[str, Any]] = {"status": 404, "code": "NotFound", "says": "Could not find the agentpool: np9"}
BAD: Final[dict[str, Any]] = {"status": 400, "code": "BadRequest"}
NO_OBJECT: Final[dict[str, Any]] = {"status": 400, "code": "InvalidRequestContent", "wrapped": True}


def _pools(*pools: Any) -> dict[str, Any]:
    return {"location": "region1", "properties": {"agentPoolProfiles": list(pools)}}


READS: Final = [
    case("a cluster", get("cluster", shows={"name": "aks1", "properties.agentPoolProfiles.0.count": 3})),
    case("a pool", get("np1", shows={"name": "np1", "properties.count": 3})),
    case("names have no case", get(CLUSTER.upper(), shows={"name": "aks1"})),
    case("the clusters of a subscription", get("clusters", shows={"value.0.name": "aks1"})),
    case("the clusters of a group", get("clusters of the group", shows={"value.0.name": "aks1"})),
    case("the pools of a cluster", get("pools", shows={"value.1.name": "np2", "value.1.properties.count": 1})),
    case(
        "lists come in pages",
        switch(page_size=1),
        get("pools", shows={"value.0.name": "np1"}),
        get("next", shows={"value.0.name": "np2", "nextLink": None}),
    ),
    case(
        "a link that was not handed out",
        get(f"{PLACES['pools']}?$skiptoken=!", 400, code="InvalidSkipToken", wrapped=True),
    ),
    case(
        "some api-versions show no tags",
        switch(tagless_api_versions=["2025-08-01"]),
        get("cluster", version="2025-08-01", shows={"eTag": None, "properties.agentPoolProfiles.0.eTag": None}),
        get("np1", version="2025-08-01", shows={"properties.eTag": None}),
        get("pools", version="2025-08-01", shows={"value.0.properties.eTag": None}),
        get("clusters", version="2025-08-01", shows={"value.0.eTag": None}),
    ),
    case(
        "a resource group lives, and takes its clusters along",
        Step(method="HEAD", target="group", status=204),
        delete("group", 200, moved=moves("cluster np1 np2")),
        Step(method="HEAD", target="group", status=404),
        put("group", 201),
        put("group", 200),
        get("group", shows={"name": "rg1"}),
    ),
]
MISSING: Final = [
    case("no cluster", get("new", **NO_CLUSTER), patch("new", **NO_CLUSTER), delete("new", 204)),
    case("no pool", get("np9", **NO_POOL), delete("np9", 204)),
    case("no group", get(NO_GROUP, code="ResourceGroupNotFound", **NOT_FOUND), delete(NO_GROUP, 204)),
    case("no group to write in", put(NO_GROUP, body={}, code="ResourceGroupNotFound", **NOT_FOUND)),
    case(
        "a pool of no cluster",
        get(NO_PARENT, code="ParentResourceNotFound", **NOT_FOUND),
        put(NO_PARENT, body={}, code="ParentResourceNotFound", **NOT_FOUND),
        delete(NO_PARENT, 204),
    ),
    case(
        "another subscription",
        get(CLUSTER.replace("0000/", "0001/", 1), code="SubscriptionNotFound", **NOT_FOUND),
    ),
    case("no api-version", get("cluster", 400, version=None, code="MissingApiVersionParameter", wrapped=True)),
    case("no api-version in a write", put("np1", 400, version=None, code="MissingApiVersionParameter", wrapped=True)),
    case(
        "what the mock does not know",
        get(f"{PLACES['np1']}/upgradeProfiles/default", 501, code="NotImplemented", wrapped=True),
        get("/", 501, code="NotImplemented", wrapped=True),
        Step(method="PATCH", target="np1", status=405, code="MethodNotAllowed", wrapped=True),
        Step(method="OPTIONS", target="cluster", status=501, code="NotImplemented", wrapped=True),
    ),
    case(
        "a token may be wanted",
        switch(require_token=True),
        get("cluster", 401, code="AuthenticationFailed", wrapped=True),
        get("cluster", 401, headers={"Authorization": "Basic x"}, code="AuthenticationFailed", wrapped=True),
        get("cluster", headers={"Authorization": "Bearer fake"}),
    ),
]
BODIES: Final = [
    case("no JSON", put("np1", body=b"{", **NO_OBJECT)),
    case("no object", put("np1", body=[], **NO_OBJECT)),
    case("no body", put("np1", body=b"", **NO_OBJECT)),
    case("a number that JSON does not have", put("np1", body=b'{"properties":{"count":1e999}}', **NO_OBJECT)),
    case("properties that are none", put("np1", body={"properties": 5}, says="'properties'", **BAD)),
    case("a cluster without pools", put("new", body={"location": "region1"}, says="agentPoolProfiles", **BAD)),
    case("a cluster without a place", put("new", body={"properties": {}}, says="'location'", **BAD)),
    case("pools without names", put("new", body=_pools({"count": 1}), says="agentPoolProfiles", **BAD)),
    case("two pools of one name", put("new", body=_pools({"name": "a"}, {"name": "A"}), says="only once", **BAD)),
    case("tags that are none", put("cluster", body={"tags": 5}, says="'tags'", **BAD)),
    case("a new pool in a cluster PUT", put("cluster", body=_pools({"name": "np9"}), **BAD)),
    case(
        "a provisioningState that differs",
        put("np1", body={"properties": {"provisioningState": "Failed"}}, says="provisioningState", **BAD),
    ),
]
BROKEN: Final = [
    *(
        case(
            f"{effect} before and after",
            fault(method="PUT", effect=effect),
            fault(method="PUT", nth=2, phase="after", effect=effect),
            put("np1", None),
            put("np1", None, moved=moves("np1")),
        )
        for effect in ("reset", "fin", "truncated")
    ),
    *(
        case(
            f"{status} instead of an answer",
            fault(method="PUT", effect=status, headers={"Retry-After": "7"}, times=2),
            put("np1", status),
            put("np1", status),
            put("np1", moved=moves("np1")),
        )
        for status in (408, 412, 429, 500, 503)
    ),
    case(
        "409 after it was carried out",
        fault(method="PUT", effect=409, phase="after", body={"code": "EtagMismatch", "message": "m"}),
        put("np1", 409, code="EtagMismatch", moved=moves("np1")),
    ),
    *(
        case(f"{effect} in the answer", fault(method="GET", effect=effect, phase="after"), get("np1"), get("np1"))
        for effect in ("malformed", "html")
    ),
    case(
        "a poll is lost",
        switch(operation_polls=3),
        fault(path="/operations/", effect="fin"),
        put("np1", moved=moves("np1")),
        get("operation", None),
        get("operation", shows={"status": "InProgress"}),
    ),
]
_SPENT: Final[dict[str, Any]] = {"status": 429, "code": "Throttled", "says": "please retry again in 60 seconds"}
THROTTLED: Final = [
    case(
        "twenty writes, and one a minute",
        switch(throttle=True, operation_polls=0),
        *(put("np1", moved=moves("np1")) for _ in range(20)),
        put("np1", **_SPENT),
        put("np2", moved=moves("np2")),
    ),
    case(
        "refused writes may be free",
        switch(throttle=True, operation_polls=0, refused_writes_cost=False),
        *(put("np1", 412, headers={"If-Match": "x"}) for _ in range(21)),
        put("np1", moved=moves("np1")),
    ),
]
CASES: Final = [*READS, *MISSING, *BODIES, *BROKEN, *THROTTLED]
