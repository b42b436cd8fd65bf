# SPDX-License-Identifier: MIT
"""The verbs on one object: GET, POST, PUT and DELETE, and its scale."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from aks_etag.mock._core.answers import MISSING, Answer
from aks_etag.mock._kube.action import Action
from aks_etag.mock._kube.convert import present
from aks_etag.mock._kube.endings import begin_to_end
from aks_etag.mock._kube.refusals import (
    bad_request,
    conflict,
    failed_precondition,
    json_answer,
    not_found,
    unsupported_media,
)
from aks_etag.mock._kube.scale import scale_of, scaled
from aks_etag.mock._kube.store import Record
from aks_etag.mock._kube.write import create_object, update_object

JSON_TYPES: Final = frozenset({"", "*/*", "application/json"})
ACCEPTED_TYPES: Final = "application/json, application/yaml, application/vnd.kubernetes.protobuf"


def get(action: Action) -> Answer:
    """Show an object."""
    _, live = find(action)
    return show(action, 200, live, "shown")


def post(action: Action) -> Answer:
    """Create an object."""
    return action.respond(201, create_object(action, sent_object(action)), "created")


def put(action: Action) -> Answer:
    """Replace an object; a kind that allows it is created where it is missing."""
    sent = sent_object(action)
    if action.store.get(action.key) is None and action.kind.create_on_update:
        return _create_by_put(action, sent)
    record, live = find(action)
    if action.subresource == "scale":
        sent = scaled(live, sent)
    return updated(action, record, update_object(action, record, live, sent))


def delete(action: Action) -> Answer:
    """Delete an object, or begin to where finalizers hold it."""
    record, live = find(action)
    options = action.call.json() if action.call.body.strip() else {}
    if not isinstance(options, dict):
        raise bad_request("the options of a DELETE are no JSON object")
    _check_preconditions(action, record, options.get("preconditions") or {})
    dry = action.dry_run or options.get("dryRun") == ["All"]
    left = None if dry else begin_to_end(action.store, record, **action.commit)
    if left is not None:
        return action.respond(200, present(action.store, action.kind, action.version, left), "deletion began")
    details = {"name": action.name, "group": action.kind.group, "kind": action.kind.plural}
    details["uid"] = live["metadata"]["uid"]
    shown = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}
    return json_answer(
        200, {**shown, "details": {key: value for key, value in details.items() if value}}, row="deleted"
    )


def find(action: Action) -> tuple[Record, dict[str, Any]]:
    """Return the stored object and what it looks like in the version of the request."""
    record = action.store.get(action.key)
    if record is None:
        raise not_found(action.kind, action.name)
    return record, present(action.store, action.kind, action.version, record)


def show(action: Action, status: int, body: Mapping[str, Any], row: str) -> Answer:
    """Show an object, or its scale."""
    return action.respond(status, scale_of(body) if action.subresource == "scale" else body, row)


def updated(action: Action, record: Record, body: Mapping[str, Any]) -> Answer:
    """Answer an update, and say for the journal whether it moved anything."""
    moved = body["metadata"]["resourceVersion"] != str(record.version)
    return show(action, 200, body, "dry run" if action.dry_run else "updated" if moved else "unchanged")


def sent_object(action: Action) -> dict[str, Any]:
    """Read the object that a POST or PUT sends."""
    if action.call.content_type not in JSON_TYPES:
        said = f"the body of the request was in an unknown format - accepted media types include: {ACCEPTED_TYPES}"
        raise unsupported_media(said)
    sent = action.call.json()
    if sent is MISSING or not isinstance(sent, dict):
        raise bad_request(f"the object provided is unrecognized (must be of type {action.kind.kind})")
    return sent


def _create_by_put(action: Action, sent: dict[str, Any]) -> Answer:
    metadata = sent.get("metadata") or {}
    if metadata.get("uid"):
        raise conflict(action.kind, action.name, "Precondition failed: there is no object with this UID")
    # Recorded for leases: a version on a missing object is no precondition.
    fresh = {key: value for key, value in metadata.items() if key != "resourceVersion"}
    return action.respond(201, create_object(action, {**sent, "metadata": fresh}), "created by PUT")


def _check_preconditions(action: Action, record: Record, wanted: Mapping[str, Any]) -> None:
    known = {"uid": record.metadata["uid"], "resourceVersion": str(record.version)}
    for name, there in known.items():
        if wanted.get(name) and wanted[name] != there:
            said = f"the {name} in the precondition ({wanted[name]}) does not match the one in record ({there})"
            raise failed_precondition(action.kind, action.name, said)
