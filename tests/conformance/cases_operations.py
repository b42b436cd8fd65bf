# SPDX-License-Identifier: MIT
"""Long operations: who is refused while one runs, how they are polled, how they end, and what moves when."""

from __future__ import annotations

from typing import Any, Final

from .case import Case, Step, case, delete, fault, get, moves, passes, patch, post, put, switch

BUSY: Final[dict[str, Any]] = {"status": 409, "code": "OperationNotAllowed"}
ALL: Final = moves("cluster np1 np2")
MOVED: Final = {"np1": moves("np1"), "np9": moves("np9")}
# Held by a running operation; the second write; whether it has to wait.
WINDOWS: Final[list[tuple[str, str, str, str, bool]]] = [
    ("PUT", "cluster", "PUT", "cluster", True),
    ("PUT", "cluster", "PATCH", "cluster", True),
    ("PUT", "cluster", "DELETE", "cluster", True),
    ("PUT", "cluster", "PUT", "np1", True),
    ("PUT", "cluster", "DELETE", "np1", True),
    ("PUT", "cluster", "PUT", "np9", True),
    ("PUT", "np1", "PUT", "np1", True),
    ("PUT", "np1", "DELETE", "np1", True),
    ("PUT", "np1", "PUT", "cluster", True),
    ("PUT", "np1", "PATCH", "cluster", True),
    ("PUT", "np1", "DELETE", "cluster", True),
    ("PUT", "np2", "PUT", "np1", False),
    ("PUT", "np2", "PUT", "np9", False),
    ("PUT", "np9", "PUT", "np9", True),
    ("DELETE", "np1", "PUT", "np1", True),
    ("DELETE", "np2", "PUT", "np1", False),
    ("DELETE", "cluster", "PUT", "np1", True),
]


def _write(method: str, target: str, **more: Any) -> Step:
    return {"PUT": put, "PATCH": patch, "DELETE": delete}[method](target, **more)


def _window(first: str, held: str, second: str, wanted: str, blocked: bool) -> Case:
    status = {"DELETE": 202, "PUT": 201 if held == "np9" else 200}[first]
    accepted = {"status": 201 if wanted == "np9" else 200, "moved": moves(wanted)}
    begun = moves(held) if first == "PUT" and held != "cluster" else frozenset[str]()
    return case(
        f"{second} {wanted} while {first} {held} runs",
        switch(operation_polls=9),
        _write(first, held, status=status, moved=begun),
        _write(second, wanted, **(BUSY if blocked else accepted)),
    )


_UPDATING: Final = {"properties.provisioningState": "Updating"}
_SETTLED: Final = {"properties.provisioningState": "Succeeded"}
LONG: Final = [
    case(
        "a cluster PUT moves every tag, and not before its end",
        switch(operation_polls=2),
        put("cluster", headers={"If-Match": "<cluster>"}, shows=_UPDATING),
        get("operation", shows={"status": "InProgress"}),
        get("operation", shows={"status": "Succeeded"}, moved=ALL),
        get("cluster", shows=_SETTLED),
    ),
    case(
        "a cluster PUT may move its tags at accept",
        switch(operation_polls=2, cluster_tag_moves="accept"),
        put("cluster", moved=ALL),
        get("operation"),
        get("operation", shows={"status": "Succeeded"}),
    ),
    case(
        "a pool PUT moves its own tag twice, and no other",
        switch(operation_polls=2),
        put("np1", shows=_UPDATING, moved=moves("np1")),
        get("operation", shows={"status": "InProgress"}),
        get("operation", shows={"status": "Succeeded"}, moved=moves("np1")),
    ),
    case(
        "a pool is created with one tag and goes on with another",
        put("np9", 201, shows={"properties.provisioningState": "Creating"}, moved=moves("np9")),
        get("np9", shows=_SETTLED, moved=moves("np9")),
    ),
    case(
        "a cluster is created without a tag in the answer",
        put("new", 201, shows={"eTag": None}, moved=moves("new new/np1")),
        get("new", shows=_SETTLED, moved=moves("new new/np1")),
    ),
    case(
        "a pool is deleted when its operation is over",
        delete("np1"),
        get("result", 204, moved=moves("np1")),
        get("np1", 404, code="NotFound"),
        get("operation", shows={"status": "Succeeded"}),
    ),
    case(
        "a cluster takes its pools along",
        switch(operation_polls=2),
        delete("cluster"),
        get("result", 202),
        get("cluster", 404, code="ResourceNotFound", wrapped=True, moved=ALL),
    ),
    case("a GET of the parent counts, too", put("np1", moved=moves("np1")), get("cluster", moved=moves("np1"))),
    case(
        "a PATCH is done at once",
        patch("cluster", shows={"tags.team": "red"}, moved=moves("cluster")),
        put("cluster"),
    ),
    case("whether a PATCH moves the tag is a switch", switch(patch_moves_tag=False), patch("cluster"), get("cluster")),
    case(
        "an operation may take seconds",
        switch(operation_seconds=60),
        put("np1", moved=moves("np1")),
        get("operation", shows={"status": "InProgress"}),
        passes(59),
        put("np1", **BUSY),
        passes(1),
        get("operation", shows={"status": "Succeeded"}),
        put("np1", moved=moves("np1")),
    ),
    case(
        "a failed operation is a 200, and what it wrote is gone",
        fault(code="Boom", message="it failed"),
        put("np1"),
        get("operation", shows={"status": "Failed", "error.code": "Boom", "error.message": "it failed"}),
        get("np1", shows={"properties.provisioningState": "Failed", "properties.count": 3}),
        put("np1", moved=moves("np1")),
    ),
    case(
        "a preempted one may have been stored",
        fault(code="OperationPreempted", stored=True, status="Canceled"),
        put("np1", moved=moves("np1")),
        get("operation", shows={"status": "Canceled"}, moved=moves("np1")),
        get("np1", shows={"properties.count": 4}),
    ),
    case(
        "which refusal wins is a switch",
        switch(operation_polls=9),
        put("np1", moved=moves("np1")),
        put("np1", 412, headers={"If-Match": "x"}, code="PreconditionFailed"),
        switch(busy_first=True),
        put("np1", headers={"If-Match": "x"}, **BUSY),
    ),
    case(
        "an operation that never was",
        get("/subscriptions/s/providers/Microsoft.ContainerService/locations/l/operations/x", 404, wrapped=True),
        get(
            "/subscriptions/00000000-0000-0000-0000-000000000000/providers/Microsoft.ContainerService/locations/l"
            "/operations/x",
            404,
            code="NotFound",
        ),
    ),
]
ACTIONS: Final = [
    case(
        "stop, and start again",
        post("cluster", "stop"),
        get("cluster", shows={"properties.powerState.code": "Stopped"}, moved=ALL),
        post("cluster", "stop", **BUSY),
        post("cluster", "start"),
        get("cluster", shows={"properties.powerState.code": "Running"}, moved=ALL),
    ),
    case("no condition guards an action", post("cluster", "stop", headers={"If-Match": "stale"})),
    case(
        "an action excludes writes",
        post("cluster", "stop"),
        put("np1", says="Stopping", **BUSY),
        post("np1", "upgradeNodeImageVersion", **BUSY),
    ),
    case(
        "a node image is upgraded",
        post("np1", "upgradeNodeImageVersion"),
        get("np1", shows=_SETTLED, moved=moves("np1")),
    ),
    case(
        "abort ends what runs as canceled",
        switch(operation_polls=9),
        put("np1", moved=moves("np1")),
        post("np1", "abort", moved=moves("np1")),
        get("np1", shows={"properties.provisioningState": "Canceled"}),
    ),
    case("there may be nothing to abort", post("cluster", "abort", **BUSY)),
    case("a kubeconfig is handed out", post("cluster", "listClusterUserCredential", 200)),
    case("an action that the mock does not know", post("cluster", "rotateClusterCertificates", 501, wrapped=True)),
    case("an action on no cluster", post("new", "stop", 404, code="ResourceNotFound", wrapped=True)),
    case("an action on no pool", post("np9", "upgradeNodeImageVersion", 404, code="NotFound")),
]
CASES: Final = [*(_window(*each) for each in WINDOWS), *LONG, *ACTIONS]
