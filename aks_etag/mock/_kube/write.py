# SPDX-License-Identifier: MIT
"""Create and update: the order of the server's checks, and the write that moves the version only if bytes change."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Final

from aks_etag.mock._core.answers import RefusalError
from aks_etag.mock._kube import definitions, rules, schema
from aks_etag.mock._kube.action import Action
from aks_etag.mock._kube.convert import decode, encode, present
from aks_etag.mock._kube.endings import end
from aks_etag.mock._kube.journal import ObjectKey
from aks_etag.mock._kube.kinds import DEFINITION, NAMESPACE, Kind
from aks_etag.mock._kube.ownership import track_update
from aks_etag.mock._kube.refusals import (
    Cause,
    already_exists,
    bad_request,
    conflict,
    failure,
    forbidden,
    internal,
    invalid,
    not_found,
)
from aks_etag.mock._kube.sameness import same
from aks_etag.mock._kube.store import Record

# Only the server says these; whatever is sent is replaced by what is stored.
_SERVER_SAYS: Final = (
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "namespace",
)
_SUFFIX: Final = 5


def create_object(action: Action, sent: Mapping[str, Any], *, track: bool = True) -> dict[str, Any]:
    """Create an object and return it as it is shown."""
    new = decode(action, sent)
    metadata = new["metadata"]
    if not metadata.get("name") and metadata.get("generateName"):
        metadata["name"] = metadata["generateName"] + action.store.mint.resource_uid()[:_SUFFIX]
    name = str(metadata.get("name") or "")
    _check_place(action, metadata)
    _check_parents(action, name)
    if causes := rules.broken_name(name):
        raise invalid(action.kind, name, causes)
    _birth(action, new)
    _check_content(action, None, new)
    if action.store.get(action.key_of(name)) is not None:
        raise already_exists(action.kind, name)
    if metadata.pop("resourceVersion", None):
        raise internal("resourceVersion should not be set on objects to be created")
    if track:
        track_update(None, new, action.writer(), _known_versions(action.kind))
    if action.dry_run:
        return new
    body, stored = encode(action.store, action.kind, action.version, new)
    record = action.store.keep(action.key_of(name), body, stored, **action.commit)
    shown = present(action.store, action.kind, action.version, record)
    _count(action)
    if action.kind is DEFINITION:
        definitions.establish(action.store, record)
    return shown


def update_object(
    action: Action, record: Record, live: dict[str, Any], sent: Mapping[str, Any], *, track: bool = True
) -> dict[str, Any]:
    """Replace an object and return it as it is shown."""
    new = decode(action, sent)
    _check_place(action, new["metadata"])
    _check_version(action, record, new["metadata"])
    _check_identity(action, live, new["metadata"])
    new = _only_subresource(action, live, new)
    for name in _SERVER_SAYS:
        new["metadata"].pop(name, None)
        new["metadata"].update({name: live["metadata"][name]} if name in live["metadata"] else {})
    new["metadata"]["uid"] = live["metadata"]["uid"]
    _check_finalizers(action, live, new)
    if track:
        track_update(live, new, action.writer(), _known_versions(action.kind))
    elif not new["metadata"].get("managedFields"):
        new["metadata"].pop("managedFields", None)
    _prepare(action, live, new)
    _check_content(action, live, new)
    if action.kind.generation and not same(_content(action, live), _content(action, new)):
        new["metadata"]["generation"] = live["metadata"].get("generation", 1) + 1
    return _store(action, record, live, new)


def _store(action: Action, record: Record, live: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    store = action.store
    body, stored = encode(store, action.kind, action.version, new)
    new["metadata"]["resourceVersion"] = str(record.version)
    if action.dry_run:
        return new
    _count(action)
    # Byte for byte the same, in the same version: nothing is written, the version stays.
    if stored == record.stored and same(body, dict(record.body)):
        return new
    if "deletionTimestamp" in live["metadata"] and not new["metadata"].get("finalizers"):
        end(store, record, **action.commit)
        return new
    kept = store.keep(record.key, body, stored, **action.commit)
    if action.kind is DEFINITION:
        definitions.flipped(store, live, new)
    return present(store, action.kind, action.version, kept)


def _count(action: Action) -> None:
    if action.kind.custom:
        action.store.races.count(f"{action.kind.plural}.{action.kind.group}")


def _birth(action: Action, new: dict[str, Any]) -> None:
    kind, metadata = action.kind, new["metadata"]
    for name in ("deletionGracePeriodSeconds", "deletionTimestamp", "selfLink"):
        metadata.pop(name, None)
    metadata["uid"] = action.store.mint.guid()
    metadata["creationTimestamp"] = action.store.now()
    if kind.namespaced:
        metadata["namespace"] = action.namespace
    if kind.generation:
        metadata["generation"] = 1
    if kind.has("status", action.version):
        new.pop("status", None)
        if not kind.custom:
            new["status"] = copy.deepcopy(rules.BORN.get(kind.kind, {}))
    if kind is DEFINITION:
        new.setdefault("spec", {})
        definitions.prepare(None, new)


def _prepare(action: Action, live: dict[str, Any], new: dict[str, Any]) -> None:
    if action.kind is not DEFINITION:
        return
    if action.subresource == "status":
        definitions.prepare_status(new)
    else:
        definitions.prepare(live, new)


def _check_place(action: Action, metadata: Mapping[str, Any]) -> None:
    name, namespace = metadata.get("name"), metadata.get("namespace")
    if action.name and name != action.name:
        raise bad_request(f"the name of the object ({name}) does not match the name on the URL ({action.name})")
    if namespace and namespace != action.namespace:
        raise bad_request(f"the namespace of the object ({namespace}) does not match that of the request")


def _check_parents(action: Action, name: str) -> None:
    kind = action.kind
    if kind.namespaced:
        namespace = action.store.get(_namespace_key(action))
        if namespace is None:
            raise not_found(NAMESPACE, action.namespace)
        if "deletionTimestamp" in namespace.metadata:
            said = f"namespace {action.namespace} is being terminated"
            cause = Cause(reason="NamespaceTerminating", field="metadata.namespace", message=said)
            raise forbidden(kind, name, said, [cause])
    if kind.definition is not None and definitions.terminating(kind.definition):
        raise forbidden(kind, name, "create not allowed while custom resource definition is terminating")


def _namespace_key(action: Action) -> ObjectKey:
    return ObjectKey(NAMESPACE.group, NAMESPACE.plural, "", action.namespace)


def _check_version(action: Action, record: Record, metadata: Mapping[str, Any]) -> None:
    sent = str(metadata.get("resourceVersion") or "0")
    if not (sent.isascii() and sent.isdigit()):
        raise internal(f'strconv.ParseUint: parsing "{sent}": invalid syntax')
    uid = metadata.get("uid")
    if action.call.method == "PUT" and uid and uid != record.metadata["uid"]:
        said = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {record.metadata['uid']}"
        raise conflict(action.kind, action.name, said)
    if int(sent) == 0:
        if action.kind.custom:
            said = "Invalid value: 0: must be specified for an update"
            cause = Cause(reason="FieldValueInvalid", field="metadata.resourceVersion", message=said)
            raise invalid(action.kind, action.name, [cause], plural=True)
        return
    if sent != str(record.version):
        raise conflict(action.kind, action.name)


def _check_identity(action: Action, live: Mapping[str, Any], metadata: Mapping[str, Any]) -> None:
    uid = metadata.get("uid")
    if uid and uid != live["metadata"]["uid"]:
        said = f'Invalid value: "{uid}": field is immutable'
        # Recorded: the same cause twice.
        raise invalid(
            action.kind, action.name, [Cause(reason="FieldValueInvalid", field="metadata.uid", message=said)] * 2
        )


def _only_subresource(action: Action, live: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    if action.subresource == "status":
        kept = copy.deepcopy(live)
        managed = new["metadata"].get("managedFields")
        kept["metadata"].update({} if managed is None else {"managedFields": managed})
        kept.pop("status", None)
        return {**kept, **({"status": new["status"]} if "status" in new else {})}
    if action.kind.has("status", action.version):
        new.pop("status", None)
        new.update({"status": copy.deepcopy(live["status"])} if "status" in live else {})
    return new


def _check_finalizers(action: Action, live: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    if "deletionTimestamp" not in live["metadata"]:
        return
    old = live["metadata"].get("finalizers") or []
    added = [each for each in new["metadata"].get("finalizers") or [] if each not in old]
    if added:
        said = f"Forbidden: no new finalizers can be added if the object is being deleted, found {added}"
        cause = Cause(reason="FieldValueForbidden", field="metadata.finalizers", message=said)
        raise invalid(action.kind, action.name, [cause] * 2)


def _check_content(action: Action, live: dict[str, Any] | None, new: dict[str, Any]) -> None:
    kind = action.kind
    admission = action.store.admission
    said = admission("UPDATE" if live else "CREATE", copy.deepcopy(new)) if admission else None
    if said is not None:
        raise _denied(action, new["metadata"].get("name", ""), said)
    if kind.custom:
        causes = schema.broken_rules(new, kind.schema(action.version), live)
    elif kind is DEFINITION:
        causes = [] if action.subresource else [*definitions.broken_name(new), *definitions.broken_rules(new)]
    else:
        causes = rules.broken_rules(kind.kind, live, new)
    if causes:
        raise invalid(kind, new["metadata"].get("name", ""), causes)


def _denied(action: Action, name: str, said: str) -> RefusalError:
    kind = action.kind
    found = {"name": name, "group": kind.group, "kind": kind.plural, "causes": [{"message": said}]}
    found = {key: value for key, value in found.items() if value}
    return RefusalError(failure(422, "Invalid", f'{kind.qualified} "{name}" is forbidden: {said}', details=found))


def _known_versions(kind: Kind) -> list[str]:
    return [kind.api_version(version) for version in (kind.versions if kind.custom else kind.served)]


def _content(action: Action, body: Mapping[str, Any]) -> dict[str, Any]:
    apart = {"apiVersion", "kind", "metadata"} | ({"status"} if action.kind.has("status", action.version) else set())
    return {name: value for name, value in body.items() if name not in apart}
