# SPDX-License-Identifier: MIT
"""What goes over the wire, as plain frozen values: no HTTP library is known here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

JSON: TypeAlias = Any
Body: TypeAlias = Mapping[str, Any]

WRITES = frozenset({"PUT", "PATCH", "DELETE", "POST"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request. ``url`` is relative to the endpoint, or absolute for a link that the service handed out.

    ``timeout`` is how long to wait for the answer, in seconds; ``None`` leaves it to the transport. Of a client's
    requests with the same ``gate``, one at a time is unanswered.
    """

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: JSON = field(default=None, repr=False)
    request_id: str = ""
    timeout: float | None = None
    gate: str = field(default="", compare=False, repr=False)

    def __repr__(self) -> str:
        return f"<Request {self.method} {self.url.partition('?')[0]}>"

    @property
    def is_write(self) -> bool:
        """Whether sending it can change something."""
        return self.method in WRITES


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """One answer. Header names are lower-case; ``body`` is parsed JSON, or ``None`` where there was none to parse.

    ``garbled``: there was something to parse, and it was no JSON, as a proxy's page is none. ``sent_once`` is false
    where the transport may have sent the request twice; ``request_id`` is the one of the request that was really
    answered, which a policy may have changed.
    """

    status: int
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: JSON = field(default=None, repr=False)
    received_at: float = 0.0
    garbled: bool = field(default=False, repr=False)
    sent_once: bool = True
    request_id: str = ""
    raw: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoResponse:
    """No answer came. ``sent`` is false only where it is proved that the request never left.

    ``final``: trying again cannot help (no token to be had, an endpoint that may not be used, a defect).
    """

    error: Exception
    sent: bool = True
    final: bool = False


Outcome: TypeAlias = Response | NoResponse
