# SPDX-License-Identifier: MIT
"""Whatever the control API is sent, it answers; and what it has accepted leaves a mock that still answers."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from aks_etag.mock import MockAks
from aks_etag.mock._core.answers import ConnectionLostError
from aks_etag.mock._core.switches import Switches
from aks_etag.mock.control import Control

from .conftest import CLUSTER

WORDS = st.text(max_size=5)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | WORDS
    | st.sampled_from(["merge", "accept", "PUT", 1, 503]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=4,
)
SWITCHES = st.dictionaries(st.sampled_from([each.name for each in fields(Switches)]), VALUES, min_size=1, max_size=2)
ARGUMENTS = st.sampled_from(
    "method path nth phase effect headers body times probability seed seconds code message status stored "
    "details".split()
)
FAULTS = st.dictionaries(ARGUMENTS, VALUES, max_size=4)
FAULTS |= FAULTS.map(lambda fault: {"effect": 503, **fault}) | st.lists(FAULTS, max_size=2)
STATES = st.recursive(
    st.integers() | WORDS | st.just({"id": f"{CLUSTER}x"}),
    lambda inner: (
        st.dictionaries(st.sampled_from(["id", "properties", "rg", "eTag", "value"]), inner, max_size=3)
        | st.lists(inner, max_size=2)
    ),
    max_leaves=6,
)
ASKED = (
    st.tuples(st.just("PATCH"), st.just("switches"), SWITCHES | VALUES)
    | st.tuples(st.just("POST"), st.just("faults"), FAULTS | VALUES)
    | st.tuples(st.just("PUT"), st.just("state"), STATES | VALUES)
    | st.tuples(st.just("POST"), st.sampled_from(["clock", "restore"]), VALUES.map(lambda value: {"advance": value}))
)
AFTERWARDS = [
    ("GET", CLUSTER, b""),
    ("PUT", f"{CLUSTER}/agentPools/np1", b'{"properties":{"count":4}}'),
    ("PATCH", CLUSTER, b'{"tags":{"a":"b"}}'),
    ("GET", f"{CLUSTER}/agentPools", b""),
    ("GET", f"{CLUSTER}/agentPools/np1", b""),
    ("PUT", CLUSTER, b'{"location":"region1"}'),
    ("DELETE", CLUSTER, b""),
]


@given(asked=ASKED)
def test_what_is_accepted_leaves_a_mock_that_answers(asked: tuple[str, str, Any]) -> None:
    mock = MockAks()
    mock.add_cluster("rg1", "aks1")
    control = Control(mock)
    verb, what, sent = asked
    assert ask(control, verb, f"/_mock/{what}", json.dumps(sent).encode()) in (200, 400)
    for method, path, body in AFTERWARDS:
        with suppress(ConnectionLostError):
            mock.core.handle(method, f"https://h{path}?api-version=1", {}, body)
    for what in ("state", "journal", "clock"):
        assert ask(control, "GET", f"/_mock/{what}", b"") == 200


@given(
    method=st.sampled_from(["GET", "PUT", "POST", "PATCH", "DELETE"]),
    what=st.sampled_from("state journal?after=x faults clock switches reset snapshot restore".split()) | WORDS,
    host=st.sampled_from(["127.0.0.1", "[", "localhost:1", "evil"]),
    body=st.binary(max_size=9) | VALUES.map(lambda value: json.dumps(value).encode()),
)
@example(method="PUT", what="state", host="127.0.0.1", body=b"[" * 9999)
@example(method="GET", what="state", host="[", body=b"")
def test_whatever_comes_is_answered(method: str, what: str, host: str, body: bytes) -> None:
    assert ask(Control(MockAks()), method, f"http://{host}/_mock/{what}", body, host) in (200, 400, 403, 404)


def ask(control: Control, verb: str, url: str, body: bytes, host: str = "127.0.0.1") -> int:
    """Ask; a refusal says why, in JSON."""
    answer = control.answer(verb, url, {"Host": host, "Content-Type": "application/json"}, body)
    assert answer.status == 200 or set(json.loads(answer.body)) == {"error"}
    return answer.status


@pytest.mark.parametrize(
    ("verb", "what", "sent", "said"),
    [
        ("PATCH", "switches", {"busy_first": True, "nope": 1}, "there is no 'nope'"),
        ("PATCH", "switches", {"busy_first": True, "page_size": "x"}, "page_size cannot be 'x'"),
        ("PATCH", "switches", {"page_size": 0}, "page_size cannot be 0"),
        ("PATCH", "switches", {"busy_first": 1}, "busy_first cannot be 1"),
        ("PATCH", "switches", {"patch_tags": "mix"}, "patch_tags cannot be 'mix'"),
        ("PATCH", "switches", {"tagless_api_versions": [1]}, "tagless_api_versions cannot be [1]"),
        ("PATCH", "switches", ["busy_first"], "send an object"),
        ("POST", "faults", [{"effect": 503}, {"nth": "x"}], "nth cannot be 'x'"),
        ("POST", "faults", {"effect": 5}, "effect cannot be 5"),
        ("POST", "faults", {"effect": "bogus"}, "effect cannot be 'bogus'"),
        ("POST", "faults", {"effect": 503, "headers": {"A": "b\r\nC: d"}}, "headers cannot be"),
        ("POST", "faults", {"code": 5}, "code cannot be 5"),
        ("PUT", "state", __file__, "names of files mean nothing here"),
    ],
)
def test_what_cannot_be_used_is_refused_at_once(
    verb: str, what: str, sent: Any, said: str, mock: MockAks, aks: Any
) -> None:
    headers = {"Host": "127.0.0.1", "Content-Type": "application/json"}
    answer = Control(mock).answer(verb, f"/_mock/{what}", headers, json.dumps(sent).encode())
    assert (answer.status, said in json.loads(answer.body)["error"]) == (400, True)
    assert (mock.switches, aks.ask("GET", aks.cluster).status_code) == (Switches(), 200)
