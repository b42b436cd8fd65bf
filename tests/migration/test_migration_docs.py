# SPDX-License-Identifier: MIT
"""The page about storage versions: its examples run, and its steps and options exist."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

from aks_etag.kubernetes import KubernetesClient
from aks_etag.kubernetes.migration import Migration
from aks_etag.mock import MockKubernetes

from .stage import OLD, Stage, definition, version, widget
from .test_migration_reads import LEGACY, MODE

PAGE = Path(__file__).parent.parent.parent / "docs" / "storage-migration.md"


@pytest.fixture(scope="module")
def page() -> str:
    if not PAGE.exists():
        pytest.skip("this copy of the source has no docs")
    return PAGE.read_text("utf-8")


def gadgets(server: MockKubernetes) -> None:
    """Three gadgets: one has a field that v1 lacks, one is denied; v1 has a default of its own."""
    body = definition(version(OLD, storage=True, legacy=LEGACY), version("v1", mode=MODE))
    body["metadata"] = {"name": "gadgets.lab.example.com"}
    body["spec"]["names"] = {"plural": "gadgets", "singular": "gadget", "kind": "Gadget", "listKind": "GadgetList"}
    server.add(body)
    for name, spec in (("g1", {"legacy": "x"}), ("g2", {}), ("g3", {})):
        server.add({**widget(name, **spec), "kind": "Gadget"})
    server.admit(lambda _, each: "no" if each["metadata"]["name"] == "g2" else None)


def test_the_examples_run_in_their_order(page: str, tmp_path: Path) -> None:
    stage = Stage(5)
    gadgets(stage.server)
    blocks = list(re.finditer(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE))
    assert len(blocks) == page.count("```python") == 4
    transport = stage.server.httpx_transport()
    with KubernetesClient(stage.server.url, token="t", transport=transport, clock=stage.server.clock) as kube:
        known: dict[str, Any] = {"kube": kube, "journal": tmp_path / "j"}
        for block in blocks:
            above = "\n" * page[: block.start(1)].count("\n")
            exec(compile(above + block[1], str(PAGE), "exec"), known)


def test_every_step_and_option_that_it_names_is_there(page: str) -> None:
    steps = set(re.findall(r"^\| `(\w+)\(\w*\)` \|", page, re.MULTILINE))
    assert len(steps) == 10
    assert [step for step in sorted(steps) if not hasattr(Migration, step)] == []
    options = dict(re.findall(r"^\| `(\w+)=([^`]*)` \|", page, re.MULTILINE))
    parameters = inspect.signature(Migration.__init__).parameters
    said = {name: value for name, value in options.items() if name in ("chunk", "concurrency", "rate", "settle")}
    assert said == {name: repr(parameters[name].default) for name in said}
    assert options.keys() <= parameters.keys()
