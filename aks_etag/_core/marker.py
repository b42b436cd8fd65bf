# SPDX-License-Identifier: MIT
"""The marker of ``exactly_once``: a tag in the resource itself, in which each writer notes its last write.

``1.<epoch>;<writer>=<nonce>;...``: at most 17 writers, the one that wrote last at the end, so that it fits into the 256
characters of a tag's value. A nonce is of one attempt and never used again. Where a slot has to go for another one, the
epoch grows: as long as it has not, a slot that is not there never was.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

SLOTS: Final = 17
LENGTH: Final = 6
_SLOT: Final = rf";[a-z2-7]{{{LENGTH}}}=[a-z2-7]{{{LENGTH}}}"
_TEXT: Final = re.compile(rf"1\.(?P<epoch>\d{{1,10}})(?P<slots>(?:{_SLOT}){{0,{SLOTS}}})")


@dataclass(frozen=True, slots=True)
class Registry:
    """What the tag says: the last nonce of each writer, oldest write first."""

    epoch: int
    slots: tuple[tuple[str, str], ...] = ()

    @property
    def writers(self) -> frozenset[str]:
        """Who has a slot."""
        return frozenset(writer for writer, _ in self.slots)

    def nonce(self, writer: str) -> str | None:
        """Return what a writer noted last, ``None`` where it has no slot."""
        return dict(self.slots).get(writer)

    def noted(self, writer: str, nonce: str) -> Registry:
        """Return what it says after a write; the writer that has not written for longest may lose its slot."""
        others = tuple(slot for slot in self.slots if slot[0] != writer)
        kept = others[-(SLOTS - 1) :]
        return Registry(self.epoch + (len(kept) < len(others)), (*kept, (writer, nonce)))

    def __str__(self) -> str:
        return ";".join([f"1.{self.epoch}", *(f"{writer}={nonce}" for writer, nonce in self.slots)])


def registry(text: object) -> Registry | None:
    """Read the tag; ``None`` where it is absent or of a form that is not known here."""
    found = _TEXT.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        return None
    slots = tuple((slot[:LENGTH], slot[LENGTH + 1 :]) for slot in found["slots"].split(";")[1:])
    known = Registry(int(found["epoch"]), slots)
    return known if len(known.writers) == len(slots) else None


def nonce_of(request_id: str) -> str:
    """Return the nonce of the attempt that is sent with a request id: new for each, as the id is."""
    return base64.b32encode(_hash(request_id)).decode().lower()[:LENGTH]


def founded(request_id: str) -> Registry:
    """Return the registry that a first write begins; its epoch is drawn, to tell it from one that was lost."""
    return Registry(int.from_bytes(_hash(request_id)[-4:], "big") % 10**9)


def _hash(request_id: str) -> bytes:
    return hashlib.sha256(request_id.encode()).digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """What one attempt noted: who, which nonce, and the tag as it was in the body the attempt was made from."""

    writer: str
    nonce: str
    before: str | None


class Trace(Enum):
    """What the tag says of attempts in doubt."""

    LANDED = "landed"
    DEAD = "dead"
    PENDING = "pending"  # the version has not moved: they can still land
    UNKNOWN = "unknown"


def trace(marks: Sequence[Mark], text: str | None, *, fenced: bool) -> Trace:
    """Judge attempts of one writer by the tag that is there now; the first match wins.

    All of them were made from one version; ``fenced``: another one is there, so that none of them can land any more.
    """
    now, before = registry(text), registry(marks[0].before)
    writer = marks[0].writer
    slot = None if now is None else now.nonce(writer)
    if slot is not None and slot in {mark.nonce for mark in marks}:
        return Trace.LANDED
    if text == marks[0].before and not fenced:
        return Trace.PENDING
    if now is None or before is None or slot != before.nonce(writer) or (slot is None and now.epoch != before.epoch):
        return Trace.UNKNOWN
    return Trace.DEAD if fenced else Trace.PENDING
