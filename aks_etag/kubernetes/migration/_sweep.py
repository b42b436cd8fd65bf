# SPDX-License-Identifier: MIT
"""One pass over all objects of a definition, chunk by chunk, each noted in the journal before the next begins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from ..._core.messages import Body, Request
from ..._flows.budget import Budget
from ..._flows.effects import Flow, now
from ..._flows.options import Options
from ..._flows.read import fetch
from ...errors import DeadlineExceededError, RequestRefusedError
from .._flows import chunk as read_chunk
from ._definition import Definition
from ._job import Job
from ._journal import Sweep
from ._touch import PatchOf, Touched, touch
from ._values import Phase, Problem, Progress

METADATA_LIST: Final = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
# How long a list is tried in one version, in seconds, where there is another one to list in.
LIST_PATIENCE: Final = 5.0


def sweep(job: Job, phase: Phase, number: int, definition: Definition, patch_of: PatchOf) -> Flow[Sweep]:
    """Touch every object once; an interrupted pass goes on where it was. Unfinished only if paused."""
    current = yield from _begun(job, phase, number, definition)
    started, before = (yield from now()), current.done
    while not current.finished and not job.pausing:
        items, token = yield from chunk(job, definition, current.token)
        results: list[Touched] = []
        for item in items:
            metadata = item["metadata"]
            results.append((yield from touch(definition, job.to, metadata, patch_of, job.pace, job.options)))
        _note(job, current, results, token)
        elapsed = (yield from now()) - started
        job.tell(progress(current, current.done - before, elapsed))
    return current


def progress(current: Sweep, done: int = 0, elapsed: float = 0.0) -> Progress:
    """Say how far a pass is; ``done`` and ``elapsed`` are of this run."""
    rate = done / elapsed if elapsed > 0 else 0.0
    left = None if current.total is None else max(0, current.total - current.done)
    return Progress(
        phase=current.phase,
        done=current.done,
        total=current.total,
        moved=current.moved,
        conflicts=current.conflicts,
        problems=current.problems,
        rate=rate,
        eta=0.0 if current.finished else left / rate if left is not None and rate else None,
        finished=current.finished,
    )


def _begun(job: Job, phase: Phase, number: int, definition: Definition) -> Flow[Sweep]:
    known = job.journal.sweep(phase)
    same = known is not None and known.number == number
    # A pass that proves something speaks of one state of the definition; a mere rewrite does not.
    if known is not None and same and (phase == "rewrite" or known.resource_version == definition.resource_version):
        return known
    fresh = Sweep(
        phase=phase,
        number=number,
        resource_version=definition.resource_version,
        generation=definition.generation,
        total=(yield from _count(job, definition)),
    )
    job.journal.begin(fresh)
    return fresh


def _note(job: Job, current: Sweep, results: list[Touched], token: str | None) -> None:
    problems: list[Problem] = [each.problem for each in results if each.problem is not None]
    moved, conflicts = sum(each.moved for each in results), sum(each.conflicts for each in results)
    current.done += len(results)
    current.moved += moved
    current.conflicts += conflicts
    current.problems += len(problems)
    current.token, current.finished = token or "", token is None
    job.journal.advance(current, problems, moved, conflicts)


def chunk(
    job: Job, definition: Definition, token: str, *, version: str = "", accept: str = METADATA_LIST
) -> Flow[tuple[list[Any], str | None]]:
    """Read one chunk of all objects, as metadata only; return it with the token of the next one.

    One object that cannot be converted makes the whole list answer 500; listed in the version that it is stored in, it
    needs no conversion.
    """
    versions = list(_readable(job, definition, version or job.to))
    for candidate in versions:
        request = _list(definition, candidate, job.chunk, token, accept)
        last = candidate == versions[-1]
        try:
            items, following = yield from read_chunk(request, request.url.partition("?")[0], _patience(job, last=last))
        except (DeadlineExceededError, RequestRefusedError) as error:
            if last or error.status_code not in (None, 500):
                raise
            continue
        job.readable[version or job.to] = candidate
        return items, following.url.partition("&continue=")[2] if following is not None else None
    raise AssertionError("there is always a version to list in")


def _readable(job: Job, definition: Definition, wanted: str) -> Iterator[str]:
    first = job.readable.get(wanted, wanted)
    first = first if first in definition.served else wanted
    yield first
    yield from (each for each in definition.served if each != first)


def _patience(job: Job, *, last: bool) -> Options:
    retry = job.options.conflict_retry
    return job.options if last else replace(job.options, conflict_retry=replace(retry, deadline=LIST_PATIENCE))


def _list(definition: Definition, version: str, limit: int, token: str, accept: str) -> Request:
    # Each chunk comes over a fresh connection, and what follows it: no replica is asked all the time.
    headers = {"Accept": accept, "Connection": "close"}
    query = f"?limit={limit}" + (f"&continue={token}" if token else "")
    return Request(method="GET", url=definition.collection(version) + query, headers=headers)


def _count(job: Job, definition: Definition) -> Flow[int | None]:
    request = _list(definition, job.to, 1, "", METADATA_LIST)
    budget = yield from Budget.start(job.name, _patience(job, last=False))
    try:
        body: Body = (yield from fetch(request, budget)).body
    except (DeadlineExceededError, RequestRefusedError):
        # Nothing but the estimate of what is left depends on it: the pass itself will say what is wrong.
        return None
    remaining = body["metadata"].get("remainingItemCount", 0)
    return len(body["items"]) + int(remaining)
