# SPDX-License-Identifier: MIT
"""Ask a service what nobody could verify: each probe finds out one value, which is a switch of the mock.

Only tags of the cluster and the labels of one pool are touched; ``restored`` puts both back. What could delete, create
or scale anything is not probed: DELETE of what exists, partial lists of inline pools, start and stop, node images.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from azure.core.rest import HttpRequest

from aks_etag import AgentPool, AksClient, Cluster
from aks_etag._core.precondition import Condition

STALE = "00000000-dead-4000-8000-000000000000"
LABEL = "aks-etag-probe"


@dataclass
class Target:
    """A cluster that may be probed, and one of its pools."""

    aks: AksClient
    cluster: Cluster
    pool: AgentPool
    api_version: str = "2026-08-01"

    def send(self, method: str, path: str, body: Any = None, *, version: str = "", **headers: str) -> Any:
        """Send one raw request, once, and return the answer, whatever it is."""
        url = f"{path}?api-version={version or self.api_version}"
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        request = HttpRequest(method, url, headers=named, json=body)
        return self.aks.sdk.send_request(request, retry_total=0)

    def put_pool(self, turn: str, tag: str) -> Any:
        """Put the pool with another value of the probe's label, as the client would put it."""
        body = writable(self.pool)
        body["properties"]["nodeLabels"] = {**(body["properties"].get("nodeLabels") or {}), LABEL: turn}
        return self.send("PUT", self.pool.id, body, If_Match=tag)


def writable(handle: Cluster | AgentPool) -> dict[str, Any]:
    """Return what the client would put if nothing were to change."""
    seen = handle.wait().body
    request = handle._calls.resource().replace(seen, Condition(tag="x"), base=seen)
    return {**request.body, "properties": dict(request.body["properties"])}


@contextlib.contextmanager
def restored(target: Target) -> Iterator[None]:
    """Put tags and labels back, whatever happens in between."""
    tags = dict(target.cluster.get().body.get("tags") or {})
    labels = dict(target.pool.get().body["properties"].get("nodeLabels") or {})

    def old_tags(body: dict[str, Any]) -> None:
        body["tags"] = tags

    def old_labels(body: dict[str, Any]) -> None:
        body["properties"]["nodeLabels"] = labels

    try:
        yield
    finally:
        target.cluster.update(old_tags)
        target.pool.update(old_labels)


def tagless_api_versions(target: Target) -> list[str]:
    """Which api-versions show no tag in a GET of the cluster."""
    versions = ["2024-09-01", "2025-08-01", target.api_version]
    return [
        version for version in versions if "eTag" not in target.send("GET", target.cluster.id, version=version).json()
    ]


def accept_quotes(target: Target) -> bool:
    """Whether a quoted tag is taken for the tag."""
    tag = target.pool.wait().etag
    status = target.put_pool("quoted", f'"{tag}"').status_code
    target.pool.wait()
    return bool(status in (200, 201))


def patch_moves_tag(target: Target) -> bool:
    """Whether a PATCH of the tags moves the cluster's tag."""
    before = target.cluster.wait().etag
    target.send("PATCH", target.cluster.id, {"tags": {**_tags(target), LABEL: "moves"}})
    return target.cluster.wait().etag != before


def patch_tags(target: Target) -> str:
    """Whether a PATCH merges the tags that it names into those that are there, or replaces all of them."""
    kept = _tags(target)
    target.send("PATCH", target.cluster.id, {"tags": {**kept, f"{LABEL}-1": "x"}})
    target.cluster.wait()
    target.send("PATCH", target.cluster.id, {"tags": {**kept, f"{LABEL}-2": "x"}})
    target.cluster.wait()
    return "merge" if f"{LABEL}-1" in _tags(target) else "replace"


def cluster_tag_moves(target: Target) -> str:
    """Whether a GET during a cluster operation shows the new tag already."""
    before = target.cluster.wait()
    body = {**writable(target.cluster), "tags": {**_tags(target), LABEL: "when"}}
    target.send("PUT", target.cluster.id, body, If_Match=before.etag)
    during = target.cluster.get()
    target.cluster.wait()
    if during.settled:
        return "unknown: the operation was over too soon"
    return "accept" if during.etag != before.etag else "completion"


def omitted_pools_move(target: Target) -> bool:
    """Whether a cluster PUT without agentPoolProfiles moves the tags of the pools."""
    before = target.pool.wait().etag

    def touch(body: dict[str, Any]) -> None:
        body["tags"] = {**(body.get("tags") or {}), LABEL: "pools"}

    target.cluster.update(touch)
    return target.pool.wait().etag != before


def busy_first(target: Target) -> bool | str:
    """Whether a stale write during an operation is told 409 rather than 412."""
    body = writable(target.pool)
    target.put_pool("busy", target.pool.wait().etag)
    if target.pool.get().settled:
        return "unknown: the operation was over too soon"
    status = target.send("PUT", target.pool.id, body, If_Match=STALE).status_code
    target.pool.wait()
    return bool(status == 409)


def statuses(target: Target) -> dict[str, int]:
    """What the service answers where neither article nor specification says it."""
    missing = f"{target.cluster.id}/agentPools/nosuchpool"
    return {
        "PATCH of a pool": target.send("PATCH", target.pool.id, {"tags": {}}).status_code,
        "PATCH with If-None-Match *": target.send(
            "PATCH", target.cluster.id, {"tags": _tags(target)}, If_None_Match="*"
        ).status_code,
        "DELETE of nothing with If-None-Match *": target.send("DELETE", missing, If_None_Match="*").status_code,
    }


def texts(target: Target) -> dict[str, str]:
    """How the service words a mismatch and the two bad combinations."""
    tag = target.pool.wait().etag
    body = writable(target.pool)
    asked = {
        "412": {"If_Match": STALE},
        "400 for If-None-Match": {"If_None_Match": "xyz"},
        "400 for both": {"If_Match": tag, "If_None_Match": "*"},
    }
    answers = {what: target.send("PUT", target.pool.id, body, **headers) for what, headers in asked.items()}
    return {what: f"{answer.status_code} {answer.text()[:300]}" for what, answer in answers.items()}


def _tags(target: Target) -> dict[str, str]:
    return dict(target.cluster.wait().body.get("tags") or {})


SWITCHES: dict[str, Callable[[Target], Any]] = {
    "tagless_api_versions": tagless_api_versions,
    "accept_quotes": accept_quotes,
    "patch_moves_tag": patch_moves_tag,
    "patch_tags": patch_tags,
    "cluster_tag_moves": cluster_tag_moves,
    "omitted_pools_move": omitted_pools_move,
    "busy_first": busy_first,
}
