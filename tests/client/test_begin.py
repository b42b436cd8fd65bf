# SPDX-License-Identifier: MIT
"""Writes that are begun here and waited for later, by somebody else, or in another process."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from aks_etag import (
    AksClient,
    AlreadyExistsError,
    ConflictRetry,
    DeadlineExceededError,
    Event,
    OperationFailedError,
    OperationPreemptedError,
    OperationProgress,
    OutcomeUnknown,
    PreconditionFailedError,
    Snapshot,
    WriteOutcomeUnknownError,
    merge_patch,
)
from aks_etag.mock import FakeCredential, MockAks

from ..flows.harness import more

FIVE = merge_patch({"properties": {"count": 5}})
NEW = {"properties": {"count": 1, "vmSize": "Standard_D2s_v3", "osType": "Linux", "mode": "User"}}


@pytest.fixture
def mock() -> MockAks:
    fake = MockAks(operation_polls=4)
    fake.add_cluster("rg", "prod")
    return fake


def pool(aks: AksClient, name: str = "np1") -> Any:
    return aks.cluster("rg", "prod").agent_pool(name)


def asked(mock: MockAks) -> list[str]:
    """List the methods of all requests."""
    return [entry.method for entry in mock.journal]


def count(mock: MockAks, name: str = "np1") -> int:
    return int(mock.body("rg", "prod", name)["properties"]["count"])


def test_it_returns_at_the_acceptance_and_waits_when_asked(mock: MockAks) -> None:
    with mock.client() as aks:
        begun = pool(aks).begin_update(FIVE)
        assert asked(mock) == ["GET", "PUT"]
        assert begun.status() == "InProgress"
        result = begun.result()
        assert (result.outcome, result.snapshot.body["properties"]["count"], begun.status()) == (
            "updated",
            5,
            "Succeeded",
        )
        assert begun.result() is result
        assert begun.done()


def test_asking_polls_no_more_often_than_it_is_time_to(mock: MockAks) -> None:
    with mock.client() as aks:
        begun = pool(aks).begin_update(FIVE)
        for _ in range(5):
            assert not begun.done()
        assert asked(mock) == ["GET", "PUT"]
        mock.clock.sleep(1)
        for _ in range(5):
            assert begun.status() in ("InProgress", "Updating")
        assert asked(mock) == ["GET", "PUT", "GET"]


def test_a_wait_that_is_too_short_leaves_it_going(mock: MockAks) -> None:
    with mock.client() as aks:
        begun = pool(aks).begin_update(FIVE)
        start = mock.clock.monotonic()
        begun.wait(0.5)
        with pytest.raises(DeadlineExceededError, match="it goes on") as late:
            begun.result(timeout=1.2)
        assert (late.value.operation is not None, late.value.waiting_for) == (
            True,
            "the operation of a write (it is InProgress)",
        )
        assert mock.clock.monotonic() - start == pytest.approx(1.7)
        assert begun.result().outcome == "updated"


def test_its_deadline_is_for_the_acceptance_alone() -> None:
    mock = MockAks(operation_polls=40)
    mock.add_cluster("rg", "prod")
    with mock.client(conflict_retry=ConflictRetry(deadline=10)) as aks:
        begun = pool(aks).begin_update(FIVE, deadline=5)
        assert begun.result().outcome == "updated"
        assert mock.clock.monotonic() > 60


def test_nothing_to_do_is_over_at_once(mock: MockAks) -> None:
    with mock.client() as aks:
        pool(aks).update(FIVE)
        begun = pool(aks).begin_update(FIVE)
        assert (begun.done(), begun.status(), begun.result().outcome) == (True, "Succeeded", "unchanged")
        again = aks.operation(begun.continuation_token())
        assert again.result().outcome == "unchanged"


def test_what_fails_before_it_is_accepted_is_raised_at_once(mock: MockAks) -> None:
    with mock.client() as aks:
        with pytest.raises(AlreadyExistsError):
            pool(aks).begin_create(NEW)
        with pytest.raises(PreconditionFailedError):
            pool(aks).begin_put({"properties": {"count": 1}}, if_match="stale")
        with pytest.raises(PreconditionFailedError):
            aks.cluster("rg", "prod").begin_delete(if_match="stale")
        with pytest.raises(PreconditionFailedError):
            aks.cluster("rg", "prod").begin_put({"location": "x"}, if_match="stale")


def test_conflicts_come_before_the_acceptance(mock: MockAks) -> None:
    mock.before_write(lambda: mock.edit("rg", "prod", "np1", more), times=2)
    with mock.client() as aks:
        begun = pool(aks).begin_update(more)
        assert begun.result().conflicts == 2
    assert count(mock) == 6


def test_every_verb_begins(mock: MockAks) -> None:
    with mock.client() as aks:
        cluster = aks.cluster("rg", "prod")
        assert pool(aks, "np9").begin_create(NEW).result().outcome == "created"
        seen = pool(aks, "np9").get()
        put = {**seen.body, "properties": {**seen.body["properties"], "count": 2}}
        assert pool(aks, "np9").begin_put(put, if_match=seen).result().outcome == "updated"
        assert cluster.begin_update(merge_patch({"tags": {"a": "1"}})).result().outcome == "updated"
        assert pool(aks, "np9").begin_delete(if_match=pool(aks, "np9").get()).result().outcome == "deleted"
        assert pool(aks, "np9").begin_delete(only_if=lambda seen: True).result().outcome == "absent"
        assert cluster.begin_delete(force=True).result().outcome == "deleted"


def test_a_failure_is_raised_to_everybody_who_asks(mock: MockAks) -> None:
    mock.fail_operation("CreateVMSSAgentPoolFailed", details=[{"code": "QuotaExceeded", "message": "x"}])
    with mock.client() as aks:
        begun = pool(aks).begin_update(FIVE)
        for ask in (begun.result, begun.wait, begun.result):
            with pytest.raises(OperationFailedError) as failed:
                ask()
        assert (begun.done(), begun.status()) == (True, "Failed")
        assert (failed.value.category, failed.value.codes) == ("quota", ("CreateVMSSAgentPoolFailed", "quotaexceeded"))
        assert "more quota" in str(failed.value)


def test_one_that_was_cancelled_says_so(mock: MockAks) -> None:
    mock.fail_operation("OperationAborted", status="Canceled")
    with mock.client() as aks:
        begun = pool(aks).begin_update(FIVE)
        with pytest.raises(OperationFailedError):
            begun.wait()
        assert begun.status() == "Canceled"


def test_one_that_lost_a_race_is_written_again_by_whoever_waits(mock: MockAks) -> None:
    mock.fail_operation("AKSOperationPreempted")
    with mock.client() as aks:
        begun = pool(aks).begin_update(more)
        first = begun.continuation_token()
        assert begun.result().outcome == "updated"
        assert begun.continuation_token() != first
    assert (count(mock), asked(mock).count("PUT")) == (4, 2)


# In another process, by a token.
def test_another_client_goes_on_by_the_token_and_only_reads(mock: MockAks) -> None:
    events: list[Event] = []
    with mock.client() as aks:
        token = pool(aks).begin_update(FIVE).continuation_token()
    mock.journal.clear()
    with mock.client(on_event=events.append) as other:
        begun = other.operation(token)
        assert asked(mock) == []
        assert not begun.done()
        result = begun.result()
        assert (result.outcome, result.snapshot.body["properties"]["count"], result.fenced) == ("updated", 5, True)
    assert set(asked(mock)) == {"GET"}
    assert any(isinstance(event, OperationProgress) for event in events)


def test_there_a_lost_race_is_raised(mock: MockAks) -> None:
    mock.fail_operation("AKSOperationPreempted", stored=True)
    with mock.client() as aks:
        token = pool(aks).begin_update(FIVE).continuation_token()
        with pytest.raises(OperationPreemptedError) as lost:
            aks.operation(token).result()
        assert lost.value.applied is True
    assert asked(mock).count("PUT") == 1


def test_a_delete_goes_on_as_well(mock: MockAks) -> None:
    with mock.client() as aks:
        mock.add_pool("rg", "prod", "np2")
        token = pool(aks, "np2").begin_delete(force=True).continuation_token()
        begun = aks.operation(token)
        assert (begun.result().outcome, begun.result().snapshot) == ("deleted", None)


SCRIPT = """
import sys
from aks_etag import AksClient
from aks_etag.mock import FakeCredential
url, token = sys.argv[1], sys.stdin.read()
with AksClient(FakeCredential(), "00000000-0000-0000-0000-000000000000", base_url=url, polling_interval=0.01) as aks:
    result = aks.operation(token).result(timeout=30)
    print(result.outcome, result.snapshot.body["properties"]["count"])
"""


def test_a_process_of_its_own_goes_on_by_the_token(mock: MockAks) -> None:
    with mock.serve() as url, AksClient(FakeCredential(), mock.subscription_id, base_url=url) as aks:
        token = pool(aks).begin_update(FIVE).continuation_token()
        command = [sys.executable, "-c", SCRIPT, url]
        told = subprocess.run(command, input=token, capture_output=True, text=True, timeout=60, check=True)
    assert told.stdout.split() == ["updated", "5"]
    assert asked(mock).count("PUT") == 1


def test_a_token_of_elsewhere_is_refused_before_anything_is_sent(mock: MockAks) -> None:
    with mock.client() as aks:
        token = pool(aks).begin_update(FIVE).continuation_token()
    sent = len(mock.journal)
    with AksClient(FakeCredential(), "another", transport=mock.httpx_transport()) as other:
        with pytest.raises(ValueError, match="another subscription"):
            other.operation(token)
    with AksClient(
        FakeCredential(), mock.subscription_id, base_url="https://example.test", transport=mock.httpx_transport()
    ) as other:
        with pytest.raises(ValueError, match="another host"):
            other.operation(token)
    with mock.client() as aks, pytest.raises(ValueError, match="no continuation token"):
        aks.operation("x")
    assert len(mock.journal) == sent


def test_nothing_that_is_printed_shows_the_signed_url(mock: MockAks) -> None:
    with mock.client() as aks:
        begun = pool(aks).begin_update(FIVE)
        assert "http" not in repr(begun)
        assert repr(begun).startswith("<Operation /subscriptions/")


# Several who ask, and what interrupts them.
def test_threads_that_ask_at_once_get_one_result() -> None:
    mock = MockAks(operation_polls=3)
    mock.add_cluster("rg", "prod")
    with (
        mock.serve() as url,
        AksClient(FakeCredential(), mock.subscription_id, base_url=url, polling_interval=0.01) as aks,
    ):
        begun = pool(aks).begin_update(FIVE)
        with ThreadPoolExecutor(8) as threads:
            results = {id(result) for result in threads.map(lambda _: begun.result(), range(8))}
    assert len(results) == 1


class Interrupting(httpx.BaseTransport):
    """Is interrupted once, after a request of one method has gone through."""

    sends_once = True

    def __init__(self, mock: MockAks, method: str, nth: int) -> None:
        self.inner = mock.httpx_transport()
        self.method = method
        self.left = nth

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = self.inner.handle_request(request)
        self.left -= request.method == self.method
        if request.method == self.method and self.left == 0:
            raise KeyboardInterrupt
        return answer


def test_a_poll_that_was_interrupted_is_made_again(mock: MockAks) -> None:
    transport = Interrupting(mock, "GET", 2)
    with AksClient(FakeCredential(), mock.subscription_id, transport=transport, clock=mock.clock) as aks:
        begun = pool(aks).begin_update(FIVE)
        with pytest.raises(KeyboardInterrupt):
            begun.wait()
        assert not begun.done()
        assert begun.result().outcome == "updated"


def test_a_write_that_was_interrupted_while_waiting_is_in_doubt_and_not_sent_again_blindly(mock: MockAks) -> None:
    mock.fail_operation("AKSOperationPreempted")
    events: list[Event] = []
    transport = Interrupting(mock, "PUT", 2)
    with AksClient(
        FakeCredential(), mock.subscription_id, transport=transport, clock=mock.clock, on_event=events.append
    ) as aks:
        begun = pool(aks).begin_update(FIVE)
        with pytest.raises(KeyboardInterrupt) as stopped:
            begun.wait()
        assert "may be, or may yet be, applied" in "".join(stopped.value.__notes__)
        assert begun.result().recovered == "equivalent"
    assert [event.pending for event in events if isinstance(event, OutcomeUnknown)] == [True]
    assert (count(mock), asked(mock).count("PUT")) == (5, 2)


def test_an_interruption_of_the_pause_after_a_doubt_names_the_write(mock: MockAks) -> None:
    mock.inject("PUT", phase="late", effect="reset")

    class Interrupted:
        def monotonic(self) -> float:
            return mock.clock.monotonic()

        def time(self) -> float:
            return mock.clock.time()

        def sleep(self, seconds: float) -> None:
            if "PUT" in asked(mock):
                raise KeyboardInterrupt
            mock.clock.sleep(seconds)

    with mock.client(clock=Interrupted()) as aks, pytest.raises(KeyboardInterrupt) as stopped:
        pool(aks).begin_update(FIVE)
    [note] = stopped.value.__notes__
    assert "may be, or may yet be, applied" in note
    assert mock.journal[1].request_id in note


def test_an_interruption_inside_of_verify_leaves_it_to_be_followed(mock: MockAks) -> None:
    stopped = iter([True])

    def verify(seen: Snapshot) -> bool:
        if next(stopped, False):
            raise KeyboardInterrupt
        return True

    with mock.client() as aks:
        begun = pool(aks).begin_update(FIVE, verify=verify)
        with pytest.raises(KeyboardInterrupt):
            begun.wait()
        assert begun.status() != "Succeeded" or begun.result().outcome == "updated"
        assert (begun.result().outcome, count(mock)) == ("updated", 5)
        assert begun.continuation_token()
    assert asked(mock).count("PUT") == 1


def test_an_interruption_inside_of_a_change_that_is_made_again_is_told_for_what_it_is(mock: MockAks) -> None:
    mock.fail_operation("AKSOperationPreempted")
    calls = iter([False, False, True])

    def change(body: dict[str, Any]) -> None:
        if next(calls, False):
            raise KeyboardInterrupt
        more(body)

    with mock.client() as aks:
        begun = pool(aks).begin_update(change)
        with pytest.raises(KeyboardInterrupt):
            begun.wait()
        # The write that was accepted lost its race: that is what following it shows.
        with pytest.raises(OperationPreemptedError):
            begun.result()
        assert begun.status() == "Failed"
    assert (count(mock), asked(mock).count("PUT")) == (3, 1)


def test_wherever_an_interruption_strikes_a_write_is_not_sent_again_blindly() -> None:
    for place in range(1, 1000):
        mock = MockAks(operation_polls=1)
        mock.add_cluster("rg", "prod")
        mock.fail_operation("AKSOperationPreempted")
        with mock.client() as aks:
            begun = pool(aks).begin_update(more)
            struck = struck_at(place, begun.wait)
            if not struck:
                break
            try:
                told = begun.result().outcome
            except (WriteOutcomeUnknownError, OperationPreemptedError) as error:
                told = type(error).__name__
        nodes, puts = count(mock), asked(mock).count("PUT")
        assert puts <= 2, place
        assert nodes == (4 if told == "updated" else nodes), (place, told)
        assert nodes in (3, 4), (place, told, nodes)
    assert place > 50


def struck_at(place: int, call: Any) -> bool:
    """Interrupt a call at the n-th line of the operations that it runs, as Ctrl-C may; say whether it came so far."""
    left = [place]

    def trace(frame: Any, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.endswith("_operations.py"):
            return None if event == "call" else trace
        if event == "line":
            left[0] -= 1
            if left[0] == 0:
                sys.settrace(None)
                raise KeyboardInterrupt
        return trace

    # What measures coverage traces as well.
    usual = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(usual)
    return False


def test_a_listener_may_ask_how_far_it_is_and_may_not_wait(mock: MockAks) -> None:
    told: list[Any] = []

    def listen(event: Event) -> None:
        if isinstance(event, OperationProgress):
            told.append((begun.status(), begun.done()))
            with pytest.raises(RuntimeError, match="wait for ever"):
                begun.result()

    with mock.client(on_event=listen) as aks:
        begun = pool(aks).begin_update(FIVE)
        assert begun.result().outcome == "updated"
    assert len(told) > 1
    assert ("InProgress", False) in told


def test_nobody_waits_longer_than_he_wants_to_though_another_one_does() -> None:
    mock = MockAks(operation_polls=10**6)
    mock.add_cluster("rg", "prod")
    with mock.serve() as url, AksClient(FakeCredential(), mock.subscription_id, base_url=url) as aks:
        begun = pool(aks).begin_update(FIVE)
        waiting = threading.Thread(target=lambda: begun.wait(3.0))
        waiting.start()
        for _ in range(20):
            assert not begun.done()
        with pytest.raises(DeadlineExceededError):
            begun.result(timeout=0.2)
        assert waiting.is_alive()
        waiting.join()


def test_a_wait_that_was_given_up_says_nothing_of_a_write_in_doubt(mock: MockAks) -> None:
    events: list[Event] = []

    async def main() -> None:
        async with mock.async_client(on_event=events.append) as aks:
            begun = await aks.cluster("rg", "prod").agent_pool("np1").begin_update(FIVE)
            task = asyncio.ensure_future(begun.result())
            for _ in range(3):
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await begun.result()).outcome == "updated"

    asyncio.run(main())
    assert not any(isinstance(event, OutcomeUnknown) for event in events)


def test_an_operation_behind_a_link_that_is_not_followed_is_unknown_elsewhere_too(mock: MockAks) -> None:
    headers = {"Azure-AsyncOperation": "https://evil.example/operations/1"}
    mock.inject("PUT", effect=200, headers=headers, body={"properties": {}})
    with mock.client() as aks:
        token = pool(aks).begin_update(FIVE).continuation_token()
        with pytest.raises(WriteOutcomeUnknownError):
            aks.operation(token).result()


def test_an_operation_that_is_forgotten_leaves_no_trace(mock: MockAks) -> None:
    with mock.client() as aks:
        pool(aks).begin_update(FIVE)
    assert asked(mock) == ["GET", "PUT"]


@pytest.mark.anyio
async def test_the_same_in_asyncio(mock: MockAks) -> None:
    async with mock.async_client() as aks:
        np1 = aks.cluster("rg", "prod").agent_pool("np1")
        begun = await np1.begin_update(FIVE)
        assert not await begun.done()
        with pytest.raises(DeadlineExceededError):
            await begun.result(timeout=0.5)
        results = await asyncio.gather(*(begun.result() for _ in range(5)))
        assert len({id(result) for result in results}) == 1
        assert (results[0].outcome, await begun.status()) == ("updated", "Succeeded")
        token = (await np1.begin_update(merge_patch({"properties": {"count": 6}}))).continuation_token()
        result = await aks.operation(token).result()
        assert (result.outcome, count(mock)) == ("updated", 6)
        begun = await np1.begin_delete(only_if=lambda seen: False)
        assert (await begun.result()).outcome == "unchanged"
        deleting = await aks.cluster("rg", "prod").begin_delete(force=True)
        waiting = asyncio.ensure_future(deleting.wait())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert (await deleting.result()).outcome == "deleted"


# "Succeeded, but not applied".
def is_five(seen: Snapshot) -> bool:
    return bool(seen.body["properties"]["count"] == 5)


def test_a_success_that_was_not_carried_out_is_found_by_verify() -> None:
    mock = MockAks()
    mock.add_cluster("rg", "prod")
    with mock.client() as aks:
        assert pool(aks).update(FIVE, verify=is_five).outcome == "updated"
        assert pool(aks).update(FIVE, verify=is_five).outcome == "unchanged"
        for ask in (
            lambda: pool(aks).update(more, verify=is_five),
            lambda: pool(aks).begin_update(more, verify=is_five).result(),
            lambda: pool(aks).create_or_update(NEW, more, verify=is_five),
            lambda: pool(aks).put({"properties": {"count": 9}}, force=True, verify=is_five),
            lambda: pool(aks, "np8").create(NEW, verify=is_five),
            lambda: pool(aks, "np7").begin_create(NEW, verify=is_five).result(),
            lambda: aks.cluster("rg", "prod").update_tags({"a": "1"}, verify=lambda seen: False),
            lambda: aks.cluster("rg", "prod").patch({"tags": {"a": "2"}}, force=True, verify=lambda seen: False),
            lambda: aks.cluster("rg", "prod").update(lambda body: body.update(tags={}), verify=lambda seen: False),
        ):
            with pytest.raises(OperationFailedError, match="Succeeded, but not applied") as failed:
                ask()
            assert (failed.value.code, failed.value.applied, failed.value.status_code) == ("NotApplied", None, 200)


def test_what_cannot_be_asked_is_refused_before_anything_is_sent(mock: MockAks) -> None:
    with mock.client() as aks:
        with pytest.raises(TypeError, match="verify"):
            pool(aks).update(FIVE, verify=5)  # type: ignore[arg-type]
    assert asked(mock) == []


def test_verify_is_not_asked_after_a_failure(mock: MockAks) -> None:
    mock.fail_operation("X")
    with mock.client() as aks, pytest.raises(OperationFailedError) as failed:
        pool(aks).update(FIVE, verify=lambda seen: pytest.fail("asked"))
    assert failed.value.code == "X"
