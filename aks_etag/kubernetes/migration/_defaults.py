# SPDX-License-Identifier: MIT
"""The proof that defaults of new fields are absent before the rewrite, and present after it, on objects of the server.

For each default that only the new schema has, one object that lacks it is noted before anything is rewritten, and read
again when it is reported. Defaults inside of list items are not looked at.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from ..._core.messages import Body, Request
from ..._flows.budget import Budget
from ..._flows.effects import Flow
from ..._flows.read import fetch
from ...errors import AccessDeniedError, NotFoundError
from .._judge import judge_object_read
from ._definition import Definition
from ._job import Job
from ._lists import chunk
from ._values import DefaultProof

Path: TypeAlias = tuple[str, ...]

_FACT: Final = "defaults"


def note_absent(job: Job, definition: Definition) -> Flow[None]:
    """Find an object that lacks each of the new defaults, among those of one chunk; once for a migration."""
    if job.journal.fact(_FACT) is not None:
        return
    paths, found = new_defaults(definition, job.to, job.old(definition)), []
    if paths:
        items, _ = yield from chunk(job, definition, "", accept="application/json")
        for path in paths:
            lacking = next((item["metadata"] for item in items if has(item, path) is False), None)
            if lacking is not None:
                found.append([list(path), lacking.get("namespace", ""), lacking["name"]])
    job.journal.note(_FACT, json.dumps(found))


def proofs(job: Job, definition: Definition) -> Flow[tuple[DefaultProof, ...]]:
    """Read those objects again; say of each whether its default is there now, or ``None`` where it cannot be read."""
    found: list[DefaultProof] = []
    for path, namespace, name in json.loads(job.journal.fact(_FACT) or "[]"):
        body = yield from _read(job, definition, namespace, name)
        found.append(
            DefaultProof(
                path=".".join(path),
                namespace=namespace,
                name=name,
                absent_before=True,
                present_after=None if body is None else bool(has(body, tuple(path))),
            )
        )
    return tuple(found)


def new_defaults(definition: Definition, to: str, old: tuple[str, ...]) -> list[Path]:
    """List the fields that have a default in the schema of one version, and in none of the others."""
    known = {path for version in old for path in _defaults(definition.schemas.get(version, {}))}
    return [path for path in _defaults(definition.schemas[to]) if path not in known]


def has(body: Body, path: Path) -> bool | None:
    """Whether a field is there; ``None`` where its parent is not, since nothing is filled into that."""
    parent: Any = body
    for name in path[:-1]:
        parent = parent.get(name) if isinstance(parent, dict) else None
    return path[-1] in parent if isinstance(parent, dict) else None


def _defaults(schema: Mapping[str, Any], path: Path = ()) -> Iterator[Path]:
    for name, field in (schema.get("properties") or {}).items():
        if "default" in field:
            yield (*path, name)
        yield from _defaults(field, (*path, name))


def _read(job: Job, definition: Definition, namespace: str, name: str) -> Flow[Body | None]:
    url = definition.item(job.to, namespace, name)
    budget = yield from Budget.start(url, job.options)
    try:
        body: Body = (yield from fetch(Request(method="GET", url=url), budget, judge_object_read)).body
    except (NotFoundError, AccessDeniedError):
        return None
    return body
