# SPDX-License-Identifier: MIT
"""What a client or handle was set to, and how that is changed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from ._core.etag import ETagFormat
from ._core.evidence import OnDoubt
from ._core.pacing import ConflictRetry
from ._core.unset import UNSET, Unset
from ._flows.options import OnBusy, Options, check_choice
from ._resources import Arm
from ._surroundings import OnEvent
from ._writers import Writers
from .history._recorder import Recorder


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a client or handle was set to."""

    arm: Arm
    options: Options
    on_event: OnEvent | None = None
    writers: Writers = field(default_factory=Writers, compare=False, repr=False)
    history: Recorder | None = None

    def changed(
        self,
        *,
        conflict_retry: ConflictRetry | Unset = UNSET,
        on_busy: OnBusy | Unset = UNSET,
        on_doubt: OnDoubt | Unset = UNSET,
        polling_interval: float | Unset = UNSET,
        exactly_once: bool | Unset = UNSET,
        group_commit: bool | Unset = UNSET,
        linger: float | Unset = UNSET,
        etag_format: ETagFormat | Unset = UNSET,
        on_event: OnEvent | Unset | None = UNSET,
    ) -> Settings:
        """Return other settings, the same where nothing else is said."""
        given: dict[str, Any] = {
            "conflict_retry": conflict_retry,
            "on_busy": on_busy,
            "on_doubt": on_doubt,
            "polling_interval": polling_interval,
            "group_commit": group_commit,
            "linger": linger,
            "exactly_once": exactly_once if exactly_once is UNSET else noting(exactly_once, self.writers),
        }
        options = replace(self.options, **{name: value for name, value in given.items() if value is not UNSET})
        arm = self.arm if etag_format is UNSET else arm_settings(self.arm.endpoint, self.arm.api_version, etag_format)
        return replace(self, arm=arm, options=options, on_event=self.on_event if on_event is UNSET else on_event)


def noting(wanted: object, writers: Writers) -> Writers | None:
    """Return who hands out the ids to note writes under, if they are to be noted."""
    if not isinstance(wanted, bool):
        raise TypeError(f"exactly_once takes True or False, not {wanted!r}")
    return writers if wanted else None


def arm_settings(endpoint: str, api_version: str, etag_format: ETagFormat) -> Arm:
    """Check how to speak to ARM."""
    check_choice("etag_format", etag_format, ("raw", "quoted"))
    if not api_version or not all(character.isalnum() or character == "-" for character in api_version):
        raise ValueError(f'api_version={api_version!r} is not a version like "2026-08-01"')
    return Arm(endpoint=endpoint, api_version=api_version, etag_format=etag_format)
