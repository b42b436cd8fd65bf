# SPDX-License-Identifier: MIT
"""The front of the checker: a history, and what it is to be held against."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from ._chain import Commit
from ._commits import Change, Log
from ._final import State, unexplained
from ._leaves import Digests
from ._needless import needless
from ._ops import Recorded, Source, recorded
from ._report import Anomaly, Report


def check(
    history: Source,
    commits: Sequence[Commit] | None = None,
    *,
    changes: Mapping[str, Change] | None = None,
    normalised: Collection[str] = (),
    initial: State | None = None,
    final: State | None = None,
) -> Report:
    """Hold what callers were told against what happened: a commit log, or the state before and after, or both.

    ``history`` is a file, or its lines. ``commits`` is the complete log of a service, such as ``MockAks.commits``, with
    nothing under way any more. ``changes`` are the changes by operation, for those who have them: what a commit should
    have made is then computed instead of compared. ``normalised`` are JSON Pointers below which the service stores
    something else than what was sent. ``initial`` and ``final`` are bodies by resource id, ``None`` where none was.

    Raises:
        ValueError: the history has no first line, so that values cannot be compared; or only one of the two states.
    """
    found = recorded(history)
    if (initial is None) != (final is None):
        raise ValueError("initial and final belong together")
    anomalies = tuple(_found(found, commits, changes or {}, normalised, initial, final))
    return Report(
        operations=len(found.operations),
        attempts=len({attempt.request for operation in found.operations for attempt in operation.attempts}),
        commits=len(commits or ()),
        unknown=sum(operation.unknown for operation in found.operations),
        strays=found.strays,
        anomalies=anomalies,
    )


def _found(
    found: Recorded,
    commits: Sequence[Commit] | None,
    changes: Mapping[str, Change],
    normalised: Collection[str],
    initial: State | None,
    final: State | None,
) -> Iterator[Anomaly]:
    if commits is not None:
        digests = _digests(found)
        yield from Log(
            operations=found.operations, commits=commits, digests=digests, changes=changes, normalised=normalised
        ).anomalies()
        yield from needless(found.operations, commits, changes)
    if initial is not None and final is not None:
        yield from unexplained(found.operations, initial, final, _digests(found), normalised)


def _digests(found: Recorded) -> Digests:
    if found.digests is None:
        raise ValueError("the history has no first line, so that its values cannot be compared with others")
    return found.digests
