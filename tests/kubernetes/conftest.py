# SPDX-License-Identifier: MIT
"""A world for the scenarios, once with the fake API server and once with the one that the environment names."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .world import World, fake_server, made, named_server


@pytest.fixture(scope="module", params=[fake_server, named_server], ids=["fake", "named"])
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    """A server with a namespace and a definition of this run's own."""
    yield from made(request.param())
