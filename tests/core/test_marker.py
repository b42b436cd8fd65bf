# SPDX-License-Identifier: MIT
"""The marker: its text, who loses a slot, and what it says of attempts in doubt; one test per row."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aks_etag._core.marker import SLOTS, Mark, Registry, Trace, founded, nonce_of, registry, trace

ME, OTHER = "aaaaaa", "bbbbbb"
WORD = st.text("abcdefghijklmnopqrstuvwxyz234567", min_size=6, max_size=6)
REGISTRIES = st.builds(
    lambda epoch, slots: Registry(epoch, tuple(slots.items())),
    st.integers(0, 10**10 - 1),
    st.dictionaries(WORD, WORD, max_size=SLOTS),
)


@given(REGISTRIES)
def test_what_is_written_is_read_and_fits_into_a_tag(known: Registry) -> None:
    assert registry(str(known)) == known
    assert len(str(known)) <= 256


@pytest.mark.parametrize(
    "text",
    [
        None, 7, "", "1", "1.", "1.x", "2.1;aaaaaa=cccccc", "1.1;", "1.1;aaaaaa", "1.1;aaaaaa=", "1.1;aaaaaa=ccccc",
        "1.1;AAAAAA=cccccc", "1.1;aaaaa1=cccccc", " 1.1", "1.1\n", "1.12345678901",
        "1.1;aaaaaa=cccccc;aaaaaa=dddddd", "1.1" + ";aaaaaa=cccccc" * 18,
    ],
)  # fmt: skip
def test_what_nobody_of_us_wrote_is_not_read(text: object) -> None:
    assert registry(text) is None


def test_a_writer_moves_to_the_end_and_nobody_is_lost_before_there_is_no_room() -> None:
    known = Registry(5).noted(ME, "cccccc").noted(OTHER, "dddddd").noted(ME, "eeeeee")
    assert known == Registry(5, ((OTHER, "dddddd"), (ME, "eeeeee")))
    assert (known.nonce(ME), known.nonce("zzzzzz"), known.writers) == ("eeeeee", None, {ME, OTHER})


def test_the_slot_that_was_not_written_for_longest_goes_and_the_epoch_tells() -> None:
    known = Registry(5)
    for number in range(SLOTS):
        known = known.noted(f"aaaaa{'abcdefghijklmnopq'[number]}", "cccccc")
    known = known.noted("aaaaaa", "dddddd")
    assert (len(known.slots), known.epoch) == (SLOTS, 5)
    known = known.noted("zzzzzz", "eeeeee")
    assert (len(known.slots), known.epoch) == (SLOTS, 6)
    assert known.nonce("aaaaab") is None
    assert known.nonce("aaaaaa") == "dddddd"


@given(st.text(), st.text())
def test_a_nonce_is_of_one_request_and_has_the_form(one: str, two: str) -> None:
    assert registry(str(Registry(1, ((ME, nonce_of(one)),)))) is not None
    assert (nonce_of(one) == nonce_of(two)) == (one == two)


def test_a_registry_begins_with_an_epoch_of_its_own() -> None:
    assert founded("r1").slots == ()
    assert founded("r1").epoch != founded("r2").epoch
    assert registry(str(founded("r1"))) == founded("r1")


EMPTY = Registry(5)


def mark(nonce: str = "cccccc", before: Registry | None = EMPTY) -> Mark:
    return Mark(writer=ME, nonce=nonce, before=None if before is None else str(before))


def found(now: Registry | str | None, *marks: Mark, fenced: bool = True) -> Trace:
    return trace(marks or [mark()], None if now is None else str(now), fenced=fenced)


OLD = Registry(5, ((ME, "vvvvvv"), (OTHER, "dddddd")))


@pytest.mark.parametrize("fenced", [True, False])
def test_our_slot_holds_the_nonce_of_an_attempt_so_that_one_has_landed(fenced: bool) -> None:
    landed = Registry(5, ((OTHER, "dddddd"), (ME, "cccccc")))
    assert found(landed, fenced=fenced) is Trace.LANDED
    assert found(landed, mark("xxxxxx"), mark("cccccc"), fenced=fenced) is Trace.LANDED
    assert found(landed, mark(before=None), fenced=fenced) is Trace.LANDED
    assert found(Registry(9, landed.slots), mark(before=OLD), fenced=fenced) is Trace.LANDED


def test_our_slot_holds_what_it_held_before_so_that_none_has_landed() -> None:
    assert found(OLD, mark(before=OLD)) is Trace.DEAD
    assert found(Registry(6, ((ME, "vvvvvv"), ("zzzzzz", "eeeeee"))), mark(before=OLD)) is Trace.DEAD


def test_our_slot_was_never_there_and_none_was_taken_away() -> None:
    assert found(Registry(5, ((OTHER, "dddddd"),)), mark(before=Registry(5))) is Trace.DEAD


@pytest.mark.parametrize(
    ("now", "before"),
    [
        pytest.param(None, Registry(5), id="the registry is gone"),
        pytest.param("something else", Registry(5), id="it is not read"),
        pytest.param(Registry(5), None, id="there was none before"),
        pytest.param(None, None, id="there never was any"),
        pytest.param(Registry(6, ((OTHER, "dddddd"),)), Registry(5), id="somebody lost a slot"),
        pytest.param(Registry(5, ((OTHER, "dddddd"),)), OLD, id="we lost ours"),
        pytest.param(Registry(5, ((ME, "yyyyyy"),)), OLD, id="somebody wrote under our id"),
        pytest.param(Registry(5, ((ME, "yyyyyy"),)), Registry(5), id="somebody took our id"),
    ],
)
def test_anything_else_is_unknown(now: Registry | str | None, before: Registry | None) -> None:
    assert found(now, mark(before=before)) is Trace.UNKNOWN


@pytest.mark.parametrize(
    ("now", "before"),
    [(OLD, OLD), (Registry(6, ((ME, "vvvvvv"),)), OLD), (Registry(5), Registry(5)), (None, None), ("odd", None)],
)
def test_what_can_still_land_is_not_dead(now: Registry | str | None, before: Registry | None) -> None:
    told = Mark(writer=ME, nonce="cccccc", before=None if before is None else str(before))
    if now == "odd":
        told = Mark(writer=ME, nonce="cccccc", before="odd")
    assert found(now, told, fenced=False) is Trace.PENDING


@pytest.mark.parametrize("now", [None, Registry(5), Registry(9), Registry(5, ((ME, "yyyyyy"),))])
def test_a_note_that_moved_under_the_same_version_may_have_been_ours(now: Registry | None) -> None:
    assert found(now, mark(before=OLD), fenced=False) is Trace.UNKNOWN
