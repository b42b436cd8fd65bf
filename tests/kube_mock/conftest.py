# SPDX-License-Identifier: MIT
"""A fake API server, and short words for talking to it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from aks_etag.mock.kubernetes import MockKubernetes

from .talk import Api


@pytest.fixture
def kube() -> MockKubernetes:
    """A server that knows its built-in kinds only."""
    return MockKubernetes()


@pytest.fixture
def api(kube: MockKubernetes) -> Iterator[Api]:
    """A client of that server."""
    with Api(kube) as client:
        yield client
