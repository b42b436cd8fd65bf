# SPDX-License-Identifier: MIT
"""The loop is general: a thing whose version is inside its body, whose refusal is a 409, and that has no operations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from aks_etag import merge_patch
from aks_etag._core.document import Path, differing, fields, select, strip
from aks_etag._core.messages import Body, NoResponse, Outcome, Request, Response
from aks_etag._core.operation import Link
from aks_etag._core.precondition import Condition
from aks_etag._core.snapshot import Snapshot
from aks_etag._core.verdict import Verdict, judge_write
from aks_etag._flows.options import Options
from aks_etag._resources import Resource
from aks_etag._resources.protocol import MarkerPlace
from aks_etag._writers import Writers

from .harness import GONE, LOST, Trace, attempt, looped, refused, trace

OWNED = fields(["metadata.resourceVersion", "metadata.uid", "status"])


@dataclass(frozen=True)
class Note:
    """An object of a Kubernetes-like service."""

    id: str = "/notes/a"
    marker: MarkerPlace | None = None

    def read(self) -> Request:
        return Request(method="GET", url=self.id)

    def replace(self, desired: Body, condition: Condition, *, base: Body | None = None) -> Request:
        metadata = {**desired["metadata"], "resourceVersion": condition.tag}
        return Request(method="PUT", url=self.id, body={**desired, "metadata": metadata})

    def merge(self, patch: Body, condition: Condition) -> Request:
        raise NotImplementedError

    def remove(self, condition: Condition) -> Request:
        return Request(method="DELETE", url=self.id, body={"preconditions": {"resourceVersion": condition.tag}})

    def spelled(self, condition: Condition) -> str | None:
        return f"resourceVersion: {condition.tag}"

    def snapshot(self, response: Response) -> Snapshot:
        return Snapshot(
            id=self.id,
            name="a",
            resource_group="",
            body=response.body,
            version=response.body["metadata"].get("resourceVersion"),
            provisioning_state=None,
            settled=True,
            read_at=datetime.fromtimestamp(0, UTC),
        )

    def result(self, response: Response) -> Snapshot | None:
        return self.snapshot(response)

    def identity(self, body: Body) -> Mapping[str, str]:
        return {"uid": body["metadata"]["uid"]}

    def writable(self, body: Body) -> Body:
        kept: Body = strip(body, OWNED)
        return kept

    def shown(self, body: Body) -> Body:
        return self.writable(body)

    def version_of(self, body: Body) -> str | None:
        version: str | None = body["metadata"].get("resourceVersion")
        return version

    def check_edit(self, before: Body, after: Body) -> None:
        return

    def read_only_edits(self, before: Body, after: Body) -> tuple[Path, ...]:
        return differing(select(before, OWNED), select(after, OWNED))

    def judge(self, outcome: Outcome) -> Verdict:
        if isinstance(outcome, Response) and outcome.status == 409:
            return Verdict.STALE if outcome.sent_once else Verdict.UNSURE
        return judge_write(outcome)

    def operation(self, response: Response) -> Link | None:
        return None

    def blockers(self) -> tuple[Resource, ...]:
        return ()


NOTE: Resource = Note()
CONFLICT = refused(409, "Conflict", "the object has been modified")
MORE = merge_patch({"data": {"color": "blue"}})


def note(version: str | None, color: str = "red", uid: str = "u1", **data: Any) -> Response:
    metadata = {"uid": uid, **({} if version is None else {"resourceVersion": version})}
    return Response(
        status=200, body={"metadata": metadata, "data": {"color": color, **data}, "status": {"at": version}}
    )


def run(*script: Response | NoResponse, change: Any = MORE, **options: Any) -> Trace:
    done = trace(looped(NOTE, change, Options(**options)), *script)
    for before, request, answer in zip([None, *done.answers], done.requests, done.answers, strict=False):
        if request.method == "PUT":
            assert isinstance(before, Response)
            assert request.body["metadata"] == before.body["metadata"]
            assert answer is not before
    return done


GET, PUT = "GET a", ["UNDECIDED r1", "PUT a r1"]


def test_an_answer_that_shows_the_result_needs_no_second_read() -> None:
    done = run(note("1"), note("2", "blue"))
    assert done.steps == [GET, *PUT, "UNDECIDED -"]
    result = done.result
    assert (result.outcome, result.snapshot.etag, result.condition, result.fenced) == (
        "updated", "2", "resourceVersion: 1", True,
    )  # fmt: skip


def test_a_409_is_its_stale_answer() -> None:
    done = run(note("1"), CONFLICT, note("2", mood="good"), note("3", "blue"))
    assert done.steps == [
        GET, *PUT, "UNDECIDED -", "Conflict", "SLEEP 1", GET, "Retrying", "UNDECIDED r2", "PUT a r2", "UNDECIDED -",
    ]  # fmt: skip
    assert done.requests[3].body["data"] == {"color": "blue", "mood": "good"}


@pytest.mark.parametrize(
    ("script", "ended"),
    [
        pytest.param([note("1", "blue")], "unchanged", id="nothing-to-do"),
        pytest.param([note("1"), LOST, note("2", "blue")], "updated", id="recovered"),
        pytest.param([note("1"), LOST, note("1"), note("2", "blue")], "updated", id="sent-again"),
        pytest.param([note("1"), LOST, note("2", "green")], "WriteOutcomeUnknownError", id="unknown"),
        pytest.param([note("1"), CONFLICT, note("2", uid="u2")], "ResourceReplacedError", id="replaced"),
        pytest.param([note("1"), CONFLICT, GONE], "ResourceGoneError", id="gone"),
        pytest.param([note(None)], "MissingETagError", id="no-version"),
        pytest.param(
            [note("1"), CONFLICT, note("1"), CONFLICT, note("1")], "PreconditionFailedError", id="no-conflict"
        ),
    ],
)
def test_the_loop_decides_as_it_does_for_arm(script: Any, ended: str) -> None:
    assert run(*script).ended == ended


def test_an_edit_of_its_status_alone_is_refused() -> None:
    assert run(note("1"), change=merge_patch({"status": {"at": "x"}})).ended == "ReadOnlyEditError"


@pytest.mark.parametrize(("version", "ended"), [("1", "updated"), (None, "updated"), ("0", "InvalidPreconditionError")])
def test_a_body_of_another_version_is_refused(version: str | None, ended: str) -> None:
    change = merge_patch({"metadata": {"resourceVersion": version}, "data": {"color": "blue"}})
    rest = [note("2", "blue")] if ended == "updated" else []
    assert run(note("1"), *rest, change=change).ended == ended


def test_a_delete_that_shows_what_it_deleted_is_the_end() -> None:
    condition = Condition(tag="1")
    done = trace(attempt(NOTE, "delete", NOTE.remove(condition), condition, Options()), note("1"))
    assert (done.ended, done.wire) == ("deleted", ["DELETE a r1"])


def test_a_kind_without_a_place_for_a_marker_is_not_written_exactly_once() -> None:
    done = trace(looped(Note(), merge_patch({"spec": {"n": 2}}), Options(exactly_once=Writers())))
    assert (done.ended, done.steps) == ("InvalidPreconditionError", [])
