# SPDX-License-Identifier: MIT
"""Events in words: short ones for the changing line, whole ones for -v."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from .. import Busy, Conflict, Doubt, OperationProgress, Recovered, Retrying, Throttled, Waiting


def spoken(event: Any) -> str:
    """Say in a few words what is going on."""
    say = _WORDS.get(type(event))
    return type(event).__name__ if say is None else say(event)


def _blocked(event: Busy) -> str:
    since = f" since {event.since}" if event.since else ""
    return f"blocked by {event.kind or 'an operation'}{f' on {event.pool}' if event.pool else ''}{since}"


_WORDS: Final[dict[type, Callable[[Any], str]]] = {
    Busy: _blocked,
    Conflict: lambda event: f"somebody else was faster (attempt {event.attempt}), reading again",
    Doubt: lambda _: "no clear answer, finding out what happened",
    OperationProgress: lambda event: f"{_name(event)}: {event.status or 'in progress'}",
    Recovered: lambda _: "found out: it was carried out",
    Retrying: lambda event: f"writing again, attempt {event.attempt}",
    Throttled: lambda event: f"throttled, asked to wait {event.retry_after:g} s",
    Waiting: lambda event: f"waiting for {event.what}",
}


def line_of(event: Any) -> str:
    """Say everything an event knows, in one line."""
    facts = {name: getattr(event, name) for name in event.__dataclass_fields__ if name != "resource_id"}
    shown = " ".join(f"{name}={_value(value)}" for name, value in facts.items() if value not in (None, "", ()))
    return f"{type(event).__name__}: {_name(event)}: {spoken(event)}" + (f" [{shown}]" if shown else "")


def _name(event: Any) -> str:
    return str(event.resource_id).rstrip("/").rsplit("/", 1)[-1]


def _value(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
