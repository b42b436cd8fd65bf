# SPDX-License-Identifier: MIT
"""LIST: chunks of one version, selectors, and tokens that expire."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from aks_etag.mock._core.answers import Answer, RefusalError
from aks_etag.mock._kube.action import META_API, METADATA_LIST, Action, metadata_only, transformation
from aks_etag.mock._kube.convert import present
from aks_etag.mock._kube.refusals import bad_request, failure, json_answer, unmocked
from aks_etag.mock._kube.store import Record

_TOKEN: Final = "meta.k8s.io/v1"  # noqa: S105 (the version of the token's format)
# Where a token names no version: the rest of the list as it is by then.
_ANY_VERSION: Final = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Page:
    version: int
    start: str
    limit: int


def list_objects(action: Action) -> Answer:
    """Show a collection, or one chunk of it."""
    query = action.call.query
    if query.get("watch", "").lower() in ("1", "true"):
        raise unmocked("watches")
    page = _page(action)
    wanted = _selected(
        action, action.store.collection(action.kind.group, action.kind.plural, action.namespace, page.version)
    )
    rest = [record for record in wanted if _place(record) >= page.start]
    chunk = rest[: page.limit] if page.limit else rest
    left = len(rest) - len(chunk)
    metadata: dict[str, Any] = {"resourceVersion": str(page.version)}
    if left:
        metadata["continue"] = _write_token(page.version, _place(chunk[-1]) + "\0")
        # Seen on the real server: with a selector nobody counts what remains.
        metadata |= {} if "labelSelector" in query or "fieldSelector" in query else {"remainingItemCount": left}
    return _show(action, metadata, [present(action.store, action.kind, action.version, each) for each in chunk])


def _show(action: Action, metadata: Mapping[str, Any], items: list[dict[str, Any]]) -> Answer:
    if transformation(action.call, METADATA_LIST) == METADATA_LIST:
        names = {"kind": METADATA_LIST, "apiVersion": META_API}
        items = [metadata_only(each) for each in items]
    else:
        names = {"kind": f"{action.kind.kind}List", "apiVersion": action.api_version}
        if not action.kind.custom:
            items = [{key: value for key, value in each.items() if key not in names} for each in items]
    return json_answer(200, {**names, "metadata": metadata, "items": items}, row="listed")


def _page(action: Action) -> _Page:
    query, store = action.call.query, action.store
    limit = query.get("limit") or "0"
    if not limit.isdigit():
        raise bad_request(f"limit is no number: {limit}")
    token, version = query.get("continue"), query.get("resourceVersion") or "0"
    if token:
        if version != "0":
            raise bad_request("specifying resource version is not allowed when using continue")
        found, start = _read_token(token)
        if found != _ANY_VERSION and found < store.compacted:
            raise _expired(start)
        return _Page(version=store.version if found == _ANY_VERSION else found, start=start, limit=int(limit))
    if not version.isdigit():
        raise bad_request(f"resource version is invalid: {version}")
    exact = query.get("resourceVersionMatch") == "Exact"
    return _Page(version=_readable(action, int(version), exact=exact), start="", limit=int(limit))


def _readable(action: Action, version: int, *, exact: bool) -> int:
    store = action.store
    if version > store.version:
        said = f"Timeout: Too large resource version: {version}, current: {store.version}"
        causes = [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}]
        found = {"causes": causes, "retryAfterSeconds": 1}
        raise RefusalError(failure(504, "Timeout", said, details=found, headers={"Retry-After": "1"}))
    if exact and version < store.compacted:
        raise RefusalError(failure(410, "Expired", "The resourceVersion for the provided list is too old."))
    return version if exact and version else store.version


def _expired(start: str) -> RefusalError:
    said = "The provided continue parameter is too old; go on with the token in this answer, or list again."
    fresh = _write_token(_ANY_VERSION, start)
    return RefusalError(failure(410, "Expired", said, metadata={"continue": fresh}))


def _selected(action: Action, records: list[Record]) -> list[Record]:
    labels = _terms(action.call.query.get("labelSelector", ""))
    places = _terms(action.call.query.get("fieldSelector", ""))
    if any(name not in ("metadata.name", "metadata.namespace") for name, _, _ in places):
        raise unmocked("field selectors other than metadata.name and metadata.namespace")
    return [
        record
        for record in records
        if all(_holds(record.metadata.get("labels") or {}, term) for term in labels)
        and all(
            _holds({f"metadata.{key}": value for key, value in record.key._asdict().items()}, term) for term in places
        )
    ]


def _terms(selector: str) -> list[tuple[str, str, str | None]]:
    if "(" in selector:
        raise unmocked("set-based selectors")
    terms: list[tuple[str, str, str | None]] = []
    for term in filter(None, (part.strip() for part in selector.split(","))):
        operator = next((each for each in ("!=", "==", "=") if each in term), "")
        if operator:
            name, _, value = term.partition(operator)
            terms.append((name.strip(), operator, value.strip()))
        else:
            terms.append((term.lstrip("!"), "!" if term.startswith("!") else "", None))
    return terms


def _holds(values: Mapping[str, Any], term: tuple[str, str, str | None]) -> bool:
    name, operator, value = term
    if value is None:
        return (name not in values) if operator else (name in values)
    return bool((values.get(name) == value) != (operator == "!="))


def _place(record: Record) -> str:
    return f"{record.key.namespace}/{record.key.name}"


def _write_token(version: int, start: str) -> str:
    content = json.dumps({"v": _TOKEN, "rv": version, "start": start}, separators=(",", ":"))
    return base64.urlsafe_b64encode(content.encode()).decode().rstrip("=")


def _read_token(token: str) -> tuple[int, str]:
    try:
        content = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
        return int(content["rv"]), str(content["start"])
    except (ValueError, KeyError, TypeError):
        raise bad_request("invalid continue token: continue key is not valid") from None
