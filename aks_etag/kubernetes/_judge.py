# SPDX-License-Identifier: MIT
"""What an answer of an API server means. Decided by status, ``reason`` and ``details``, never by message text.

Six refusals look like "conflict" and are not the same; the table of the facts page, as data.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .._core.messages import JSON, NoResponse, Outcome, Response
from .._core.verdict import Row, ServiceError, Verdict, judge_read, service_error

ROWS: Final = (
    Row((200, 299), Verdict.ACCEPTED),
    Row((409, 409), Verdict.STALE, "AlreadyExists"),
    Row((409, 409), Verdict.STALE, "Conflict"),
    Row((429, 429), Verdict.THROTTLED),
    Row((404, 404), Verdict.ABSENT),
    Row((408, 408), Verdict.UNSURE),
    Row((500, 599), Verdict.UNSURE),
    Row((401, 401), Verdict.DENIED),
    Row((403, 403), Verdict.DENIED),
)


def judge(outcome: Outcome, name: str) -> Verdict:
    """Say what the answer to a write of the object with this name means."""
    if isinstance(outcome, NoResponse):
        if outcome.sent:
            return Verdict.UNSURE
        return Verdict.FATAL if outcome.final else Verdict.NOT_SENT
    error = service_error(outcome.body)
    verdict = next((row.verdict for row in ROWS if row.matches(outcome.status, error)), Verdict.REFUSED)
    if verdict is Verdict.ACCEPTED and not isinstance(outcome.body, Mapping):
        # The page of a proxy: an API server answers a write with an object.
        return Verdict.UNSURE
    return _conflict(outcome, error, name) if verdict is Verdict.STALE else verdict


def _conflict(answer: Response, error: ServiceError, name: str) -> Verdict:
    """Tell apart what is called Conflict: another version, another owner of a field, another object."""
    if field_conflicts(answer.body):
        return Verdict.REFUSED
    named = _details(answer.body).get("name")
    if error.code == "Conflict" and isinstance(named, str) and named != name:
        # A quota of the namespace lost a race of its own: the same write may go through a moment later.
        return Verdict.BUSY
    return Verdict.STALE


def field_conflicts(body: JSON) -> tuple[tuple[str, str], ...]:
    """List the fields that somebody else owns, as pairs of path and manager, in the order of the answer."""
    causes = _details(body).get("causes")
    return tuple(
        (str(cause.get("field", "")), _manager(str(cause.get("message", ""))))
        for cause in (causes if isinstance(causes, list) else [])
        if isinstance(cause, Mapping) and cause.get("reason") == "FieldManagerConflict"
    )


def _manager(message: str) -> str:
    """Take the manager's name out of its quotes: it stands nowhere else in the answer."""
    return message.split('"')[1] if message.count('"') >= 2 else message


def _details(body: JSON) -> Mapping[str, Any]:
    details = body.get("details") if isinstance(body, Mapping) else None
    return details if isinstance(details, Mapping) else {}


def judge_object_read(outcome: Outcome) -> Verdict:
    """Say what the answer to a GET of objects means: a 500 without a reason is for good (facts page, section 2).

    The one exception can be told by its text only: a conversion webhook that is down may come up again.
    """
    verdict = judge_read(outcome)
    if verdict is not Verdict.UNSURE or not isinstance(outcome, Response) or outcome.status != 500:
        return verdict
    error = service_error(outcome.body)
    is_status = isinstance(outcome.body, dict) and outcome.body.get("kind") == "Status"
    in_conversion = "conversion webhook" in error.message and "failed" in error.message
    return Verdict.REFUSED if is_status and not error.code and not in_conversion else verdict
