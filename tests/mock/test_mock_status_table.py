# SPDX-License-Identifier: MIT
"""The status table of "Use eTags with AKS", cell by cell, for clusters and for agent pools."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from aks_etag.mock import MockAks

NO_HEADER: dict[str, str] = {}
ANY = {"If_Match": "*"}
TAG = {"If_Match": "<tag>"}
STALE = {"If_Match": "11111111-1111-4111-8111-111111111111"}
CREATE = {"If_None_Match": "*"}

TABLE: list[tuple[str, dict[str, str], bool, int]] = [
    ("PUT", NO_HEADER, False, 201),
    ("PUT", NO_HEADER, True, 200),
    ("PUT", {"If_Match": "", "If_None_Match": ""}, True, 200),
    ("PUT", ANY, False, 412),
    ("PUT", ANY, True, 200),
    ("PUT", STALE, False, 412),
    ("PUT", TAG, True, 200),
    ("PUT", STALE, True, 412),
    ("PUT", CREATE, False, 201),
    ("PUT", CREATE, True, 412),
    ("PATCH", NO_HEADER, False, 404),
    ("PATCH", NO_HEADER, True, 200),
    ("PATCH", ANY, False, 404),
    ("PATCH", ANY, True, 200),
    ("PATCH", STALE, False, 404),
    ("PATCH", TAG, True, 200),
    ("PATCH", STALE, True, 412),
    ("DELETE", NO_HEADER, False, 204),
    ("DELETE", NO_HEADER, True, 202),
    ("DELETE", ANY, False, 204),
    ("DELETE", ANY, True, 202),
    ("DELETE", STALE, False, 204),
    ("DELETE", TAG, True, 202),
    ("DELETE", STALE, True, 412),
    ("PUT", {"If_None_Match": '"abc"'}, True, 400),
    ("PUT", {"If_None_Match": '"abc"'}, False, 400),
    ("PUT", {"If_Match": "abc", "If_None_Match": "*"}, True, 400),
    ("PUT", {"If_Match": "*", "If_None_Match": "*"}, False, 400),
]
BODIES: dict[str, Any] = {
    "cluster": {"location": "region1", "properties": {"agentPoolProfiles": [{"name": "np1", "count": 1}]}},
    "pool": {"properties": {"count": 1}},
}


def cells() -> Iterator[Any]:
    for kind in ("cluster", "pool"):
        for method, headers, exists, status in TABLE:
            allowed = status if (kind, method) != ("pool", "PATCH") else 405
            name = f"{kind}-{method}-{headers}-{'exists' if exists else 'missing'}"
            yield pytest.param(kind, method, headers, exists, allowed, id=name)


@pytest.mark.parametrize(("kind", "method", "headers", "exists", "status"), list(cells()))
def test_every_cell_of_the_table_decides_and_a_refusal_changes_nothing(
    kind: str, method: str, headers: dict[str, str], exists: bool, status: int, mock: MockAks, aks: Any
) -> None:
    paths = {("cluster", True): aks.cluster, ("cluster", False): f"{aks.cluster}9", ("pool", True): aks.np1}
    path = paths.get((kind, exists), aks.np2)
    body = mock.body("rg1", "aks1", "np1" if kind == "pool" else None)
    tag = body["eTag"] if kind == "cluster" else body["properties"]["eTag"]
    sent = {name: value.replace("<tag>", tag) for name, value in headers.items()}
    response = aks.ask(method, path, None if method == "DELETE" else BODIES[kind], **sent)
    assert response.status_code == status
    assert mock.journal[-1].row.endswith(f"-> {status}")
    accepted = status in (200, 201, 202)
    assert len(mock.commits) == (1 if accepted else 0)
    assert accepted or mock.body("rg1", "aks1", "np1" if kind == "pool" else None) == body


@pytest.mark.parametrize(
    ("spelling", "accept_quotes", "status"),
    [
        pytest.param("{}", True, 200, id="bare"),
        pytest.param('"{}"', True, 200, id="quoted"),
        pytest.param('W/"{}"', True, 200, id="weak"),
        pytest.param("{}", False, 200, id="bare-where-quotes-are-literal"),
        pytest.param('"{}"', False, 412, id="quoted-where-quotes-are-literal"),
        pytest.param('W/"{}"', False, 412, id="weak-where-quotes-are-literal"),
        pytest.param('""', True, 412, id="a-quoted-nothing-is-a-tag"),
        pytest.param('"{}", "other"', True, 412, id="a-list-is-no-tag"),
    ],
)
def test_spellings_of_a_tag(spelling: str, accept_quotes: bool, status: int, connect: Callable[[MockAks], Any]) -> None:
    mock = MockAks(accept_quotes=accept_quotes)
    mock.add_cluster("rg1", "aks1")
    aks = connect(mock)
    body = mock.body("rg1", "aks1")
    response = aks.ask("PUT", aks.cluster, body, If_Match=spelling.format(body["eTag"]))
    assert response.status_code == status


def test_the_two_400s_and_the_412s_have_the_recorded_shapes(aks: Any, recorded: Callable[[str], Any]) -> None:
    both = aks.ask("PUT", aks.np1, BODIES["pool"], If_Match="a", If_None_Match="*").json()
    stale = aks.ask("PUT", aks.np1, BODIES["pool"], **STALE).json()
    missing = aks.ask("PUT", aks.np2, BODIES["pool"], **STALE).json()
    assert both.keys() == recorded("error_400_header_combination")["body"].keys()
    assert both["code"] == "BadRequest"
    assert stale.keys() == recorded("error_412_mismatch")["body"].keys()
    assert stale["code"] == "PreconditionFailed"
    assert missing == recorded("error_412_not_found_with_if_match")["body"]


@pytest.mark.parametrize(("means", "status"), [("ignored", 200), ("refused", 400), ("honoured", 412)])
@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_if_none_match_where_it_is_not_declared_is_a_switch(
    method: str, means: Any, status: int, mock: MockAks, aks: Any
) -> None:
    mock.switches.none_match_elsewhere = means
    answer = aks.ask(method, aks.cluster, {"tags": {}} if method == "PATCH" else None, If_None_Match="*")
    assert answer.status_code == (202 if (method, means) == ("DELETE", "ignored") else status)
    assert len(mock.commits) == (means == "ignored")
    assert aks.ask("DELETE", f"{aks.cluster}none", If_None_Match="*").status_code == (
        400 if means == "refused" else 204
    )
