# SPDX-License-Identifier: MIT
"""A served mock for each test, with the cluster rg/prod of the other tests."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from aks_etag.mock import MockAks
from tests.cli.served import Inside, World
from tests.cli.terminal import environment


@pytest.fixture
def world(mock: MockAks, tmp_path: Path) -> Iterator[World]:
    """A mock on a port, and an empty home."""
    with mock.serve() as url:
        yield World(mock, url, tmp_path)


@pytest.fixture
def inside(world: World, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Inside:
    """Commands in this process, which see of the environment what a process would."""
    for name in ("AKS_ETAG_TOKEN", "AZURE_CLOUD_NAME", "AZURE_DEFAULTS_GROUP", "AZURE_DEFAULTS_LOCATION"):
        monkeypatch.delenv(name, raising=False)
    for name, value in world.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(world.home)
    return Inside(world, capsys)


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """An environment for scripts, in which there is an aks-etag."""
    samples = Path(__file__).parent.parent.parent / "samples"
    if shutil.which("bash") is None or not samples.exists():
        pytest.skip("there is no bash here, or this copy of the source has no samples")
    program = tmp_path / "aks-etag"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m aks_etag "$@"\n', "utf-8")
    program.chmod(0o755)
    found = environment(tmp_path, INTERVAL="0.01")
    return {**found, "PATH": f"{tmp_path}:{found['PATH']}"}
