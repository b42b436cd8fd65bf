# SPDX-License-Identifier: MIT
"""What clusters and agent pools have in common: ARM ids, headers as conditions, eTags in the body."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar, Final

from .._core import document, etag
from .._core.document import Fields, Path
from .._core.messages import Body, Outcome, Request, Response
from .._core.operation import Link, is_settled, link, trusted
from .._core.precondition import Condition
from .._core.resource_id import ResourceId
from .._core.snapshot import Snapshot
from .._core.verdict import Verdict, judge_write
from .owned import WRITE_ONLY

_WRITE_ONLY: Final = document.fields(WRITE_ONLY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """How this client speaks to Azure Resource Manager."""

    endpoint: str
    api_version: str
    etag_format: etag.ETagFormat = "raw"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmResource:
    """What clusters and agent pools have in common."""

    address: ResourceId
    arm: Arm

    read_only: ClassVar[Fields]

    @property
    def id(self) -> str:
        return str(self.address)

    def read(self) -> Request:
        return self._request("GET")

    def merge(self, patch: Body, condition: Condition) -> Request:
        return self._request("PATCH", patch, condition)

    def remove(self, condition: Condition, *, base: Body | None = None) -> Request:
        return self._request("DELETE", None, condition)

    def spelled(self, condition: Condition) -> str | None:
        headers = condition.headers(self.arm.etag_format)
        return next((f"{name}: {value}" for name, value in headers.items()), None)

    def result(self, response: Response) -> Snapshot | None:
        # A PUT's answer carries the old or an intermediate tag: only a read after the operation shows the one to keep.
        return None

    def judge(self, outcome: Outcome) -> Verdict:
        return judge_write(outcome)

    def operation(self, response: Response) -> Link | None:
        found = link(response)
        if found is None or trusted(found.url, self.arm.endpoint):
            return found
        return Link("", is_location=False)

    def writable(self, body: Body) -> Body:
        stripped: Body = document.strip(body, self.read_only)
        return stripped

    def shown(self, body: Body) -> Body:
        visible: Body = document.strip(self.writable(body), _WRITE_ONLY)
        return visible

    def read_only_edits(self, before: Body, after: Body) -> tuple[Path, ...]:
        old, new = document.select(before, self.read_only), document.select(after, self.read_only)
        return tuple(path for path in document.differing(old, new) if document.at(new, path) is not document.MISSING)

    def _request(self, method: str, body: Any = None, condition: Condition | None = None) -> Request:
        headers = {} if condition is None else condition.headers(self.arm.etag_format)
        url = f"{self.id}?api-version={self.arm.api_version}"
        # Two PUTs on one cluster or its pools, both unanswered, can lose a save race inside of the service.
        gate = f"{self.id.partition('/agentPools/')[0]} PUT" if method == "PUT" else ""
        return Request(method=method, url=url, headers=headers, body=body, gate=gate)

    def _snapshot(self, response: Response, tag: object, settled: bool) -> Snapshot:
        state = properties(response.body).get("provisioningState")
        return Snapshot(
            id=self.id,
            name=self.address.name,
            resource_group=self.address.resource_group,
            body=response.body,
            version=etag.of(tag),
            provisioning_state=state if isinstance(state, str) else None,
            settled=settled and is_settled(state),
            read_at=datetime.fromtimestamp(response.received_at, UTC),
            origin=f"api-version {self.arm.api_version}",
        )


def tag(holder: Body) -> object:
    """Return the tag of the object that carries it; some 2024 previews spelled it ``etag``."""
    return holder["eTag"] if "eTag" in holder else holder.get("etag")


def properties(body: Body) -> Body:
    """Return the properties of a body, empty where there are none."""
    found = body.get("properties")
    return found if isinstance(found, Mapping) else {}
