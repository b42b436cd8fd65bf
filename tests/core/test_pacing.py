# SPDX-License-Identifier: MIT
"""How long to wait: time and chance are arguments."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aks_etag._core.pacing import (
    READ_PATIENCE,
    SHORTEST_PAUSE,
    SHORTEST_SILENCE,
    WRITE_PATIENCE,
    ConflictRetry,
    backoff,
    check_seconds,
    poll_interval,
    retry_after,
    spread,
)

NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)


def http_date(seconds: float) -> str:
    return format_datetime(NOW + timedelta(seconds=seconds), usegmt=True)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        pytest.param("36", 36.0, id="seconds"),
        pytest.param(" 36 ", 36.0, id="blanks"),
        pytest.param("0", 0.0, id="zero"),
        pytest.param("1.5", 1.5, id="fraction"),
        pytest.param("-5", 0.0, id="negative"),
        pytest.param("nan", None, id="nan"),
        pytest.param("inf", None, id="inf"),
        pytest.param("1e999", None, id="overflow"),
        pytest.param("", None, id="empty"),
        pytest.param("   ", None, id="blank"),
        pytest.param("soon", None, id="word"),
        pytest.param("12:00", None, id="half-a-date"),
        pytest.param(http_date(90), 90.0, id="date"),
        pytest.param(http_date(-90), 0.0, id="date-gone-by"),
        pytest.param("Thursday, 01-Jan-26 12:00:30 GMT", 30.0, id="rfc-850"),
        pytest.param("Thu, 01 Jan 2026 13:00:30 +0100", 30.0, id="zone"),
        pytest.param("Thu, 01 Jan 2026 12:00:30", 30.0, id="no-zone-is-utc"),
        pytest.param("Thu, 01 Jan 2026 12:00:30 -0000", 30.0, id="unknown-zone-is-utc"),
        pytest.param("Thu, 99 Jan 2026 12:00:30 GMT", None, id="no-such-day"),
    ],
)
def test_a_retry_after_is_seconds_or_a_date(text: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": text}, now=NOW.timestamp()) == seconds


@pytest.mark.parametrize("text", ["Thu, 01 Jan 99999999999999999999 12:00:30 GMT", f"1 Jan 2026 12:00:30 +{10**20}"])
def test_a_date_out_of_range_asks_for_nothing(text: str) -> None:
    assert retry_after({"retry-after": text}, now=NOW.timestamp()) is None


def test_no_header_asks_for_nothing() -> None:
    assert retry_after({}, now=0.0) is None


@given(st.text(max_size=40))
def test_no_retry_after_is_too_odd(text: str) -> None:
    seconds = retry_after({"retry-after": text}, now=NOW.timestamp())
    assert seconds is None or 0.0 <= seconds < float("inf")


@pytest.mark.parametrize(
    ("failures", "jitter", "seconds"),
    [(1, 0.0, 0.5), (1, 1.0, 1.0), (2, 1.0, 2.0), (3, 0.5, 3.0), (6, 1.0, 32.0), (7, 1.0, 60.0), (10_000, 1.0, 60.0)],
)
def test_a_backoff_doubles_up_to_its_ceiling(failures: int, jitter: float, seconds: float) -> None:
    assert backoff(failures, jitter=jitter) == seconds


@given(st.integers(1, 1000), st.floats(0, 1), st.floats(0, 1000))
def test_a_backoff_keeps_half_of_itself_and_its_ceiling(failures: int, jitter: float, ceiling: float) -> None:
    full = backoff(failures, jitter=1.0, ceiling=ceiling)
    assert full / 2 <= backoff(failures, jitter=jitter, ceiling=ceiling) <= full <= max(ceiling, 0.01)


@pytest.mark.parametrize(
    ("ceiling", "jitter", "seconds"),
    [(0.0, 1.0, 0.01), (0.0, 0.0, 0.005), (0.001, 1.0, 0.01), (0.01, 1.0, 0.01), (0.02, 1.0, 0.02)],
)
@pytest.mark.parametrize("failures", [1, 2, 10_000])
def test_no_ceiling_is_so_low_that_a_backoff_is_none(
    failures: int, ceiling: float, jitter: float, seconds: float
) -> None:
    assert backoff(failures, jitter=jitter, ceiling=ceiling) == seconds


def test_the_shortest_pauses_are_known() -> None:
    assert (SHORTEST_PAUSE, SHORTEST_SILENCE, READ_PATIENCE, WRITE_PATIENCE) == (0.01, 1.0, 1.0, 30.0)


@pytest.mark.parametrize(
    ("polls", "ceiling", "seconds"),
    [
        (0, 30.0, 1.0),
        (1, 30.0, 1.5),
        (2, 30.0, 2.25),
        (9, 30.0, 30.0),
        (10**6, 30.0, 30.0),
        (0, 0.0, 0.01),
        (10**6, 0.0, 0.01),
        (0, 0.009, 0.01),
        (0, 0.5, 0.5),
    ],
)
def test_polls_grow_by_half_up_to_their_ceiling(polls: int, ceiling: float, seconds: float) -> None:
    assert poll_interval(polls, ceiling=ceiling) == seconds


@pytest.mark.parametrize(("jitter", "seconds"), [(0.0, 0.75), (0.5, 1.125), (1.0, 1.5)])
def test_half_of_a_poll_is_random_where_others_wait_for_the_same_thing(jitter: float, seconds: float) -> None:
    assert poll_interval(1, ceiling=30.0, jitter=jitter) == seconds


@pytest.mark.parametrize(
    ("length", "losses", "left", "jitter", "seconds"),
    [
        pytest.param(0.0, 3, 1800.0, 1.0, 0.0, id="no-operation"),
        pytest.param(2.0, 1, 1800.0, 1.0, 20.0, id="ten-operations"),
        pytest.param(2.0, 1, 1800.0, 0.25, 5.0, id="a-random-part"),
        pytest.param(2.0, 1, 1800.0, 0.0, 0.0, id="at-once"),
        pytest.param(6.0, 1, 1800.0, 1.0, 60.0, id="a-minute"),
        pytest.param(600.0, 1, 1800.0, 1.0, 60.0, id="no-more-than-a-minute"),
        pytest.param(2.0, 2, 1800.0, 1.0, 40.0, id="twice"),
        pytest.param(2.0, 3, 1800.0, 1.0, 80.0, id="four-times"),
        pytest.param(2.0, 10_000, 1800.0, 1.0, 80.0, id="no-more-than-four-times"),
        pytest.param(120.0, 9, 1800.0, 0.5, 120.0, id="long-and-often"),
        pytest.param(120.0, 1, 30.0, 1.0, 15.0, id="half-of-what-is-left"),
        pytest.param(120.0, 1, 30.0, 0.5, 7.5, id="a-part-of-that"),
        pytest.param(120.0, 1, -1.0, 1.0, 0.0, id="too-late"),
    ],
)
def test_a_pause_for_others_is_as_long_as_it_takes_to_keep_them_apart(
    length: float, losses: int, left: float, jitter: float, seconds: float
) -> None:
    assert spread(length, losses, ceiling=30.0, left=left, jitter=jitter) == seconds
    assert spread(length, losses, ceiling=0.0, left=left, jitter=jitter) == 0.0


@pytest.mark.parametrize("attempts", [0, -1, True, 1.0, "3", None, float("inf")])
def test_attempts_are_a_whole_number(attempts: Any) -> None:
    with pytest.raises(ValueError, match="attempts="):
        ConflictRetry(attempts=attempts)


@pytest.mark.parametrize("deadline", [-1, True, "3", None, float("nan")])
def test_a_deadline_is_a_number_of_seconds(deadline: Any) -> None:
    with pytest.raises(ValueError, match="deadline="):
        ConflictRetry(deadline=deadline)


@pytest.mark.parametrize("seconds", [0, 1, 2.5, float("inf")])
def test_seconds_may_be_any_number(seconds: float) -> None:
    assert (check_seconds("deadline", seconds), ConflictRetry(deadline=seconds).deadline) == (seconds, seconds)


def test_a_typo_is_an_error() -> None:
    with pytest.raises(TypeError):
        ConflictRetry(attempt=3)  # type: ignore[call-arg]
