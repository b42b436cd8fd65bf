# SPDX-License-Identifier: MIT
"""Whatever happens, what a run claims is what happened: a small true service, with faults drawn at random."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aks_etag._core.messages import Outcome, Request
from aks_etag._flows.effects import Send
from aks_etag._flows.options import Options

from .harness import (
    BUSY,
    FIVE,
    LOST,
    POOL,
    STALE,
    Stage,
    Trace,
    accepted,
    breaches,
    cluster,
    looped,
    more,
    polled,
    pool,
    refused,
)

READS = st.sampled_from(["answered"] * 6 + ["lost", "throttled", "denied", "denied"])
WRITES = st.sampled_from(["answered", "lost before", "lost after", "late", "late", "busy", "throttled", "refused"])
OTHERS = st.sampled_from([None] * 9 + [0, 3, 3, 4, 5, 7])


@dataclass
class Service:
    """One pool that evaluates conditions; other writers and lost writes come in between."""

    draw: Any
    count: int = 3
    version: int = 1
    late: list[Request] = field(default_factory=list)
    commits: list[tuple[str, int, int]] = field(default_factory=list)
    surprises: int = 0

    @property
    def tag(self) -> str:
        return f"t{self.version}"

    def answer(self, request: Request) -> Outcome:
        self.meanwhile()
        if request.method == "PUT":
            return self.write(request, self.draw(WRITES))
        if "operations" in request.url:
            return polled()
        if "agentPools" not in request.url:
            return cluster()
        return {"lost": LOST, "throttled": refused(429, retry_after="2"), "denied": refused(403)}.get(
            self.draw(READS), pool(self.tag, count=self.count)
        )

    def meanwhile(self) -> None:
        other = self.draw(OTHERS)
        if other is not None:
            self.count, self.version = other, self.version + 1
        if self.late and self.draw(st.booleans()):
            self.commit(self.late.pop(0))

    def write(self, request: Request, fate: str) -> Outcome:
        if fate == "late":
            self.late.append(request)
        refusals = {"busy": BUSY, "throttled": refused(429, retry_after="2"), "refused": refused(400)}
        if fate in refusals:
            return refusals[fate]
        landed = fate in ("answered", "lost after") and self.commit(request)
        if fate != "answered":
            return LOST
        return accepted() if landed else STALE

    def commit(self, request: Request) -> bool:
        if request.headers["If-Match"] != self.tag:
            return False
        count = request.body["properties"]["count"]
        self.commits.append((request.request_id, self.count, count))
        self.count, self.version = count, self.version + 1
        return True


def simulated(change: Any, draw: Any, **options: Any) -> tuple[Trace, Service]:
    """Run an update against the service; whatever is still on its way at the end arrives."""
    service, stage = Service(draw), Stage(answers=iter(()))
    flow = looped(POOL, change, Options(**options), deadline=60.0)
    reply: Any = None
    while True:
        try:
            effect = flow.send(reply)
        except StopIteration as end:
            stage.done.result = end.value
            break
        except Exception as error:
            stage.done.error = error
            break
        if isinstance(effect, Send):
            stage.answers = iter([service.answer(effect.request)])
        reply = stage.play(effect)
    known = len(service.commits)
    for request in service.late:
        service.commit(request)
    service.surprises = len(service.commits) - known
    return stage.done, service


@pytest.mark.parametrize("on_busy", ["wait", "raise"])
@pytest.mark.parametrize("change", [more, FIVE], ids=["adds", "sets"])
@settings(max_examples=500)
@given(data=st.data())
def test_what_a_run_claims_is_what_happened(change: Any, on_busy: Any, data: Any) -> None:
    done, service = simulated(change, data.draw, on_busy=on_busy)
    ids = [request_id for request_id, _, _ in service.commits]
    assert list(breaches(done)) == []
    assert done.slept <= 60.0
    assert service.surprises == 0 or done.error.pending
    if done.error is None:
        assert_true_result(done, ids)
    elif done.ended != "WriteOutcomeUnknownError":
        assert (done.error.applied, ids) in [(False, []), (None, ids), (True, ids)]
        assert ids or done.error.applied is not True
    else:
        assert set(ids) <= set(done.error.request_ids) or change is FIVE


def assert_true_result(done: Trace, ids: list[str]) -> None:
    result = done.result
    if result.outcome == "updated" and result.recovered is None:
        assert ids[-1:] == [result.request_id]


@pytest.mark.parametrize("on_doubt", ["untouched", "reapply", "raise"])
@settings(max_examples=500)
@given(data=st.data())
def test_one_node_more_is_never_added_twice_nor_to_an_old_count(on_doubt: Any, data: Any) -> None:
    done, service = simulated(more, data.draw, on_doubt=on_doubt)
    assert [after - before for _, before, after in service.commits] in ([], [1])
    assert done.ended != "updated" or len(service.commits) == 1 or done.result.recovered == "equivalent"


@settings(max_examples=500)
@given(data=st.data())
def test_a_caller_who_wants_no_repetition_gets_none(data: Any) -> None:
    _, service = simulated(FIVE, data.draw, on_doubt="raise")
    assert len(service.commits) <= 1
