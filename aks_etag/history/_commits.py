# SPDX-License-Identifier: MIT
"""Hold a history against a commit log, by definitions alone: nothing here decides as a client does."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ._chain import Chains, Commit, name, transition
from ._leaves import ABSENT, MISSING, UNKNOWN, Digests, Pair, Transition, clone, differing, skipped
from ._ops import Attempt, Operation
from ._report import Anomaly

Body: TypeAlias = Mapping[str, Any]
Change: TypeAlias = Callable[[dict[str, Any]], Any]

SENT_DONE = ("created", "updated", "deleted")
SENT_NOTHING = ("unchanged", "absent")


@dataclass(slots=True, kw_only=True)
class Log:
    """A commit log beside the operations it is joined with; ``normalised`` are pointers that the service rewrites."""

    operations: Sequence[Operation]
    commits: Sequence[Commit]
    digests: Digests
    changes: Mapping[str, Change]
    normalised: Collection[str] = ()
    owners: dict[str, Operation] = field(default_factory=dict)
    of_op: dict[str, list[Commit]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.owners = {each: operation for operation in self.operations for each in operation.request_ids}
        for commit in self.commits:
            owner = self.owners.get(commit.request_id)
            if owner is not None:
                self.of_op.setdefault(owner.op, []).append(commit)

    def anomalies(self) -> Iterator[Anomaly]:
        """Judge every commit in order, then every operation."""
        chains = Chains()
        for commit in self.commits:
            yield from chains.broken(commit)
            if not commit.background:
                yield from self._owned(commit)
        for operation in self.operations:
            yield from self._repeated(operation)
            yield from self._told(operation)

    def _owned(self, commit: Commit) -> Iterator[Anomaly]:
        owner = self.owners.get(commit.request_id)
        if owner is None:
            yield Anomaly(kind="phantom", op=None, lines=(f"{name(commit)} belongs to no operation",))
            return
        attempt = next((each for each in owner.attempts if commit.request_id in (each.request, each.named)), None)
        wrong = [*self._against_change(owner, commit), *(self._against_attempt(attempt, commit) if attempt else ())]
        if wrong:
            head = f"{owner.name} was committed as {name(commit)}, but"
            yield Anomaly(kind="lost", op=owner.op, lines=(head, *dict.fromkeys(wrong)))

    def _against_change(self, owner: Operation, commit: Commit) -> Iterator[str]:
        change = self.changes.get(owner.op)
        if change is None or commit.body_before is None or commit.body_after is None:
            return
        wanted = clone(dict(commit.body_before))
        returned = change(wanted)
        wanted = wanted if returned is None else returned
        pairs = differing(wanted, commit.body_after, skipped(commit.resource_id))
        for path, (want, got) in self._shown(pairs).items():
            yield f"{path} is {got}, and its change makes {want} of the commit before it"

    def _against_attempt(self, attempt: Attempt, commit: Commit) -> Iterator[str]:
        if attempt.tag is not None and attempt.tag != commit.base_tag:
            yield f'its condition was version "{attempt.tag}", and "{commit.base_tag}" was there'
        if commit.body_after is None:
            return
        before: Any = MISSING if commit.body_before is None else commit.body_before
        done = self._shown(transition(commit))
        for path, (old, new) in attempt.changes.items():
            yield from self._as_sent(path, old, new, done, before)
        if attempt.read is not None and before is not MISSING:
            for path, (old, new) in done.items():
                if path not in attempt.changes:
                    yield f"{path} went from {old} to {new}, which it did not ask for"

    def _as_sent(self, path: str, old: Any, new: Any, done: Mapping[str, Transition], before: Any) -> Iterator[str]:
        there, stored = done.get(path, (None, None)) if path in done else (_UNMOVED, _UNMOVED)
        if there is _UNMOVED:
            there = stored = self._value(before, path)
        if old not in (UNKNOWN, there):
            yield f"{path} was read as {old}, and {there} was there"
        # A PATCH may merge, so that what it leaves out stays.
        if not _equal(new, stored) and new != ABSENT and not self._rewritten(path):
            yield f"{path} was sent as {new}, and is {stored}"

    def _value(self, body: Any, path: str) -> Any:
        for part in path.split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            if isinstance(body, list):
                body = next((item for item in body if isinstance(item, dict) and item.get("name") == key), MISSING)
            else:
                body = body.get(key, MISSING) if isinstance(body, Mapping) else MISSING
        return self.digests.shown(body)

    def _shown(self, pairs: Mapping[str, Pair]) -> dict[str, Transition]:
        shown = self.digests.transitions(pairs)
        return {path: pair for path, pair in shown.items() if not self._rewritten(path)}

    def _rewritten(self, path: str) -> bool:
        return any(path == each or path.startswith(f"{each}/") for each in self.normalised)

    def _repeated(self, operation: Operation) -> Iterator[Anomaly]:
        first: dict[str, Commit] = {}
        for commit in self.of_op.get(operation.op, ()):
            # Tags may take a PATCH, and then a PUT for what the PATCH left there: two different writes.
            earlier = first.setdefault(commit.method, commit)
            if earlier is commit:
                continue
            moved = differing(
                earlier.body_before or MISSING, commit.body_before or MISSING, skipped(commit.resource_id)
            )
            put_back = not transition(earlier).keys() & moved.keys()
            yield Anomaly(
                kind="re-asserted" if put_back else "doubled",
                op=operation.op,
                lines=(
                    f"{operation.name} was committed twice and {operation.said()}",
                    f"{name(earlier)}: {self._told_changes(earlier)}",
                    f"{name(commit)}: {self._told_changes(commit)}",
                ),
            )

    def _told_changes(self, commit: Commit) -> str:
        shown = [f"{path} {old} -> {new}" for path, (old, new) in self._shown(transition(commit)).items()]
        return ", ".join(shown[:3]) + (" ..." if len(shown) > 3 else "") or "nothing changed"

    def _told(self, operation: Operation) -> Iterator[Anomaly]:
        done = self.of_op.get(operation.op, [])
        plain = operation.outcome in SENT_DONE and not operation.recovered
        if (plain or operation.applied is True) and not done:
            yield Anomaly(
                kind="phantom", op=operation.op, lines=(f"{operation.name} {operation.said()}, but has no commit",)
            )
        if (operation.applied is False or operation.outcome in SENT_NOTHING) and done:
            yield Anomaly(
                kind="falsely failed",
                op=operation.op,
                lines=(f"{operation.name} {operation.said()}, but was committed as", *map(name, done)),
            )


_UNMOVED = object()


def _equal(left: Any, right: Any) -> bool:
    return bool(left == right) and isinstance(left, bool) == isinstance(right, bool)
