# SPDX-License-Identifier: MIT
"""Lists that fail as a whole: by one object, by a server that is away, by something that is no API server."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from aks_etag.errors import AksEtagError, DeadlineExceededError, RequestRefusedError
from aks_etag.kubernetes import KubernetesClient
from aks_etag.kubernetes.migration import Migration, MigrationRefusedError, check_storage, migrate_storage

from .stage import NAME, NEW, OLD, Stage, version
from .test_migration_objects import flipped

STATUS = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": 500}


def both_ways(count: int, old: str, new: str) -> Stage:
    """Return a stage where one object stored in the old version, and one in the new, cannot be converted."""
    stage = flipped(count)
    # Only the new one is rewritten; from then on each version has an object that it cannot show.
    stage.server.edit(f"lab.example.com/{OLD}", "Widget", "lab", new, lambda body: body["spec"].update(size=9))
    for name in (old, new):
        stage.server.fail_conversion(NAME, name)
    return stage


class Listening(httpx.BaseTransport):
    """Writes down in which version, and in chunks of what size, lists are asked for; the same again counts once."""

    def __init__(self, stage: Stage) -> None:
        self.inner = stage.server.httpx_transport()
        self.asked: list[str] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/widgets"):
            shown = f"{request.url.path.split('/')[3]} {request.url.params['limit']}"
            self.asked += [shown] if self.asked[-1:] != [shown] else []
        return self.inner.handle_request(request)


def test_objects_that_break_the_list_of_each_version_are_read_around_in_small_chunks() -> None:
    stage = both_ways(80, old="w0007", new="w0021")
    listening = Listening(stage)
    kube = KubernetesClient(stage.server.url, token="t", transport=listening, clock=stage.server.clock)
    with Migration(kube, NAME, to=NEW, chunk=40) as migration:
        progress = migration.rewrite()
        assert (progress.done, progress.problems) == (80, 1)
        assert migration.report().problems[0].name == "w0007"
    assert stage.left() == ["w0007"]
    # The first is to count them. Each chunk doubles the size of the next, up to what was asked for.
    tries = ["v1 1", "v1 40", "v1beta1 40", "v1 5", "v1 10", "v1beta1 10", "v1beta1 20", "v1 20", "v1 40"]
    assert listening.asked == tries


def test_an_object_that_no_version_can_show_is_located_and_keeps_nothing_before_it_back() -> None:
    stage = flipped(30)
    for listed in ("/v1/widgets", "/v1beta1/widgets"):
        stage.server.inject("GET", path=listed, effect=500, body={**STATUS, "message": "cannot read"}, times=10**6)
    with Migration(stage.kube, NAME, to=NEW, chunk=8) as migration:
        with pytest.raises(MigrationRefusedError, match=r"the first one.*cannot read") as refused:
            migration.rewrite()
    assert refused.value.code == "unlistable"
    # One to count them, then both versions in chunks of eight, and both in chunks of one.
    assert [entry.path.split("/")[3] for entry in stage.server.journal if entry.path.endswith("/widgets")] == [
        *(NEW, NEW, OLD, NEW, OLD)
    ]


def test_what_comes_before_an_object_that_no_version_can_show_is_done_and_it_is_named_by_its_neighbour() -> None:
    # It is stored in a version that is not served any more, and cannot be converted to any that is.
    stage = Stage(30, version("v0", served=False, storage=True), version(OLD), version(NEW))
    stage.server.fail_conversion(NAME, "w0012")
    with Migration(stage.kube, NAME, to=NEW, chunk=8) as migration:
        migration.flip()
        with pytest.raises(MigrationRefusedError, match="after lab/w0011"):
            migration.rewrite()
        assert stored(stage, "v0") == stage.names[12:]
        stage.server.fail_conversion(NAME, "w0012", None)
        assert migration.run().finished
    assert stored(stage, NEW) == stage.names


def stored(stage: Stage, wanted: str) -> list[str]:
    return [name for name in stage.names if stage.server.stored_version(NAME, "lab", name) == wanted]


@pytest.mark.parametrize("status", [503, 504])
def test_a_server_that_is_away_for_a_while_is_waited_for_in_the_same_version(status: int) -> None:
    stage = flipped(10)
    stage.server.inject("GET", path="/v1/widgets", effect=status, times=20)
    with Migration(stage.kube, NAME, to=NEW) as migration:
        assert migration.rewrite().problems == 0
    assert {entry.path.split("/")[3] for entry in stage.server.journal if "/widgets" in entry.path} == {NEW}


def test_a_server_that_stays_away_is_a_deadline_and_not_an_object() -> None:
    stage = flipped(3)
    stage.server.inject("GET", path="/v1/widgets", effect=503, times=10**6)
    with Migration(stage.kube, NAME, to=NEW) as migration:
        with pytest.raises(DeadlineExceededError):
            migration.rewrite()


LOGIN = {"login": "please"}


@pytest.mark.parametrize(
    "page",
    [LOGIN, [], "hello", None, {"metadata": None}, {"metadata": {"name": "w0001"}}],
    ids=["object", "list", "text", "null", "no metadata", "half of it"],
)
@pytest.mark.parametrize("method", ["PATCH", "GET"])
def test_a_page_of_a_proxy_is_no_answer_to_a_write(page: Any, method: str) -> None:
    stage = flipped(3)
    stage.server.inject("PATCH", path="/widgets/w0001", effect=503, phase="after")
    stage.server.inject(method, path="/widgets/w0001", nth=2 if method == "PATCH" else 1, effect=200, body=page)
    with Migration(stage.kube, NAME, to=NEW) as migration:
        progress = migration.rewrite()
    assert (progress.done, progress.moved, progress.problems, stage.left()) == (3, 3, 0, [])


@pytest.mark.parametrize("page", [LOGIN, {"items": [1]}, {"items": [{"metadata": {"name": "x"}}]}, {"items": {}}])
def test_a_page_of_a_proxy_is_no_list(page: Any) -> None:
    stage = flipped(3)
    stage.server.inject("GET", path="/v1/widgets", effect=200, body=page, times=10)
    with Migration(stage.kube, NAME, to=NEW) as migration:
        with pytest.raises(RequestRefusedError, match="list"):
            migration.rewrite()
    assert len(stage.left()) == 3


def test_a_page_of_a_proxy_is_no_definition() -> None:
    stage = flipped(3)
    stage.server.inject("GET", path="/customresourcedefinitions/", effect=200, body=LOGIN)
    with pytest.raises(RequestRefusedError, match="no CustomResourceDefinition"):
        check_storage(stage.kube, NAME, OLD)
    assert migrate_storage(stage.kube, NAME, to=NEW).finished


def test_a_list_that_is_forbidden_is_an_error_at_once() -> None:
    stage = flipped(3)
    stage.server.switches.deny = [("list", "widgets")]
    with pytest.raises(AksEtagError, match="403"):
        check_storage(stage.kube, NAME, OLD)
    assert stage.server.clock.monotonic() == 0
