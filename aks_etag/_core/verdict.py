# SPDX-License-Identifier: MIT
"""What an answer means: one table of data, read from the top, first match wins;
what no line names is a refusal.

Decided by status and code; texts only where the service gives one code to two situations. Sources: the eTag article's
table, ARM's RPC contract, and the recorded errors under ``tests/data/wire``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final

from .messages import JSON, NoResponse, Outcome, Response


class Verdict(Enum):
    """What is to be done about an answer."""

    ACCEPTED = "accepted"
    STALE = "stale"  # another version is there: read again, change again
    BUSY = "busy"  # refused while somebody's operation runs: wait for it
    RACED = "raced"  # refused by a save race, and perhaps stored all the same
    THROTTLED = "throttled"
    ABSENT = "absent"
    UNSURE = "unsure"  # carried out or not: nobody said
    DENIED = "denied"
    REFUSED = "refused"
    NOT_SENT = "not sent"
    FATAL = "fatal"  # it cannot be sent at all: no token, no such endpoint


@dataclass(frozen=True, slots=True)
class ServiceError:
    """The error of an answer, whichever of the two shapes it came in; ``codes`` has those of the details, too."""

    code: str = ""
    subcode: str = ""
    message: str = ""
    codes: frozenset[str] = frozenset()


def service_error(body: JSON) -> ServiceError:
    """Read ``{"error": {...}}`` (ARM's gateway), the bare ``{"code", ...}`` of AKS, or a Kubernetes ``Status``.

    A ``Status`` has the HTTP status as its code, and what tells errors apart in ``reason``.
    """
    error = body.get("error", body) if isinstance(body, dict) else None
    if not isinstance(error, dict):
        return ServiceError()
    return ServiceError(
        code=_text(error.get("code")) or _text(error.get("reason")),
        subcode=_text(error.get("subcode")),
        message=_text(error.get("message")),
        codes=frozenset(_codes(error, depth=0)),
    )


def _text(value: JSON) -> str:
    return value if isinstance(value, str) else ""


def _codes(error: JSON, depth: int) -> Iterator[str]:
    if not isinstance(error, dict) or depth > 8:
        return
    yield _text(error.get("code")).casefold()
    details = error.get("details")
    for detail in details if isinstance(details, list) else []:
        yield from _codes(detail, depth + 1)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; an empty ``code`` or ``message`` matches any, ``statuses`` is an inclusive range."""

    statuses: tuple[int, int]
    verdict: Verdict
    code: str = ""
    message: str = ""

    def matches(self, status: int, error: ServiceError) -> bool:
        """Whether this line speaks of such an answer."""
        low, high = self.statuses
        return (
            low <= status <= high
            and (not self.code or re.fullmatch(self.code, error.code, re.IGNORECASE) is not None)
            and (not self.message or re.search(self.message, error.message, re.IGNORECASE) is not None)
        )


_RUNNING = r"in[ -]progress|since deletion was issued|provisioning ?state\s*\(\s*\w+ing\s*\)"
_ARM_RACE = "ConflictingConcurrentWriteNotAllowed|AnotherOperationInProgress|CanceledAndSupersededDueToAnotherOperation"
_NO_CODE = r"(?!.)"

WRITE_ROWS: Final = (
    Row((200, 299), Verdict.ACCEPTED),
    Row((412, 412), Verdict.STALE, "PreconditionFailed"),
    # A 412 without any code can only be HTTP's own meaning of 412.
    Row((412, 412), Verdict.STALE, _NO_CODE),
    Row((412, 412), Verdict.REFUSED),
    Row((409, 409), Verdict.RACED, "EtagMismatch"),
    Row((409, 409), Verdict.BUSY, "OperationNotAllowed", _RUNNING),
    Row((409, 409), Verdict.BUSY, _ARM_RACE),
    Row((429, 429), Verdict.THROTTLED),
    Row((404, 404), Verdict.ABSENT),
    Row((408, 408), Verdict.UNSURE),
    Row((500, 599), Verdict.UNSURE),
    Row((401, 401), Verdict.DENIED),
    Row((403, 403), Verdict.DENIED),
)

READ_ROWS: Final = (
    Row((200, 200), Verdict.ACCEPTED),
    Row((429, 429), Verdict.THROTTLED),
    Row((404, 404), Verdict.ABSENT),
    Row((408, 408), Verdict.UNSURE),
    Row((500, 599), Verdict.UNSURE),
    # Success without the document: a proxy's page or an empty body. Never taken for "nothing is there".
    Row((201, 299), Verdict.UNSURE),
    Row((401, 401), Verdict.DENIED),
    Row((403, 403), Verdict.DENIED),
)


# Where a write may have been sent twice, the answer may be to the second copy: these can be the first one's doing.
_OF_A_SECOND_COPY: Final = frozenset({404, 409, 412, 429})
# Whoever names an operation has accepted the write, whatever else is in the answer.
_LINKS: Final = ("azure-asyncoperation", "location")


def judge_write(outcome: Outcome) -> Verdict:
    """Say what the answer to a PUT, PATCH or DELETE means."""
    if isinstance(outcome, NoResponse):
        return Verdict.UNSURE if outcome.sent else _never_sent(outcome)
    verdict = _look_up(WRITE_ROWS, outcome)
    if outcome.status in _OF_A_SECOND_COPY and not outcome.sent_once:
        return Verdict.UNSURE
    return Verdict.UNSURE if verdict is Verdict.ACCEPTED and _by_a_stranger(outcome) else verdict


def _by_a_stranger(answer: Response) -> bool:
    """Whether an answer does not look like one of the service: a proxy may answer 200 with a page of its own."""
    unlike = answer.garbled or not isinstance(answer.body, dict | None)
    return unlike and answer.status != 204 and not any(name in answer.headers for name in _LINKS)


def judge_read(outcome: Outcome) -> Verdict:
    """Say what the answer to a GET of one document means."""
    if isinstance(outcome, NoResponse):
        return Verdict.UNSURE if outcome.sent and not outcome.final else _never_sent(outcome)
    verdict = _look_up(READ_ROWS, outcome)
    if verdict is Verdict.ACCEPTED and not isinstance(outcome.body, dict):
        return Verdict.UNSURE
    return verdict


def _never_sent(outcome: NoResponse) -> Verdict:
    return Verdict.FATAL if outcome.final else Verdict.NOT_SENT


def _look_up(rows: tuple[Row, ...], response: Response) -> Verdict:
    error = service_error(response.body)
    return next((row.verdict for row in rows if row.matches(response.status, error)), Verdict.REFUSED)
