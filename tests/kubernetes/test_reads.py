# SPDX-License-Identifier: MIT
"""Reads that fail: what may be over in a moment is asked again, what never will be is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aks_etag import RequestRefusedError
from aks_etag._core.messages import NoResponse, Response
from aks_etag._core.verdict import Verdict
from aks_etag.kubernetes import KubernetesClient
from aks_etag.kubernetes._judge import judge_object_read
from aks_etag.mock.kubernetes import MockKubernetes

SAMPLES = Path(__file__).parent.parent / "data" / "kubernetes"

RECORDED = {
    "get_200": Verdict.ACCEPTED,
    "get_404": Verdict.ABSENT,
    "auth_401": Verdict.DENIED,
    "throttled_429_max_inflight": Verdict.THROTTLED,
    "webhook_500_timeout": Verdict.UNSURE,
    "timeout_504": Verdict.UNSURE,
    "list_504_future_rv": Verdict.UNSURE,
    "conversion_get_500_webhook_down": Verdict.UNSURE,
    "conversion_list_500_webhook_down": Verdict.UNSURE,
    "conversion_get_500_object_failed": Verdict.UNSURE,
    "cr_get_500_orphaned_old_version": Verdict.REFUSED,
    "cr_list_500_orphaned_old_version": Verdict.REFUSED,
}


def recorded(name: str) -> Response:
    answer = json.loads((SAMPLES / f"{name}.json").read_text("utf-8"))["response"]
    body = answer.get("body")
    return Response(status=answer["status"], body=body if isinstance(body, dict) else None)


@pytest.mark.parametrize(("name", "verdict"), RECORDED.items(), ids=RECORDED)
def test_what_a_real_server_answered_to_a_read_is_judged(name: str, verdict: Verdict) -> None:
    assert judge_object_read(recorded(name)) is verdict


BODIES: list[Any] = [None, {}, {"error": "proxy"}, {"kind": "Status", "reason": "InternalError"}]


@pytest.mark.parametrize("body", BODIES, ids=repr)
def test_a_500_that_is_not_the_servers_own_or_has_a_reason_is_asked_again(body: Any) -> None:
    assert judge_object_read(Response(status=500, body=body)) is Verdict.UNSURE


def test_no_answer_is_asked_again() -> None:
    assert judge_object_read(NoResponse(error=OSError("reset"))) is Verdict.UNSURE


ORPHANED = {"kind": "Status", "message": "request to convert CR from an invalid group/version: x/v1", "code": 500}


def test_a_list_that_cannot_be_decoded_is_refused_at_once() -> None:
    server = MockKubernetes()
    server.add({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "namespace": "default"}})
    server.inject(method="GET", path="/configmaps", effect=500, body=ORPHANED, times=100)
    with KubernetesClient(server.url, transport=server.httpx_transport(), clock=server.clock) as kube:
        with pytest.raises(RequestRefusedError, match="invalid group/version"):
            list(kube.objects("v1", "ConfigMap", "default"))
    assert [entry.status for entry in server.journal if "configmaps" in entry.path] == [500]


def test_an_object():
    server = MockKubernetes()
    server.add({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "namespace": "default"}})
    server.inject(method="GET", path="/configmaps", effect=500, body=ORPHANED, times=100)
    with KubernetesClient(server.url, transport=server.httpx_transport(), clock=server.clock) as kube:
        h = kube.object("v1", "ConfigMap", "default", "x")
        for call in (h.get, lambda: h.update(lambda b: None)):
            with pytest.raises(RequestRefusedError, match="invalid group/version"):
                call()
    assert [entry.status for entry in server.journal if "configmaps" in entry.path] == [500, 500]
