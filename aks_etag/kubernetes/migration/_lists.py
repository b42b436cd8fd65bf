# SPDX-License-Identifier: MIT
"""The list of all objects of a definition, chunk by chunk, around objects that make a whole list fail.

One object that cannot be converted lets the server answer 500 to every list that it is in. In the version that it is
stored in it needs no conversion, and where no version will do for a chunk, smaller ones keep the others readable.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, TypeAlias

from ..._core.messages import Body, Request
from ..._flows.budget import Budget
from ..._flows.effects import Flow
from ..._flows.options import Options
from ..._flows.read import fetch
from ...errors import AksEtagError, DeadlineExceededError, RequestRefusedError
from .._flows import chunk as read_chunk
from .._judge import judge_object_read
from ._definition import Definition, refuse
from ._job import Job

METADATA_LIST: Final = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
# How long a failing list is tried in one version and size, in seconds, where there is another one to try.
LIST_PATIENCE: Final = 5.0
NARROWER: Final = 8
WIDER: Final = 2

Page: TypeAlias = tuple[list[Any], Request | None]


def chunk(
    job: Job, definition: Definition, token: str, *, version: str = "", accept: str = METADATA_LIST
) -> Flow[tuple[list[Any], str | None]]:
    """Read one chunk of all objects, as metadata only; return it with the token of the next one.

    Raises:
        MigrationRefusedError: the next object can be listed in no served version.
    """
    wanted = version or job.to
    versions = list(_readable(job, definition, wanted))
    while True:
        for candidate in versions:
            last = job.page == 1 and candidate == versions[-1]
            request = _list(definition, candidate, job.page, token, accept)
            found = yield from _page(job, definition, request, last=last)
            if isinstance(found, tuple):
                job.readable[wanted] = candidate
                return _read(job, *found)
            if last:
                where = f"after {job.passed}" if job.passed else "the first one"
                why = f"an object, {where}, can be listed in no served version: repair or delete it, then run again"
                raise refuse(job.name, "unlistable", f"{why} ({found})") from found
        job.page = max(1, job.page // NARROWER)


def count(job: Job, definition: Definition) -> Flow[int | None]:
    """Ask how many objects there are, if anybody knows."""
    request = _list(definition, job.to, 1, "", METADATA_LIST)
    budget = yield from Budget.start(job.name, _brief(job))
    try:
        body: Body = (yield from fetch(request, budget, judge_object_read)).body
    except (DeadlineExceededError, RequestRefusedError):
        # Nothing but the estimate of what is left depends on it: the pass itself will say what is wrong.
        return None
    if not isinstance(body.get("items"), list):
        return None
    return len(body["items"]) + int((body.get("metadata") or {}).get("remainingItemCount", 0))


def _page(job: Job, definition: Definition, request: Request, *, last: bool) -> Flow[Page | AksEtagError]:
    """Read a chunk; return the error where the server cannot show what is in it."""
    what = definition.collection("*")
    try:
        return (yield from read_chunk(request, what, job.options if last else _brief(job)))
    except (DeadlineExceededError, RequestRefusedError) as error:
        if 500 in (error.status_code, getattr(error.__cause__, "status_code", None)):
            return error
        if last or isinstance(error, RequestRefusedError):
            raise
    # No answer, or a busy server: another version or size would not help, but time may.
    return (yield from read_chunk(request, what, job.options))


def _read(job: Job, items: list[Any], following: Request | None) -> tuple[list[Any], str | None]:
    for item in items:
        metadata = item.get("metadata") if isinstance(item, dict) else None
        if not isinstance(metadata, dict) or not all(metadata.get(name) for name in ("name", "uid", "resourceVersion")):
            raise RequestRefusedError(f"{job.name}: the list has something in it that is no object of a Kubernetes API")
    if items:
        metadata = items[-1]["metadata"]
        job.passed = f"{metadata.get('namespace', '')}/{metadata['name']}".lstrip("/")
    job.page = min(job.chunk, job.page * WIDER)
    return items, following.url.partition("&continue=")[2] if following is not None else None


def _readable(job: Job, definition: Definition, wanted: str) -> Iterator[str]:
    first = job.readable.get(wanted, wanted)
    first = first if first in definition.served else wanted
    yield first
    yield from (each for each in definition.served if each != first)


def _brief(job: Job) -> Options:
    return replace(job.options, conflict_retry=replace(job.options.conflict_retry, deadline=LIST_PATIENCE))


def _list(definition: Definition, version: str, limit: int, token: str, accept: str) -> Request:
    # Each chunk comes over a fresh connection, and what follows it: no replica is asked all the time.
    headers = {"Accept": accept, "Connection": "close"}
    query = f"?limit={limit}" + (f"&continue={token}" if token else "")
    return Request(method="GET", url=definition.collection(version) + query, headers=headers)
