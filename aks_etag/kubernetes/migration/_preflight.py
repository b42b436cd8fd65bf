# SPDX-License-Identifier: MIT
"""What a rewrite would lose, add and be refused: read through the old version, dry-run through the new, compare."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ..._core.messages import Body, Outcome, Request, Response
from ..._flows import failures
from ..._flows.budget import Budget
from ..._flows.effects import Flow, send
from ._definition import Definition
from ._job import Job
from ._lists import chunk
from ._managers import lock_only
from ._touch import CONFLICT_TRIES, CONVERSION_TRIES, MANAGER, MERGE, failing, is_conflict, is_denied, is_gone
from ._values import Finding, Preflight, Problem, Reason

_QUERY: Final = f"?dryRun=All&fieldManager={MANAGER}"
_OF_THE_SERVER: Final = frozenset({"apiVersion", "kind", "metadata"})


def preflight(job: Job) -> Flow[Preflight]:
    """Try a rewrite of every object without writing anything."""
    definition = yield from job.definition()
    old = job.old(definition)
    findings: dict[tuple[str, str], Finding] = {}
    seen: set[str] = set()
    for version in (each for each in (*old, job.to) if each in definition.served):
        token: str | None = ""
        while token is not None:
            items, token = yield from chunk(job, definition, token, version=version, accept="application/json")
            for item in items:
                # What is read through the new version is compared only where no old one is served any more.
                if version == job.to and item["metadata"]["uid"] in seen:
                    continue
                seen.add(item["metadata"]["uid"])
                found = yield from _tried(job, definition, version, item)
                if found is not None:
                    findings[found.namespace, found.name] = _with(findings.get((found.namespace, found.name)), found)
    return Preflight(
        definition=job.name,
        to=job.to,
        conversion=definition.conversion,
        objects=len(seen),
        findings=tuple(findings[key] for key in sorted(findings)),
    )


def _tried(job: Job, definition: Definition, version: str, item: Body) -> Flow[Finding | None]:
    """Return what a rewrite of one object would do, if that is anything worth telling."""
    namespace, name = item["metadata"].get("namespace", ""), item["metadata"]["name"]
    outcome = yield from _dry_run(job, definition, version, item)
    if outcome is None:
        return None
    before, answer, reason = outcome
    if reason is not None:
        problem = Problem(namespace=namespace, name=name, reason=reason, detail=failures.explained(answer))
        return Finding(namespace=namespace, name=name, problem=problem)
    assert isinstance(answer, Response)  # noqa: S101  # narrows the type
    pruned, added = tuple(absent(before, answer.body)), tuple(absent(answer.body, before))
    return Finding(namespace=namespace, name=name, pruned=pruned, added=added) if pruned or added else None


def _dry_run(
    job: Job, definition: Definition, version: str, item: Body
) -> Flow[tuple[Body, Outcome, Reason | None] | None]:
    """Send the no-op as a dry run; return it with the body that it was bound to, or ``None`` if the object is gone."""
    namespace, name = item["metadata"].get("namespace", ""), item["metadata"]["name"]
    url = definition.item(job.to, namespace, name) + _QUERY
    budget = yield from Budget.start(url, job.options)
    broken, tries = 0, 0
    while True:
        request = Request(method="PATCH", url=url, headers={"Content-Type": MERGE}, body=lock_only(item["metadata"]))
        answer = yield from send((yield from budget.allowed(request, "an answer")))
        reason, broken = _reason(answer, broken, tries)
        tries += 1
        if reason is not None or (isinstance(answer, Response) and answer.status < 300):
            return item, answer, reason
        if is_gone(answer):
            return None
        if not is_conflict(answer):
            yield from budget.back_off(tries, "an answer to a dry run", cause=answer)
            continue
        read = yield from send(Request(method="GET", url=definition.item(version, namespace, name)))
        item = read.body if isinstance(read, Response) and read.status == 200 else item


def _reason(answer: Outcome, broken: int, tries: int) -> tuple[Reason | None, int]:
    broken = failing(answer, broken)
    if broken >= CONVERSION_TRIES:
        return "unconvertible", broken
    if is_conflict(answer) and tries >= CONFLICT_TRIES:
        return "contended", broken
    return ("denied" if is_denied(answer) else None), broken


def absent(one: Body, two: Body) -> Iterator[str]:
    """List the paths of one body that another does not have; what the server says of an object does not count."""
    for name, value in one.items():
        if name not in _OF_THE_SERVER:
            yield from _absent(value, two, name, name)


def _absent(value: Any, there: Any, name: str | int, path: str) -> Iterator[str]:
    if isinstance(there, dict) and name not in there:
        yield path
        return
    other = there[name]
    if isinstance(value, dict) and isinstance(other, dict):
        for key, child in value.items():
            yield from _absent(child, other, key, f"{path}.{key}")
    elif isinstance(value, list) and isinstance(other, list):
        if len(value) != len(other):
            yield path
            return
        for index, child in enumerate(value):
            yield from _absent(child, other, index, f"{path}[{index}]")


def _with(known: Finding | None, found: Finding) -> Finding:
    """Join what was found through two old versions."""
    if known is None:
        return found
    return Finding(
        namespace=found.namespace,
        name=found.name,
        pruned=tuple(dict.fromkeys(known.pruned + found.pruned)),
        added=tuple(dict.fromkeys(known.added + found.added)),
        problem=known.problem or found.problem,
    )
