# SPDX-License-Identifier: MIT
"""Fixtures for pytest: ``aks_mock``, ``aks_client``, ``async_aks_client``, ``aks_server``; an AKS for each test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from aks_etag import AksClient, AsyncAksClient
    from aks_etag.mock import MockAks

_MOCK: Final = pytest.StashKey["MockAks"]()
_MARKER: Final = (
    'aks(cluster="rg/prod", pools={"np1": {"count": 3}}, polls=1, **switches): what the AKS of this test looks like; '
    "cluster=None is an empty one, and the switches are those of MockAks"
)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", _MARKER)


@pytest.fixture
def aks_mock(request: pytest.FixtureRequest) -> MockAks:
    """Return an AKS in memory that is true to eTags, as the marker ``aks`` says."""
    from aks_etag._tokens import PROCESS
    from aks_etag.mock import MockAks

    # Where a test has met a 429, its process would hold to it, in clients that live by the real clock.
    PROCESS.forget()
    marker = request.node.get_closest_marker("aks")
    asked = {"cluster": "rg/prod", "pools": None, "polls": 1, **({} if marker is None else marker.kwargs)}
    cluster, pools, polls = (asked.pop(name) for name in ("cluster", "pools", "polls"))
    mock = request.node.stash[_MOCK] = MockAks(operation_polls=polls, **asked)
    if cluster is not None:
        group, _, name = cluster.partition("/")
        mock.add_cluster(group, name, pools=pools)
    return mock


@pytest.fixture
def aks_client(aks_mock: MockAks) -> Iterator[AksClient]:
    """Return a client of that AKS, in process; its waits cost no real time."""
    with aks_mock.client() as client:
        yield client


@pytest.fixture
def async_aks_client(aks_mock: MockAks) -> AsyncAksClient:
    """Return an asynchronous client of that AKS, for any plugin that runs asynchronous tests."""
    return aks_mock.async_client()


@pytest.fixture
def aks_server(aks_mock: MockAks) -> Iterator[str]:
    """Serve that AKS on this machine; return its base URL."""
    with aks_mock.serve() as url:
        yield url


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """Print the end of the journal below a test that has failed."""
    report = yield
    mock = item.stash.get(_MOCK, None)
    if mock is not None and report.when == "call" and report.failed:
        report.sections.append(("requests to the AKS mock", "\n".join(mock.requests(last=20))))
    return report
