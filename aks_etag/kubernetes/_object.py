# SPDX-License-Identifier: MIT
"""One Kubernetes object, as the flows know a resource: its version and its condition are both in the body."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar, Final

from .._core import document
from .._core.document import Fields, Path
from .._core.messages import Body, Outcome, Request, Response
from .._core.operation import Link
from .._core.precondition import Condition
from .._core.snapshot import Snapshot
from .._core.verdict import Verdict
from .._resources import Resource
from .._resources.protocol import MarkerPlace
from ..errors import InvalidPreconditionError
from ._judge import judge, judge_object_read
from ._place import Place

SERVER_FIELDS: Final = (
    "metadata.uid", "metadata.resourceVersion", "metadata.generation", "metadata.creationTimestamp",
    "metadata.deletionTimestamp", "metadata.deletionGracePeriodSeconds", "metadata.managedFields", "metadata.selfLink",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class KubernetesObject:
    """An object, or a subresource of one (``status``, ``scale``), which has the same version."""

    place: Place
    dry_run: bool = False
    field_manager: str = ""

    read_only: ClassVar[Fields] = document.fields((*SERVER_FIELDS, "status"))
    read_only_of_status: ClassVar[Fields] = document.fields((*SERVER_FIELDS, "spec"))

    @property
    def id(self) -> str:
        return self.place.path

    @property
    def marker(self) -> MarkerPlace | None:
        # What is written through a subresource has no metadata of its own.
        return None if self.place.subresource else MARKER

    def read(self) -> Request:
        return Request(method="GET", url=self.place.path)

    def replace(self, desired: Body, condition: Condition, *, base: Body | None = None) -> Request:
        self.check_edit({}, desired)
        if condition.create:
            return self._request("POST", self.place.collection, self.named(document.strip(desired, _NEW)))
        # The uid goes along so that a namesake that was created later is never taken for this one.
        return self._request("PUT", self.place.path, self.locked(desired, condition, base))

    def merge(self, patch: Body, condition: Condition) -> Request:
        raise InvalidPreconditionError(f"{self.id}: use patch() with one of the patch kinds")

    def remove(self, condition: Condition, *, base: Body | None = None) -> Request:
        options: dict[str, Any] = {"apiVersion": "v1", "kind": "DeleteOptions"}
        lock = self.lock(condition, base)
        return self._request("DELETE", self.place.path, {**options, **({"preconditions": lock} if lock else {})})

    def lock(self, condition: Condition, base: Body | None) -> dict[str, str]:
        """Return what a write is locked by: the version, and the uid where it is known."""
        if condition.version is None:
            return {}
        return {"resourceVersion": condition.version, **({} if base is None else self.identity(base))}

    def locked(self, body: Body, condition: Condition, base: Body | None) -> dict[str, Any]:
        """Return a body with the lock in its metadata, and nothing else there that the server owns."""
        bare: dict[str, Any] = document.strip(body, _METADATA)
        return self.named({**bare, "metadata": {**_metadata(bare), **self.lock(condition, base)}})

    def spelled(self, condition: Condition) -> str | None:
        return "create" if condition.create else condition.tag and f"resourceVersion: {condition.tag}"

    def snapshot(self, response: Response) -> Snapshot:
        return Snapshot(
            id=self.id,
            name=self.place.name,
            resource_group=self.place.namespace,
            body=response.body,
            version=version_of(response.body),
            provisioning_state=None,
            settled=True,
            read_at=datetime.fromtimestamp(response.received_at, UTC),
            origin=f"{self.place.api_version} {self.place.kind}",
            version_name="resourceVersion to lock by",
            advice="ask whoever runs this API server, or patch with locked=False",
        )

    def result(self, response: Response) -> Snapshot | None:
        shown = isinstance(response.body, Mapping) and version_of(response.body) is not None
        return self.snapshot(response) if shown else None

    def identity(self, body: Body) -> Mapping[str, str]:
        uid = _metadata(body).get("uid")
        return {"uid": uid} if isinstance(uid, str) and uid else {}

    def writable(self, body: Body) -> Body:
        of_status = self.place.subresource == "status"
        stripped: Body = document.strip(body, self.read_only_of_status if of_status else self.read_only)
        held = _metadata(stripped)
        # Not shown while they are empty: to ask for an empty one where none is shown asks for nothing.
        empty = [name for name in ("labels", "annotations") if name in held and not held[name]]
        if not empty:
            return stripped
        return {**stripped, "metadata": {name: value for name, value in held.items() if name not in empty}}

    def shown(self, body: Body) -> Body:
        return self.writable(body)

    def version_of(self, body: Body) -> str | None:
        return version_of(body)

    def check_edit(self, before: Body, after: Body) -> None:
        metadata = _metadata(after)
        for name, ours in (("name", self.place.name), ("namespace", self.place.namespace)):
            if metadata.get(name, ours) != ours:
                raise InvalidPreconditionError(f"{self.id}: the body is of another {name}, {metadata.get(name)!r}")

    def read_only_edits(self, before: Body, after: Body) -> tuple[Path, ...]:
        owned = self.read_only_of_status if self.place.subresource == "status" else self.read_only
        old, new = document.select(before, owned), document.select(after, owned)
        return tuple(path for path in document.differing(old, new) if document.at(new, path) is not document.MISSING)

    def judge(self, outcome: Outcome) -> Verdict:
        return judge(outcome, self.place.name)

    def judge_read(self, outcome: Outcome) -> Verdict:
        return judge_object_read(outcome)

    def operation(self, response: Response) -> Link | None:
        return None

    def blockers(self, named: str | None) -> tuple[Resource, ...]:
        return ()

    def named(self, body: Body) -> dict[str, Any]:
        """Return a body with the name, namespace, kind and version of this object."""
        metadata = {"name": self.place.name, **_metadata(body)}
        if self.place.namespace:
            metadata["namespace"] = self.place.namespace
        kind = {} if self.place.subresource == "scale" else {"kind": self.place.kind}
        version = {} if self.place.subresource == "scale" else {"apiVersion": self.place.api_version}
        return {**version, **kind, **body, "metadata": metadata}

    def _request(self, method: str, path: str, body: Body | None) -> Request:
        return Request(method=method, url=path + self.query(), body=body)

    def query(self, **more: str) -> str:
        """Return the query of a write: dry run, field manager."""
        asked = {
            **({"dryRun": "All"} if self.dry_run else {}),
            **({"fieldManager": self.field_manager} if self.field_manager else {}),
            **more,
        }
        return "?" + "&".join(f"{name}={value}" for name, value in asked.items()) if asked else ""


# Sent along, the server's own metadata is ignored at best; managedFields would replace what is there.
_NEW: Final = document.fields((*SERVER_FIELDS, "status"))
MARKER: Final = MarkerPlace(("metadata", "annotations"), "aks-etag/writers")
_METADATA: Final = document.fields(SERVER_FIELDS)


def version_of(body: Body) -> str | None:
    """Return the version to lock by; a missing, empty or "0" one would overwrite blindly, and so is none."""
    version = _metadata(body).get("resourceVersion")
    return version if isinstance(version, str) and version not in ("", "0") else None


def _metadata(body: Body) -> Mapping[str, Any]:
    metadata = body.get("metadata")
    return metadata if isinstance(metadata, Mapping) else {}
