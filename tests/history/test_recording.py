# SPDX-License-Identifier: MIT
"""What a client writes down about its calls."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, cast

import pytest

from aks_etag import (
    AksClient,
    ConflictRetry,
    PreconditionFailedError,
    Stats,
    SystemClock,
    WriteOutcomeUnknownError,
    merge_patch,
)
from aks_etag._core.messages import Request, Response
from aks_etag._drivers import run
from aks_etag._flows.effects import Flow, Sleep, send
from aks_etag._surroundings import Surroundings
from aks_etag.history import check
from aks_etag.history._file import lines
from aks_etag.history._leaves import Digests
from aks_etag.history._recorder import Recorder
from aks_etag.kubernetes import KubernetesClient
from aks_etag.kubernetes import merge_patch as kubernetes_merge_patch
from aks_etag.mock import MockAks, MockKubernetes

FIVE = merge_patch({"properties": {"count": 5}})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "history.jsonl"


def told(path: Path) -> list[dict[str, Any]]:
    return [dict(line) for line in lines(path)]


def test_a_call_its_attempts_their_answers_and_its_end_are_recorded(mock: MockAks, path: Path) -> None:
    mock.before_write(lambda: mock.edit("rg", "prod", "np1"), times=1)
    before = mock.body("rg", "prod", "np1")["properties"]["eTag"]
    with mock.client(history=path) as aks:
        result = aks.cluster("rg", "prod").agent_pool("np1").update(FIVE)
    head, call, first, refused, second, accepted, operation, end = told(path)
    assert head["line"] == "history"
    assert (call["verb"], call["on_doubt"], call["id"]) == ("update", "untouched", result.snapshot.id)
    assert (first["condition"], first["read"]) == (f"If-Match: {before}", before)
    assert second["condition"] == f"If-Match: {second['read']}" != first["condition"]
    assert first["changes"] == second["changes"] == {"/properties/count": [3, 5]}
    assert (refused["status"], refused["code"], accepted["status"]) == (412, "PreconditionFailed", 200)
    assert operation["status"] == "Succeeded"
    assert (end["outcome"], end["requests"], end["tag"]) == ("updated", [second["request"]], result.snapshot.etag)
    assert {line["op"] for line in told(path)[1:]} == {call["op"]}
    assert check(path, mock.commits).clean


def test_reads_are_not_recorded(mock: MockAks, path: Path) -> None:
    with mock.client(history=path) as aks:
        aks.cluster("rg", "prod").agent_pool("np1").get()
    assert [line["line"] for line in told(path)] == ["history"]


def test_a_client_of_the_sdk_is_recorded_as_well(mock: MockAks, path: Path) -> None:
    with AksClient.from_sdk(mock.sdk_client(), mock.subscription_id, history=path) as aks:
        aks.cluster("rg", "prod").agent_pool("np1").update(FIVE)
    assert [line["line"] for line in told(path)] == ["history", "call", "attempt", "answer", "operation", "end"]
    assert check(path, mock.commits).clean


def test_an_error_says_what_it_claims(mock: MockAks, path: Path) -> None:
    mock.inject(method="PUT", phase="late")
    with mock.client(history=path) as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        with pytest.raises(WriteOutcomeUnknownError):
            pool.put({"properties": {"count": 5, "vmSize": "s"}}, if_match=pool.get())
        with pytest.raises(PreconditionFailedError):
            pool.delete(if_match="other")
    ends = [line for line in told(path) if line["line"] == "end"]
    assert [(end["error"], end["applied"], end["pending"]) for end in ends] == [
        ("WriteOutcomeUnknownError", None, True),
        ("PreconditionFailedError", False, None),
    ]
    assert [line["status"] for line in told(path) if line["line"] == "answer"] == ["lost", 412]


def test_ctrl_c_ends_a_call(mock: MockAks, path: Path) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    mock.before_write(interrupt)
    with mock.client(history=path) as aks, pytest.raises(KeyboardInterrupt):
        aks.cluster("rg", "prod").agent_pool("np1").update(FIVE)
    assert [(line["line"], line.get("error")) for line in told(path)][2:] == [
        ("attempt", None),
        ("end", "KeyboardInterrupt"),
    ]
    assert check(path).unknown == 1


def test_a_cancellation_ends_a_call(mock: MockAks, path: Path) -> None:
    async def cancelled() -> None:
        async with mock.async_client(history=path) as aks:
            task = asyncio.ensure_future(aks.cluster("rg", "prod").agent_pool("np1").update(FIVE))
            mock.before_write(task.cancel)
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(cancelled())
    assert told(path)[-1]["error"] == "CancelledError"


def test_secrets_never_reach_the_file(mock: MockAks, path: Path) -> None:
    def edit(body: dict[str, Any]) -> None:
        body["properties"]["windowsProfile"] = {"adminUsername": "azureuser", "adminPassword": "hunter2"}
        body["properties"]["servicePrincipalProfile"] = {"clientId": "c", "secret": "hunter3"}
        body["properties"]["httpProxyConfig"] = {"httpProxy": "http://u:hunter4@proxy", "noProxy": ["a"]}
        body["tags"] = {"team": "red"}

    with mock.client(history=path) as aks:
        aks.cluster("rg", "prod").update(edit)
    text = path.read_text()
    for word in ("hunter", "adminPassword", "secret", 'httpProxy"', "azureuser", "red", "t=", "://"):
        assert word not in text
    assert "/properties/httpProxyConfig/noProxy" in text
    assert path.stat().st_mode & 0o077 == 0


def test_values_are_digests_that_can_be_compared_within_a_file_only(mock: MockAks, tmp_path: Path) -> None:
    shown = []
    for name in ("one", "two"):
        with mock.client(history=tmp_path / name) as aks:
            aks.cluster("rg", "prod").update_tags({"team": "red", name: "red"})
        attempt = next(line for line in told(tmp_path / name) if line["line"] == "attempt")
        shown.append([after for _, after in attempt["changes"].values()])
    assert shown[0][0] == shown[0][1] != shown[1][0]


def test_several_clients_and_verbs_share_a_file(mock: MockAks, path: Path) -> None:
    body = {"properties": {"count": 1, "vmSize": "s"}}
    with mock.client(history=path) as one, mock.client(history=path) as two:
        one.cluster("rg", "prod").agent_pool("np3").create(body)
        two.cluster("rg", "prod").agent_pool("np3").create_or_update(body, FIVE)
        one.cluster("rg", "prod").update_tags({"a": "1"})
        seen = two.cluster("rg", "prod").agent_pool("np3").get()
        one.cluster("rg", "prod").agent_pool("np3").with_options(on_doubt="raise").put(seen.body, if_match=seen)
        two.cluster("rg", "prod").agent_pool("np3").delete(only_if=lambda seen: True)
    calls = [line for line in told(path) if line["line"] == "call"]
    assert [call["verb"] for call in calls] == ["create", "create_or_update", "update_tags", "put", "delete"]
    assert calls[3]["on_doubt"] == "raise"
    assert len({call["client"] for call in calls}) == 2
    report = check(path, mock.commits)
    assert (report.clean, report.strays, report.commits) == (True, 0, 5), report


def test_a_change_is_recorded_against_the_read_it_was_made_from(mock: MockAks, path: Path) -> None:
    def edit(body: dict[str, Any]) -> None:
        body["tags"] = {"a": "1"}
        del body["properties"]["maxPods"]
        body["properties"]["nodeLabels"] = {"kubernetes.azure.com/x~y": "z"}

    with mock.client(history=path) as aks:
        aks.cluster("rg", "prod").agent_pool("np1").update(edit)
    changes = next(line["changes"] for line in told(path) if line["line"] == "attempt")
    assert changes["/properties/maxPods"] == [250, "-"]
    assert set(changes) == {"/tags/a", "/properties/maxPods", "/properties/nodeLabels/kubernetes.azure.com~1x~0y"}


def test_a_snapshot_that_is_put_back_is_the_read_it_was_made_from(mock: MockAks, path: Path) -> None:
    with mock.client(history=path) as aks:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        seen = pool.get()
        pool.put(FIVE({**seen.body}), if_match=seen)
        again = pool.get()
        pool.put(again.body, if_match=again.etag)
    read, unread = (line for line in told(path) if line["line"] == "attempt")
    assert (read["read"], read["changes"]) == (seen.etag, {"/properties/count": [3, 5]})
    assert (unread["read"], unread["changes"]["/properties/count"]) == (None, ["?", 5])


def one_write(answer: Response) -> Flow[str]:
    yield from send(Request(method="PUT", url="/a", body={"b": 1}, request_id="r1"))
    return answer.request_id


def driven(flow: Flow[Any], reply: Any) -> list[Any]:
    """Run a flow that sends one request, and return what it asked for."""
    asked = [flow.send(None)]
    with pytest.raises(StopIteration):
        flow.send(reply)
    return asked


def test_what_a_policy_renamed_and_what_may_have_been_sent_twice_is_recorded() -> None:
    written: list[Any] = []
    recorder = Recorder(write=written.append, now=lambda: 0.0, digests=Digests(b"k"))
    answer = Response(status=412, request_id="x9", sent_once=False)
    driven(recorder.recorded(one_write(answer), "put", "/a"), answer)
    assert written[2] == {**written[2], "line": "answer", "request": "r1", "named": "x9", "perhaps_twice": True}


def test_a_record_that_cannot_be_made_harms_no_write(caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> float:
        raise LookupError

    recorder = Recorder(write=id, now=broken, digests=Digests(b"k"))
    answer = Response(status=200)
    assert len(driven(recorder.recorded(one_write(answer), "put", "/a"), answer)) == 1
    assert "has a gap" in caplog.text


def test_two_processes_of_one_client_give_their_calls_different_names() -> None:
    written: list[Any] = []
    for process in (int, lambda: 1):
        recorder = Recorder(write=written.append, now=lambda: 0.0, digests=Digests(b"k"), client="c", process=process)
        driven(recorder.recorded(one_write(Response(status=200)), "put", "/a"), Response(status=200))
    assert len({line["op"] for line in written}) == 2


class BrokenClock(SystemClock):
    """A clock on which nobody can sleep."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def sleep(self, seconds: float) -> None:
        raise self.error


def test_what_the_driver_itself_breaks_on_is_not_thrown_into_a_flow() -> None:
    heard: list[BaseException] = []

    def flow() -> Flow[None]:
        try:
            yield Sleep(1.0)
        except (Exception, KeyboardInterrupt) as error:
            heard.append(error)
            raise

    for error in (LookupError(), KeyboardInterrupt()):
        with pytest.raises(type(error)):
            run(flow(), cast("Any", None), Surroundings(clock=BrokenClock(error), stats=Stats()))
    assert [type(each) for each in heard] == [KeyboardInterrupt]


def test_objects_inside_the_cluster_are_recorded_as_well(path: Path) -> None:
    server = MockKubernetes()
    with KubernetesClient("http://localhost", transport=server.httpx_transport(), history=path) as kube:
        config = kube.object("v1", "ConfigMap", "default", "settings")
        config.create({"data": {"a": "1"}})
        config.update(lambda body: body["data"].update(a="2"))
        config.patch(kubernetes_merge_patch({"data": {"b": "3"}}))
        kube.object("v1", "Secret", "default", "password").create({"stringData": {"p": "hunter2"}})
    attempts = [line for line in told(path) if line["line"] == "attempt"]
    named = [set(each["changes"]) & {"/data/a", "/data/b", "/stringData/p"} for each in attempts]
    assert named == [{"/data/a"}, {"/data/a"}, {"/data/b"}, set()]
    assert attempts[1]["condition"].startswith("resourceVersion: ")


def test_a_deadline_is_recorded_as_the_cause(mock: MockAks, path: Path) -> None:
    mock.inject(method="PUT", phase="late", times=99)
    with mock.client(history=path, conflict_retry=ConflictRetry(deadline=5)) as aks:
        with pytest.raises(WriteOutcomeUnknownError):
            aks.cluster("rg", "prod").agent_pool("np1").update(FIVE)
    assert told(path)[-1]["cause"] == "DeadlineExceededError"
    assert json.loads(path.read_text().splitlines()[-1])["line"] == "end"
