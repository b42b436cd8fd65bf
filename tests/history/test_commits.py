# SPDX-License-Identifier: MIT
"""What a history says, held against a commit log: one story that is wrong and one that is right for each anomaly."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag import merge_patch
from aks_etag.history import check
from aks_etag.history._leaves import differing

from .story import (
    CLUSTER,
    DIGESTS,
    answer,
    attempt,
    call,
    commit,
    done,
    failed,
    history,
    kinds,
    pool,
    unknown,
    update,
)


def more(body: dict[str, Any]) -> None:
    body["properties"]["count"] += 1


TWO_UPDATES = (update("a", "r1", "t1", pool(3), pool(4)), update("b", "r2", "t2", pool(4), pool(5)))
LOST_ANSWER = (call("a"), attempt("a", "r1", "t1", pool(3), pool(4)), answer("a", "r1", "lost"))
AGAIN = (attempt("a", "r2", "t2", pool(4), pool(5)), answer("a", "r2"), done("a", "updated", "r2"))
UNREAD = {**attempt("a", "r1", "t1", pool(3), pool(4)), "read": None, "changes": {"/properties/count": ["?", 4]}}
DELETED = (call("a", "delete"), attempt("a", "r1", "t1", pool(3), None, "DELETE"), answer("a", "r1", 202))

CASES = [
    pytest.param(
        history(*TWO_UPDATES),
        [commit("r1", "t1 t2", pool(3), pool(4)), commit("r2", "t2 t3", pool(4), pool(5))],
        [],
        id="clean",
    ),
    pytest.param(
        history(update("a", "r1", "t1", pool(3, a="1"), pool(4, a="1"))),
        [
            commit("edit-1", "t0 t1", pool(3), pool(3, a="1"), background=True),
            commit("r1", "t1 t2", pool(3, a="1"), pool(4, a="1")),
        ],
        [],
        id="clean beside others",
    ),
    pytest.param(
        history(update("a", "r1", "t1", pool(3), pool(4)), update("b", "r2", "t1", pool(3), pool(4))),
        [commit("r1", "t1 t2", pool(3), pool(4)), commit("r2", "t2 t3", pool(4), pool(4))],
        ["lost"],
        id="lost: made from an older read",
    ),
    pytest.param(
        history(update("a", "r1", "t1", pool(3), pool(4))),
        [
            commit("edit-1", "t1 t2", pool(3), pool(3, a="1"), background=True),
            commit("r1", "t2 t3", pool(3, a="1"), pool(4)),
        ],
        ["lost"],
        id="lost: somebody else's label",
    ),
    pytest.param(
        history(update("a", "r1", "t1", pool(3), pool(4))),
        [commit("r1", "t1 t2", pool(3, a="1"), pool(4))],
        ["lost"],
        id="lost: somebody else's label under the same version",
    ),
    pytest.param(
        history(call("a", "put"), UNREAD, answer("a", "r1"), done("a", "updated", "r1")),
        [commit("r1", "t1 t2", pool(3, a="1"), pool(4))],
        [],
        id="clean: a whole body, put on purpose",
    ),
    pytest.param(
        history(update("a", "r1", "t1", pool(3), pool(4))),
        [commit("r1", "t9 t2", pool(3), pool(4))],
        ["lost"],
        id="lost: another version than the condition's",
    ),
    pytest.param(
        history(update("a", "r1", "t1", pool(3), pool(4))),
        [commit("r1", "t1 t2", pool(3), pool(7))],
        ["lost"],
        id="lost: another value than was sent",
    ),
    pytest.param(
        history(LOST_ANSWER, AGAIN),
        [commit("r1", "t1 t2", pool(3), pool(4)), commit("r2", "t2 t3", pool(4), pool(5))],
        ["doubled"],
        id="doubled",
    ),
    pytest.param(
        history(LOST_ANSWER, attempt("a", "r2", "t3", pool(3), pool(4)), answer("a", "r2"), done("a", "updated", "r2")),
        [
            commit("r1", "t1 t2", pool(3), pool(4)),
            commit("edit-1", "t2 t3", pool(4), pool(3), background=True),
            commit("r2", "t3 t4", pool(3), pool(4)),
        ],
        ["re-asserted"],
        id="re-asserted: it had been put back",
    ),
    pytest.param(
        history(LOST_ANSWER, attempt("a", "r2", "t4", pool(9), pool(4)), answer("a", "r2"), done("a", "updated", "r2")),
        [
            commit("r1", "t1 t2", pool(3), pool(4)),
            commit("edit-1", "t2 t3", pool(4), pool(3), background=True),
            commit("edit-2", "t3 t4", pool(3), pool(9), background=True),
            commit("r2", "t4 t5", pool(9), pool(4)),
        ],
        ["re-asserted"],
        id="re-asserted: it had been put back, and changed once more",
    ),
    pytest.param(
        history(call("a", "update_tags"), attempt("a", "r1", "t1", pool(4), pool(4, a="1"), "PATCH"), AGAIN),
        [
            commit("r1", "t1 t2", pool(4), pool(4, a="1"), method="PATCH"),
            commit("edit-1", "t2 t2", pool(4, a="1"), pool(4), background=True),
            commit("r2", "t2 t3", pool(4), pool(5)),
        ],
        [],
        id="clean: a PATCH, then a PUT for what it left",
    ),
    pytest.param(
        history(call("a", "update_tags"), attempt("a", "r1", "t1", pool(3), pool(4), "PATCH"), AGAIN),
        [commit("r1", "t1 t2", pool(3), pool(4), method="PATCH"), commit("r2", "t2 t3", pool(4), pool(5))],
        ["doubled"],
        id="doubled: a PATCH, then a PUT of the same",
    ),
    pytest.param(history(), [commit("r1", "t1 t2", pool(3), pool(4))], ["phantom"], id="phantom: of no operation"),
    pytest.param(
        history(update("a", "r1", "t1", pool(3), pool(4))), [], ["phantom"], id="phantom: success without commit"
    ),
    pytest.param(
        history(LOST_ANSWER, done("a", "updated", "r1", recovered="equivalent")),
        [commit("edit-1", "t1 t2", pool(3), pool(4), background=True)],
        [],
        id="clean: recovered, and somebody else had done the same",
    ),
    pytest.param(
        history(LOST_ANSWER, failed("a", "OperationFailedError", applied=True)),
        [],
        ["phantom"],
        id="phantom: an error that claims success",
    ),
    pytest.param(
        history(LOST_ANSWER, attempt("a", "r2", "t2", pool(4), pool(4, a="1")), done("a", "updated", "r2")),
        [commit("r1", "t1 t2", pool(3), pool(4)), commit("r2", "t2 t3", pool(4), pool(4, a="1"))],
        ["doubled"],
        id="doubled: two writes of one update, of different things",
    ),
    pytest.param(
        history(LOST_ANSWER, failed("a", "PreconditionFailedError")),
        [commit("r1", "t1 t2", pool(3), pool(4))],
        ["falsely failed"],
        id="falsely failed",
    ),
    pytest.param(
        history(LOST_ANSWER, done("a", "unchanged")),
        [commit("r1", "t1 t2", pool(3), pool(4))],
        ["falsely failed"],
        id="falsely failed: unchanged",
    ),
    pytest.param(
        history(LOST_ANSWER, failed("a", "OperationFailedError", None)),
        [commit("r1", "t1 t2", pool(3), pool(4))],
        [],
        id="clean: an error that claims nothing",
    ),
    pytest.param(
        history(DELETED, done("a", "deleted", "r1")),
        [commit("r1", "t1 -", pool(3), None, method="DELETE")],
        [],
        id="clean delete",
    ),
    pytest.param(
        history(DELETED, failed("a", "PreconditionFailedError")),
        [commit("r1", "t1 -", pool(3), None, method="DELETE")],
        ["falsely failed"],
        id="falsely failed: a delete",
    ),
    pytest.param(
        history(
            call("a", "create"),
            attempt("a", "r1", None, None, pool(3)),
            answer("a", "r1", 201),
            done("a", "created", "r1"),
        ),
        [commit("r1", "- t1", None, {"properties": {"count": 3, "maxPods": 30}})],
        [],
        id="clean create: the service adds defaults",
    ),
    pytest.param(
        history(*TWO_UPDATES),
        [commit("r1", "t1 t2", pool(3), pool(4)), commit("r2", "t2 t3", pool(9), pool(5))],
        ["lost", "broken chain"],
        id="broken chain",
    ),
]


@pytest.mark.parametrize(("lines", "commits", "found"), CASES)
def test_each_definition_is_held_against_the_commit_log(lines: Any, commits: Any, found: Any) -> None:
    assert sorted(kinds(check(list(lines), commits))) == sorted(found)


def test_a_chain_is_broken_where_a_version_comes_back() -> None:
    commits = [
        commit("edit-1", "t1 t2", pool(3), pool(4), background=True),
        commit("edit-2", "t1 t3", pool(4), pool(5), background=True),
    ]
    report = check(history(), commits)
    assert kinds(report) == ["broken chain"]
    assert 'version "t1" was over' in str(report)


def test_a_chain_is_broken_where_a_version_comes_back_that_nobody_wrote_on() -> None:
    commits = [
        commit("edit-1", "t1 t2", pool(3), pool(4), background=True),
        commit("edit-2", "t3 t4", pool(4), pool(5), background=True),
        commit("edit-3", "t2 t5", pool(5), pool(6), background=True),
    ]
    assert kinds(check(history(), commits)) == ["broken chain"]


def test_a_chain_says_that_something_came_or_went_by_itself() -> None:
    born = commit("edit-2", "- t3", None, pool(1), background=True)
    there = commit("edit-1", "t1 t2", pool(3), pool(4), background=True)
    assert "it was there" in str(check(history(), [there, born]))
    gone = commit("edit-3", "t2 -", pool(4), None, method="DELETE", background=True)
    assert "it was gone" in str(check(history(), [gone, there]))


def test_pools_are_written_on_their_own_as_well() -> None:
    def cluster(count: int, tag: str) -> dict[str, Any]:
        return {"tags": {"a": tag}, "properties": {"agentPoolProfiles": [{"name": "np1", "count": count}]}}

    commits = [
        commit("edit-1", "t1 t2", cluster(3, "x"), cluster(3, "y"), background=True, id=CLUSTER),
        commit("edit-2", "t2 t3", cluster(5, "y"), cluster(5, "z"), background=True, id=CLUSTER),
    ]
    assert check(history(), commits).clean


def test_who_lets_the_last_writer_win_may_write_again_what_can_be_written_again() -> None:
    four = merge_patch({"properties": {"count": 4}})
    commits = [
        commit("r1", "t1 t2", pool(3), pool(4)),
        commit("edit-1", "t2 t3", pool(4), pool(5), background=True),
        commit("r2", "t3 t4", pool(5), pool(4)),
    ]
    rest = [*LOST_ANSWER[1:], attempt("a", "r2", "t3", pool(5), pool(4)), answer("a", "r2"), done("a", "updated", "r2")]
    allowed, forbidden = [call("a", on_doubt="reapply"), *rest], [call("a"), *rest]
    assert kinds(check(history(allowed), commits, changes={"a": four})) == ["re-asserted"]
    assert kinds(check(history(allowed), commits)) == ["doubled"]
    assert kinds(check(history(forbidden), commits, changes={"a": four})) == ["doubled"]
    increments = [commits[0], commit("r2", "t2 t3", pool(4), pool(5))]
    again = [call("a", on_doubt="reapply"), *LOST_ANSWER[1:], *AGAIN]
    assert kinds(check(history(again), increments, changes={"a": more})) == ["doubled"]


def test_true_is_not_one() -> None:
    before, after = {"properties": {"count": 1, "a": {"b": 1}}}, {"properties": {"count": True, "a": {"b": True}}}
    pairs = differing(before, after, {})
    assert pairs == {"/properties/count": (1, True), "/properties/a/b": (1, True)}
    assert DIGESTS.transitions({"/a": (0.5, "x")})["/a"][0] == 0.5


def test_pools_that_come_and_go_with_their_cluster_break_no_chain() -> None:
    inline = {"properties": {"agentPoolProfiles": [{"name": "np1", "count": 3}]}}
    commits = [
        commit("edit-1", "t1 t2", pool(3), pool(4), background=True),
        commit("edit-2", "c1 -", inline, None, method="DELETE", background=True, id=CLUSTER),
        commit("edit-3", "- c2", None, inline, background=True, id=CLUSTER),
        commit("edit-4", "t8 t9", pool(1), pool(2), background=True),
    ]
    assert check(history(), commits).clean


def test_with_the_change_at_hand_a_commit_is_what_it_makes_of_the_one_before() -> None:
    lines = list(history(update("a", "r1", "t1", pool(3), pool(5))))
    commits = [commit("r1", "t1 t2", pool(3), pool(5))]
    assert check(lines, commits).clean
    assert kinds(check(lines, commits, changes={"a": more})) == ["lost"]


def test_what_the_service_rewrites_is_declared() -> None:
    lines = list(history(update("a", "r1", "t1", pool(3), pool(4))))
    commits = [commit("r1", "t1 t2", pool(3), pool(7))]
    assert check(lines, commits, changes={"a": more}, normalised=["/properties/count"]).clean


def test_an_anomaly_tells_its_story_in_a_few_lines() -> None:
    commits = [commit("r1", "t1 t2", pool(3), pool(4)), commit("r2", "t2 t3", pool(4), pool(5))]
    report = check(history(LOST_ANSWER, AGAIN), commits)
    assert str(report).splitlines()[1:] == [
        "doubled: update a was committed twice and said updated",
        '  PUT r1 on "t1": /properties/count 3 -> 4',
        '  PUT r2 on "t2": /properties/count 4 -> 5',
    ]


def test_an_operation_without_an_end_is_unknown_once_it_has_written() -> None:
    report = check(history(LOST_ANSWER, call("b")), [])
    assert (report.unknown, report.clean) == (1, True)
    assert check(history(LOST_ANSWER, unknown("a")), []).unknown == 1


def test_a_request_that_a_policy_renamed_is_joined_by_its_new_name() -> None:
    lines = [
        call("a"),
        attempt("a", "r1", "t1", pool(3), pool(4)),
        answer("a", "r1", named="x9"),
        done("a", "updated", "x9"),
    ]
    assert check(history(lines), [commit("x9", "t1 t2", pool(3), pool(4))]).clean


def shared(*changes: tuple[str, Any, Any], end: Any = None) -> list[dict[str, Any]]:
    """Return calls that share one write, in the order of their changes."""
    lines = [call(op) for op, _, _ in changes]
    lines += [{**attempt(op, "r1", "t1", old, new), "place": n} for n, (op, old, new) in enumerate(changes)]
    lines += [answer(op, "r1") for op, _, _ in changes]
    return [*lines, *((end or done)(op, "updated", "r1") for op, _, _ in changes)]


THREE: Any = (("b", pool(3), pool(4)), ("a", pool(4), pool(5)), ("c", pool(5), pool(5, x="1")))


def test_calls_that_share_a_write_are_judged_by_all_their_changes_in_order() -> None:
    report = check(history(shared(*THREE)), [commit("r1", "t1 t2", pool(3), pool(5, x="1"))])
    assert (report.clean, report.attempts, report.operations) == (True, 1, 3)


def test_also_where_one_undoes_what_another_does() -> None:
    changes = (("a", pool(3), pool(4)), ("b", pool(4), pool(3)), ("c", pool(3), pool(3, x="1")))
    assert check(history(shared(*changes)), [commit("r1", "t1 t2", pool(3), pool(3, x="1"))]).clean


@pytest.mark.parametrize("after", [pool(4, x="1"), pool(5), pool(6, x="1")])
def test_where_one_of_the_changes_is_not_there_it_is_lost(after: Any) -> None:
    report = check(history(shared(*THREE)), [commit("r1", "t1 t2", pool(3), after)])
    assert kinds(report) == ["lost"]
    assert "update b, update a, update c was committed as" in str(report)


def test_their_changes_are_computed_in_their_order() -> None:
    def double(body: dict[str, Any]) -> None:
        body["properties"]["count"] *= 2

    def more(body: dict[str, Any]) -> None:
        body["properties"]["count"] += 1

    lines = list(history(shared(("b", pool(3), pool(4)), ("a", pool(4), pool(8)))))
    right = [commit("r1", "t1 t2", pool(3), pool(8))]
    assert check(lines, right, changes={"b": more, "a": double}).clean
    assert kinds(check(lines, right, changes={"b": double, "a": more})) == ["lost"]


def test_a_shared_write_is_a_commit_of_each_of_them() -> None:
    def refused(op: str, *_: str) -> dict[str, Any]:
        return failed(op, "PreconditionFailedError")

    report = check(history(shared(*THREE, end=refused)), [commit("r1", "t1 t2", pool(3), pool(5, x="1"))])
    assert kinds(report) == ["falsely failed"] * 3
    report = check(history(shared(*THREE)), [])
    assert kinds(report) == ["phantom"] * 3


def test_what_was_put_back_is_what_the_call_itself_had_changed() -> None:
    """Another part of the shared write still stands: that says nothing of this call."""
    again = [
        {**attempt("c", "r2", "t3", pool(5), pool(5, x="1"))},
        answer("c", "r2"),
    ]
    lines = shared(*THREE)
    log = [
        commit("r1", "t1 t2", pool(3), pool(5, x="1")),
        commit("", "t2 t3", pool(5, x="1"), pool(5), background=True),
        commit("r2", "t3 t4", pool(5), pool(5, x="1")),
    ]
    assert kinds(check(history(lines[:-3], again, lines[-3:]), log)) == ["re-asserted"]
    kept = [log[0], commit("r2", "t2 t3", pool(5, x="1"), pool(5, x="1"))]
    again[0] = {**attempt("c", "r2", "t2", pool(5, x="1"), pool(5, x="1"))}
    assert "doubled" in kinds(check(history(lines[:-3], again, lines[-3:]), kept))


def test_what_is_answered_after_a_call_has_gone_is_not_known_to_it() -> None:
    lines = [
        call("a"),
        attempt("a", "r1", "t1", pool(3), pool(4)),
        unknown("a", pending=True),
        answer("a", "r1", 412),
    ]
    assert check(history(lines), []).clean
    heard = [*lines[:2], lines[3], lines[2]]
    assert kinds(check(history(heard), [])) == ["needless unknown"]
