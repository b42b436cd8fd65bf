# SPDX-License-Identifier: MIT
"""The loop with ``exactly_once``: what is noted, what a change sees, and what the note decides; one trace per row."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import pytest

from aks_etag import diff, merge_patch, rebase
from aks_etag._core.events import Recovered
from aks_etag._core.marker import Registry, founded, nonce_of, registry
from aks_etag._core.messages import Response
from aks_etag._core.precondition import CREATE, Condition

from .harness import (
    CLUSTER,
    GONE,
    LOST,
    POOL,
    STALE,
    Trace,
    accepted,
    cluster,
    more,
    polled,
    pool,
    refused,
    traced,
    tried,
)

ME, OTHER = "aaaaaa", "bbbbbb"
BEFORE = Registry(5, ((OTHER, "dddddd"),))


class Ids:
    """Hands out the same id each time, and writes down what came back."""

    def __init__(self, *known: str) -> None:
        self.taken: list[Collection[str]] = []
        self.back: list[str] = []
        self.known = known or (ME,)

    def take(self, resource_id: str, taken: Collection[str]) -> str:
        self.taken.append(taken)
        return ME if ME not in taken else "cccccc"

    def give_back(self, resource_id: str, writer: str) -> None:
        self.back.append(writer)

    def has_written(self, resource_id: str, writer: str) -> bool:
        return writer in self.known


def marked(tag: str, known: Registry | str | None = BEFORE, *, state: str = "Succeeded", **properties: Any) -> Response:
    """Answer a read of a pool with a marker and another tag."""
    tags = {"team": "red", **({} if known is None else {"aks-etag": str(known)})}
    return pool(tag, state, tags=tags, **properties)


def ran(*script: Any, change: Callable[[dict[str, Any]], Any] = more, ids: Ids | None = None, **options: Any) -> Trace:
    return traced(change, *script, exactly_once=ids or Ids(), **options)


def noted(request_id: str, known: Registry = BEFORE) -> Registry:
    return known.noted(ME, nonce_of(request_id))


def tags_sent(run: Trace) -> list[str]:
    return [request.body["properties"]["tags"]["aks-etag"] for request in run.requests if request.method == "PUT"]


DONE = (accepted(), polled(), marked("t9", count=4))


def test_a_write_is_noted_under_its_request_id_beside_the_notes_of_others() -> None:
    ids = Ids()
    run = ran(marked("t1"), *DONE, ids=ids)
    assert tags_sent(run) == [str(noted("r1"))]
    assert run.requests[1].body["properties"]["tags"]["team"] == "red"
    assert (run.ended, ids.taken, ids.back) == ("updated", [()], [ME])


def test_each_attempt_is_noted_anew_in_the_registry_of_its_own_read() -> None:
    newer = BEFORE.noted("cccccc", "eeeeee")
    run = ran(marked("t1"), STALE, marked("t2", newer), *DONE)
    assert tags_sent(run) == [str(noted("r1")), str(noted("r2", newer))]


def test_a_first_write_begins_a_registry() -> None:
    run = ran(pool("t1"), *DONE)
    assert tags_sent(run) == [str(noted("r1", founded("r1")))]


def test_a_change_does_not_see_the_marker_and_cannot_forge_it() -> None:
    seen: list[Any] = []

    def change(body: dict[str, Any]) -> None:
        seen.append(dict(body["properties"].get("tags", {})))
        body["properties"].update(count=4, tags={"team": "blue", "aks-etag": "1.5;aaaaaa=zzzzzz"})

    run = ran(marked("t1"), *DONE, change=change)
    assert seen == [{"team": "red"}]
    assert tags_sent(run) == [str(noted("r1"))]


def test_the_marker_alone_is_as_if_there_were_no_tags() -> None:
    seen: list[bool] = []

    def change(body: dict[str, Any]) -> None:
        seen.append("tags" in body["properties"])

    run = ran(pool("t1", tags={"aks-etag": str(BEFORE)}), change=change)
    assert (run.ended, seen, run.wire) == ("unchanged", [False], ["GET pool"])


def test_an_edit_of_the_marker_alone_is_nothing_to_do() -> None:
    def forge(body: dict[str, Any]) -> None:
        body["properties"]["tags"]["aks-etag"] = "1.5"

    run = ran(marked("t1"), change=forge)
    assert (run.ended, run.wire) == ("unchanged", ["GET pool"])


def test_nothing_to_do_notes_nothing() -> None:
    ids = Ids()
    run = ran(marked("t1"), change=lambda body: None, ids=ids)
    assert (run.ended, run.wire, ids.taken, ids.back) == ("unchanged", ["GET pool"], [()], [ME])


# The table: a write in doubt, then what is there.
def test_the_same_version_and_document_mean_not_yet() -> None:
    run = ran(marked("t1"), LOST, marked("t1"), *DONE)
    assert run.wire[:4] == ["GET pool", "PUT pool If-Match=t1 r1", "GET pool", "PUT pool If-Match=t1 r2"]
    assert run.ended == "updated"


def test_our_nonce_is_there_so_that_it_has_landed_whatever_came_after() -> None:
    ids = Ids()
    later = noted("r1").noted(OTHER, "ffffff")
    run = ran(marked("t1"), LOST, marked("t3", later, count=9), ids=ids)
    assert (run.ended, run.result.recovered, run.result.attempts) == ("updated", "marker", 1)
    assert run.told(Recovered) == [Recovered(resource_id=POOL.id, how="marker", request_ids=("r1",))]
    assert ids.back == [ME]


def test_the_nonce_of_an_older_attempt_is_as_good() -> None:
    run = ran(marked("t1"), LOST, marked("t1"), LOST, marked("t2", noted("r1"), count=4))
    assert (run.ended, run.result.recovered, run.result.attempts) == ("updated", "marker", 2)


def test_our_slot_is_as_it_was_so_that_it_is_dead_and_goes_round() -> None:
    old = BEFORE.noted(ME, "vvvvvv")
    newer = old.noted(OTHER, "ffffff")
    run = ran(marked("t1", old), LOST, marked("t2", newer, count=8), accepted(), polled(), marked("t3", count=9))
    assert (run.ended, run.result.recovered, run.result.attempts) == ("updated", None, 2)
    assert run.requests[3].body["properties"]["count"] == 9
    assert tags_sent(run)[1] == str(noted("r2", newer))


def test_no_slot_before_nor_after_and_the_same_epoch_is_dead_as_well() -> None:
    newer = BEFORE.noted(OTHER, "ffffff")
    run = ran(marked("t1"), LOST, marked("t2", newer, count=3), accepted(), polled(), marked("t3"))
    assert (run.ended, run.result.attempts) == ("updated", 2)


def test_after_a_proof_of_death_an_error_may_say_not_applied() -> None:
    newer = BEFORE.noted(OTHER, "ffffff")
    run = ran(marked("t1"), LOST, marked("t2", newer), refused(400, "BadRequest"))
    assert (run.ended, run.error.applied) == ("RequestRefusedError", False)


@pytest.mark.parametrize(
    "now",
    [
        pytest.param(None, id="the registry is gone"),
        pytest.param("odd", id="it is not read"),
        pytest.param(Registry(6, ((OTHER, "ffffff"),)), id="another epoch"),
        pytest.param(Registry(5, ((ME, "xxxxxx"),)), id="another nonce under our id"),
    ],
)
def test_anything_else_is_unknown_and_the_id_is_not_used_again(now: Any) -> None:
    ids = Ids()
    run = ran(
        marked("t1"), LOST, marked("t2", now, count=4), change=lambda body: body["properties"].update(count=4), ids=ids
    )
    assert (run.ended, run.error.pending, run.error.request_ids) == ("WriteOutcomeUnknownError", False, ("r1",))
    assert ids.back == []


def test_a_first_write_in_doubt_that_is_not_there_is_unknown() -> None:
    run = ran(pool("t1"), LOST, pool("t2", count=7))
    assert run.ended == "WriteOutcomeUnknownError"


def test_a_first_write_in_doubt_that_is_there_is_known() -> None:
    run = ran(pool("t1"), LOST, marked("t2", noted("r1", founded("r1")), count=4))
    assert (run.ended, run.result.recovered) == ("updated", "marker")


def test_under_the_same_version_another_document_decides_nothing_yet() -> None:
    script = [marked("t1"), LOST, marked("t1", count=7), LOST, marked("t2", noted("r1"), count=4)]
    run = ran(*script)
    assert (run.ended, run.result.recovered, run.result.attempts) == ("updated", "marker", 2)


def test_a_note_that_went_under_the_same_version_may_have_been_ours() -> None:
    run = ran(marked("t1"), LOST, marked("t1", None, count=4))
    assert (run.ended, run.error.pending) == ("WriteOutcomeUnknownError", True)


def test_an_id_that_a_stranger_has_drawn_is_exchanged_once() -> None:
    ids = Ids("nobody")
    strange = BEFORE.noted(ME, "vvvvvv")
    run = ran(marked("t1", strange), STALE, marked("t2", strange.noted("cccccc", "dddddd")), *DONE, ids=ids)
    assert [registry(each).slots[-1][0] for each in tags_sent(run)] == ["cccccc", "cccccc"]
    assert (ids.taken, ids.back) == ([(), {OTHER, ME}], ["cccccc"])


# Writers that note nothing themselves.
def test_a_writer_without_notes_keeps_those_of_others_and_does_not_show_them() -> None:
    seen: list[Any] = []

    def change(body: dict[str, Any]) -> None:
        seen.append(dict(body["properties"]["tags"]))
        body["properties"].update(count=4, tags={"team": "blue", "aks-etag": "1.5;aaaaaa=zzzzzz"})

    run = traced(change, marked("t1"), *DONE)
    assert (seen, run.requests[1].body["properties"]["tags"]) == (
        [{"team": "red"}],
        {"team": "blue", "aks-etag": str(BEFORE)},
    )


@pytest.mark.parametrize("text", ["mine", "1.5;odd"])
def test_a_tag_of_that_name_that_is_no_note_is_like_any_other(text: str) -> None:
    def change(body: dict[str, Any]) -> None:
        assert body["properties"]["tags"]["aks-etag"] == text
        body["properties"]["tags"]["aks-etag"] = "yours"

    run = traced(change, pool("t1", tags={"aks-etag": text}), *DONE)
    assert run.requests[1].body["properties"]["tags"] == {"aks-etag": "yours"}


def test_saved_tags_that_are_put_back_bring_no_old_note_with_them() -> None:
    old = BEFORE.noted(ME, "vvvvvv")
    saved = {"team": "red", "aks-etag": str(old)}
    run = traced(merge_patch({"properties": {"count": 9, "tags": saved}}), marked("t1", noted("r0", old)), *DONE)
    assert run.requests[1].body["properties"]["tags"]["aks-etag"] == str(noted("r0", old))


def test_a_rebase_brings_no_old_note_with_it_and_meets_no_conflict_about_one() -> None:
    old = marked("t0", BEFORE.noted(ME, "vvvvvv")).body
    desired = {**old, "properties": {**old["properties"], "count": 9}}
    run = traced(rebase(old, desired), marked("t1", noted("r0")), *DONE)
    assert run.requests[1].body["properties"]["tags"]["aks-etag"] == str(noted("r0"))
    assert diff(old, marked("t1", noted("r0")).body) == diff(old, marked("t1").body)


@pytest.mark.parametrize("spelled", ["AKS-ETAG", "Aks-Etag"])
def test_azure_spells_tags_in_any_case(spelled: str) -> None:
    run = ran(pool("t1", tags={spelled: str(BEFORE), "a": "1"}), *DONE)
    assert run.requests[1].body["properties"]["tags"] == {"a": "1", "aks-etag": str(noted("r1"))}


def test_no_tags_and_tags_without_any_are_the_same() -> None:
    run = ran(pool("t1", tags={"aks-etag": str(BEFORE)}), change=lambda body: body["properties"].update(tags={}))
    assert (run.ended, run.wire) == ("unchanged", ["GET pool"])


def test_a_marker_that_moved_under_the_same_version_is_seen() -> None:
    run = ran(marked("t1"), LOST, marked("t1", noted("r1"), count=4))
    assert (run.ended, run.result.recovered) == ("updated", "marker")


def test_a_document_that_was_put_back_under_the_same_version_hides_no_note() -> None:
    run = ran(marked("t1"), LOST, marked("t1", noted("r1")))
    assert (run.ended, run.result.recovered) == ("updated", "marker")


def test_a_preempted_write_that_was_stored_is_known_by_its_note() -> None:
    preempted = polled("Failed", code="AKSOperationPreempted")
    run = ran(marked("t1"), accepted(), preempted, marked("t2", noted("r1"), state="Failed", count=4))
    assert (run.ended, run.result.recovered) == ("updated", "marker")


def test_a_write_that_landed_and_whose_operation_failed_says_so() -> None:
    run = ran(marked("t1"), LOST, marked("t2", noted("r1"), state="Failed", count=4))
    assert (run.ended, run.error.applied) == ("OperationFailedError", True)


@pytest.mark.parametrize(
    ("known", "applied"), [(noted("r1"), True), (BEFORE.noted(OTHER, "ffffff"), None), (BEFORE, None)]
)
def test_after_a_failed_operation_the_note_says_whether_it_is_stored(known: Registry, applied: bool | None) -> None:
    run = ran(marked("t1"), accepted(), polled("Failed", code="X"), marked("t2", known, count=4))
    assert (run.ended, run.error.applied) == ("OperationFailedError", applied)


def test_a_change_that_is_not_idempotent_needs_no_luck() -> None:
    exact = ran(marked("t1"), LOST, marked("t2", noted("r1").noted(OTHER, "ffffff"), count=3))
    blind = traced(more, marked("t1"), LOST, marked("t2", noted("r1").noted(OTHER, "ffffff"), count=3))
    assert (exact.ended, blind.ended) == ("updated", "WriteOutcomeUnknownError")


def test_a_failed_update_gives_its_id_back_only_without_doubt() -> None:
    clean, dirty = Ids(), Ids()
    ran(marked("t1"), refused(400, "BadRequest"), ids=clean)
    ran(marked("t1"), LOST, refused(403, "AuthorizationFailed"), ids=dirty)
    assert (clean.back, dirty.back) == ([ME], [])


# What is refused before anything is written.
@pytest.mark.parametrize("text", ["mine", "2.1;aaaaaa=bbbbbb", ""])
def test_a_tag_that_is_not_ours_is_kept(text: str) -> None:
    run = ran(pool("t1", tags={"aks-etag": text}))
    assert (run.ended, run.wire, run.error.applied) == ("InvalidPreconditionError", ["GET pool"], False)
    assert '"aks-etag"' in str(run.error)


@pytest.mark.parametrize(("there", "ended"), [(49, "updated"), (50, "InvalidPreconditionError")])
def test_fifty_tags_leave_no_room(there: int, ended: str) -> None:
    tags = {f"k{number}": "v" for number in range(there)}
    run = ran(pool("t1", tags=tags), *(DONE if ended == "updated" else ()))
    assert run.ended == ended
    assert ("PUT" in " ".join(run.wire)) is (ended == "updated")


def test_fifty_tags_with_the_marker_among_them_are_enough() -> None:
    tags = {**{f"k{number}": "v" for number in range(49)}, "aks-etag": str(BEFORE)}
    assert ran(pool("t1", tags=tags), *DONE).ended == "updated"


def test_the_tags_of_a_cluster_are_at_its_top() -> None:
    run = ran(
        cluster("t1"),
        accepted(),
        polled(),
        cluster("t2"),
        on=CLUSTER,
        change=lambda body: body["properties"].update(a=1),
    )
    sent = run.requests[1].body["tags"]
    assert (registry(sent["aks-etag"]), sent["read"]) == (noted("r1", founded("r1")), "t1")


# A create.
BODY = {"properties": {"count": 5, "tags": {"team": "red"}}}


def created(*script: Any, ids: Ids | None = None) -> Trace:
    return tried("put", *script, condition=CREATE, body=BODY, exactly_once=ids or Ids())


def there(known: Registry | None, **properties: Any) -> Response:
    return marked("t1", known, **{"count": 5, **properties})


def test_a_create_is_noted_and_known_again() -> None:
    mine = noted("r1", founded("r1"))
    run = created(LOST, there(mine))
    assert (run.ended, run.result.recovered, run.result.attempts) == ("created", "marker", 1)
    assert run.requests[0].body["properties"]["tags"] == {"team": "red", "aks-etag": str(mine)}


def test_a_create_that_somebody_changed_since_is_known_all_the_same() -> None:
    mine = noted("r1", founded("r1")).noted(OTHER, "ffffff")
    assert created(LOST, there(mine, count=9)).ended == "created"


def test_a_repeated_create_that_finds_its_older_self_is_known() -> None:
    mine = noted("r1", founded("r1"))
    run = created(LOST, GONE, STALE, there(mine))
    assert (run.ended, run.result.recovered, run.result.attempts) == ("created", "marker", 2)


@pytest.mark.parametrize(
    ("script", "back"),
    [
        pytest.param([refused(400, "BadRequest")], [ME], id="refused"),
        pytest.param([LOST, there(None)], [], id="in doubt"),
        pytest.param([accepted(), polled(), there(None)], [ME], id="created"),
    ],
)
def test_the_id_of_a_create_comes_back_unless_it_is_in_doubt(script: list[Any], back: list[str]) -> None:
    ids = Ids()
    created(*script, ids=ids)
    assert ids.back == back


@pytest.mark.parametrize("known", [None, BEFORE])
def test_an_equal_creation_of_somebody_else_is_told_apart(known: Registry | None) -> None:
    run = created(LOST, there(known))
    assert (run.ended, run.error.equivalent) == ("WriteOutcomeUnknownError", True)


def test_a_create_whose_operation_failed_is_there_all_the_same() -> None:
    mine = noted("r1", founded("r1"))
    run = created(LOST, marked("t1", mine, state="Failed", count=5))
    assert (run.ended, run.error.applied) == ("OperationFailedError", True)


def test_a_put_under_a_version_notes_nothing() -> None:
    run = tried("put", accepted(), polled(), pool("t2"), condition=Condition(tag="t1"), body=BODY, exactly_once=Ids())
    assert run.requests[0].body["properties"]["tags"] == {"team": "red"}
