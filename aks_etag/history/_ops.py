# SPDX-License-Identifier: MIT
"""Recorded lines, put together again: one operation a call, with its attempts and its end."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ._file import Line, lines
from ._leaves import Digests, Transition

Source: TypeAlias = "str | os.PathLike[str] | Iterable[Line]"


@dataclass(slots=True, kw_only=True)
class Attempt:
    """One write that was sent, and what was answered: a status, ``"lost"``, ``"unsent"``, or nothing so far.

    Where several calls share a write, each has it, with what itself asked for, and its ``place`` in their order.
    """

    request: str
    method: str
    condition: str | None
    read: str | None
    changes: Mapping[str, Transition]
    status: int | str | None = None
    code: str = ""
    named: str = ""
    perhaps_twice: bool = False
    operation: str | None = None
    place: int = 0

    @property
    def tag(self) -> str | None:
        """The version it was bound to, bare; ``None`` where it was bound to none."""
        name, _, value = (self.condition or "").partition(": ")
        bare = value.removeprefix("W/").strip('"')
        return None if name == "If-None-Match" or bare in ("", "*") else bare

    @property
    def blind(self) -> bool:
        """Whether it replaced something that had not been read."""
        return self.read is None and not (self.condition or "").startswith("If-None-Match")


@dataclass(slots=True, kw_only=True)
class Operation:
    """One call; ``end`` is ``None`` where the history does not have it."""

    op: str
    client: str
    verb: str
    resource_id: str
    on_doubt: str
    exactly_once: bool = False
    attempts: list[Attempt] = field(default_factory=list)
    end: Mapping[str, Any] | None = None

    @property
    def name(self) -> str:
        """How a report calls it."""
        return f"{self.verb} {self.op}"

    @property
    def outcome(self) -> str | None:
        """What was returned, ``None`` where an error was raised, or nothing is known."""
        return None if self.end is None else self.end.get("outcome")

    @property
    def error(self) -> str | None:
        """The class of what was raised."""
        return None if self.end is None else self.end.get("error")

    @property
    def recovered(self) -> str | None:
        """How a lost answer was made up for."""
        return None if self.end is None else self.end.get("recovered")

    @property
    def applied(self) -> bool | None:
        """What an error claims."""
        return None if self.end is None else self.end.get("applied")

    @property
    def equivalent(self) -> bool:
        """Whether it speaks of what is there, whoever wrote it."""
        return bool(self.end is not None and self.end.get("equivalent"))

    @property
    def unknown(self) -> bool:
        """Whether it says that it does not know, or said nothing at all, and a write of it was sent."""
        unsaid = self.outcome is None and self.applied is None and bool(self.attempts)
        return self.error == "WriteOutcomeUnknownError" or unsaid

    @property
    def request_ids(self) -> set[str]:
        """The ids of its requests, those that a policy gave them included."""
        told = () if self.end is None else self.end.get("requests", ())
        return {*told, *(name for each in self.attempts for name in (each.request, each.named) if name)}

    def attempt(self, request_id: str) -> Attempt | None:
        """Return the write that went out under an id."""
        return next((each for each in self.attempts if request_id in (each.request, each.named)), None)

    def said(self) -> str:
        """How it ended, in words."""
        if self.end is None:
            return "has no end"
        if self.outcome is not None:
            return f"said {self.outcome}" + (f", recovered by {self.recovered}" if self.recovered else "")
        return f"raised {self.error}, applied={self.applied}"


@dataclass(slots=True, kw_only=True)
class Recorded:
    """All that a history holds; ``strays`` counts lines that could not be read, or belong to no call in it."""

    operations: list[Operation] = field(default_factory=list)
    strays: int = 0
    digests: Digests | None = None


def recorded(source: Source) -> Recorded:
    """Put a history together: a file, or its lines."""
    found = Recorded()
    by_op: dict[str, Operation] = {}
    for line in lines(source) if isinstance(source, str | os.PathLike) else source:
        try:
            _enter(found, by_op, line)
        except (KeyError, TypeError, ValueError, AttributeError):
            found.strays += 1
    return found


def _enter(found: Recorded, by_op: dict[str, Operation], line: Line) -> None:
    match line["line"]:
        case "history":
            found.digests = found.digests or Digests(bytes.fromhex(line["key"]))
        case "call":
            operation = Operation(
                op=line["op"],
                client=line["client"],
                verb=line["verb"],
                resource_id=line["id"],
                on_doubt=line.get("on_doubt", ""),
                exactly_once=bool(line.get("exactly_once")),
            )
            by_op[operation.op] = operation
            found.operations.append(operation)
        case "attempt":
            by_op[line["op"]].attempts.append(_attempt(line))
        case "answer" | "operation" if by_op[line["op"]].end is not None:
            # A write that others shared was answered when this call had gone: it has not heard of it.
            return
        case "answer":
            attempt = _of(by_op[line["op"]], line["request"])
            attempt.status, attempt.code = line["status"], line.get("code", "")
            attempt.named, attempt.perhaps_twice = line.get("named", ""), bool(line.get("perhaps_twice"))
        case "operation":
            _of(by_op[line["op"]], line["request"]).operation = line["status"]
        case "end":
            by_op[line["op"]].end = line
        case _:
            found.strays += 1


def _attempt(line: Line) -> Attempt:
    return Attempt(
        request=line["request"],
        method=line["method"],
        condition=line["condition"],
        read=line["read"],
        changes={path: (before, after) for path, (before, after) in line["changes"].items()},
        place=line.get("place", 0),
    )


def _of(operation: Operation, request: str) -> Attempt:
    for attempt in reversed(operation.attempts):
        if attempt.request == request:
            return attempt
    raise KeyError(request)
