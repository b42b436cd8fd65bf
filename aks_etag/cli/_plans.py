# SPDX-License-Identifier: MIT
"""Plan files: a change with the body it was made from and its eTag, to be read by people and compared by tools."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import click

from .. import Snapshot
from .._core import etag
from .._core.resource_id import ResourceId, parse
from ..errors import InvalidPreconditionError
from ._changes import differences
from ._documents import document
from ._output import put
from ._tokens import private

FORMAT: Final = 1
_FIELDS: Final = {"resource": str, "eTag": str, "changes": list, "base": dict, "desired": dict}


@dataclass(frozen=True, slots=True)
class Plan:
    """To make the version ``tag`` of a resource, which was ``base``, the body ``desired``."""

    resource: str
    tag: str
    base: dict[str, Any] = field(repr=False)
    desired: dict[str, Any] = field(repr=False)

    @classmethod
    def of(cls, seen: Snapshot, desired: dict[str, Any]) -> Plan:
        """Plan to make a snapshot this body."""
        return cls(seen.id, seen.etag, dict(seen.body), desired)

    @property
    def address(self) -> ResourceId:
        """The resource."""
        return parse(self.resource)

    @property
    def changes(self) -> list[str]:
        """What it changes, a line for each."""
        return differences(self.base, self.desired)

    def write(self, out: str) -> None:
        """Write it where only its owner can read it, or to stdout where that is "-"; the same plan is the same text."""
        text = json.dumps(
            {
                "aks-etag-plan": FORMAT,
                "resource": self.resource,
                "eTag": self.tag,
                "changes": self.changes,
                "base": _sorted(self.base),
                "desired": _sorted(self.desired),
            },
            indent=2,
            ensure_ascii=False,
        )
        if out == "-":
            put(text)
            return
        try:
            private(Path(out), text + "\n")
        except OSError as error:
            raise click.UsageError(f"--out {out}: {error.strerror}") from None


def read_plan(path: str) -> Plan:
    """Read a plan.

    Raises:
        UsageError: it is none.
        InvalidPreconditionError: it does something else than it says.
    """
    found = document(path, "PLAN", dict)
    fields = all(isinstance(found.get(name), kind) for name, kind in _FIELDS.items())
    if found.get("aks-etag-plan") != FORMAT or not fields:
        raise click.UsageError(f"{path} is no plan of this version of aks-etag")
    plan = Plan(found["resource"], etag.clean(found["eTag"], name="eTag"), found["base"], found["desired"])
    if plan.tag == etag.ANY or str(plan.base.get("id", "")).casefold() != str(plan.address).casefold():
        raise InvalidPreconditionError(f"{path}: its base is no version of {plan.address}; nothing was sent")
    if plan.changes != found["changes"]:
        raise InvalidPreconditionError(
            f"{path}: what it would do is not what its list of changes says: it was edited; nothing was sent"
        )
    return plan


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    return [_sorted(each) for each in value] if isinstance(value, list) else value
