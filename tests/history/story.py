# SPDX-License-Identifier: MIT
"""Histories and commit logs written by hand, a few words a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from aks_etag.history._leaves import MISSING, Digests, differing, skipped
from aks_etag.mock import Commit
from aks_etag.mock._core.records import Seen

KEY = "00" * 16
DIGESTS = Digests(bytes.fromhex(KEY))
CLUSTER = "/subscriptions/s1/resourceGroups/rg1/providers/Microsoft.ContainerService/managedClusters/aks1"
POOL = f"{CLUSTER}/agentPools/np1"
HEADER = {"line": "history", "version": 1, "key": KEY}


def pool(count: int = 3, **labels: str) -> dict[str, Any]:
    """Return the body of a pool."""
    return {"properties": {"count": count, "nodeLabels": labels} if labels else {"count": count}}


def call(op: str, verb: str = "update", on_doubt: str = "untouched", *, id: str = POOL) -> dict[str, Any]:
    return {"line": "call", "op": op, "client": "c1", "verb": verb, "id": id, "on_doubt": on_doubt, "at": 0.0}


def attempt(op: str, request: str, tag: str | None, before: Any, after: Any, method: str = "PUT") -> dict[str, Any]:
    """Return an attempt made from the read of ``before`` under ``tag``; no ``before`` means: nothing was read."""
    base = MISSING if before is None else before
    pairs = differing(base, {} if after is None else after, skipped(POOL), sent=True)
    condition = "If-None-Match: *" if before is None else None if tag is None else f"If-Match: {tag}"
    read = None if before is None else tag
    changes = {path: list(pair) for path, pair in DIGESTS.transitions(pairs).items()} if after is not None else {}
    return {
        "line": "attempt",
        "op": op,
        "request": request,
        "method": method,
        "condition": condition,
        "read": read,
        "changes": changes,
    }


def answer(op: str, request: str, status: int | str = 200, **more: Any) -> dict[str, Any]:
    return {"line": "answer", "op": op, "request": request, "status": status, **more}


def done(op: str, outcome: str = "updated", *requests: str, **more: Any) -> dict[str, Any]:
    return {"line": "end", "op": op, "outcome": outcome, "at": 1.0, "requests": list(requests), **more}


def failed(op: str, error: str, applied: bool | None = False, **more: Any) -> dict[str, Any]:
    return {"line": "end", "op": op, "error": error, "applied": applied, "at": 1.0, "requests": [], **more}


def unknown(op: str, **more: Any) -> dict[str, Any]:
    return failed(op, "WriteOutcomeUnknownError", None, **more)


def update(op: str, request: str, tag: str, before: Any, after: Any) -> list[dict[str, Any]]:
    """Return an update that went through at the first try."""
    return [call(op), attempt(op, request, tag, before, after), answer(op, request), done(op, "updated", request)]


def history(*parts: Any) -> Iterator[Mapping[str, Any]]:
    """Return the lines of a history: single ones, and lists of them."""
    yield HEADER
    for part in parts:
        yield from [part] if isinstance(part, dict) else part


def commit(
    request: str, tags: str, before: Any, after: Any, *, method: str = "PUT", background: bool = False, id: str = POOL
) -> Commit:
    """Return a commit; ``tags`` is the version it was made on and the new one, as in ``"t1 t2"``."""
    base, new = tags.split()
    return Commit(
        request_id=request,
        resource_id=id,
        before=_seen(id, base, before),
        after=_seen(id, new, after),
        method=method,
        at=0.0,
        background=background,
    )


def _seen(id: str, tag: str, body: Any) -> Seen | None:
    return None if body is None else Seen(id=id, etag=None if tag == "-" else tag, show=lambda: body)


def kinds(report: Any) -> Sequence[str]:
    return [anomaly.kind for anomaly in report.anomalies]
