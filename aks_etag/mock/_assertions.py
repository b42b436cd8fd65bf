# SPDX-License-Identifier: MIT
"""What a test may demand of what has happened; each failure prints the few lines that matter."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final, TypeAlias

from aks_etag.mock._core.address import parse_path
from aks_etag.mock._core.journal import Commit, JournalEntry

_WRITES: Final = frozenset({"PUT", "PATCH", "DELETE"})
# What only the service writes: a tag and a state say nothing of what was asked for.
_OWNED: Final = frozenset({"eTag", "provisioningState", "powerState", "nodeImageVersion"})
_ABSENT: Final = "nothing"
# By the path of each field: what it was, and what it became.
_Changes: TypeAlias = dict[str, tuple[Any, Any]]


class Assertions:
    """The demands, on a journal and a commit log."""

    journal: list[JournalEntry]
    commits: list[Commit]

    def requests(self, last: int | None = None) -> list[str]:
        """Return the journal, or its end, a line for each request."""
        return [line(entry) for entry in (self.journal if last is None else self.journal[-last:])]

    def assert_no_unconditional_writes(self, *, allow_any: bool = False) -> None:
        """Demand that every write of a cluster or pool carried a tag, or ``If-None-Match: *``.

        ``If-Match: *`` only says "it exists", and counts as no condition unless ``allow_any``.
        """
        bare = [entry for entry in self.journal if _is_unconditional(entry, allow_any)]
        _demand(not bare, f"{len(bare)} writes without a condition that protects anybody:", map(line, bare))

    def assert_no_lost_updates(self, *, ignore: Collection[str] = ()) -> None:
        """Demand that no write has put back just what another one had changed.

        Whoever does that on purpose looks the same: name his x-ms-client-request-id in ``ignore``.
        """
        changed = [(commit, _changes(commit)) for commit in self.commits]
        lost = [
            _undone(earlier, did, commit)
            for n, (commit, does) in enumerate(changed)
            if commit.request_id not in ignore
            for earlier, did in changed[:n]
            if _undoes(earlier, did, commit, does)
        ]
        _demand(not lost, f"{len(lost)} updates are lost:", lost)

    def assert_requests(self, expected: Sequence[str], *, polls: bool = False) -> None:
        """Demand these requests in this order, such as ``"GET np1"`` or ``"PUT np1 If-Match -> 412"``.

        What a line leaves out is not compared: the condition, the status. ``polls``: polls of operations count, too,
        as ``"GET operation"``. What comes from writers in the background never does.
        """
        ours = [entry for entry in self.journal if entry.by is None]
        seen = [entry for entry in ours if polls or _name(entry) != "operation"]
        same = len(seen) == len(expected) and all(map(_fits, expected, seen))
        pairs = zip_longest(expected, seen)
        shown = (_beside(wanted, entry) for wanted, entry in pairs)
        _demand(same, f"expected {len(expected)} requests, and there were {len(seen)}:", shown)


def line(entry: JournalEntry) -> str:
    """Show one request: what was asked, under which condition, what was answered, and the rule that decided it."""
    answered = "no answer" if entry.status is None else str(entry.status)
    rule = f" ({entry.row})" if entry.row else ""
    whose = f"[{entry.by}] " if entry.by else ""
    return f"{whose}{' '.join(_words(entry))} -> {answered}{rule}"


def _words(entry: JournalEntry) -> list[str]:
    given = [("If-Match", entry.if_match), ("If-None-Match", entry.if_none_match)]
    return [entry.method, _name(entry), *(f"{name}: {value}" for name, value in given if value)]


def _name(entry: JournalEntry) -> str:
    address = parse_path(entry.path)
    if address is None:
        return entry.path
    if address.kind in ("operation", "operation result"):
        return "operation"
    named = address.pool or address.cluster or address.group
    suffix = {"pools": "/agentPools", "group clusters": "/managedClusters"}.get(address.kind, "")
    return (named + suffix if named else "managedClusters") + (f"/{address.action}" if address.action else "")


def _is_unconditional(entry: JournalEntry, allow_any: bool) -> bool:
    address = parse_path(entry.path)
    if entry.method not in _WRITES or address is None or address.kind not in ("cluster", "pool"):
        return False
    return not entry.if_none_match and (not entry.if_match or (entry.if_match == "*" and not allow_any))


def _fits(expected: str, entry: JournalEntry) -> bool:
    asked, _, status = expected.partition("->")
    method, name, *condition = asked.split(maxsplit=2)
    if (method, name) != (entry.method, _name(entry)):
        return False
    if status.strip() not in ("", str(entry.status), "no answer" if entry.status is None else ""):
        return False
    return all(word.strip() in " ".join(_words(entry)) for word in condition)


def _beside(expected: str | None, entry: JournalEntry | None) -> str:
    seen = "(no request)" if entry is None else line(entry)
    fits = expected is not None and entry is not None and _fits(expected, entry)
    return f"{'  ' if fits else '! '}{expected or '(nothing more)':<40} {seen}"


def _undoes(earlier: Commit, did: _Changes, commit: Commit, does: _Changes) -> bool:
    """Whether a commit sets everything back that an earlier one had changed, and nothing had changed it since."""
    if earlier.resource_id.lower() != commit.resource_id.lower() or earlier.request_id == commit.request_id:
        return False
    return bool(did) and all(does.get(path) == (new, old) for path, (old, new) in did.items())


def _undone(earlier: Commit, did: _Changes, commit: Commit) -> str:
    path, (old, new) = next(iter(did.items()))
    who = "somebody else" if earlier.background else f"{earlier.method} {earlier.request_id or '(no request id)'}"
    by = f"{commit.method} {commit.request_id or '(no request id)'}"
    name = commit.resource_id.rsplit("/", 1)[-1]
    return f"{name}: {who} changed {path} from {old!r} to {new!r}, and {by} put it back"


def _changes(commit: Commit) -> _Changes:
    if commit.body_before is None or commit.body_after is None:
        return {}
    before, after = dict(_leaves(commit.body_before)), dict(_leaves(commit.body_after))
    paths = [*before, *(path for path in after if path not in before)]
    pairs = {path: (before.get(path, _ABSENT), after.get(path, _ABSENT)) for path in paths}
    return {path: pair for path, pair in pairs.items() if pair[0] != pair[1]}


def _leaves(body: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in body.items():
        if name in _OWNED:
            continue
        if isinstance(value, list) and value and all(isinstance(each, dict) and "name" in each for each in value):
            value = {str(each["name"]): each for each in value}
        if isinstance(value, Mapping) and value:
            yield from _leaves(value, f"{path}.{name}" if path else name)
        else:
            yield f"{path}.{name}" if path else name, value


def _demand(holds: bool, said: str, lines: Iterator[str] | Collection[str]) -> None:
    if not holds:
        raise AssertionError("\n  ".join([said, *lines]))
