# SPDX-License-Identifier: MIT
"""The pages about changes and about many writers: their examples run, and what they name exists."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import aks_etag
from aks_etag.mock import MockAks

DOCS = Path(__file__).parent.parent.parent / "docs"


def read(name: str) -> str:
    if not DOCS.exists():
        pytest.skip("this copy of the source has no docs")
    return (DOCS / name).read_text("utf-8")


@pytest.mark.parametrize("name", ["changes.md", "contention.md"])
def test_the_examples_run_in_their_order(name: str, mock: MockAks) -> None:
    page = read(name)
    blocks = list(re.finditer(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE))
    assert len(blocks) == page.count("```python")
    with mock.client() as aks:
        known: dict[str, Any] = {"aks": aks}
        for block in blocks:
            above = "\n" * page[: block.start(1)].count("\n")
            exec(compile(above + block[1], name, "exec"), known)


@pytest.mark.parametrize(
    ("name", "some"),
    [
        ("changes.md", {"JsonPatchError", "MergeConflictError", "ScaleDownRefusedError", "rebase", "typed"}),
        ("contention.md", {"DeadlineExceededError", "InlinePoolEditError", "WriteOutcomeUnknownError"}),
    ],
)
def test_every_error_and_builder_that_they_name_is_public(name: str, some: set[str]) -> None:
    page = read(name)
    named = set(re.findall(r"\b[A-Z]\w+Error\b", page)) | set(re.findall(r"from aks_etag import (\w+)", page))
    assert named >= some
    assert [name for name in sorted(named) if name not in aks_etag.__all__] == []
