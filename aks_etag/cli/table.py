# SPDX-License-Identifier: MIT
"""One row of the status table, tried on a fresh mock: by hand with plain HTTP, and through the client."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from .._handles import AgentPool, Cluster
from .._status_table import Kind, Row
from ..client import AksClient
from ..errors import AksEtagError, InvalidPreconditionError
from ..mock import MockAks

GROUP: Final = "rg"
BODIES: Final[dict[Kind, dict[str, Any]]] = {
    "cluster": {
        "location": "region1",
        "properties": {
            "dnsPrefix": "c1",
            "agentPoolProfiles": [
                {"name": "np1", "count": 1, "vmSize": "Standard_DS2_v2", "mode": "System", "osType": "Linux"}
            ],
        },
    },
    "pool": {"properties": {"count": 2, "vmSize": "Standard_DS2_v2", "mode": "User", "osType": "Linux"}},
}
TAGS: Final = {"tags": {"team": "red"}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a row came to."""

    row: Row
    kind: Kind
    observed: int
    client: str
    agrees: bool

    @property
    def line(self) -> str:
        """The row as a line of text."""
        row = self.row
        note = "" if row.status(self.kind) == row.documented else f" (documented {row.documented})"
        return (
            f"  {'ok ' if self.agrees else 'NOT'}  {self.kind:<8}{row.name:<44}"
            f" expected {row.status(self.kind)}  observed {self.observed}  {self.client}{note}"
        )


def stage(row: Row, kind: Kind) -> tuple[MockAks, str]:
    """Return a mock in which the row's resource exists or not, and the tag it has."""
    mock = MockAks()
    mock.add_resource_group(GROUP)
    if kind == "pool" or row.exists:
        mock.add_cluster(GROUP, "c1", pools={"np1": {"count": 1}})
    if kind == "pool" and row.exists:
        mock.add_pool(GROUP, "c1", "np2", {"count": 1})
    if not row.exists:
        return mock, "00000000-dead-4000-8000-000000000000"
    body = mock.body(GROUP, "c1", "np2" if kind == "pool" else None)
    return mock, str(body["eTag"] if kind == "cluster" else body["properties"]["eTag"])


def by_hand(row: Row, kind: Kind) -> int:
    """Send the row as plain HTTP and return the status."""
    import httpx

    mock, tag = stage(row, kind)
    with mock.client() as aks, httpx.Client(transport=mock.httpx_transport()) as http:
        url = f"https://management.azure.com{_handle(aks, kind).id}?api-version=2026-08-01"
        body = {"PUT": BODIES[kind], "PATCH": TAGS, "DELETE": None}[row.method]
        return http.request(row.method, url, headers=dict(row.headers(tag)), json=body).status_code


def by_client(row: Row, kind: Kind) -> tuple[int | None, str]:
    """Send the row through the client; return the status, ``None`` where it was refused before any I/O."""
    mock, tag = stage(row, kind)
    with mock.client() as aks:
        handle = _handle(aks, kind)
        condition: dict[str, Any] = {
            name.lower().replace("-", "_"): value for name, value in row.headers(tag).items()
        } or {"force": True}
        try:
            result = _call(handle, row, kind, condition)
        except InvalidPreconditionError as error:
            return None, type(error).__name__
        except AksEtagError as error:
            return error.status_code, type(error).__name__
        return result.status, str(result.outcome)


def check(row: Row, kind: Kind) -> Finding:
    """Try a row both ways; 400s are refused locally, and an agent pool has no ``patch`` to call."""
    expected = row.status(kind)
    observed = by_hand(row, kind)
    if kind == "pool" and row.method == "PATCH":
        return Finding(row=row, kind=kind, observed=observed, client="no such verb", agrees=observed == expected)
    status, client = by_client(row, kind)
    wanted = None if expected == 400 else expected
    return Finding(
        row=row, kind=kind, observed=observed, client=client, agrees=observed == expected and status == wanted
    )


def _handle(aks: AksClient, kind: Kind) -> Cluster | AgentPool:
    cluster = aks.cluster(GROUP, "c1")
    return cluster if kind == "cluster" else cluster.agent_pool("np2")


def _call(handle: Cluster | AgentPool, row: Row, kind: Kind, condition: dict[str, Any]) -> Any:
    if row.method == "DELETE":
        return handle.delete(**condition)
    if row.method == "PATCH" and isinstance(handle, Cluster):
        return handle.patch(TAGS, **condition)
    if isinstance(handle, Cluster):
        return handle.put(BODIES[kind], inline_pools=True, **condition)
    return handle.put(BODIES[kind], **condition)
