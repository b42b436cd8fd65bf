# SPDX-License-Identifier: MIT
"""Judge by the state before and after alone: the acknowledged writes must explain the difference.

For numbers, what was acknowledged must add up, together with some of what is not known. Other values must form a trail
from the initial to the final one that takes every acknowledged transition once, and an unknown one at most once. All
writers must have been recorded; a resource that may have been deleted, or replaced unread, is left alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from ._chain import as_body
from ._leaves import ABSENT, INLINE, UNKNOWN, Digests, Shown, Transition, below, differing, skipped, value_at
from ._ops import Attempt, Operation
from ._report import Anomaly

State: TypeAlias = Mapping[str, Mapping[str, Any] | None]
Where: TypeAlias = tuple[str, str]

# Beyond these, what is not known is taken to explain everything.
_MOST_SUMS: Final = 100_000
_MOST_TRIED: Final = 10


@dataclass(slots=True)
class Story:
    """What happened at one place: transitions that certainly happened, and sets of which at most one did."""

    certain: list[Transition] = field(default_factory=list)
    perhaps: list[list[Transition]] = field(default_factory=list)


def unexplained(
    operations: Sequence[Operation], initial: State, final: State, digests: Digests, normalised: Collection[str] = ()
) -> Iterator[Anomaly]:
    """Name every place whose final value the history does not explain."""
    stories, first, last = _stories(operations), _lowered(initial), _lowered(final)
    places = _changed(first, last, digests)
    for where in stories.keys() - places.keys():
        if where[0] in first.keys() | last.keys():
            value = digests.shown(value_at(first.get(where[0]), where[1]))
            places[where] = (value, value)
    opaque = {each.resource_id.casefold() for each in operations if _opaque(each)}
    for (resource_id, path), (start, end) in sorted(places.items(), key=lambda place: place[0]):
        if resource_id in opaque or below(path, normalised) or below(path, [INLINE]):
            continue
        why = _why(stories.get((resource_id, path), Story()), start, end)
        if why:
            head = f"{path} of {resource_id} went from {start} to {end}"
            yield Anomaly(kind="unexplained", op=None, lines=(head, why))


def _changed(first: State, last: State, digests: Digests) -> dict[Where, Transition]:
    """Show the initial and the final value of every place where they differ."""
    found = {}
    for key in first.keys() | last.keys():
        pairs = differing(as_body(first.get(key)), as_body(last.get(key)), skipped(key))
        found.update({(key, path): pair for path, pair in digests.transitions(pairs).items()})
    return found


def _lowered(state: State) -> State:
    return {resource_id.casefold(): body for resource_id, body in state.items()}


def _stories(operations: Iterable[Operation]) -> dict[Where, Story]:
    found: dict[Where, Story] = {}
    for operation in operations:
        certain, perhaps = _written(operation)
        key = operation.resource_id.casefold()
        for path, (pair, sure) in _certainly(certain).items():
            story = found.setdefault((key, path), Story())
            if sure:
                story.certain.append(pair)
            else:
                story.perhaps.append([pair])
        for path in {path for attempt in perhaps for path in attempt.changes}:
            choices = [attempt.changes[path] for attempt in perhaps if path in attempt.changes]
            found.setdefault((key, path), Story()).perhaps.append(choices)
    return found


def _certainly(attempts: Iterable[Attempt]) -> dict[str, tuple[Transition, bool]]:
    """Join what one operation did: tags may take a PATCH, which may merge, and then a PUT for what it left there."""
    found: dict[str, tuple[Transition, bool]] = {}
    for attempt in attempts:
        for path, pair in attempt.changes.items():
            found[path] = (pair, attempt.method != "PATCH" or pair[1] != ABSENT)
    return found


def _written(operation: Operation) -> tuple[list[Attempt], list[Attempt]]:
    """Return the attempts that certainly were carried out, and those of which one may have been."""
    accepted = {each.method: each for each in operation.attempts if isinstance(each.status, int) and each.status < 300}
    done = operation.outcome in ("created", "updated", "deleted") and not operation.recovered
    certain = [each for each in accepted.values() if not _failed(each)]
    if (done or operation.applied is True) and certain:
        return certain, [*filter(_failed, accepted.values())]
    if operation.applied is False or operation.outcome in ("unchanged", "absent"):
        return [], []
    return [], [each for each in operation.attempts if each.status in (None, "lost") or _unsure(each)]


def _failed(attempt: Attempt) -> bool:
    """Whether it was accepted, and its operation ended badly."""
    return attempt.operation is not None and attempt.operation.casefold() != "succeeded"


def _opaque(operation: Operation) -> bool:
    """Whether it may have deleted the resource, or replaced what it had not read: what went with it is not known."""
    certain, perhaps = _written(operation)
    return any(attempt.method == "DELETE" or attempt.blind for attempt in (*certain, *perhaps))


def _unsure(attempt: Attempt) -> bool:
    status = attempt.status
    return isinstance(status, int) and (status < 300 or status in (408, 409) or status >= 500 or attempt.perhaps_twice)


def _why(story: Story, start: Shown, end: Shown) -> str:
    pairs = [*story.certain, *(pair for choices in story.perhaps for pair in choices)]
    if any(UNKNOWN in pair for pair in pairs):
        return ""
    if all(map(_is_number, (start, end, *(value for pair in pairs for value in pair)))):
        return _sum(story, start, end)
    return _trail(story, start, end)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _sum(story: Story, start: Any, end: Any) -> str:
    told = sum(after - before for before, after in story.certain)
    sums = {0}
    for choices in story.perhaps:
        sums |= {one + after - before for one in sums for before, after in choices}
        if len(sums) > _MOST_SUMS:
            return ""
    if end - start - told in sums:
        return ""
    spare = f", and {len(story.perhaps)} may or may not have been" if story.perhaps else ""
    return f"{len(story.certain)} writes that make {told:+g} were acknowledged{spare}"


def _trail(story: Story, start: Shown, end: Shown) -> str:
    balance: Counter[Any] = Counter()
    for before, after in story.certain:
        balance[_node(before)] -= 1
        balance[_node(after)] += 1
    balance[_node(start)] += 1
    balance[_node(end)] -= 1
    spare = [[(_node(before), _node(after)) for before, after in choices] for choices in story.perhaps]
    fits = len(spare) > _MOST_TRIED or _balanced(balance, spare)
    return "" if fits and _connected(story, start) else _told(story)


def _balanced(balance: Counter[Any], spare: list[list[tuple[Any, Any]]]) -> bool:
    """Whether unknown transitions, each at most once, lead on from where more arrive than leave."""
    surplus = next((node for node, count in balance.items() if count > 0), None)
    if surplus is None:
        return True
    for n, choices in enumerate(spare):
        for before, after in choices:
            if before != surplus:
                continue
            moved = balance.copy()
            moved[before] -= 1
            moved[after] += 1
            if _balanced(moved, spare[:n] + spare[n + 1 :]):
                return True
    return False


def _connected(story: Story, start: Shown) -> bool:
    """Whether every certain transition can be reached from the initial value."""
    pairs = [*story.certain, *(pair for choices in story.perhaps for pair in choices)]
    following: dict[Any, set[Any]] = {}
    for before, after in pairs:
        following.setdefault(_node(before), set()).add(_node(after))
    reached, queue = {_node(start)}, [_node(start)]
    while queue:
        for node in following.get(queue.pop(), set()) - reached:
            reached.add(node)
            queue.append(node)
    return all(_node(before) in reached for before, _ in story.certain)


def _told(story: Story) -> str:
    shown = ", ".join(f"{before} -> {after}" for before, after in story.certain[:8])
    return f"no trail takes each acknowledged transition once: {shown or 'there is none'}"


def _node(value: Shown) -> tuple[str, Shown]:
    return (type(value).__name__, value)
