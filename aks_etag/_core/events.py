# SPDX-License-Identifier: MIT
"""What ``on_event`` is told: typed, frozen, without bodies, tokens or signed URLs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened while ``resource_id`` was being read or written."""

    resource_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict(Event):
    """Somebody else wrote first: ``sent`` is the eTag that was refused, ``attempt`` counts from 1."""

    attempt: int
    sent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting(Event):
    """About to wait ``seconds`` for ``what``; ``operation`` is the id of the operation awaited, if known."""

    what: str
    seconds: float
    operation: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Busy(Event):
    """A write was refused because an operation is in progress, of which ``kind``, ``pool``, ``operation`` (its id) and
    ``since`` (its start) say what the service told. ``ours``: it is one that this very call has started.
    """

    code: str
    since: str | None = None
    kind: str | None = None
    pool: str | None = None
    operation: str | None = None
    ours: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrying(Event):
    """Going round again: ``attempt`` is the number of the next write, ``reason`` why."""

    attempt: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationProgress(Event):
    """A poll of our own operation answered ``status``; ``elapsed`` is in seconds since the first poll."""

    operation: str
    status: str
    elapsed: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Throttled(Event):
    """The service asks for ``retry_after`` seconds of silence."""

    retry_after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt(Event):
    """A write got no answer that says whether it was carried out; ``reason`` says what came instead."""

    request_id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered(Event):
    """The outcome of writes in doubt was found out; ``how`` names the evidence."""

    how: str
    request_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeUnknown(Event):
    """It could not be found out whether these writes were, or will be, carried out."""

    request_ids: tuple[str, ...]
    pending: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned(Event):
    """An API server sent a ``Warning`` header: a deprecated version, an unknown field."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotFenced(Event):
    """A write was carried out and the eTag did not move: other writers cannot notice it by the eTag."""

    etag: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fighting(Event):
    """``field`` was taken from the same field manager again: ``times`` counts how often, so one of them should stop."""

    field: str
    manager: str
    times: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Flapping(Event):
    """The value at ``path`` goes to and fro between ``values`` values, not told which; it flipped ``flips`` times."""

    path: str
    values: int
    flips: int
