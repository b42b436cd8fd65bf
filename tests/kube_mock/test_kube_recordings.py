# SPDX-License-Identifier: MIT
"""The recorded exchanges, sent again: same status, reason, details, content type and keys."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

import httpx
import pytest

from aks_etag.mock.kubernetes import MockKubernetes

from . import stages
from .stages import Stage
from .talk import Api, configmap

DATA = Path(__file__).parent.parent / "data" / "kubernetes"
# What was recorded and is not imitated.
UNSUPPORTED = {
    "conversion_review_request": "a request that the server sends to a webhook, not one that it answers",
    "crd_get_200_svm_running": "a condition that the migrator built into the server sets",
    "watch_410_too_old_event": "watches",
}
RECORDED = 159


@dataclass(frozen=True)
class Row:
    """How to stage a recording; ``fill`` names what the request takes from the mock instead of the recording."""

    stage: Stage
    fill: str = ""
    body: Any = None
    moves: bool | None = None


def rows(stage: Stage, names: str, fill: str = "", *, moves: bool | None = None) -> dict[str, Row]:
    return {name: Row(stage, fill, moves=moves) for name in names.split()}


ROWS: dict[str, Row] = {
    **rows(
        stages.empty,
        "apply_201_create apply_201_missing_with_rv_recreates apply_409_missing_with_uid create_201 "
        "create_422_bad_name apply_409_missing_with_uid_and_rv create_404_namespace_missing create_500_rv_set "
        "create_generate_name delete_404 get_404 json_patch_404_missing lease_put_201_create_on_update "
        "merge_patch_404_missing put_404_missing_no_rv put_404_missing_with_rv put_missing_with_uid method_405 "
        "path_404_unknown_group timeout_504 crd_create_201 crd_create_422_no_storage crd_create_422_two_storage "
        "discovery_aggregated_200",
    ),
    "svm_create_201": Row(stages.migrator),
    "svm_get_200_running": Row(stages.migrating),
    "discovery_304_if_none_match": Row(stages.empty, "tag"),
    **rows(
        stages.one,
        "create_409_already_exists get_200 get_if_none_match_ignored json_patch_400_malformed patch_415_plain_json "
        "json_patch_409_replace_rv_stale json_patch_422_remove_absent json_patch_422_test_failed patch_force_non_apply "
        "json_patch_422_test_failed_field json_patch_bad_op json_patch_test_absent_path merge_patch_409_stale_rv "
        "merge_patch_422_uid_mismatch put_409_stale_rv put_future_rv dry_run_put_409_stale "
        "strategic_patch_409_stale_rv delete_409_rv_precondition delete_409_uid_precondition strict_400_unknown_field "
        "put_400_name_mismatch",
        "uid",
        moves=False,
    ),
    **rows(stages.one, "put_409_uid_mismatch", "rv", moves=False),
    **rows(stages.one, "put_200_empty_rv put_200_no_rv_unconditional put_500_malformed_rv", "uid"),
    **rows(stages.one, "put_200_rv_zero_is_unconditional", "uid", moves=True),
    **rows(
        stages.one,
        "json_patch_200_test_ok merge_patch_200_current_rv merge_patch_200_no_rv merge_patch_200_null_deletes "
        "put_200_current_rv put_if_match_ignored",
        "uid rv",
    ),
    **rows(
        stages.one,
        "dry_run_put_200 json_patch_empty_list json_patch_test_null_absent_ok merge_patch_empty_noop "
        "warn_unknown_field",
        "uid rv data",
        moves=False,
    ),
    **rows(stages.one, "put_200_noop_same_rv_kept", "uid rv data", moves=False),
    **rows(stages.one, "delete_200_preconditions_ok", "uid rv"),
    **rows(
        stages.again,
        "apply_409_recreated_uid_rv json_patch_422_recreated_test_uid merge_patch_409_recreated_uid_rv "
        "put_409_recreated_object put_409_recreated_object_rv_only put_409_recreated_object_uid_only",
        moves=False,
    ),
    **rows(stages.plain, "bad_content_type_put_415 bad_json_400", moves=False),
    "put_413_body_too_large": Row(stages.plain, body=configmap("cm-ssa", "lab-a", big="x" * (4 << 20)), moves=False),
    "put_422_configmap_too_big": Row(stages.plain, body=configmap("cm-ssa", "lab-a", big="x" * 1_200_000), moves=False),
    **rows(stages.guarded(token="right"), "auth_401"),
    **rows(stages.guarded(deny=[("*", "configmaps")]), "anon_403 auth_403"),
    **rows(stages.immutable, "update_422_immutable_configmap", moves=False),
    **rows(
        stages.many,
        "list_200_chunk_first list_400_bad_continue list_400_continue_with_rv list_504_future_rv",
    ),
    "list_200_chunk_next": Row(stages.many, "token"),
    "list_410_expired_continue": Row(stages.many, "old-token"),
    "list_200_inconsistent_continue": Row(stages.many, "fresh-token"),
    **rows(stages.expired, "list_410_exact_rv_compacted"),
    **{name: Row(stages.broken(name), moves=False) for name in ("throttled_429_max_inflight", "webhook_500_timeout")},
    **rows(
        stages.applied,
        "apply_200_force apply_200_shared_same_value apply_409_field_conflict apply_422_no_field_manager "
        "apply_409_stale_rv apply_400_managed_fields_set apply_409_stale_rv_with_force apply_422_uid_mismatch "
        "apply_500_unknown_field apply_missing_apiversion",
    ),
    **rows(stages.shared, "apply_409_two_owners", moves=False),
    **rows(
        stages.updated, "apply_409_conflict_with_update_manager apply_both_stale_rv_and_field_conflict", moves=False
    ),
    **rows(stages.updated, "apply_200_current_rv apply_noop_repeat apply_remove_field_by_omission", "rv", moves=False),
    **rows(stages.updated, "apply_reset_managed_fields", moves=True),
    **rows(stages.ending_namespace, "create_403_namespace_terminating"),
    **rows(stages.ending_definition, "cr_create_403_crd_terminating update_422_add_finalizer_while_deleting"),
    **rows(
        stages.web,
        "merge_patch_list_replaces scale_get_200 scale_put_409_stale_rv status_put_409_stale_rv "
        "update_422_invalid_field strategic_patch_delete_list_item strategic_patch_list_merge_by_name "
        "update_422_immutable_selector",
        "uid",
    ),
    **rows(
        stages.widgets,
        "cr_422_schema cr_patch_415_strategic cr_put_404_missing_with_rv cr_put_409_stale_rv cr_put_422_no_rv "
        "crd_get_200 crd_put_409_stale_rv",
        "uid",
        moves=False,
    ),
    **rows(stages.widgets, "crd_put_200_add_served_version", "uid rv", moves=True),
    **rows(stages.two_versions, "crd_put_200_flip_storage", "uid rv", moves=True),
    **rows(
        stages.flipped, "crd_put_422_remove_stored_version crd_patch_422_remove_stored_version", "uid rv", moves=False
    ),
    **rows(stages.flipped, "crd_status_409_stale_rv", "uid", moves=False),
    **rows(
        stages.flipped,
        "crd_status_200_drop_storage_version_accepted crd_status_200_empty_stored_versions_accepted "
        "crd_status_200_trim_too_early crd_status_200_unknown_stored_version_accepted",
        "uid rv",
        moves=True,
    ),
    **rows(stages.trimmed, "crd_status_200_readd_stored_version crd_put_200_unserve_old", "uid rv", moves=True),
    **rows(stages.unserved, "cr_404_unserved_version"),
    **rows(stages.unserved, "crd_put_200_remove_version_after_early_trim", "uid rv", moves=True),
    **rows(
        stages.removed,
        "crd_put_200_recover_readd_version crd_put_200_unserve_only_version_accepted",
        "uid rv",
        moves=True,
    ),
    **rows(
        stages.removed,
        "cr_apply_500_managed_fields_removed_version cr_apply_500_same_manager_removed_version cr_delete_orphaned "
        "cr_get_500_orphaned_old_version cr_list_500_orphaned_old_version cr_patch_orphaned cr_put_orphaned "
        "cr_merge_200_managed_fields_removed_version",
    ),
    **rows(stages.gadgets, "migrate_put_200_new_schema_required_ratcheted", "uid rv", moves=True),
    **rows(stages.gadgets, "migrate_put_422_admission_policy_denied", "uid rv", moves=False),
    **rows(
        stages.gizmos("z-bad"),
        "conversion_get_500_object_failed conversion_list_500_one_object_failed conversion_put_500_object_failed",
    ),
    **rows(stages.gizmos(""), "conversion_get_500_webhook_down conversion_list_500_webhook_down"),
}


def test_every_recording_is_replayed_or_excused() -> None:
    files = {path.stem for path in DATA.glob("*.json")}
    assert files == ROWS.keys() | UNSUPPORTED.keys()
    assert len(ROWS) + len(UNSUPPORTED) == RECORDED
    assert len(UNSUPPORTED) * 5 <= RECORDED


@pytest.mark.parametrize("name", sorted(ROWS))
def test_the_mock_answers_as_recorded(name: str, kube: MockKubernetes, api: Api) -> None:
    recording = json.loads((DATA / f"{name}.json").read_text("utf-8"))
    row = ROWS[name]
    row.stage(kube, api)
    request = filled(recording["request"], row, kube, api)
    before = [commit.key for commit in kube.commits]
    answered = send(api, request)
    expected = recording["response"]
    assert answered.status_code == expected["status"], answered.text
    assert headers_of(answered.headers) == headers_of(expected["headers"])
    if expected["body"] not in ("(trimmed)", ""):
        compare(body_of(answered), expected["body"])
    if row.moves is not None:
        assert ([commit.key for commit in kube.commits] != before) is row.moves


def send(api: Api, request: dict[str, Any]) -> httpx.Response:
    body = request["body"]
    content = body if isinstance(body, str) or body is None else json.dumps(body)
    headers = {**request["headers"], **({"content-type": request["content_type"]} if request["content_type"] else {})}
    return api.request(request["method"], request["target"], headers=headers, content=content)


def filled(request: dict[str, Any], row: Row, kube: MockKubernetes, api: Api) -> dict[str, Any]:
    path, _, query = request["target"].partition("?")
    live = api.get(path.removesuffix("/status").removesuffix("/scale")).json() if row.fill else {}
    fill = row.fill.split()
    if row.body is not None:
        request["body"] = row.body
    if "tag" in fill:
        request["headers"]["if-none-match"] = api.get(path, headers=request["headers"]).headers["etag"]
    token = next((each for each in fill if each.endswith("token")), "")
    if token:
        parameters = {**dict(parse_qsl(query)), "continue": token_of(token, path, kube, api)}
        request["target"] = f"{path}?{urlencode(parameters)}"
    if "data" in fill and isinstance(request["body"], dict) and "data" in request["body"]:
        request["body"]["data"] = live["data"]
    metadata = live.get("metadata") or {}
    names = {"uid": "uid", "rv": "resourceVersion"}
    for found in (names[each] for each in fill if each in names):
        fill_in(request["body"], found, metadata.get(found))
        if found == "resourceVersion":
            fill_in(request["body"], "managedFields", metadata.get("managedFields"))
    return request


def fill_in(body: Any, name: str, value: Any) -> None:
    for operation in body if isinstance(body, list) else []:
        if operation.get("path") == f"/metadata/{name}":
            operation["value"] = value
    for part in ("metadata", "preconditions"):
        holder = body.get(part) if isinstance(body, dict) else None
        # What a recording sends as another object's uid stays another's.
        if holder and holder.get(name) and not str(holder[name]).startswith("11111111-"):
            holder[name] = value


def token_of(kind: str, path: str, kube: MockKubernetes, api: Api) -> str:
    token = api.get(path, params={"limit": 5}).json()["metadata"]["continue"]
    if kind == "token":
        return str(token)
    kube.expire_continue_tokens()
    if kind == "old-token":
        return str(token)
    refused = api.get(path, params={"limit": 5, "continue": token})
    return str(refused.json()["metadata"]["continue"])


def headers_of(headers: Any) -> dict[str, str]:
    names = ("content-type", "retry-after", "vary", "warning", "x-content-type-options")
    found = {name: headers[name] for name in names if name in headers}
    # The recorded 403s have it, the others do not; nothing depends on it.
    return {name: value for name, value in found.items() if name != "x-content-type-options"}


def body_of(response: httpx.Response) -> Any:
    try:
        return response.json()
    except ValueError:
        return response.text


def compare(found: Any, expected: Any) -> None:
    assert shape(found) == shape(expected)
    if not isinstance(expected, dict):
        assert found == expected
        return
    for name in ("kind", "apiVersion", "reason", "code", "status"):
        if not isinstance(expected.get(name), dict):
            assert found.get(name) == expected.get(name)
    details = expected.get("details") or {}
    assert [(cause.get("reason"), cause.get("field")) for cause in (found.get("details") or {}).get("causes", [])] == [
        (cause.get("reason"), cause.get("field")) for cause in details.get("causes", [])
    ]
    for name in set(details) - {"causes", "uid"}:
        assert found["details"][name] == details[name]
    if isinstance(expected.get("status"), dict) and "storedVersions" in expected["status"]:
        assert found["status"]["storedVersions"] == expected["status"]["storedVersions"]
    assert owners(found) == owners(expected) or "managedFields" not in (expected.get("metadata") or {})


def owners(body: dict[str, Any]) -> list[Any]:
    entries = body.get("metadata", {}).get("managedFields") or []
    # Who applied what is compared; who updated depends on what went before a recording.
    return sorted((each["manager"], str(each["fieldsV1"])) for each in entries if each["operation"] == "Apply")


def shape(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: None if name in ("managedFields", "message") else shape(child) for name, child in value.items()}
    return [shape(each) for each in value] if isinstance(value, list) else None
