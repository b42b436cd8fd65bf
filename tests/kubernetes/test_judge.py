# SPDX-License-Identifier: MIT
"""Six refusals that look like "conflict", told apart by status, reason and details of what real servers answered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aks_etag._core.messages import NoResponse, Response
from aks_etag._core.verdict import Verdict
from aks_etag.kubernetes._judge import field_conflicts, judge

SAMPLES = Path(__file__).parent.parent / "data" / "kubernetes"

RECORDED = {
    "put_409_stale_rv": Verdict.STALE,
    "merge_patch_409_stale_rv": Verdict.STALE,
    "strategic_patch_409_stale_rv": Verdict.STALE,
    "json_patch_409_replace_rv_stale": Verdict.STALE,
    "status_put_409_stale_rv": Verdict.STALE,
    "scale_put_409_stale_rv": Verdict.STALE,
    "cr_put_409_stale_rv": Verdict.STALE,
    "crd_put_409_stale_rv": Verdict.STALE,
    "dry_run_put_409_stale": Verdict.STALE,
    "apply_409_stale_rv": Verdict.STALE,
    "delete_409_rv_precondition": Verdict.STALE,
    "delete_409_uid_precondition": Verdict.STALE,
    "create_409_already_exists": Verdict.STALE,
    "apply_409_field_conflict": Verdict.REFUSED,
    "apply_409_two_owners": Verdict.REFUSED,
    "json_patch_422_test_failed": Verdict.REFUSED,
    "json_patch_422_remove_absent": Verdict.REFUSED,
    "merge_patch_422_uid_mismatch": Verdict.REFUSED,
    "cr_put_422_no_rv": Verdict.REFUSED,
    "cr_patch_415_strategic": Verdict.REFUSED,
    "throttled_429_max_inflight": Verdict.THROTTLED,
    "put_404_missing_with_rv": Verdict.ABSENT,
    "path_404_unknown_group": Verdict.ABSENT,
    "timeout_504": Verdict.UNSURE,
    "webhook_500_timeout": Verdict.UNSURE,
    "put_500_malformed_rv": Verdict.UNSURE,
    "auth_401": Verdict.DENIED,
    "auth_403": Verdict.DENIED,
    "create_403_namespace_terminating": Verdict.DENIED,
    "put_200_current_rv": Verdict.ACCEPTED,
    "create_201": Verdict.ACCEPTED,
}


def recorded(name: str) -> tuple[Response, str]:
    """Return the answer of a sample, and the name of the object that was asked for."""
    sample = json.loads((SAMPLES / f"{name}.json").read_text("utf-8"))
    body = sample["response"].get("body")
    asked = (sample["request"].get("body") or {}) if isinstance(sample["request"].get("body"), dict) else {}
    path = sample["request"]["target"].partition("?")[0].split("/")
    subresource = path[-1] in ("status", "scale")
    name = (asked.get("metadata") or {}).get("name") or path[-2 if subresource else -1]
    return Response(status=sample["response"]["status"], body=body if isinstance(body, dict) else None), name


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_answer_means_what_it_means(name: str) -> None:
    answer, object_name = recorded(name)
    assert judge(answer, object_name) is RECORDED[name]


def test_the_owners_of_fields_are_named() -> None:
    answer, _ = recorded("apply_409_field_conflict")
    assert field_conflicts(answer.body) == ((".data.x", "mgr-one"), (".data.y", "mgr-one"))


def test_a_quota_that_lost_a_race_is_not_our_conflict() -> None:
    body = {
        "kind": "Status",
        "reason": "Conflict",
        "code": 409,
        "details": {"name": "compute", "kind": "resourcequotas"},
    }
    assert judge(Response(status=409, body=body), "cm-1") is Verdict.BUSY
    assert judge(Response(status=409, body={**body, "details": {"name": "cm-1"}}), "cm-1") is Verdict.STALE


@pytest.mark.parametrize(
    ("outcome", "verdict"),
    [
        (NoResponse(error=OSError()), Verdict.UNSURE),
        (NoResponse(error=OSError(), sent=False), Verdict.NOT_SENT),
        (NoResponse(error=OSError(), sent=False, final=True), Verdict.FATAL),
    ],
    ids=["lost", "never-sent", "no-token"],
)
def test_no_answer_is_judged_by_whether_it_left(outcome: Any, verdict: Verdict) -> None:
    assert judge(outcome, "cm-1") is verdict


@pytest.mark.parametrize("details", [None, [], "x", {"causes": None}, {"causes": [1, "x"]}, {"name": 7}], ids=repr)
def test_odd_details_are_no_field_conflict(details: Any) -> None:
    body = {"reason": "Conflict", "details": details}
    assert judge(Response(status=409, body=body), "cm-1") is Verdict.STALE
    assert field_conflicts(body) == ()


@pytest.mark.parametrize("status", [200, 201, 202])
@pytest.mark.parametrize("body", [None, "<html>", []], ids=repr)
def test_the_page_of_a_proxy_is_no_proof_that_a_write_was_accepted(status: int, body: Any) -> None:
    assert judge(Response(status=status, body=body), "x") is Verdict.UNSURE
    assert judge(Response(status=status, body={"kind": "Status"}), "x") is Verdict.ACCEPTED
