# SPDX-License-Identifier: MIT
"""Objects inside a cluster through the client, against the fake API server: the same loop, locks, patches, apply."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from aks_etag import (
    AlreadyExistsError,
    ConflictRetry,
    Doubt,
    Event,
    InvalidPreconditionError,
    MergeConflictError,
    NotFoundError,
    PreconditionFailedError,
    RequestRefusedError,
    ResourceGoneError,
    ResourceReplacedError,
    WriteOutcomeUnknownError,
)
from aks_etag.kubernetes import (
    AsyncKubernetesClient,
    KubernetesClient,
    Object,
    json_patch,
    merge_patch,
    strategic_merge_patch,
)
from aks_etag.mock.kubernetes import MockKubernetes

CONFIG = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "cm", "namespace": "default"},
    "data": {"n": "0"},
}
WRITERS, ROUNDS = 16, 50
PATIENT = ConflictRetry(attempts=10_000, deadline=300)


@pytest.fixture
def server() -> MockKubernetes:
    fake = MockKubernetes()
    fake.add(CONFIG)
    return fake


def client(server: MockKubernetes, **settings: Any) -> KubernetesClient:
    return KubernetesClient(server.url, token="t", transport=server.httpx_transport(), clock=server.clock, **settings)


def config(kube: KubernetesClient, name: str = "cm") -> Object:
    return kube.object("v1", "ConfigMap", "default", name)


def taken(body: dict[str, Any]) -> None:
    body["data"]["k"] = "theirs"


def one_more(body: dict[str, Any]) -> None:
    body["data"]["n"] = str(int(body["data"]["n"]) + 1)


def stored(server: MockKubernetes, name: str = "cm") -> Any:
    return server.object("v1", "ConfigMap", "default", name)


def writes(server: MockKubernetes) -> list[str]:
    return [entry.method for entry in server.journal if entry.method != "GET"]


def test_an_update_is_locked_by_uid_and_version(server: MockKubernetes) -> None:
    before = stored(server)["metadata"]
    with client(server) as kube:
        result = config(kube).update(one_more)
    assert (result.outcome, stored(server)["data"], result.snapshot.body["data"]) == ("updated", {"n": "1"}, {"n": "1"})
    assert result.condition == f"resourceVersion: {before['resourceVersion']}"
    assert writes(server) == ["PUT"]


def test_an_update_meets_a_rival_and_comes_out_right(server: MockKubernetes) -> None:
    server.before_write(lambda: server.edit("v1", "ConfigMap", "default", "cm", one_more), times=1)
    with client(server) as kube:
        result = config(kube).update(one_more)
    assert (result.outcome, result.conflicts, stored(server)["data"]["n"]) == ("updated", 1, "2")


def test_nothing_to_change_is_nothing_sent(server: MockKubernetes) -> None:
    with client(server) as kube:
        assert config(kube).update(merge_patch({"data": {"n": "0"}})).outcome == "unchanged"
    assert writes(server) == []


@pytest.mark.parametrize("place", ["labels", "annotations"])
def test_to_remove_what_was_never_there_is_nothing_sent(place: str, server: MockKubernetes) -> None:
    with client(server) as kube:
        patches = [merge_patch({"metadata": {place: {"x": value}}}) for value in (None, "1", None, None)]
        outcomes = [config(kube).update(patch).outcome for patch in patches]
    assert outcomes == ["unchanged", "updated", "updated", "unchanged"]
    assert writes(server) == ["PUT", "PUT"]


def test_what_was_deleted_is_gone_and_what_was_replaced_is_another(server: MockKubernetes) -> None:
    def replace() -> None:
        server.delete("v1", "ConfigMap", "default", "cm")
        server.add(CONFIG)

    server.before_write(replace, times=1)
    with client(server) as kube:
        with pytest.raises(ResourceReplacedError):
            config(kube).update(one_more)
        server.before_write(lambda: server.delete("v1", "ConfigMap", "default", "cm"), times=1)
        with pytest.raises(ResourceGoneError):
            config(kube).update(one_more)
        with pytest.raises(NotFoundError):
            config(kube).get()
        assert config(kube).get_or_none() is None


def test_create_update_and_delete(server: MockKubernetes) -> None:
    with client(server) as kube:
        other = config(kube, "other")
        assert other.create({"data": {"n": "5"}}).outcome == "created"
        with pytest.raises(AlreadyExistsError):
            other.create({"data": {"n": "5"}})
        assert other.create_or_update({"data": {"n": "0"}}, one_more).outcome == "updated"
        seen = other.get()
        other.update(one_more)
        with pytest.raises(PreconditionFailedError):
            other.delete(if_match=seen)
        assert other.delete(only_if=lambda now: now.body["data"]["n"] == "8").outcome == "unchanged"
        assert other.delete(if_match=other.get()).outcome == "deleted"
        assert other.delete(only_if=lambda now: True).outcome == "absent"


@pytest.mark.parametrize("phase", ["before", "after"])
def test_a_lost_answer_is_found_out(server: MockKubernetes, phase: Any) -> None:
    server.inject(method="PUT", phase=phase, effect="reset")
    with client(server) as kube:
        result = config(kube).update(merge_patch({"data": {"k": "v"}}))
    assert (result.outcome, result.recovered) == ("updated", "equivalent" if phase == "after" else None)
    assert stored(server)["data"] == {"n": "0", "k": "v"}


@pytest.mark.parametrize(
    ("doubt", "outcome"), [("untouched", "updated"), ("reapply", "updated"), ("raise", WriteOutcomeUnknownError)]
)
def test_what_to_do_in_doubt_is_the_callers_choice(server: MockKubernetes, doubt: Any, outcome: Any) -> None:
    def elsewhere(event: Event) -> None:
        if isinstance(event, Doubt):
            server.edit("v1", "ConfigMap", "default", "cm", taken)

    server.inject("PUT", phase="before")
    with client(server, on_event=elsewhere) as kube:
        handle = config(kube).with_options(on_doubt=doubt)
        if outcome == "updated":
            assert handle.update(merge_patch({"data": {"n": "5"}})).outcome == outcome
        else:
            with pytest.raises(outcome):
                handle.update(merge_patch({"data": {"n": "5"}}))
    assert stored(server)["data"] == {"n": "5" if outcome == "updated" else "0", "k": "theirs"}


def test_an_increment_is_not_repeated_on_suspicion(server: MockKubernetes) -> None:
    server.inject(method="PUT", phase="after", effect="reset")
    with client(server) as kube, pytest.raises(WriteOutcomeUnknownError):
        config(kube).update(one_more)
    assert stored(server)["data"]["n"] == "1"


PATCHES = {
    "merge": merge_patch({"data": {"n": "7"}}),
    "json": json_patch([{"op": "replace", "path": "/data/n", "value": "7"}]),
    "strategic": strategic_merge_patch({"data": {"n": "7"}}),
}


@pytest.mark.parametrize("patch", PATCHES.values(), ids=PATCHES)
def test_a_patch_is_locked_to_the_version_seen(server: MockKubernetes, patch: Any) -> None:
    with client(server) as kube:
        seen = config(kube).get()
        server.edit("v1", "ConfigMap", "default", "cm", one_more)
        with pytest.raises(PreconditionFailedError):
            config(kube).patch(patch, if_match=seen)
        assert stored(server)["data"]["n"] == "1"
        assert config(kube).patch(patch).outcome == "updated"
    assert stored(server)["data"]["n"] == "7"


def test_an_unlocked_patch_says_so_and_overwrites(server: MockKubernetes) -> None:
    server.before_write(lambda: server.edit("v1", "ConfigMap", "default", "cm", one_more), times=1)
    with client(server) as kube:
        result = config(kube).patch(PATCHES["merge"], locked=False)
        assert (result.condition, stored(server)["data"]["n"]) == (None, "7")
        with pytest.raises(InvalidPreconditionError):
            config(kube).patch(PATCHES["merge"], locked=False, if_match=config(kube).get())


def test_apply_owns_what_it_says_and_is_refused_what_others_own(server: MockKubernetes) -> None:
    with client(server) as kube:
        shared = config(kube, "shared")
        assert shared.apply({"data": {"a": "1", "b": "1"}}, "one").outcome == "created"
        with pytest.raises(MergeConflictError, match="force=True") as raised:
            shared.apply({"data": {"a": "2", "c": "2"}}, "two")
        assert raised.value.conflicts == ((".data.a", "one"),)
        assert stored(server, "shared")["data"] == {"a": "1", "b": "1"}
        shared.apply({"data": {"a": "2", "c": "2"}}, "two", force=True)
        assert stored(server, "shared")["data"] == {"a": "2", "b": "1", "c": "2"}
        shared.apply({"data": {"c": "2"}}, "two")
        assert "a" not in stored(server, "shared")["data"]


@pytest.mark.parametrize("locked", [False, True])
def test_an_apply_refused_after_a_lost_answer_may_have_been_carried_out(server: MockKubernetes, locked: bool) -> None:
    server.inject(method="PATCH", phase="after", effect="reset")
    with client(server) as kube:
        body: dict[str, Any] = {"data": {"k": "1"}}
        if locked:
            # The second copy is refused by the version that the first has made.
            body["metadata"] = {"resourceVersion": config(kube).get().version}
        else:
            between = iter([lambda: None, lambda: server.edit("v1", "ConfigMap", "default", "cm", taken)])
            server.before_write(lambda: next(between)())
        with pytest.raises(WriteOutcomeUnknownError, match="may") as raised:
            config(kube).apply(body, "one")
    assert raised.value.applied is None
    assert isinstance(raised.value.__cause__, PreconditionFailedError if locked else MergeConflictError)
    assert len(raised.value.request_ids) == 1


def test_an_apply_repeated_after_a_lost_answer_succeeds(server: MockKubernetes) -> None:
    server.inject(method="PATCH", phase="after", effect="reset")
    with client(server) as kube:
        assert config(kube).apply({"data": {"k": "1"}}, "one").attempts == 2
    assert stored(server)["data"] == {"n": "0", "k": "1"}


def test_an_apply_refused_at_once_was_not_carried_out(server: MockKubernetes) -> None:
    with client(server) as kube:
        old = config(kube).get().version
        server.edit("v1", "ConfigMap", "default", "cm", one_more)
        with pytest.raises(PreconditionFailedError) as raised:
            config(kube).apply({"metadata": {"resourceVersion": old}, "data": {"k": "1"}}, "one")
    assert raised.value.applied is False


def test_a_body_that_was_read_is_not_applied(server: MockKubernetes) -> None:
    with client(server) as kube:
        with pytest.raises(InvalidPreconditionError, match="read from the server"):
            config(kube).apply(config(kube).get().body, "one")
        for manager in ("", "a b", "a&force=true"):
            with pytest.raises(InvalidPreconditionError, match="field_manager"):
                config(kube).apply({"data": {}}, manager)
    assert writes(server) == []


def test_a_dry_run_changes_nothing(server: MockKubernetes) -> None:
    with client(server) as kube:
        assert config(kube).with_options(dry_run=True).update(one_more).outcome == "updated"
    assert stored(server)["data"]["n"] == "0"


def test_lists_come_in_chunks_and_survive_an_expired_token(server: MockKubernetes) -> None:
    for number in range(7):
        server.add(
            {**CONFIG, "metadata": {"name": f"c{number}", "namespace": "default", "labels": {"odd": str(number % 2)}}}
        )
    with client(server) as kube:
        names = [seen.name for seen in kube.objects("v1", "ConfigMap", "default", chunk=3)]
        assert names == ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "cm"]
        assert len([e for e in server.journal if "limit=3" in e.path or e.path.endswith("/configmaps")]) >= 3
        assert [seen.name for seen in kube.objects("v1", "ConfigMap", labels="odd=1")] == ["c1", "c3", "c5"]


BAD_PLACES: list[tuple[str, str, str, str]] = [
    ("v1", "ConfigMap", "default", "../x"),
    ("v1", "ConfigMap", "a/b", "x"),
    ("../v1", "ConfigMap", "a", "x"),
    ("v1", "Config/Map", "a", "x"),
    ("v1", "ConfigMap", "default", "x?y"),
    ("v1", "ConfigMap", "default", ""),
]


def test_bad_names_are_refused_before_anything_is_sent(server: MockKubernetes) -> None:
    with client(server) as kube:
        for bad in BAD_PLACES:
            with pytest.raises(ValueError, match="not a valid"):
                kube.object(*bad)
    assert server.journal == []


def test_unknown_kinds_and_wrong_scopes_are_explained(server: MockKubernetes) -> None:
    with client(server) as kube:
        with pytest.raises(NotFoundError, match="no kind Nonsense"):
            kube.object("v1", "Nonsense", "default", "x").get()
        with pytest.raises(ValueError, match="lives in a namespace"):
            kube.object("v1", "ConfigMap", None, "x").get()
        with pytest.raises(ValueError, match="lives in no namespace"):
            kube.object("v1", "Namespace", "default", "x").get()


def test_a_field_that_is_not_there_is_refused_as_it_is(server: MockKubernetes) -> None:
    with client(server) as kube, pytest.raises(RequestRefusedError):
        config(kube).patch(json_patch([{"op": "remove", "path": "/data/none"}]))


def test_events_and_counters_are_those_of_the_other_plane(server: MockKubernetes) -> None:
    events: list[Event] = []
    server.before_write(lambda: server.edit("v1", "ConfigMap", "default", "cm", one_more), times=1)
    with client(server, on_event=events.append) as kube:
        config(kube).update(one_more)
        assert (kube.stats.writes, kube.stats.conflicts) == (2, 1)
    assert "Conflict" in [type(event).__name__ for event in events]


def contend(server: MockKubernetes, write: Any) -> int:
    with server.serve() as url:

        def work() -> None:
            with KubernetesClient(url, token="t", conflict_retry=PATIENT, polling_interval=0) as kube:
                for _ in range(ROUNDS):
                    write(config(kube))

        threads = [threading.Thread(target=work) for _ in range(WRITERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return int(stored(server)["data"]["n"])


def by_update(handle: Object) -> None:
    handle.update(one_more)


def by_patch(kind: str, *, locked: bool = True) -> Any:
    def write(handle: Object) -> None:
        while True:
            seen = handle.get()
            value = str(int(seen.body["data"]["n"]) + 1)
            operations = [{"op": "replace", "path": "/data/n", "value": value}]
            patch = merge_patch({"data": {"n": value}}) if kind == "merge" else json_patch(operations)
            try:
                _ = handle.patch(patch, if_match=seen) if locked else handle.patch(patch, locked=False)
            except PreconditionFailedError:
                continue
            return

    return write


@pytest.mark.parametrize("write", [by_update, by_patch("merge"), by_patch("json")], ids=["put", "merge", "json"])
def test_no_increment_is_lost_or_doubled(server: MockKubernetes, write: Any) -> None:
    assert contend(server, write) == WRITERS * ROUNDS


def test_unlocked_patches_lose_increments(server: MockKubernetes) -> None:
    assert contend(server, by_patch("merge", locked=False)) < WRITERS * ROUNDS


@pytest.mark.anyio
async def test_the_async_client_does_the_same(server: MockKubernetes) -> None:
    async with AsyncKubernetesClient(
        server.url, token="t", transport=server.httpx_transport(), clock=server.clock, conflict_retry=PATIENT
    ) as kube:
        handle = kube.object("v1", "ConfigMap", "default", "cm")
        await asyncio.gather(*(handle.update(one_more) for _ in range(10)))
        assert [seen.name async for seen in kube.objects("v1", "ConfigMap", "default")] == ["cm"]
    assert stored(server)["data"]["n"] == "10"
