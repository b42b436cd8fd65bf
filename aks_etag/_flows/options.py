# SPDX-License-Identifier: MIT
"""What a caller can choose about how the flows go about it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, get_args

from .._core.evidence import OnDoubt
from .._core.pacing import ConflictRetry, check_seconds

OnBusy: TypeAlias = Literal["wait", "raise"]


class Writers(Protocol):
    """Hands out the ids that a client notes its writes under."""

    def take(self, resource_id: str, taken: Collection[str]) -> str:
        """Return an id that no other write of this resource uses now."""
        ...

    def give_back(self, resource_id: str, writer: str) -> None:
        """Take an id back once every write under it is decided."""
        ...

    def has_written(self, resource_id: str, writer: str) -> bool:
        """Whether an id was used there before, and came back."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Choices that hold for every call of a client or handle.

    ``polling_interval``: the longest pause between two polls or tries, in seconds; a Retry-After wins. ``exactly_once``
    hands out the ids to note writes under, where they are to be noted. ``group_commit``: updates that wait for the same
    resource go out together, after a ``linger`` for company, in seconds.
    """

    conflict_retry: ConflictRetry = ConflictRetry()
    on_busy: OnBusy = "wait"
    on_doubt: OnDoubt = "untouched"
    polling_interval: float = 30.0
    exactly_once: Writers | None = None
    group_commit: bool = False
    linger: float = 0.0

    def __post_init__(self) -> None:
        check_seconds("polling_interval", self.polling_interval)
        check_seconds("linger", self.linger)
        if not isinstance(self.group_commit, bool):
            raise TypeError(f"group_commit takes True or False, not {self.group_commit!r}")
        check_choice("on_busy", self.on_busy, get_args(OnBusy))
        check_choice("on_doubt", self.on_doubt, get_args(OnDoubt))
        if not isinstance(self.conflict_retry, ConflictRetry):
            raise TypeError(f"conflict_retry takes a ConflictRetry, not a {type(self.conflict_retry).__name__}")


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Refuse a word that is not one of the choices."""
    if value not in choices:
        raise ValueError(f"{name}={value!r}: it takes {' or '.join(map(repr, choices))}")


WAITING = Options()
