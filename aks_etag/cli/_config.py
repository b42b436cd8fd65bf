# SPDX-License-Identifier: MIT
"""What az was told before: subscription of ``az account``, group and location of ``az configure``."""

from __future__ import annotations

import configparser
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click


@dataclass(frozen=True, slots=True)
class Defaults:
    """What is taken where a command does not say it."""

    subscription: str | None = None
    group: str | None = None
    location: str | None = None


def defaults(environment: Mapping[str, str] = os.environ) -> Defaults:
    """Read az's files, as far as they are there; the environment wins."""
    folder = Path(environment.get("AZURE_CONFIG_DIR") or Path.home() / ".azure")
    said = _configured(folder / "config")
    return Defaults(
        subscription=environment.get("AZURE_SUBSCRIPTION_ID") or _signed_in(folder / "azureProfile.json"),
        group=environment.get("AZURE_DEFAULTS_GROUP") or said.get("group"),
        location=environment.get("AZURE_DEFAULTS_LOCATION") or said.get("location"),
    )


def _configured(path: Path) -> Mapping[str, str]:
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read(path, "utf-8")
        return dict(parser["defaults"]) if parser.has_section("defaults") else {}
    except (configparser.Error, OSError, UnicodeDecodeError):
        return {}


def _signed_in(path: Path) -> str | None:
    try:
        # az writes it with a byte order mark.
        profile: Any = json.loads(path.read_text("utf-8-sig"))
        chosen = [each["id"] for each in profile["subscriptions"] if each.get("isDefault")]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return str(chosen[0]) if chosen else None


def needed(value: str | None, known: str | None, option: str, hint: str) -> str:
    """Return what was said or is known; refuse what is empty, as an unset shell variable is."""
    if value is not None and not value.strip():
        raise click.UsageError(f"{option} is empty: is a shell variable not set? Leave it out, or give it a value")
    found = value if value is not None else known
    if found is None:
        raise click.UsageError(f"{option} is missing: {hint}")
    return found
