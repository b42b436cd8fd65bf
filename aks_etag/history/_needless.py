# SPDX-License-Identifier: MIT
"""Which "I do not know" could have been known, given a commit log and the changes themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ._chain import Commit
from ._commits import Change, changed, idempotent
from ._leaves import differing, skipped
from ._ops import Attempt, Operation
from ._report import Anomaly

# What such an answer says is certain; a 409 EtagMismatch may have been saved all the same.
_CLEAR: Final = frozenset({400, 401, 403, 404, 405, 409, 412, 429, "unsent"})


@dataclass(slots=True, kw_only=True)
class Bodies:
    """Every version of every resource that a commit log shows."""

    seen: dict[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, commits: Iterable[Commit]) -> Bodies:
        """Collect them."""
        found = cls()
        for commit in commits:
            for tag, body in ((commit.base_tag, commit.body_before), (commit.new_tag, commit.body_after)):
                if tag is not None and body is not None:
                    found.seen[commit.resource_id.casefold(), tag] = body
        return found

    def at(self, resource_id: str, tag: str | None) -> Mapping[str, Any] | None:
        """Return the body of one version, if the log shows it."""
        return None if tag is None else self.seen.get((resource_id.casefold(), tag))


def needless(
    operations: Sequence[Operation], commits: Sequence[Commit], changes: Mapping[str, Change]
) -> Iterator[Anomaly]:
    """Judge every operation that says that it does not know."""
    bodies = Bodies.of(commits)
    for operation in operations:
        if operation.error != "WriteOutcomeUnknownError":
            continue
        why = _why(operation, bodies, changes.get(operation.op))
        if why:
            head = f"{operation.name} {operation.said()}, and could have known"
            yield Anomaly(kind="needless unknown", op=operation.op, lines=(head, why))


def _why(operation: Operation, bodies: Bodies, change: Change | None) -> str:
    end = operation.end or {}
    if operation.attempts and all(map(_clear, operation.attempts)):
        return "every write it sent was refused, and nothing was in doubt"
    if operation.verb in ("put", "patch") and end.get("equivalent") and not end.get("pending") and not end.get("cause"):
        return "the version had moved, and everything that was sent is there"
    seen, tag = bodies.at(operation.resource_id, end.get("tag")), end.get("tag")
    # Where the time was up, or a read failed, what was seen last is not what there was to know.
    if change is None or seen is None or end.get("cause") or end.get("pending") or operation.verb != "update":
        return ""
    # With exactly_once a marker decides, which is in no history, and no likeness.
    if operation.exactly_once:
        return ""
    if not differing(changed(change, seen), seen, skipped(operation.resource_id)):
        return f'the change holds in version "{tag}", which it saw'
    return _could_go_round(operation, bodies, change, seen)


def _could_go_round(operation: Operation, bodies: Bodies, change: Change, seen: Mapping[str, Any]) -> str:
    if operation.on_doubt == "raise":
        return ""
    skip = skipped(operation.resource_id)
    for attempt in operation.attempts:
        made_from = bodies.at(operation.resource_id, attempt.tag)
        if made_from is None or not idempotent(change, made_from, skip):
            return ""
        moved = differing(made_from, seen, skip)
        if operation.on_doubt == "untouched" and moved.keys() & attempt.changes.keys():
            return ""
    return "what it changes was untouched, and the change can be made again" if idempotent(change, seen, skip) else ""


def _clear(attempt: Attempt) -> bool:
    return attempt.status in _CLEAR and attempt.code != "EtagMismatch" and not attempt.perhaps_twice
