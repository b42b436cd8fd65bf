# SPDX-License-Identifier: MIT
"""A writer of a history at work."""

from __future__ import annotations

import random
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

from aks_etag._core.messages import Request
from aks_etag._flows.effects import Flow
from aks_etag._groups import Room
from aks_etag._settings import Settings

from . import work
from .plan import Writer


@dataclass(slots=True)
class Task:
    """One writer at work: the flow that runs, and those that wait for its result."""

    writer: Writer
    dice: random.Random
    fate: random.Random
    settings: Settings
    flow: Flow[Any] | None = None
    steps: Generator[Flow[Any], Any, None] | None = None
    job: work.Job | None = None
    hears: Callable[[Any], None] | None = None
    dead: bool = False
    done: int = 0
    sent: int = 0
    ids: int = 0
    room: Room | None = None
    asked: Request | None = None
