# SPDX-License-Identifier: MIT
"""Long-running operations: where to ask, what the answer says (ARM RPC contract, async-api-reference)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import Final
from urllib.parse import urlsplit

from .messages import JSON, Response
from .verdict import ServiceError, service_error

# The write was accepted and then lost a race: it may be stored all the same.
PREEMPTED: Final = frozenset(
    {"originaletagnotexpect", "aksoperationpreempted", "aksoperationpreemptedbydelete", "operationpreempted"}
)
# No user info, no backslash: what one parser takes for the host, another may take for a part of the path.
_HOST: Final = re.compile(r"[0-9A-Za-z.-]+(?::\d+)?|\[[0-9A-Fa-f:.]+\](?::\d+)?")
ENDED_BADLY: Final = frozenset({"failed", "canceled"})
SETTLED_STATES: Final = frozenset({"succeeded", "failed", "canceled"})


class Progress(Enum):
    """How far an operation is; every word that is not known to be an end means that it still runs."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    PREEMPTED = "preempted"
    CANCELED = "canceled"
    LOST = "lost"  # it cannot be followed any further


@dataclass(frozen=True, slots=True)
class Poll:
    """What one poll said."""

    progress: Progress
    status: str = ""
    error: ServiceError = ServiceError()


@dataclass(frozen=True, slots=True)
class Link:
    """Where an operation answers. The URL is signed: it is used as it came, never built, never logged."""

    url: str
    is_location: bool

    @property
    def name(self) -> str:
        """The operation's id: the last part of the path, without the signature."""
        return urlsplit(self.url).path.rstrip("/").rsplit("/", 1)[-1]

    def __repr__(self) -> str:
        return f"Link({self.name!r})"


def link(response: Response) -> Link | None:
    """Return where to follow the write that was answered so, on any 2xx; ``None`` where it is done."""
    url = response.headers.get("azure-asyncoperation")
    if url:
        return Link(url, is_location=False)
    # Without the ARM header, only a 202 says that the work goes on behind Location (RFC 9110 15.3.3).
    location = response.headers.get("location")
    return Link(location, is_location=True) if location and response.status == 202 else None


def trusted(url: str, endpoint: str) -> bool:
    """Whether a link may be followed with our token: same scheme and host, or a regional name below the host."""
    try:
        target, home = urlsplit(url), urlsplit(endpoint)
    except ValueError:
        return False
    if not target.netloc:
        return target.path.startswith("/") and not target.scheme
    if _HOST.fullmatch(target.netloc) is None:
        return False
    same_host = target.netloc.casefold() == home.netloc.casefold()
    below = target.netloc.casefold().endswith("." + home.netloc.casefold())
    return target.scheme.casefold() == home.scheme.casefold() and (same_host or below)


def read_poll(response: Response, *, is_location: bool = False) -> Poll:
    """Read the answer of an operation's URL. A failed operation is an HTTP 200 whose body says so."""
    status = _status(response.body)
    if is_location and not status:
        return Poll(Progress.RUNNING if response.status == 202 else Progress.SUCCEEDED)
    error = (
        service_error(response.body) if isinstance(response.body, dict) and "error" in response.body else ServiceError()
    )
    return Poll(_progress(status.casefold(), error), status, error)


def _status(body: JSON) -> str:
    status = body.get("status") if isinstance(body, dict) else None
    return status if isinstance(status, str) else ""


def _progress(status: str, error: ServiceError) -> Progress:
    if status == "succeeded":
        return Progress.SUCCEEDED
    if status in ("canceled", "cancelled"):
        return Progress.CANCELED
    if status != "failed":
        return Progress.RUNNING
    return Progress.PREEMPTED if error.codes & PREEMPTED else Progress.FAILED


def is_settled(state: JSON) -> bool:
    """Whether a ``provisioningState`` accepts writes: an absent one means Succeeded (ARM), unknown words mean busy."""
    return state is None or (isinstance(state, str) and state.casefold() in SETTLED_STATES)
