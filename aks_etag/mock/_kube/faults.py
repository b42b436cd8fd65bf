# SPDX-License-Identifier: MIT
"""Faults aimed at requests: what the client gets in place of the real answer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from aks_etag.mock._core.answers import MISSING, Answer, merge_headers
from aks_etag.mock._core.faults import Aim
from aks_etag.mock._kube.refusals import PLAIN, USUAL_HEADERS, failure, json_answer, plain_answer

Phase: TypeAlias = Literal["before", "after", "late"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What happens to a request that is hit; ``effect`` is "reset", a status, or the name of a recorded answer."""

    aim: Aim
    phase: Phase
    effect: str | int
    headers: Mapping[str, str] | None
    body: Any

    @property
    def name(self) -> str:
        """The fault in words, as the journal shows it."""
        return f"fault {self.phase}: {self.effect}"

    def answer(self) -> Answer:
        """Build the answer that takes the place of the real one."""
        usual = _by_status(self.effect) if isinstance(self.effect, int) else RECORDED[self.effect]()
        if self.body is not MISSING:
            usual = json_answer(usual.status, self.body, row=self.name)
        headers = merge_headers(usual.headers, self.headers)
        return Answer(status=usual.status, row=usual.row, headers=headers, body=usual.body)


class Faults:
    """All faults of one mock; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._faults: list[Fault] = []

    def add(self, fault: Fault) -> None:
        """Aim a fault at requests to come."""
        if isinstance(fault.effect, str) and fault.effect != "reset" and fault.effect not in RECORDED:
            raise ValueError(f"no recorded answer is called {fault.effect}; there are {', '.join(sorted(RECORDED))}")
        with self._lock:
            self._faults.append(fault)

    def draw(self, method: str, path: str) -> Fault | None:
        """Count a request; return the fault that hits it, the earliest phase first."""
        with self._lock:
            # Every fault counts every request, also those that another one hits.
            hit = [fault for fault in self._faults if fault.aim.hits(method, path)]
        return min(hit, key=lambda fault: fault.phase == "after", default=None)


def too_large() -> Answer:
    """Refuse a body beyond the limit."""
    said = "Request entity too large: limit is 3145728"
    return failure(413, "RequestEntityTooLarge", said, headers={"Connection": "close"})


def timed_out() -> Answer:
    """Give up after the client's own timeout: a Status without kind, and JSON under text/plain (recorded)."""
    said = "Timeout: request did not complete within the allotted timeout"
    body = {"metadata": {}, "status": "Failure", "message": said, "reason": "Timeout", "details": {}, "code": 504}
    usual = json_answer(504, body, row="Timeout")
    return Answer(status=504, row="Timeout", headers={**USUAL_HEADERS, "Content-Type": PLAIN}, body=usual.body)


def unauthorized() -> Answer:
    """Refuse a token."""
    return failure(401, "Unauthorized", "Unauthorized")


def _throttled() -> Answer:
    return plain_answer(429, "Too many requests, please try again later.\n", headers={"Retry-After": "1"})


def _webhook_late() -> Answer:
    said = "failed calling webhook: context deadline exceeded"
    found = {"causes": [{"message": said}]}
    return failure(500, "InternalError", f"Internal error occurred: {said}", details=found)


def _conversion_down() -> Answer:
    return failure(500, "", "conversion webhook failed: connection refused")


def _quota() -> Answer:
    # KUBERNETES.md section 2: it names another object than the one that was written.
    said = 'Operation cannot be fulfilled on resourcequotas "quota": the object has been modified'
    return failure(409, "Conflict", said, details={"name": "quota", "kind": "resourcequotas"})


def _by_status(status: int) -> Answer:
    if status == 429:
        return _throttled()
    reason = _REASONS.get(status, "InternalError" if status >= 500 else "")
    if status < 400:
        return json_answer(status, {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}, row="")
    return failure(status, reason, f"the server answered {status}")


RECORDED: Final[Mapping[str, Callable[[], Answer]]] = {
    "auth_401": unauthorized,
    "conversion_webhook_down": _conversion_down,
    "put_413_body_too_large": too_large,
    "quota_409": _quota,
    "throttled_429_max_inflight": _throttled,
    "timeout_504": timed_out,
    "webhook_500_timeout": _webhook_late,
}
_REASONS: Final[Mapping[int, str]] = {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    409: "Conflict",
    410: "Expired",
    422: "Invalid",
    503: "ServiceUnavailable",
    504: "Timeout",
}
