# SPDX-License-Identifier: MIT
"""What ``wait`` can wait for, with the words of az."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def conditions(command: F) -> F:
    """Add what to wait for."""
    for option in (
        click.option("--timeout", type=click.FloatRange(min=0), default=3600.0, show_default=True, help="Seconds."),
        click.option("--interval", type=click.FloatRange(min=0), default=30.0, show_default=True, help="Seconds."),
        click.option("--custom", metavar="JMESPATH", help="Wait until this is true of what show prints."),
        click.option("--exists", is_flag=True, help="Wait until it is there."),
        click.option("--deleted", is_flag=True, help="Wait until it is gone."),
        click.option("--updated", is_flag=True, help="Wait until provisioningState is Succeeded."),
        click.option("--created", is_flag=True, help="Wait until it is there, and Succeeded."),
    ):
        command = option(command)
    return command
