# SPDX-License-Identifier: MIT
"""The invariants bite: a flow that breaks one of them is caught."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag._core.messages import Request
from aks_etag._flows.effects import Flow, Send, Sleep, Undecided
from aks_etag._flows.options import Options

from .harness import FIVE, POOL, accepted, breaches, looped, polled, pool, trace

BODY = {"properties": {"count": 5, "nodeLabels": {"read": "t1"}}}


def _put(body: Any = BODY, method: str = "PUT", **headers: str) -> Send:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Send(Request(method=method, url=POOL.read().url, headers=named, body=body, request_id="r1"))


NAMED = Undecided("np1", ("r1",))
READ = Send(POOL.read())
GOOD = _put(If_Match="t1")


@pytest.mark.parametrize(
    ("effects", "said"),
    [
        pytest.param([READ, NAMED, _put()], "carries no condition", id="no-header"),
        pytest.param([READ, NAMED, _put(If_Match="t2")], "not made from the last read", id="tag-of-another-read"),
        pytest.param(
            [READ, NAMED, _put({"properties": {"nodeLabels": {"read": "t0"}}}, If_Match="t1")],
            "not made from the last read",
            id="older-body-under-a-newer-tag",
        ),
        pytest.param([READ, NAMED, GOOD, NAMED, GOOD], "not preceded by a read", id="blind-retry"),
        pytest.param([READ, GOOD], "without being named", id="not-announced"),
        pytest.param([READ, NAMED, _put(method="PATCH", If_Match="t1")], "nothing but PUT", id="another-method"),
    ],
)
def test_a_breach_is_named(effects: list[Any], said: str) -> None:
    def flow() -> Flow[None]:
        for effect in effects:
            answers.append((yield effect))

    answers: list[Any] = []
    sends = sum(isinstance(effect, Send) for effect in effects)
    assert said in " ".join(breaches(trace(flow(), *[pool("t1")] * sends)))


def test_a_good_run_has_no_breach() -> None:
    run = trace(looped(POOL, FIVE, Options()), pool("t1"), accepted(), polled(), pool("t2"))
    assert list(breaches(run)) == []


def test_a_wait_that_nobody_was_told_of_is_caught() -> None:
    def flow() -> Flow[None]:
        yield Sleep(1.0)

    with pytest.raises(AssertionError, match="nobody was told"):
        trace(flow())


def test_a_script_must_fit_exactly() -> None:
    def flow() -> Flow[None]:
        yield READ

    with pytest.raises(AssertionError, match="no answer is left"):
        trace(flow())
    with pytest.raises(AssertionError, match="not asked for"):
        trace(flow(), pool(), pool())
