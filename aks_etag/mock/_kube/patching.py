# SPDX-License-Identifier: MIT
"""PATCH: five content types, and server-side apply."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any, Final

from aks_etag.mock._core.answers import MISSING, Answer
from aks_etag.mock._kube.action import Action
from aks_etag.mock._kube.convert import unknown_fields
from aks_etag.mock._kube.ownership import merge_applied, owners_of
from aks_etag.mock._kube.patches import json_patch, merge_patch, strategic_patch
from aks_etag.mock._kube.refusals import (
    Cause,
    bad_request,
    conflict,
    internal,
    invalid_options,
    owned_by_others,
    unmocked,
    unsupported_media,
)
from aks_etag.mock._kube.scale import scale_of, scaled
from aks_etag.mock._kube.verbs import find, show, updated
from aks_etag.mock._kube.write import create_object, update_object

APPLY: Final = "application/apply-patch+yaml"
STRATEGIC: Final = "application/strategic-merge-patch+json"
PATCHES: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "application/json-patch+json": json_patch,
    "application/merge-patch+json": merge_patch,
    STRATEGIC: strategic_patch,
}


def patch(action: Action) -> Answer:
    """Patch an object."""
    kind = action.call.content_type
    if kind != APPLY and (kind not in PATCHES or (action.kind.custom and kind == STRATEGIC)):
        raise _unknown_type(action, kind)
    if kind == APPLY:
        return _apply(action)
    if "force" in action.call.query:
        said = "Forbidden: may not be specified for non-apply patch"
        raise invalid_options("PatchOptions", Cause(reason="FieldValueForbidden", field="force", message=said))
    sent = action.call.json()
    if sent is MISSING or not isinstance(sent, dict | list):
        raise bad_request("error decoding patch: it is no JSON object or list")
    if isinstance(sent, list) and kind not in ("application/json-patch+json",):
        raise bad_request("error decoding patch: an object is expected")
    record, live = find(action)
    shown = scale_of(live) if action.subresource == "scale" else live
    patched = PATCHES[kind](shown, sent)
    if not isinstance(patched, dict) or not isinstance(patched.get("metadata", {}), dict):
        raise bad_request("the patch leaves no object")
    whole = scaled(live, patched) if action.subresource == "scale" else patched
    return updated(action, record, update_object(action, record, live, whole))


def _apply(action: Action) -> Answer:
    if not action.call.query.get("fieldManager"):
        said = "Required value: is required for apply patch"
        raise invalid_options("PatchOptions", Cause(reason="FieldValueRequired", field="fieldManager", message=said))
    applied = _applied_object(action)
    if action.store.get(action.key) is None:
        return _apply_to_nothing(action, applied)
    record, live = find(action)
    _check_managers(action, live)
    force = action.call.query.get("force", "").lower() in ("true", "1")
    merged, causes = merge_applied(live, applied, action.writer("Apply"), force=force)
    if causes:
        raise owned_by_others(causes)
    return updated(action, record, update_object(action, record, live, merged, track=False))


def _applied_object(action: Action) -> dict[str, Any]:
    applied = action.call.json()
    if applied is MISSING:
        # The standard library reads no YAML; JSON is YAML, too.
        raise unmocked("YAML: send JSON under the same content type")
    if not isinstance(applied, dict) or not applied.get("apiVersion") or not applied.get("kind"):
        raise bad_request("invalid object type: apiVersion and kind are needed")
    applied = copy.deepcopy(applied)
    metadata = applied.setdefault("metadata", {})
    if metadata.get("managedFields") is not None:
        raise bad_request("metadata.managedFields must be nil")
    unknown = unknown_fields(action, applied)
    if unknown:
        raise internal(f"failed to create typed patch object: .{unknown[0]}: field not declared in schema")
    return applied


def _apply_to_nothing(action: Action, applied: dict[str, Any]) -> Answer:
    metadata = applied["metadata"]
    if metadata.get("uid") and metadata.get("resourceVersion"):
        raise conflict(action.kind, action.name)
    if metadata.get("uid"):
        said = f"uid mismatch: the provided object specified uid {metadata['uid']}, and no existing object was found"
        raise conflict(action.kind, action.name, said)
    if action.subresource:
        find(action)
    # Recorded: a version without a uid is no precondition here, the object is created.
    metadata.pop("resourceVersion", None)
    metadata.setdefault("name", action.name)
    empty = {"apiVersion": applied["apiVersion"], "kind": applied["kind"], "metadata": {"name": action.name}}
    merged, _ = merge_applied(empty, applied, action.writer("Apply"), force=True)
    return show(action, 201, create_object(action, merged, track=False), "created by apply")


def _check_managers(action: Action, live: dict[str, Any]) -> None:
    kind = action.kind
    known = [kind.api_version(version) for version in (kind.versions if kind.custom else kind.served)]
    for owner in owners_of(live):
        if owner.api_version not in known:
            raise internal(f"request to convert CR to an invalid group/version: {owner.api_version}")


def _unknown_type(action: Action, sent: str) -> Exception:
    if sent == "application/json":
        return unsupported_media("415: Unsupported Media Type", {})
    types = [*(name for name in PATCHES if name != STRATEGIC or not action.kind.custom), APPLY]
    return unsupported_media(f"the body was in an unknown format - accepted media types include: {', '.join(types)}")
