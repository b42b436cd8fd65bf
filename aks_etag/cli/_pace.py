# SPDX-License-Identifier: MIT
"""How often a command looks again: the environment says it for all commands of a script, or of a test."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

import click

NAME: Final = "AKS_ETAG_POLLING_INTERVAL"


def pace(environment: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """Return the longest pause between looks as a setting of a client, if it is said."""
    said = environment.get(NAME, "")
    if not said:
        return {}
    try:
        seconds = float(said)
        if 0 <= seconds < float("inf"):
            return {"polling_interval": seconds}
    except ValueError:
        pass
    raise click.UsageError(f"{NAME}={said} is no number of seconds")
