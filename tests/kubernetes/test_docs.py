# SPDX-License-Identifier: MIT
"""The page about Kubernetes: its examples run, and what it names exists."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import aks_etag
from aks_etag import Event
from aks_etag.kubernetes import KubernetesClient, Object
from aks_etag.mock.kubernetes import MockKubernetes

PAGE = Path(__file__).parent.parent.parent / "docs" / "kubernetes.md"


@pytest.fixture(scope="module")
def page() -> str:
    if not PAGE.exists():
        pytest.skip("this copy of the source has no docs")
    return PAGE.read_text("utf-8")


def test_the_examples_run_in_their_order(page: str) -> None:
    server = MockKubernetes()
    events: list[Event] = []
    blocks = list(re.finditer(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE))
    assert len(blocks) == page.count("```python")
    with KubernetesClient(
        server.url, transport=server.httpx_transport(), clock=server.clock, on_event=events.append
    ) as kube:
        known: dict[str, Any] = {"kube": kube, "events": events}
        for block in blocks:
            above = "\n" * page[: block.start(1)].count("\n")
            exec(compile(above + block[1], str(PAGE), "exec"), known)


def test_every_error_that_it_names_is_one_that_can_be_caught(page: str) -> None:
    named = set(re.findall(r"\b[A-Z]\w+Error\b", page))
    assert len(named) >= 6
    assert [name for name in sorted(named) if not hasattr(aks_etag, name)] == []


def test_every_verb_that_it_names_is_one_of_a_handle(page: str) -> None:
    verbs = set(re.findall(r"^\|[^|]*\| `(\w+)\(", page, re.MULTILINE))
    assert verbs >= {"update", "patch", "apply", "create_or_update", "delete"}
    assert [verb for verb in sorted(verbs) if not hasattr(Object, verb)] == []
