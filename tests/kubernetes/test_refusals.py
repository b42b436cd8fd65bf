# SPDX-License-Identifier: MIT
"""What a client makes of each refusal that a real server gave: the reaction, and an error that says what happened."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from aks_etag import (
    AccessDeniedError,
    AksEtagError,
    ConflictRetry,
    NotFoundError,
    PreconditionFailedError,
    RequestRefusedError,
    WriteOutcomeUnknownError,
)
from aks_etag.kubernetes import KubernetesClient
from aks_etag.mock import MockKubernetes

from .test_client import CONFIG, one_more

DATA = Path(__file__).parent.parent / "data" / "kubernetes"
QUOTA = {
    "status": 409,
    "headers": {"content-type": "application/json"},
    "body": {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": 'Operation cannot be fulfilled on resourcequotas "compute": the object has been modified',
        "reason": "Conflict",
        "details": {"name": "compute", "kind": "resourcequotas"},
        "code": 409,
    },
}


@dataclass(frozen=True)
class Reaction:
    """What follows when the first ``times`` writes are answered so: the error, or none, and what was sent in all."""

    error: type[AksEtagError] | None
    sent: str
    says: str = ""
    applied: bool | None = False


REACTIONS = {
    # Called stale, twice for the very version that is there: somebody is wrong, and it is given up.
    "put_409_stale_rv": Reaction(PreconditionFailedError, "GET PUT GET PUT GET", "so this is no conflict"),
    # Nothing was carried out, and a write may go through a moment later: of what is there by then.
    "quota": Reaction(None, "GET PUT GET PUT"),
    "throttled_429_max_inflight": Reaction(None, "GET PUT GET PUT"),
    # It may have been carried out: looked into, and sent again because it was not.
    "timeout_504": Reaction(None, "GET PUT GET PUT"),
    "webhook_500_timeout": Reaction(None, "GET PUT GET PUT"),
    "put_500_malformed_rv": Reaction(None, "GET PUT GET PUT"),
    "conversion_put_500_object_failed": Reaction(None, "GET PUT GET PUT"),
    # Refused for good.
    "auth_401": Reaction(AccessDeniedError, "GET PUT PUT", "401 Unauthorized"),
    "auth_403": Reaction(AccessDeniedError, "GET PUT", "403 Forbidden"),
    "create_403_namespace_terminating": Reaction(AccessDeniedError, "GET PUT", "being terminated"),
    "migrate_put_422_admission_policy_denied": Reaction(RequestRefusedError, "GET PUT", "422 Invalid"),
    "update_422_immutable_configmap": Reaction(RequestRefusedError, "GET PUT", "immutable"),
    "put_413_body_too_large": Reaction(RequestRefusedError, "GET PUT", "413"),
    "method_405": Reaction(RequestRefusedError, "GET PUT", "405"),
    "bad_content_type_put_415": Reaction(RequestRefusedError, "GET PUT", "415"),
    "strict_400_unknown_field": Reaction(RequestRefusedError, "GET PUT", "400 BadRequest"),
    # Said to be gone, and there again in the next read; the second is plain text.
    "put_404_missing_with_rv": Reaction(NotFoundError, "GET PUT GET PUT", "404 NotFound"),
    "path_404_unknown_group": Reaction(NotFoundError, "GET PUT GET PUT", "404"),
}
# How often the refusal is given; the others are given whenever somebody writes.
ONCE = {"quota", "throttled_429_max_inflight", "timeout_504", "webhook_500_timeout", "put_500_malformed_rv"}
ONCE |= {"conversion_put_500_object_failed"}


class Refusing(httpx.BaseTransport):
    """Answers writes with a recording, all else with the server."""

    sends_once = True

    def __init__(self, server: MockKubernetes, answer: dict[str, Any], times: int) -> None:
        self.inner = server.httpx_transport()
        self.answer = answer
        self.left = times
        self.sent: list[str] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.count("/") > 3:
            self.sent.append(request.method)
        if request.method == "GET" or self.left == 0:
            return self.inner.handle_request(request)
        self.left -= 1
        body = self.answer["body"]
        headers = {name: self.answer["headers"].get(name, "") for name in ("content-type", "retry-after")}
        headers = {name: value for name, value in headers.items() if value}
        content = body if isinstance(body, str) else json.dumps(body)
        return httpx.Response(self.answer["status"], headers=headers, content=content.encode())


def recorded(name: str) -> dict[str, Any]:
    """Return an answer, made out to the object that is written."""
    if name == "quota":
        return QUOTA
    answer: dict[str, Any] = json.loads((DATA / f"{name}.json").read_text("utf-8"))["response"]
    details = answer["body"].get("details") if isinstance(answer["body"], dict) else None
    if details and "name" in details:
        details["name"] = "cm"
    return answer


def written(name: str, times: int) -> tuple[Any, str]:
    """Update under a refusal; return the result or the error, and what was sent."""
    server = MockKubernetes()
    server.add(CONFIG)
    wire = Refusing(server, recorded(name), times)
    retry = ConflictRetry(attempts=3, deadline=60)
    with KubernetesClient(server.url, token="t", transport=wire, clock=server.clock, conflict_retry=retry) as kube:
        handle = kube.object("v1", "ConfigMap", "default", "cm")
        try:
            came: Any = handle.update(one_more)
        except AksEtagError as error:
            came = error
    stored = server.object("v1", "ConfigMap", "default", "cm")
    assert stored is not None
    assert stored["data"]["n"] == ("0" if isinstance(came, AksEtagError) else "1")
    return came, " ".join(wire.sent)


@pytest.mark.parametrize("name", REACTIONS)
def test_a_refusal_gets_the_right_reaction_and_a_clear_error(name: str) -> None:
    wanted = REACTIONS[name]
    came, sent = written(name, 1 if name in ONCE else 100)
    assert (type(came) if isinstance(came, AksEtagError) else None, sent) == (wanted.error, wanted.sent)
    if wanted.error is not None:
        assert "configmaps/cm" in str(came)
        assert wanted.says in str(came)
        assert came.applied is wanted.applied


def test_a_500_without_end_is_a_write_whose_fate_nobody_knows() -> None:
    came, sent = written("webhook_500_timeout", 100)
    assert isinstance(came, AksEtagError)
    assert sent.startswith("GET PUT GET PUT")
    assert came.applied is not True
    assert not isinstance(came, WriteOutcomeUnknownError) or came.applied is None
