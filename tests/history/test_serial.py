# SPDX-License-Identifier: MIT
"""Whatever is carried out one after the other is clean, whichever way it is judged."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from aks_etag.history import check

from .story import POOL, answer, attempt, call, commit, done, failed, history, unknown

VALUES = st.one_of(st.integers(-3, 3), st.sampled_from(["x", "y", "z"]), st.booleans(), st.none())
BODIES = st.fixed_dictionaries(
    {"properties": st.dictionaries(st.sampled_from(["count", "mode", "a/b"]), VALUES, max_size=3)},
    optional={"tags": st.dictionaries(st.sampled_from("abc"), st.sampled_from(["x", "y"]), max_size=3)},
)
ENDS = st.sampled_from(["updated", "lost, landed", "lost, never landed", "refused", "unknown", "recovered"])


def lived(start: Any, steps: list[tuple[Any, str, bool]]) -> tuple[list[Any], list[Any], Any]:
    """Let updates happen one after the other, each with an end of its own, some with others in between."""
    lines: list[Any] = []
    commits: list[Any] = []
    body, version = start, 0
    for n, (wanted, end, told) in enumerate(steps):
        op, request, tag = f"o{n}", f"r{n}", f"t{version}"
        lines += [call(op), attempt(op, request, tag, body, wanted)]
        if end not in ("lost, never landed", "refused"):
            commits.append(commit(request, f"{tag} t{version + 1}", body, wanted))
            body, version = wanted, version + 1
        lines += [answer(op, request, {"updated": 200, "refused": 412}.get(end, "lost"))]
        lines += {
            "updated": [done(op, "updated", request)],
            "recovered": [done(op, "updated", request, recovered="equivalent")],
            "refused": [failed(op, "ConflictRetriesExhaustedError")],
        }.get(end, [unknown(op)] if told else [])
    return lines, commits, body


@given(start=BODIES, steps=st.lists(st.tuples(BODIES, ENDS, st.booleans()), max_size=6))
def test_a_serial_execution_is_clean(start: Any, steps: list[tuple[Any, str, bool]]) -> None:
    lines, commits, final = lived(start, steps)
    report = check(history(lines), commits, initial={POOL: start}, final={POOL: final})
    assert report.anomalies == (), report


@given(start=BODIES, steps=st.lists(st.tuples(BODIES, st.just("updated"), st.booleans()), min_size=1, max_size=6))
def test_the_same_writes_twice_are_not(start: Any, steps: list[tuple[Any, str, bool]]) -> None:
    lines, commits, final = lived(start, steps)
    again = commit("r0", f"t{len(steps)} t{len(steps) + 1}", final, steps[0][0])
    assert not check(history(lines), [*commits, again]).clean
