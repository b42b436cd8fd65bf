# SPDX-License-Identifier: MIT
"""Hold a history against a commit log, by definitions alone: nothing here decides as a client does."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from .._core.document import Fields
from ._chain import Chains, Commit, as_body, name, transition
from ._leaves import ABSENT, UNKNOWN, Digests, Pair, Transition, below, clone, differing, skipped, value_at
from ._ops import Attempt, Operation
from ._report import Anomaly

Body: TypeAlias = Mapping[str, Any]
Change: TypeAlias = Callable[[dict[str, Any]], Any]

SENT_DONE: Final = ("created", "updated", "deleted")
SENT_NOTHING: Final = ("unchanged", "absent")


@dataclass(slots=True, kw_only=True)
class Log:
    """A commit log beside the operations it is joined with; ``normalised`` are pointers that the service rewrites."""

    operations: Sequence[Operation]
    commits: Sequence[Commit]
    digests: Digests
    changes: Mapping[str, Change]
    normalised: Collection[str] = ()
    owners: dict[str, list[Operation]] = field(default_factory=dict)
    of_op: dict[str, list[Commit]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for operation in self.operations:
            for each in operation.request_ids:
                self.owners.setdefault(each, []).append(operation)
        for request_id, owners in self.owners.items():
            owners.sort(key=lambda owner: _place(owner, request_id))
        for commit in self.commits:
            for owner in self.owners.get(commit.request_id, ()):
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
        owners = self.owners.get(commit.request_id)
        if owners is None:
            yield Anomaly(kind="phantom", op=None, lines=(f"{name(commit)} belongs to no operation",))
            return
        attempts = [attempt for owner in owners if (attempt := owner.attempt(commit.request_id)) is not None]
        wrong = list(self._against_change(owners, commit))
        if attempts:
            wrong += self._against_attempt(joined(attempts), commit)
        if wrong:
            names = ", ".join(owner.name for owner in owners)
            head = f"{names} was committed as {name(commit)}, but"
            yield Anomaly(kind="lost", op=owners[0].op, lines=(head, *dict.fromkeys(wrong)))

    def _against_change(self, owners: Sequence[Operation], commit: Commit) -> Iterator[str]:
        changes = [self.changes.get(owner.op) for owner in owners]
        if None in changes or commit.body_before is None or commit.body_after is None:
            return
        want = commit.body_before
        for change in filter(None, changes):
            want = changed(change, want)
        pairs = differing(want, commit.body_after, skipped(commit.resource_id))
        for path, (made, got) in self._shown(pairs).items():
            yield f"{path} is {got}, and its change makes {made} of the commit before it"

    def _against_attempt(self, attempt: Attempt, commit: Commit) -> Iterator[str]:
        if attempt.tag is not None and attempt.tag != commit.base_tag:
            yield f'its condition was version "{attempt.tag}", and "{commit.base_tag}" was there'
        if commit.body_after is None:
            return
        before = as_body(commit.body_before)
        done = self._shown(transition(commit))
        for path, (old, new) in attempt.changes.items():
            yield from self._as_sent(path, old, new, done, before)
        if attempt.read is not None:
            for path, (old, new) in done.items():
                if path not in attempt.changes:
                    yield f"{path} went from {old} to {new}, which it did not ask for"

    def _as_sent(self, path: str, old: Any, new: Any, done: Mapping[str, Transition], before: Any) -> Iterator[str]:
        there, stored = done.get(path, (None, None)) if path in done else (_UNMOVED, _UNMOVED)
        if there is _UNMOVED:
            there = stored = self.digests.shown(value_at(before, path))
        if old not in (UNKNOWN, there):
            yield f"{path} was read as {old}, and {there} was there"
        # A PATCH may merge, so that what it leaves out stays.
        if not _equal(new, stored) and new != ABSENT and not self._rewritten(path):
            yield f"{path} was sent as {new}, and is {stored}"

    def _shown(self, pairs: Mapping[str, Pair]) -> dict[str, Transition]:
        shown = self.digests.transitions(pairs)
        return {path: pair for path, pair in shown.items() if not self._rewritten(path)}

    def _rewritten(self, path: str) -> bool:
        return below(path, self.normalised)

    def _repeated(self, operation: Operation) -> Iterator[Anomaly]:
        done: list[Commit] = []
        for commit in self.of_op.get(operation.op, ()):
            earlier = next((each for each in done if _same_again(each, commit)), None)
            done.append(commit)
            if earlier is None:
                continue
            allowed = operation.on_doubt == "reapply" and self._repeatable(operation, earlier, commit)
            put_back = allowed or self._put_back(operation, earlier, commit)
            yield Anomaly(
                kind="re-asserted" if put_back else "doubled",
                op=operation.op,
                lines=(
                    f"{operation.name} was committed twice and {operation.said()}",
                    f"{name(earlier)}: {self._told_changes(earlier)}",
                    f"{name(commit)}: {self._told_changes(commit)}",
                ),
            )

    def _put_back(self, operation: Operation, earlier: Commit, commit: Commit) -> bool:
        """Whether what the earlier of two commits had changed was, at some time between them, as before it.

        Where several calls share it, what one of them had changed of it.
        """
        since = self.commits[self.commits.index(earlier) + 1 : self.commits.index(commit)]
        there = [each.body_after for each in since if each.resource_id == earlier.resource_id]
        touched, skip = set(transition(earlier)), skipped(earlier.resource_id)
        if len(self.owners[earlier.request_id]) > 1 and (own := operation.attempt(earlier.request_id)) is not None:
            touched &= own.changes.keys()
        moved = (differing(as_body(earlier.body_before), as_body(body), skip) for body in (*there, commit.body_before))
        return any(not touched & set(each) for each in moved)

    def _repeatable(self, operation: Operation, *commits: Commit) -> bool:
        """Whether its change is known, and changes nothing more where it has been made already."""
        change = self.changes.get(operation.op)
        if change is None or any(commit.body_before is None for commit in commits):
            return False
        bodies = [commit.body_before or {} for commit in commits]
        return all(idempotent(change, body, skipped(operation.resource_id)) for body in bodies)

    def _told_changes(self, commit: Commit) -> str:
        shown = [f"{path} {old} -> {new}" for path, (old, new) in self._shown(transition(commit)).items()]
        return ", ".join(shown[:3]) + (" ..." if len(shown) > 3 else "") or "nothing changed"

    def _told(self, operation: Operation) -> Iterator[Anomaly]:
        done = self.of_op.get(operation.op, [])
        plain = operation.outcome in SENT_DONE and not operation.recovered
        if (plain or (operation.applied is True and not operation.equivalent)) and not done:
            yield Anomaly(
                kind="phantom", op=operation.op, lines=(f"{operation.name} {operation.said()}, but has no commit",)
            )
        if (operation.applied is False or operation.outcome in SENT_NOTHING) and done:
            yield Anomaly(
                kind="falsely failed",
                op=operation.op,
                lines=(f"{operation.name} {operation.said()}, but was committed as", *map(name, done)),
            )


_UNMOVED: Final = object()


def joined(attempts: Sequence[Attempt]) -> Attempt:
    """Return a write as a whole, of which each of several calls has told what it asked for."""
    changes = dict(attempts[0].changes)
    for attempt in attempts[1:]:
        for path, (before, after) in attempt.changes.items():
            changes[path] = (changes.get(path, (before,))[0], after)
    return replace(attempts[0], changes=changes)


def _place(owner: Operation, request_id: str) -> int:
    attempt = owner.attempt(request_id)
    return 0 if attempt is None else attempt.place


def _same_again(earlier: Commit, commit: Commit) -> bool:
    """Whether one commit does again what another did: not a PUT for what a PATCH of tags has left there."""
    if earlier.method == commit.method:
        return True
    return bool(transition(earlier).keys() & transition(commit).keys())


def changed(change: Change, body: Body) -> Any:
    """Return what a change makes of a body."""
    copy = clone(dict(body))
    returned = change(copy)
    return copy if returned is None else returned


def idempotent(change: Change, body: Body, skip: Fields) -> bool:
    """Whether a change, made again, changes nothing."""
    once = changed(change, body)
    return not differing(changed(change, once), once, skip)


def _equal(left: Any, right: Any) -> bool:
    return bool(left == right) and isinstance(left, bool) == isinstance(right, bool)
