# SPDX-License-Identifier: MIT
"""What az was told before: cloud and subscription of ``az account``, group and location of ``az configure``."""

from __future__ import annotations

import configparser
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

PUBLIC: Final = "AzureCloud"


@dataclass(frozen=True, slots=True)
class Defaults:
    """What is taken where a command does not say it; ``named`` has the ids of subscriptions by their names."""

    cloud: str | None = None
    subscription: str | None = None
    group: str | None = None
    location: str | None = None
    named: Mapping[str, str] | None = None


def defaults(cloud: str | None = None, environment: Mapping[str, str] = os.environ) -> Defaults:
    """Read az's files, as far as they are there; the environment wins."""
    folder = Path(environment.get("AZURE_CONFIG_DIR") or Path.home() / ".azure")
    said = _configured(folder / "config")
    chosen = cloud or environment.get("AZURE_CLOUD_NAME") or said.get("cloud.name")
    known = _subscriptions(folder / "azureProfile.json", chosen or PUBLIC)
    signed_in = next((each["id"] for each in known if each.get("isDefault")), None)
    return Defaults(
        cloud=chosen,
        subscription=environment.get("AZURE_SUBSCRIPTION_ID") or signed_in,
        group=environment.get("AZURE_DEFAULTS_GROUP") or said.get("defaults.group"),
        location=environment.get("AZURE_DEFAULTS_LOCATION") or said.get("defaults.location"),
        named={str(each.get("name")).casefold(): each["id"] for each in known},
    )


def needed(value: str | None, known: str | None, option: str, hint: str) -> str:
    """Return what was said or is known; refuse what is empty, as an unset shell variable is."""
    if value is not None and not value.strip():
        raise click.UsageError(f"{option} is empty: is a shell variable not set? Leave it out, or give it a value")
    found = value if value is not None else known
    if found is None:
        raise click.UsageError(f"{option} is missing: {hint}")
    return found


def _configured(path: Path) -> Mapping[str, str]:
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read(path, "utf-8")
    except (configparser.Error, OSError, UnicodeDecodeError):
        return {}
    return {
        f"{section}.{name}": value
        for section in ("cloud", "defaults")
        if parser.has_section(section)
        for name, value in parser[section].items()
        if value
    }


def _subscriptions(path: Path, cloud: str) -> list[dict[str, Any]]:
    """List the subscriptions that az has signed in to in a cloud."""
    try:
        # az writes it with a byte order mark.
        profile: Any = json.loads(path.read_text("utf-8-sig"))
        found = [each for each in profile["subscriptions"] if isinstance(each["id"], str)]
        return [each for each in found if str(each.get("environmentName", PUBLIC)).casefold() == cloud.casefold()]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []
