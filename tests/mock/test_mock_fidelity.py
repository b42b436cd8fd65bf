# SPDX-License-Identifier: MIT
"""The page about fidelity is held against the tests that it names, and against the switches there are."""

from __future__ import annotations

import ast
import re
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

from aks_etag.mock._core.switches import Switches

from ..conformance.test_conformance import CASES

HERE = Path(__file__).parent
PAGE = HERE.parent.parent / "docs" / "fidelity.md"
KNOWN = {"recorded", "spec", "documentation", "measured", "reported", "not verified"}
# No question about the service, but a size or a setting of the mock.
SETTINGS = {"operation_polls", "operation_seconds", "location", "page_size", "require_token", "throttle"}


@dataclass(frozen=True, kw_only=True)
class Fact:
    """One row of the page."""

    id: str
    known: str
    does: str
    switch: str
    tests: list[str]

    @property
    def name(self) -> str:
        return self.switch.partition(":")[0].strip("` ")

    @property
    def values(self) -> list[str]:
        return re.findall(r"`([^`]*)`", self.switch.partition(":")[2])


@pytest.fixture(scope="module")
def facts() -> list[Fact]:
    if not PAGE.exists():
        pytest.skip("this copy of the source has no docs")
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in PAGE.read_text("utf-8").splitlines()
        if line.startswith("| ") and not line.startswith("| id ")
    ]
    return [
        Fact(id=row[0], known=row[2], does=row[3], switch=row[4], tests=re.findall(r"`([^`]+)`", row[5]))
        for row in cells
    ]


def names_in(file: str) -> set[str]:
    tree = ast.parse((HERE / file).read_text("utf-8"))
    defined = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {each.name for each in ast.walk(tree) if isinstance(each, defined) and each.name.startswith("test_")}


def exists(where: str, name: str) -> bool:
    """Whether there is such a test, or a case of the conformance suite whose name begins so."""
    if where == "conformance":
        return any(case.name.startswith(name) for case in CASES)
    return name in names_in(where)


def test_every_fact_has_a_name_a_source_and_a_test(facts: list[Fact]) -> None:
    assert len(facts) > 60
    assert len({fact.id for fact in facts}) == len(facts)
    assert {fact.known for fact in facts} == KNOWN
    assert [fact.id for fact in facts if not fact.does or not fact.tests] == []


def test_every_named_test_exists(facts: list[Fact]) -> None:
    named = {test for fact in facts for test in fact.tests}
    assert [test for test in named if not exists(*test.split("::"))] == []


def test_every_test_of_facts_is_named(facts: list[Fact]) -> None:
    named = {test.partition("::")[2] for fact in facts for test in fact.tests}
    assert names_in("test_mock_facts.py") - named == set()


def test_what_is_not_verified_is_a_switch(facts: list[Fact]) -> None:
    assert [fact.id for fact in facts if fact.known == "not verified" and not fact.switch] == []


def test_every_switch_is_on_the_page_with_its_default_and_its_values(facts: list[Fact]) -> None:
    told = {fact.name: fact.values for fact in facts if fact.switch}
    hints = get_type_hints(Switches)
    expected = {each.name: shown(each, hints[each.name]) for each in fields(Switches) if each.name not in SETTINGS}
    assert {name: values[: len(expected.get(name, []))] for name, values in told.items()} == expected


def shown(field: Any, hint: Any) -> list[str]:
    """Return how the page has to spell the default, and the other values where they can be counted."""
    assert field.default is not MISSING
    values = [field.default]
    if get_origin(hint) is Literal:
        values += [value for value in get_args(hint) if value != field.default]
    elif hint is bool:
        values += [not field.default]
    return [repr(value).replace("'", '"') for value in values]


def test_the_settings_are_no_switches(facts: list[Fact]) -> None:
    assert {each.name for each in fields(Switches)} >= SETTINGS
    assert not SETTINGS & {fact.name for fact in facts}
