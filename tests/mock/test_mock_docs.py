# SPDX-License-Identifier: MIT
"""The page about tests: its examples run as a user's test file would, and it names every switch with its default."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

from aks_etag.mock import MockAks

PAGE = Path(__file__).parent.parent.parent / "docs" / "testing.md"
# No switch of the service, but a size or a setting of the mock.
SETTINGS = {"subscription_id", "operation_polls", "operation_seconds", "location", "page_size", "etag_seed", "throttle",
            "require_token"}  # fmt: skip
FAILING = """
import pytest

@pytest.mark.aks(polls=0)
def test_it(aks_mock, aks_client):
    aks_client.cluster("rg", "prod").get()
    assert aks_mock.switches.operation_polls == 1

async def idle(client):
    async with client:
        return await client.cluster("rg", "prod").get()

def test_async(async_aks_client):
    import asyncio
    assert asyncio.run(idle(async_aks_client)).name == "prod"
"""


LOOKING = """
import sys

def test_it():
    ours = {name for name in sys.modules if name.startswith(("aks_etag", "azure"))}
    assert ours == {"aks_etag", "aks_etag._version", "aks_etag.pytest_plugin"}
"""


@pytest.fixture(scope="module")
def page() -> str:
    if not PAGE.exists():
        pytest.skip("this copy of the source has no docs")
    return PAGE.read_text("utf-8")


def ran(path: Path, text: str, *options: str) -> subprocess.CompletedProcess[str]:
    (path / "test_user.py").write_text(text, "utf-8")
    (path / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers -W error\n", "utf-8")
    command = [sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, str(path)]
    return subprocess.run(command, cwd=path, capture_output=True, text=True, check=False, timeout=120)


def test_the_examples_are_tests(page: str, tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", page, re.S)
    done = ran(tmp_path, "\n\n".join(blocks))
    assert done.returncode == 0, done.stdout
    assert f"{page.count('def test_')} passed" in done.stdout


def test_a_failing_test_shows_the_last_requests(tmp_path: Path) -> None:
    done = ran(tmp_path, FAILING)
    assert "1 failed, 1 passed" in done.stdout
    assert "requests to the AKS mock" in done.stdout
    assert "GET prod -> 200 (GET cluster, exists -> 200)" in done.stdout


def test_the_plugin_loads_nothing_before_it_is_used(tmp_path: Path) -> None:
    done = ran(tmp_path, LOOKING)
    assert done.returncode == 0, done.stdout


def test_every_switch_is_on_the_page_with_its_default(page: str) -> None:
    parameters = inspect.signature(MockAks).parameters
    rows = dict(re.findall(r"^\| `(\w+)` \| `([^`]*)`", page, re.M))
    defaults = {name: repr(each.default) for name, each in parameters.items() if name not in SETTINGS}
    told = {name: value.replace('"', "'") for name, value in rows.items() if name in parameters}
    assert told == defaults
