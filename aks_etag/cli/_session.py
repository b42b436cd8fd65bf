# SPDX-License-Identifier: MIT
"""The client of a command, and what it tells while it works."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import click

from ._config import Defaults, defaults, needed
from ._pace import pace
from ._progress import Progress

if TYPE_CHECKING:
    from .. import AksClient

CLOUDS: Final = {
    "azurecloud": "AZURE_PUBLIC_CLOUD",
    "azurechinacloud": "AZURE_CHINA_CLOUD",
    "azureusgovernment": "AZURE_US_GOVERNMENT",
}
LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """What all commands are told: which subscription, which cloud, how loud."""

    subscription: str | None
    cloud: str | None
    endpoint: str | None
    api_version: str | None
    verbose: bool
    quiet: bool

    @property
    def known(self) -> Defaults:
        """What az was told before."""
        return defaults()


class FixedToken:
    """The token that AKS_ETAG_TOKEN holds, or one for a mock on this machine, which takes any."""

    def __init__(self, token: str) -> None:
        self._token = token

    def get_token(self, *_: str, **__: Any) -> Any:
        """Return it."""
        from azure.core.credentials import AccessToken

        return AccessToken(self._token, 2**33)


@contextmanager
def session(where: Where, **settings: Any) -> Iterator[tuple[AksClient, Progress]]:
    """Open a client, and a progress that it tells what happens."""
    from .. import AksClient

    subscription = needed(
        where.subscription,
        where.known.subscription,
        "--subscription",
        "give it, or set AZURE_SUBSCRIPTION_ID, or az login",
    )
    if where.api_version is not None:
        settings["api_version"] = needed(where.api_version, None, "--api-version", "")
    with Progress(verbose=where.verbose, quiet=where.quiet) as progress:
        with AksClient(
            credential(where.endpoint),
            subscription,
            base_url=where.endpoint,
            cloud_setting=_cloud(where.cloud),
            on_event=progress.tell,
            **pace(),
            **settings,
        ) as aks:
            yield aks, progress


def credential(endpoint: str | None) -> Any:
    """Return a fixed token where there is one, or where only this machine is asked; else DefaultAzureCredential."""
    token = os.environ.get("AKS_ETAG_TOKEN")
    if token:
        return FixedToken(token)
    return FixedToken("mock") if endpoint is not None and urlsplit(endpoint).hostname in LOOPBACK else None


def _cloud(name: str | None) -> str | None:
    if name is None:
        return None
    found = CLOUDS.get(name.casefold())
    if found is None:
        raise click.UsageError(f"--cloud {name} is not known: AzureCloud, AzureChinaCloud or AzureUSGovernment")
    return found
