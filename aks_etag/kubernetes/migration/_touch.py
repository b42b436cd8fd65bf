# SPDX-License-Identifier: MIT
"""Write one object anew, under its uid and version, and say whether its version moved by that.

In doubt it is read and written again: the same write twice does what one does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from ..._core.messages import Body, Outcome, Request, Response
from ..._core.verdict import service_error
from ..._flows import failures
from ..._flows.budget import Budget
from ..._flows.effects import Flow, send
from ..._flows.options import Options
from ...errors import AccessDeniedError, RequestRefusedError
from ._definition import Definition
from ._pace import Pace
from ._values import Problem, Reason

METADATA: Final = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
MERGE: Final = "application/merge-patch+json"
MANAGER: Final = "aks-etag-migration"
# A 500 without a reason is for good (facts page, section 4); with one it may be a hiccup, three in a row are none.
CONVERSION_TRIES: Final = 3
CONFLICT_TRIES: Final = 30

Patch: TypeAlias = Mapping[str, Any]
PatchOf: TypeAlias = Callable[[Body], Patch | None]


@dataclass(slots=True, kw_only=True)
class Touched:
    """What became of one object."""

    moved: bool = False
    conflicts: int = 0
    problem: Problem | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What is to be done to each object; ``last``: its connection is not to be used any more after it."""

    definition: Definition
    version: str
    patch_of: PatchOf
    pace: Pace
    options: Options
    last: bool = False


@dataclass(slots=True, kw_only=True)
class Touch:
    """The write of one object; ``metadata`` is its newest known."""

    task: Task
    metadata: Body
    budget: Budget
    query: str = f"?fieldManager={MANAGER}"

    @property
    def url(self) -> str:
        """Its path."""
        metadata = self.metadata
        return self.task.definition.item(self.task.version, metadata.get("namespace", ""), metadata["name"])

    def problem(self, reason: Reason, outcome: Outcome) -> Problem:
        """Say what stands in the way."""
        namespace, name = self.metadata.get("namespace", ""), self.metadata["name"]
        return Problem(namespace=namespace, name=name, reason=reason, detail=failures.explained(outcome))


def touch(task: Task, metadata: Body) -> Flow[Touched]:
    """Send the patch that the task makes of an object's metadata, until it is carried out or refused for good."""
    label = f"{task.definition.plural} {metadata.get('namespace', '')}/{metadata['name']}"
    write = Touch(task=task, metadata=metadata, budget=(yield from Budget.start(label, task.options)))
    touched, broken, waited = Touched(), 0, 0
    while True:
        patch = task.patch_of(write.metadata)
        if patch is None:
            return touched
        # A night outside of the window is no trouble of this object: its deadline does not run then.
        write.budget.started += yield from task.pace.turn(label)
        outcome = yield from send(_request(write, patch))
        if (written := _metadata_of(outcome)) is not None:
            touched.moved |= _moved(write, written)
            return touched
        broken = failing(outcome, broken)
        touched.problem = _problem(write, outcome, broken, touched.conflicts)
        if touched.problem is not None or is_gone(outcome):
            return touched
        if is_conflict(outcome):
            touched.conflicts += 1
        else:
            waited += 1
            yield from _wait(write, outcome, waited)
        found = yield from _again(write)
        if isinstance(found, Touched):
            found.conflicts += touched.conflicts
            return found
        # In doubt, the write that moved the version may have been ours: the pass must not count as one that moved none.
        touched.moved |= not is_conflict(outcome) and _moved(write, found)
        write.metadata = found


def _request(write: Touch, patch: Patch) -> Request:
    headers = {"Accept": METADATA, "Content-Type": MERGE, **({"Connection": "close"} if write.task.last else {})}
    return Request(method="PATCH", url=write.url + write.query, headers=headers, body=patch)


def _problem(write: Touch, outcome: Outcome, broken: int, conflicts: int) -> Problem | None:
    if broken >= CONVERSION_TRIES:
        return write.problem("unconvertible", outcome)
    if is_conflict(outcome):
        return write.problem("contended", outcome) if conflicts >= CONFLICT_TRIES else None
    return write.problem("denied", outcome) if is_denied(outcome) else None


def _wait(write: Touch, outcome: Outcome, times: int) -> Flow[None]:
    if _status(outcome) == 429:
        yield from write.budget.throttled(outcome)
    else:
        what = f"an answer to a rewrite ({failures.explained(outcome)})"
        yield from write.budget.back_off(times, what, cause=outcome)


def _again(write: Touch) -> Flow[Body | Touched]:
    """Read the metadata anew; an object that is gone is done, one that cannot be read is a problem."""
    failed = broken = 0
    while True:
        request = Request(method="GET", url=write.url, headers={"Accept": METADATA})
        outcome = yield from send((yield from write.budget.allowed(request, "an answer")))
        if (metadata := _metadata_of(outcome)) is not None:
            return metadata
        if is_gone(outcome):
            return Touched()
        if is_denied(outcome):
            return Touched(problem=write.problem("denied", outcome))
        failed, broken = failed + 1, failing(outcome, broken)
        if broken >= CONVERSION_TRIES:
            return Touched(problem=write.problem("unconvertible", outcome))
        yield from _wait(write, outcome, failed)


def _metadata_of(outcome: Outcome) -> Body | None:
    """Return the metadata of an answer that shows the object; a 200 of some proxy that does not is no answer."""
    if not isinstance(outcome, Response) or outcome.status >= 300 or not isinstance(outcome.body, dict):
        return None
    metadata = outcome.body.get("metadata")
    known = isinstance(metadata, dict) and all(metadata.get(name) for name in ("name", "uid", "resourceVersion"))
    return metadata if known else None


def _moved(write: Touch, metadata: Body) -> bool:
    moved: bool = metadata["resourceVersion"] != write.metadata["resourceVersion"]
    return moved


def _status(outcome: Outcome) -> int:
    return outcome.status if isinstance(outcome, Response) else 0


def failing(outcome: Outcome, times: int) -> int:
    """Count failures of the server in a row; one that is for good counts as all of them."""
    if not isinstance(outcome, Response) or outcome.status != 500:
        return 0
    return times + 1 if service_error(outcome.body).code else CONVERSION_TRIES


def is_gone(outcome: Outcome) -> bool:
    """Whether the object is gone.

    Raises:
        RequestRefusedError: the whole endpoint is gone, which says nothing of the object.
    """
    if not isinstance(outcome, Response) or outcome.status != 404:
        return False
    # An endpoint that is not served answers 404 in plain text; only a Status speaks of the object.
    if service_error(outcome.body).code != "NotFound":
        raise RequestRefusedError("the endpoint that objects are written through is gone", answer=outcome)
    return True


def is_conflict(outcome: Outcome) -> bool:
    """Whether somebody else wrote it, or created it anew, in between."""
    if _status(outcome) == 409:
        return True
    if not isinstance(outcome, Response) or outcome.status != 422:
        return False
    details = outcome.body.get("details") if isinstance(outcome.body, dict) else None
    causes = details.get("causes") if isinstance(details, dict) else None
    return any(cause.get("field") == "metadata.uid" for cause in causes or [] if isinstance(cause, dict))


def is_denied(outcome: Outcome) -> bool:
    """Whether it is refused for good: by admission, by its schema, by access rules.

    Raises:
        AccessDeniedError: the credential is not accepted at all, which is no problem of one object.
    """
    if _status(outcome) == 401:
        assert isinstance(outcome, Response)  # noqa: S101  # narrows the type
        raise AccessDeniedError(failures.explained(outcome), answer=outcome)
    return 400 <= _status(outcome) < 500 and _status(outcome) not in (404, 408, 409, 429) and not is_conflict(outcome)
