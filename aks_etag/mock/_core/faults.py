# SPDX-License-Identifier: MIT
"""Faults aimed at requests and operations: which one they hit, and what the client then gets."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias

from aks_etag.mock._core import errors
from aks_etag.mock._core.address import Address
from aks_etag.mock._core.answers import MISSING, Answer, answer, merge_headers
from aks_etag.mock._core.call import Call
from aks_etag.mock._core.operations import Failure

# "during" is "before", and only while an operation runs on what is asked for.
Phase: TypeAlias = Literal["before", "after", "late", "during"]
Broken: TypeAlias = Literal["truncated", "slow", "malformed", "html"]
Effect: TypeAlias = Literal["reset", "fin"] | Broken | int

LOST: Final = frozenset({"reset", "fin"})
_PAGE: Final = b"<html><head><title>502 Proxy Error</title></head><body>try again</body></html>"


@dataclass(slots=True, kw_only=True)
class Aim:
    """Counts the requests that it fits, and says which of them it hits."""

    method: str | None = None
    path: str | None = None
    nth: int = 1
    times: int = 1
    chance: float | None = None
    dice: random.Random = field(default_factory=random.Random)
    seen: int = 0

    def hits(self, method: str, path: str) -> bool:
        """Count this request if it fits; say whether it is hit."""
        if self.method is not None and self.method.upper() != method:
            return False
        if self.path is not None and self.path.lower() not in path.lower():
            return False
        self.seen += 1
        if self.chance is not None:
            return self.dice.random() < self.chance
        return self.nth <= self.seen < self.nth + self.times


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What happens to a request that is hit."""

    aim: Aim
    phase: Phase
    effect: Effect
    headers: Mapping[str, str] | None
    body: Any
    seconds: float = 0.0

    @property
    def name(self) -> str:
        """The fault in words, as the journal shows it."""
        return f"fault {self.phase}: {self.effect}"

    @property
    def loses(self) -> bool:
        """Whether there is no answer at all."""
        return self.effect in LOST

    def answer(self, call: Call, decided: Answer | None) -> Answer:
        """Build the answer that takes the place of the real one, or break the real one."""
        if isinstance(self.effect, int):
            return self._instead(self.effect, call)
        whole = decided or answer(200, {"status": "the mock has not looked at this request"}, row="")
        return replace(self._broken(whole), row=self.name)

    def _broken(self, whole: Answer) -> Answer:
        match self.effect:
            case "truncated":
                return replace(whole, body=whole.body or _PAGE, cut=True)
            case "slow":
                return replace(whole, seconds=self.seconds)
            case "html":
                return replace(whole, headers=merge_headers(whole.headers, {"Content-Type": "text/html"}), body=_PAGE)
            case _:
                return replace(whole, body=whole.body[: len(whole.body) // 2] or b"{")

    def _instead(self, status: int, call: Call) -> Answer:
        if self.body is not MISSING:
            return answer(status, self.body, row=self.name, headers=self.headers)
        usual = _usual(status, call, self.headers or {})
        return Answer(status=status, row=self.name, headers=merge_headers(usual.headers, self.headers), body=usual.body)


@dataclass(frozen=True, slots=True, kw_only=True)
class Doom:
    """How the operations that are hit end."""

    aim: Aim
    failure: Failure


class Faults:
    """All faults of one mock; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._faults: list[Fault] = []
        self._dooms: list[Doom] = []

    def add(self, fault: Fault) -> None:
        """Aim a fault at requests to come."""
        with self._lock:
            self._faults.append(fault)

    def doom(self, doom: Doom) -> None:
        """Aim a failure at operations to come."""
        with self._lock:
            self._dooms.append(doom)

    def clear(self) -> None:
        """Take every fault back, those aimed at operations included."""
        with self._lock:
            self._faults.clear()
            self._dooms.clear()

    def draw(self, method: str, path: str, *, running: Callable[[], bool]) -> Fault | None:
        """Count a request; return the fault that hits it, the earliest phase first."""
        with self._lock:
            # Every fault counts every request, also those that another one hits.
            fitting = [fault for fault in self._faults if fault.phase != "during" or running()]
            hit = [fault for fault in fitting if fault.aim.hits(method, path)]
        return min(hit, key=lambda fault: fault.phase == "after", default=None)

    def fate(self, method: str, path: str) -> Failure | None:
        """Count an accepted operation; return the failure that it ends with."""
        with self._lock:
            hit = [doom for doom in self._dooms if doom.aim.hits(method, path)]
        return hit[0].failure if hit else None


def _usual(status: int, call: Call, headers: Mapping[str, str]) -> Answer:
    if status == 404:
        return _absent(call)
    if status == 429:
        seconds = next((value for name, value in headers.items() if name.lower() == "retry-after"), "36")
        return errors.throttled(call.method, call.address, seconds, row="")
    if status in _PROVIDER:
        code, message = _PROVIDER[status]
        return errors.provider(status, code, message, row="")
    if status < 400:
        return answer(status, row="")
    code, message = _GATEWAY.get(status, ("InternalServerError", "Encountered internal server error."))
    return errors.gateway(status, code, message, row="")


def _absent(call: Call) -> Answer:
    address = call.address
    if address is not None and address.pool:
        return errors.pool_not_found(address, row="")
    return errors.cluster_not_found(address or Address(kind="cluster", subscription=""), row="")


_PROVIDER = {
    400: ("BadRequest", "The request is invalid."),
    409: (
        "OperationNotAllowed",
        "Operation is not allowed: Another operation (Updating) is in progress, please wait for it to finish before "
        "starting a new operation. See https://aka.ms/aks-pending-operation for more details",
    ),
    412: ("PreconditionFailed", "The eTag provided in If-Match does not match the latest eTag of the resource."),
}
_GATEWAY = {
    401: ("AuthenticationFailed", "Authentication failed."),
    403: ("AuthorizationFailed", "The client does not have authorization to perform this action."),
    408: ("RequestTimeout", "The request timed out."),
    502: ("BadGateway", "The gateway received no valid answer."),
    503: ("ServiceUnavailable", "The service is not available."),
    504: ("GatewayTimeout", "The gateway did not receive a response from 'Microsoft.ContainerService' in time."),
}
