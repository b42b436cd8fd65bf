# SPDX-License-Identifier: MIT
"""Events in words: short ones for the changing line, whole ones for -v."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from .. import Busy, Conflict, Doubt, OperationProgress, Recovered, Retrying, Throttled, Waiting, Warned


def spoken(event: Any) -> str:
    """Say in a few words what is going on."""
    say = _WORDS.get(type(event))
    return type(event).__name__ if say is None else say(event)


def holding(event: Any) -> bool:
    """Say whether an event tells what is waited for, so that a mere wait after it has nothing to add."""
    return isinstance(event, Busy | OperationProgress)


def passing(event: Any) -> bool:
    """Say whether an event is a mere wait."""
    return isinstance(event, Waiting)


def _blocked(event: Busy) -> str:
    on = f" on {event.pool}" if event.pool else ""
    # A moment in UTC, of which the seconds are enough.
    since = f" since {event.since[11:19]} UTC" if event.since else ""
    return f"{_name(event)} is blocked by {event.kind or 'an operation'}{on}{since}"


def _waits(event: Waiting) -> str:
    return f"waiting for {f'the operation on {_name(event)}' if event.operation else event.what}"


_WORDS: Final[dict[type, Callable[[Any], str]]] = {
    Busy: _blocked,
    Conflict: lambda event: f"somebody else changed {_name(event)}, reading it again",
    Doubt: lambda _: "no clear answer, finding out what happened",
    OperationProgress: lambda event: f"operation on {_name(event)}: {event.status or 'in progress'}",
    Recovered: lambda _: "found out: it was carried out",
    Retrying: lambda event: f"writing {_name(event)} again",
    Throttled: lambda event: f"throttled, asked to wait {event.retry_after:g} s",
    Waiting: _waits,
    Warned: lambda event: f"the server warns: {event.text}",
}


def line_of(event: Any) -> str:
    """Say everything an event knows, in one line."""
    facts = {name: getattr(event, name) for name in event.__dataclass_fields__ if name != "resource_id"}
    shown = " ".join(f"{name}={_value(value)}" for name, value in facts.items() if value not in (None, "", ()))
    said = f"{type(event).__name__}: {_name(event)}: {spoken(event)}" + (f" [{shown}]" if shown else "")
    return "".join(each if each.isprintable() else "?" for each in said)


def _name(event: Any) -> str:
    return str(event.resource_id).rstrip("/").rsplit("/", 1)[-1]


def _value(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
