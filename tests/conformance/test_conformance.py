# SPDX-License-Identifier: MIT
"""Every case through every door: the answer that is expected, and the same bytes as without a door."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from . import cases_operations, cases_reads, cases_table
from .case import Behind, Case, Step
from .doors import IN_PROCESS, Answered, Door, in_process_control, new_mock, no_door, served_process, served_uvicorn
from .play import Seen, play, transcript

CASES = [*cases_table.CASES, *cases_operations.CASES, *cases_reads.CASES]
KEYS = {True: {"code", "message"}, False: {"code", "details", "message", "subcode"}}


@pytest.fixture(scope="module")
def process() -> Iterator[Door]:
    """The command, as one process for all cases."""
    with served_process() as door:
        yield door


@pytest.fixture(scope="module")
def uvicorn() -> Iterator[Door]:
    """The ASGI application under a server of that kind, one for all cases."""
    with served_uvicorn() as door:
        yield door


@pytest.fixture
def door(request: pytest.FixtureRequest) -> Iterator[Door]:
    """One of the doors, with a mock as a case begins with."""
    if isinstance(request.param, str):
        served: Door = request.getfixturevalue(request.param)
        switches = served.behind(Behind(verb="GET", what="state"))["switches"]
        served.behind(Behind(verb="POST", what="reset", sent={}))
        yield served
        served.behind(Behind(verb="PATCH", what="switches", sent=switches))
        return
    mock = new_mock()
    with request.param(mock) as (base, send):
        yield Door(base=base, send=send, behind=in_process_control(mock))


@cache
def straight(name: str) -> tuple[list[Seen], Door]:
    """Play a case without any door."""
    mock = new_mock()
    with no_door(mock) as (base, send):
        alone = Door(base=base, send=send, behind=in_process_control(mock))
        return play(next(each for each in CASES if each.name == name), alone), alone


@pytest.mark.parametrize("case", [pytest.param(each, id=each.name) for each in CASES])
@pytest.mark.parametrize(
    "door",
    [*(pytest.param(each, id=each.__name__) for each in IN_PROCESS), "process", "uvicorn"],
    indirect=True,
)
def test_every_door_answers_alike_and_right(door: Door, case: Case) -> None:
    seen = play(case, door)
    for each in seen:
        assert_right(each)
    # In a process that has served other cases, chance has gone on.
    by_place = not door.fresh
    assert transcript(seen, door, by_place=by_place) == transcript(*straight(case.name), by_place=by_place)


def test_every_case_has_a_name_of_its_own() -> None:
    assert len({each.name for each in CASES}) == len(CASES)


def assert_right(seen: Seen) -> None:
    """Hold what was seen against what the step expects."""
    step, [entry] = seen.step, seen.entries
    assert (seen.answered[0] if seen.answered else None) == step.status, seen.answered
    assert seen.moved == step.moved
    # Of a truncated answer, the status arrives.
    status = 200 if "truncated" in (entry["fault"] or "") else step.status
    assert (entry["method"], entry["status"]) == (step.method, status)
    assert (entry["if_match"] is None) == ("If-Match" not in step.headers)
    assert entry["fault"] or entry["row"].endswith(f" -> {step.status}")
    assert step.row in (None, entry["row"])
    if seen.answered is not None:
        assert_answered(step, seen.answered)


def assert_answered(step: Step, answered: Answered) -> None:
    """Hold an answer against what the step expects."""
    _, headers, body = answered
    assert "etag" not in headers
    told = json.loads(body) if step.code or step.shows else {}
    for path, value in step.shows.items():
        assert at(told, path) == value, path
    if step.code:
        error = told["error"] if step.wrapped else told
        assert (error["code"], error["message"] != "", step.says in error["message"]) == (step.code, True, True)
        assert set(error) <= KEYS[step.wrapped]


def at(body: Any, path: str) -> Any:
    """Find a value by its keys; None where there is none."""
    for key in path.split("."):
        body = body[int(key)] if key.isdigit() else body.get(key)
    return body
