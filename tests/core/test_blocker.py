# SPDX-License-Identifier: MIT
"""Who blocks, as far as the known texts tell; the first three are recorded, the others were published."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aks_etag._core.blocker import Blocker, blocker

WIRE = Path(__file__).parent.parent / "data" / "wire"
ID = "e375d315-218c-4dff-b806-7ab63b0bb63a"
WAIT = "please wait for it to finish before starting a new operation. See https://aka.ms/aks-pending-operation"


def recorded(name: str) -> str:
    body = json.loads((WIRE / f"{name}.json").read_text("utf-8"))["body"]
    return str(body["message"])


TEXTS = [
    (recorded("error_409_operation_not_allowed_pool"), Blocker("Creating", "np2")),
    (recorded("error_409_operation_not_allowed_deleting"), Blocker("Deleting", "np2", None, "2024-01-09T04:29:12Z")),
    (recorded("error_409_etag_mismatch"), Blocker()),
    (f"Operation is not allowed: Another operation (Updating) is in progress, {WAIT}", Blocker("Updating")),
    (
        f"Operation is not allowed: Another operation (nodepool1 - Updating) is in progress, {WAIT}",
        Blocker("Updating", "nodepool1"),
    ),
    (
        "Operation is not allowed because there's an in progress update managed cluster operation (operation ID: "
        f"{ID}) on the managed cluster started on UTC 2026-05-22T07:19:23Z. Please wait for it to finish before "
        "starting a new operation. You can also use 'az aks operation-abort ...' to abort the ongoing operation.",
        Blocker("update managed cluster", None, ID, "2026-05-22T07:19:23Z"),
    ),
    (
        f"there's an in progress put agent pool operation (operation ID: {ID}) on the agent pool np2 started on UTC "
        "2026-05-22T07:19:23.25Z. Please wait",
        Blocker("put agent pool", "np2", ID, "2026-05-22T07:19:23.25Z"),
    ),
    (
        f"there's an in progress put agent pool operation (operation ID: {ID}) on the agent pool started on UTC "
        "2026-05-22T07:19:23Z",
        Blocker("put agent pool", None, ID, "2026-05-22T07:19:23Z"),
    ),
    (
        f"an in progress upgrade operation (operation ID: {ID}) on the agent pool is blocking",
        Blocker("upgrade", None, ID),
    ),
    (
        f"an in progress upgrade operation (operation ID: {ID}) on the agent pool 'Np_2' is blocking",
        Blocker("upgrade", "Np_2", ID),
    ),
    (f"there is an in-progress upgrade operation (operation ID: {ID})", Blocker("upgrade", None, ID)),
    ("There is an in-progress upgrade", Blocker("upgrade")),
    ("Provisioning State(Updating) of the cluster", Blocker("Updating")),
    ("Unable to perform 'x' operation on 'aks1' since deletion was issued on 'aks1'", Blocker("Deleting", "aks1")),
    ("Something is going on, started at '2026-01-01T00:00:00Z'", Blocker(since="2026-01-01T00:00:00Z")),
    ("Something that nobody has ever written", Blocker()),
    ("", Blocker()),
]


@pytest.mark.parametrize(("text", "found"), TEXTS)
def test_a_text_says_who_blocks(text: str, found: Blocker) -> None:
    assert blocker(text) == found
    assert blocker(text.upper().replace("T07", "T07")) is not None


@pytest.mark.parametrize("part", ["in progress ", "in progress a ", "started at '", "another operation (a - ", "'"])
def test_a_text_of_any_length_is_read_up_to_a_length(part: str) -> None:
    assert isinstance(blocker(part * 100_000), Blocker)
    assert blocker(" " * 5000 + "Another operation (Updating) is in progress") == Blocker()


@given(st.text())
def test_no_text_is_too_odd(text: str) -> None:
    assert isinstance(blocker(text), Blocker)


@given(st.sampled_from([text for text, _ in TEXTS]), st.integers(0, 200), st.integers(0, 200))
def test_a_text_that_is_cut_off_is_no_trouble(text: str, start: int, length: int) -> None:
    assert isinstance(blocker(text[start : start + length]), Blocker)


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (Blocker(), "the operation in progress"),
        (Blocker("Creating", "np2"), "the operation in progress (Creating) on np2"),
        (
            Blocker("Updating", None, "o1", "2026-01-01T00:00:00Z"),
            "the operation in progress (Updating), operation o1, since 2026-01-01T00:00:00Z",
        ),
    ],
)
def test_a_blocker_reads_well(one: Blocker, words: str) -> None:
    assert str(one) == words
