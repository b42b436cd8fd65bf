# SPDX-License-Identifier: MIT
"""The tree of errors is the one that is drawn, and every error says its facts and nothing more."""

from __future__ import annotations

import pickle
import re
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from multiprocessing import get_context
from typing import Any

import pytest
from azure.core import exceptions as azure

from aks_etag import errors
from aks_etag._core.messages import Response
from aks_etag._core.resource_id import parse
from aks_etag._core.snapshot import Snapshot
from aks_etag.errors import AksEtagError

KINDS = {name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, AksEtagError)}
KIND = pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))


def drawn() -> dict[str, tuple[str, ...]]:
    """Read the tree out of the docstring: a class, the class above it, and the bases in brackets."""
    found: dict[str, tuple[str, ...]] = {}
    above: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        match = re.match(r"(?P<lead>[│├└─\s]*)(?P<name>[A-Z]\w+Error)(?: \((?P<bases>[\w., ]+)\))?", line)
        if match is None:
            continue
        depth = len(match["lead"]) // 4
        above[depth:] = [match["name"]]
        bases = tuple((match["bases"] or "").replace("azure.core.exceptions.", "").split(", "))
        found[match["name"]] = tuple(name for name in (*above[:depth][-1:], *bases) if name)
    return found


def test_the_tree_is_the_one_that_is_drawn() -> None:
    assert drawn() == {name: tuple(base.__name__ for base in kind.__bases__) for name, kind in KINDS.items()}


@pytest.mark.parametrize(
    ("name", "families"),
    [
        ("AksEtagError", (azure.AzureError,)),
        ("InvalidPreconditionError", (ValueError,)),
        ("InvalidResourceIdError", (ValueError,)),
        ("NotFoundError", (azure.ResourceNotFoundError,)),
        ("ResourceGoneError", (azure.ResourceNotFoundError,)),
        ("AlreadyExistsError", (azure.ResourceExistsError,)),
        ("PreconditionFailedError", (azure.ResourceModifiedError,)),
        ("ConflictRetriesExhaustedError", (azure.ResourceModifiedError,)),
        ("OperationInProgressError", (azure.HttpResponseError,)),
        ("OperationPreemptedError", (azure.HttpResponseError,)),
        ("ThrottledError", (azure.HttpResponseError,)),
        ("RequestRefusedError", (azure.HttpResponseError,)),
        ("AccessDeniedError", (azure.ClientAuthenticationError,)),
        ("DeadlineExceededError", (TimeoutError,)),
        ("WriteOutcomeUnknownError", (azure.ServiceResponseError,)),
    ],
)
def test_existing_except_clauses_work(name: str, families: tuple[type[Exception], ...]) -> None:
    assert issubclass(KINDS[name], families)


def test_a_busy_resource_is_not_one_that_exists_already() -> None:
    assert not issubclass(errors.OperationInProgressError, azure.ResourceExistsError)


SEEN = Snapshot(
    id="/x",
    name="x",
    resource_group="rg1",
    body={"password": "s3cret"},
    version="t2",
    provisioning_state=None,
    settled=True,
    read_at=datetime(2026, 1, 1, tzinfo=UTC),
)
ANSWER = Response(status=409, body={"error": {"code": "C", "message": "s3cret", "details": []}}, raw=object())
FACTS: dict[str, Any] = {
    "code": "C",
    "resource_id": "/x",
    "applied": False,
    "current": SEEN,
    "sent": "t1",
    "attempts": 3,
    "last_seen": SEEN,
    "operation": "op1",
    "since": "2026",
    "retry_after": 36.0,
    "waiting_for": "it",
    "conflicts": (("a",),),
    "pending": True,
    "equivalent": True,
    "observed": SEEN,
    "request_ids": ("r1", "r2"),
}


def facts_of(kind: type[AksEtagError]) -> dict[str, Any]:
    return {name: value for name, value in FACTS.items() if hasattr(kind, name)}


@KIND
def test_every_fact_survives_pickling(kind: type[AksEtagError]) -> None:
    facts = facts_of(kind)
    error = kind("what happened", answer=ANSWER, **facts)
    error.add_note("a note")
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), copy.message, copy.status_code) == (kind, "what happened", "what happened", 409)
    assert {name: getattr(copy, name) for name in facts} == facts
    assert copy.__notes__ == ["a note"]


def test_an_error_comes_back_from_a_process_pool() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        error = pool.submit(parse, "nonsense").exception(60)
    assert type(error) is errors.InvalidResourceIdError
    assert "'nonsense' is not the ARM id" in str(error)


@KIND
def test_str_shows_the_message_and_never_a_body(kind: type[AksEtagError]) -> None:
    error = kind("what happened", answer=ANSWER, **facts_of(kind))
    assert str(error) == "what happened"
    assert "s3cret" not in repr(error) + repr(error.args)


@KIND
def test_an_unknown_fact_is_a_type_error(kind: type[AksEtagError]) -> None:
    with pytest.raises(TypeError, match=f"{kind.__name__} has no fact 'colour'"):
        kind("what happened", colour="red")


@KIND
def test_an_error_needs_no_answer_and_no_facts(kind: type[AksEtagError]) -> None:
    error = kind("what happened")
    assert (error.status_code, error.code, error.resource_id, error.applied) == (None, None, None, None)


HTTP = [kind for kind in KINDS.values() if issubclass(kind, azure.HttpResponseError)]


@pytest.mark.parametrize("kind", HTTP, ids=lambda kind: kind.__name__)
def test_an_error_of_the_http_family_has_what_its_family_has(kind: Any) -> None:
    error = kind("what happened", answer=ANSWER)
    assert (error.status_code, error.response, error.model, error.error.code) == (409, ANSWER.raw, None, "C")
    bare = kind("what happened")
    assert (bare.status_code, bare.response, bare.reason, bare.error) == (None, None, None, None)


@pytest.mark.parametrize("body", [None, "", "<html>", [], 7, {"error": None}, {"code": "C"}], ids=repr)
def test_a_body_that_is_no_error_does_not_break_the_error(body: Any) -> None:
    error = errors.RequestRefusedError("what happened", answer=Response(status=400, body=body))
    assert (error.status_code, str(error)) == (400, "what happened")
