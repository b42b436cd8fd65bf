# SPDX-License-Identifier: MIT
"""One object at a time: what each answer means, and what is asked next."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag.errors import AksEtagError
from aks_etag.kubernetes.migration import Migration, Progress

from .stage import CRD, NAME, NEW, OLD, Stage, widget

OLD_PLACE = (f"lab.example.com/{OLD}", "Widget", "lab", "w0001")
STATUS = {"kind": "Status", "apiVersion": "v1", "status": "Failure"}


def flipped(count: int = 3) -> Stage:
    """Return a stage whose definition stores the new version already."""
    stage = Stage(count)

    def flip(body: dict[str, Any]) -> None:
        for each in body["spec"]["versions"]:
            each["storage"] = each["name"] == NEW

    stage.server.edit(*CRD, flip)
    return stage


def rewritten(stage: Stage) -> tuple[Progress, list[tuple[str, str]]]:
    """Rewrite, and return the progress and the problems."""
    with Migration(stage.kube, NAME, to=NEW) as migration:
        progress = migration.rewrite()
        return progress, [(each.name, each.reason) for each in migration._job.journal.problems("rewrite")]


def touch_it(stage: Stage) -> None:
    stage.server.edit(*OLD_PLACE, lambda body: body["spec"].update(size=body["spec"]["size"] + 1))


def replace_it(stage: Stage) -> None:
    stage.server.delete(*OLD_PLACE)
    stage.server.add(widget("w0001", size=5, hits=0))


def delete_it(stage: Stage) -> None:
    stage.server.delete(*OLD_PLACE)


@pytest.mark.parametrize(
    ("meddle", "conflicts", "asked"),
    [
        pytest.param(touch_it, 1, ["PATCH 409", "GET 200", "PATCH 200"], id="somebody wrote"),
        pytest.param(replace_it, 1, ["PATCH 409", "GET 200", "PATCH 200"], id="a namesake came"),
        pytest.param(delete_it, 0, ["PATCH 404"], id="gone"),
    ],
)
def test_what_others_do_to_an_object(meddle: Any, conflicts: int, asked: list[str]) -> None:
    stage = flipped()

    def second(request: Any) -> None:
        if "w0001" in request.url and not done:
            done.append(1)
            meddle(stage)

    done: list[int] = []
    stage.server.before_write(second)
    progress, problems = rewritten(stage)
    assert (progress.done, progress.conflicts, problems, stage.left()) == (3, conflicts, [], [])
    seen = [entry for entry in stage.server.journal if entry.path.partition("?")[0].endswith("/w0001")]
    assert [f"{entry.method} {entry.status}" for entry in seen] == asked


@pytest.mark.parametrize(
    ("answers", "problem"),
    [
        pytest.param([("PATCH", 503), ("GET", 503)], None, id="hiccups"),
        pytest.param([("PATCH", 503), ("GET", 429)], None, id="throttled"),
        pytest.param([("PATCH", 503), ("GET", 403)], "denied", id="unreadable"),
        pytest.param([("PATCH", 403)], "denied", id="forbidden"),
        pytest.param([("PATCH", 422)], "denied", id="invalid"),
    ],
)
def test_what_an_answer_means(answers: list[tuple[str, int]], problem: str | None) -> None:
    stage = flipped()
    for method, status in answers:
        stage.server.inject(method, path="/widgets/w0001", effect=status)
    progress, problems = rewritten(stage)
    assert problems == ([] if problem is None else [("w0001", problem)])
    assert (progress.done, progress.problems) == (3, len(problems))
    assert stage.left() == ([] if problem is None else ["w0001"])


def test_a_server_error_that_gives_a_reason_is_asked_three_times() -> None:
    stage = flipped()
    body = {**STATUS, "code": 500, "reason": "InternalError", "message": "webhook is away"}
    stage.server.inject(path="/widgets/w0001", effect=500, body=body, times=100)
    _, problems = rewritten(stage)
    assert problems == [("w0001", "unconvertible")]


def test_a_credential_that_is_not_accepted_stops_the_run() -> None:
    stage = flipped()
    stage.server.inject("PATCH", effect=401, times=10)
    with pytest.raises(AksEtagError, match="401"):
        rewritten(stage)


def test_a_write_in_doubt_that_landed_counts_as_moved() -> None:
    stage = flipped()
    stage.server.inject("PATCH", phase="after", effect="reset", nth=2)
    progress, problems = rewritten(stage)
    assert (progress.moved, progress.conflicts, problems) == (3, 0, [])


def test_a_dry_run_heeds_what_others_do() -> None:
    stage = flipped(4)
    stage.server.inject("PATCH", path="/w0003", effect=503)
    done: list[str] = []

    def meddle(request: Any) -> None:
        name = request.url.rpartition("/")[2][:5]
        if name not in done:
            done.append(name)
            {"w0001": touch_it, "w0002": lambda _: stage.server.delete(*OLD_PLACE[:3], "w0002")}.get(
                name, lambda _: None
            )(stage)

    stage.server.before_write(meddle)
    with Migration(stage.kube, NAME, to=NEW) as migration:
        found = migration.preflight()
    assert (found.findings, found.objects, stage.left()) == ((), 4, ["w0000", "w0003"])


def test_an_object_that_goes_between_two_tries_is_done() -> None:
    stage = flipped()
    stage.server.inject("PATCH", path="/widgets/w0001", phase="after", effect=503)
    stage.server.before_write(lambda request: "w0001" in request.url and delete_it(stage))
    progress, problems = rewritten(stage)
    assert (progress.done, problems, stage.left()) == (3, [], [])


def test_a_list_that_fails_in_each_version_stops_the_run_and_says_so() -> None:
    stage = flipped()
    for listed in ("/v1/widgets", "/v1beta1/widgets"):
        stage.server.inject("GET", path=listed, effect=500, times=1000)
    with pytest.raises(AksEtagError, match="500"):
        rewritten(stage)
    assert len(stage.left()) == 3


def test_a_list_that_fails_in_the_new_version_is_read_in_the_old_one() -> None:
    stage = flipped()
    stage.server.inject("GET", path="/v1/widgets", effect=500, times=1000)
    progress, problems = rewritten(stage)
    assert (progress.done, progress.total, problems, stage.left()) == (3, None, [], [])
