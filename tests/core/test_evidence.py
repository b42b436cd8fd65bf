# SPDX-License-Identifier: MIT
"""The table that decides after doubt, one test per row; the rows about absence and identity are the loop's."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag._core.evidence import Attempt, Finding, OnDoubt, weigh

X, D = {"n": 3, "k": "a"}, {"n": 5, "k": "a"}
PATHS = (("n",),)


def attempt(
    number: int = 1, *, after: Any = D, paths: Any = PATHS, before: Any = X, preempted: bool = False
) -> Attempt:
    return Attempt(request_id=f"r{number}", tag="T", before=before, after=after, paths=paths, preempted=preempted)


def found(
    now: Any,
    tag: str = "U",
    *,
    attempts: Any = None,
    holds: bool = False,
    idempotent: bool = True,
    on_doubt: OnDoubt = "untouched",
) -> Finding:
    return weigh(
        attempts or [attempt()], tag=tag, now=now, holds=holds, idempotent=lambda: idempotent, on_doubt=on_doubt
    )


CHOICES: list[OnDoubt] = ["untouched", "reapply", "raise"]


@pytest.mark.parametrize("on_doubt", CHOICES)
@pytest.mark.parametrize("holds", [False, True])
@pytest.mark.parametrize("idempotent", [False, True])
def test_the_tag_and_the_document_unmoved_means_not_yet(on_doubt: OnDoubt, holds: bool, idempotent: bool) -> None:
    assert found(dict(X), "T", holds=holds, idempotent=idempotent, on_doubt=on_doubt) is Finding.UNMOVED


def test_the_same_tag_over_another_document_counts_as_moved() -> None:
    assert found({**X, "k": "b"}, "T") is Finding.GO_ROUND
    assert found({**X, "n": 7}, "T") is Finding.UNKNOWN


def test_another_tag_over_the_same_document_counts_as_moved() -> None:
    assert found(dict(X), "U") is Finding.GO_ROUND


@pytest.mark.parametrize("on_doubt", CHOICES)
@pytest.mark.parametrize("idempotent", [False, True])
def test_what_was_asked_for_is_there_and_nothing_is_left_to_do(on_doubt: OnDoubt, idempotent: bool) -> None:
    assert found({**D, "k": "b"}, holds=True, idempotent=idempotent, on_doubt=on_doubt) is Finding.APPLIED


@pytest.mark.parametrize("on_doubt", CHOICES)
@pytest.mark.parametrize("now", [{**X, "n": 8}, dict(X), {"k": "a"}])
def test_nothing_is_left_to_do_but_not_by_us(on_doubt: OnDoubt, now: Any) -> None:
    assert found(now, holds=True, on_doubt=on_doubt) is Finding.SATISFIED


def test_an_untouched_place_and_an_idempotent_change_go_round() -> None:
    assert found({**X, "k": "b"}) is Finding.GO_ROUND


@pytest.mark.parametrize("now", [X, {**X, "n": 7}, D])
def test_reapply_goes_round_whatever_is_there(now: Any) -> None:
    assert found(now, on_doubt="reapply") is Finding.GO_ROUND


@pytest.mark.parametrize(
    ("now", "idempotent", "on_doubt"),
    [
        pytest.param({**X, "n": 7}, True, "untouched", id="a-touched-place"),
        pytest.param(D, True, "untouched", id="there-but-not-the-whole-change"),
        pytest.param({"k": "a"}, True, "untouched", id="the-place-is-gone"),
        pytest.param(X, False, "untouched", id="not-idempotent"),
        pytest.param(X, False, "reapply", id="not-idempotent-reapply"),
        pytest.param(X, True, "raise", id="told-to-raise"),
        pytest.param({**X, "n": 7}, True, "raise", id="told-to-raise-touched"),
    ],
)
def test_otherwise_nobody_knows(now: Any, idempotent: bool, on_doubt: OnDoubt) -> None:
    assert found(now, idempotent=idempotent, on_doubt=on_doubt) is Finding.UNKNOWN


def test_one_of_several_attempts_is_enough_to_have_landed() -> None:
    other = attempt(2, after={"n": 6, "k": "a"})
    assert found({"n": 6, "k": "z"}, attempts=[attempt(), other], holds=True) is Finding.APPLIED


def test_all_of_several_attempts_must_be_untouched() -> None:
    other = attempt(2, before={"n": 4, "k": "a"}, after={"n": 6, "k": "a"})
    assert found(X, attempts=[attempt(), other]) is Finding.UNKNOWN
    wider = attempt(2, after={"n": 5, "k": "b"}, paths=(("n",), ("k",)))
    assert found({**X, "k": "z"}, attempts=[attempt(), wider]) is Finding.UNKNOWN


def test_a_preempted_attempt_is_weighed_like_any_other() -> None:
    assert found(X, "T", attempts=[attempt(preempted=True)]) is Finding.UNMOVED
    assert found(X, attempts=[attempt(preempted=True)], idempotent=False) is Finding.UNKNOWN


@pytest.mark.parametrize(
    ("now", "tag", "holds", "on_doubt"),
    [
        (X, "T", False, "untouched"),
        (D, "U", True, "untouched"),
        (X, "U", False, "raise"),
        ({"n": 7}, "U", False, "untouched"),
    ],
)
def test_idempotence_is_asked_only_where_it_matters(now: Any, tag: str, holds: bool, on_doubt: OnDoubt) -> None:
    asked: list[bool] = []

    def idempotent() -> bool:
        asked.append(True)
        return True

    weigh([attempt()], tag=tag, now=now, holds=holds, idempotent=idempotent, on_doubt=on_doubt)
    assert asked == []
