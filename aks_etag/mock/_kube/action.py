# SPDX-License-Identifier: MIT
"""One request on its way: what it is about, and how its answer is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from aks_etag.mock._core.answers import Answer
from aks_etag.mock._kube import patches, schema
from aks_etag.mock._kube.call import Call
from aks_etag.mock._kube.journal import ObjectKey
from aks_etag.mock._kube.kinds import Kind
from aks_etag.mock._kube.ownership import Writer
from aks_etag.mock._kube.refusals import json_answer
from aks_etag.mock._kube.store import KubeStore

META_API: Final = "meta.k8s.io/v1"
METADATA_ONLY: Final = "PartialObjectMetadata"
METADATA_LIST: Final = "PartialObjectMetadataList"


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """A routed request; ``version`` is the served version that it speaks."""

    store: KubeStore
    call: Call
    kind: Kind
    version: str
    namespace: str
    name: str
    subresource: str
    warnings: list[str] = field(default_factory=list)

    @property
    def key(self) -> ObjectKey:
        """Where its object lives."""
        return self.key_of(self.name)

    @property
    def dry_run(self) -> bool:
        """Whether nothing is to be stored."""
        return self.call.query.get("dryRun") == "All"

    @property
    def api_version(self) -> str:
        """The apiVersion that it speaks."""
        return self.kind.api_version(self.version)

    @property
    def commit(self) -> dict[str, str]:
        """What a commit of it is told by."""
        return {"request_id": self.call.request_id, "method": self.call.method, "manager": self.call.manager}

    def key_of(self, name: str) -> ObjectKey:
        """Spell the key of an object beside its own."""
        return ObjectKey(self.kind.group, self.kind.plural, self.namespace, name)

    def writer(self, operation: str = "Update") -> Writer:
        """Say who writes."""
        return Writer(
            manager=self.call.manager,
            operation=operation,
            api_version=self.api_version,
            subresource=self.subresource,
            now=self.store.now(),
            rule=self._list_rule,
            custom=self.kind.custom,
        )

    def respond(self, status: int, body: Mapping[str, Any], row: str) -> Answer:
        """Show an object, or its metadata alone where the client accepts only them."""
        if transformation(self.call, METADATA_ONLY) == METADATA_ONLY:
            body = metadata_only(body)
        return json_answer(status, body, row=row)

    def _list_rule(self, names: tuple[str, ...], items: list[Any]) -> tuple[str, ...] | None:
        if names[:1] == ("metadata",) or not self.kind.custom:
            return patches.built_in_list_keys(names, items)
        keys = schema.list_keys(self.kind.schema(self.version), names)
        if keys and not all(isinstance(each, dict) for each in items):
            return None
        return keys


def transformation(call: Call, possible: str) -> str | None:
    """Return the form that the client asks for first: ``possible``, none, or None where neither will do."""
    for entry in call.headers.get("accept", "").split(","):
        parameters = (part.strip().partition("=") for part in entry.split(";")[1:])
        asked = next((value for name, _, value in parameters if name == "as"), "")
        if asked in ("", possible):
            return asked
    return None


def metadata_only(body: Mapping[str, Any]) -> dict[str, Any]:
    """Show an object as its metadata."""
    return {"kind": METADATA_ONLY, "apiVersion": META_API, "metadata": body["metadata"]}
