# SPDX-License-Identifier: MIT
"""The page about changes: its examples run, and what it names exists."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import aks_etag
from aks_etag.mock import MockAks

PAGE = Path(__file__).parent.parent.parent / "docs" / "changes.md"


@pytest.fixture(scope="module")
def page() -> str:
    if not PAGE.exists():
        pytest.skip("this copy of the source has no docs")
    return PAGE.read_text("utf-8")


def test_the_examples_run_in_their_order(page: str, mock: MockAks) -> None:
    blocks = list(re.finditer(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE))
    assert len(blocks) == page.count("```python")
    with mock.client() as aks:
        known: dict[str, Any] = {"aks": aks}
        for block in blocks:
            above = "\n" * page[: block.start(1)].count("\n")
            exec(compile(above + block[1], str(PAGE), "exec"), known)


def test_every_error_and_builder_that_it_names_is_public(page: str) -> None:
    named = set(re.findall(r"\b[A-Z]\w+Error\b", page)) | set(re.findall(r"from aks_etag import (\w+)", page))
    assert named >= {"JsonPatchError", "MergeConflictError", "ScaleDownRefusedError", "rebase", "typed"}
    assert [name for name in sorted(named) if name not in aks_etag.__all__] == []
