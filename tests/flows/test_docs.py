# SPDX-License-Identifier: MIT
"""The page about doubt: each line of its tables has a test that exists, each error a class, and its examples run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import aks_etag
from aks_etag import merge_patch
from aks_etag._core.failure import KINDS
from aks_etag.mock import MockAks

TESTS = Path(__file__).parent.parent
PAGE = TESTS.parent / "docs" / "certainty.md"


@pytest.fixture(scope="module")
def page() -> str:
    if not PAGE.exists():
        pytest.skip("this copy of the source has no docs")
    return PAGE.read_text("utf-8")


def test_each_line_names_a_test_that_exists(page: str) -> None:
    defined = {
        name for path in TESTS.rglob("test_*.py") for name in re.findall(r"def (test_\w+)", path.read_text("utf-8"))
    }
    rows = [line for line in page.splitlines() if line.startswith("| ") and not line.endswith("| test |")]
    assert len(rows) == 48
    for row in rows:
        named = re.findall(r"`(test_\w+)`", row.rsplit("|", 2)[-2])
        assert len(named) == 1, row
        assert named[0] in defined, named[0]
    assert set(re.findall(r"test_\w+", page)) <= defined


def test_every_error_and_category_that_it_names_is_there(page: str) -> None:
    named = set(re.findall(r"`(\w+Error)\b", page))
    assert len(named) >= 6
    assert [name for name in sorted(named) if not hasattr(aks_etag, name)] == []
    assert ", ".join(kind.category for kind in KINDS) in page.replace("\n", " ")


def test_the_examples_run_in_their_order(page: str) -> None:
    mock = MockAks()
    mock.add_cluster("rg", "prod")
    blocks = list(re.finditer(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE))
    assert len(blocks) == page.count("```python") == 3
    with mock.client() as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        known: dict[str, Any] = {"aks": aks, "pool": pool, "change": merge_patch({"properties": {"count": 5}})}
        for block in blocks:
            above = "\n" * page[: block.start(1)].count("\n")
            exec(compile(above + block[1], str(PAGE), "exec"), known)
