# SPDX-License-Identifier: MIT
"""The client of a command, and what it tells while it works."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import click

from ._config import Defaults, defaults, needed
from ._lean import without_extras
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
        return defaults(self.cloud)

    @property
    def again(self) -> str:
        """The options with which another command comes to the same place."""
        said = {"--cloud": self.cloud, "--endpoint": self.endpoint, "--api-version": self.api_version}
        return "".join(f" {option} {shlex.quote(value)}" for option, value in said.items() if value is not None)


class FixedToken:
    """The token that AKS_ETAG_TOKEN holds, or one for a mock on this machine, which takes any."""

    def __init__(self, token: str) -> None:
        self._token = token

    def get_token(self, *_: str, **__: Any) -> Any:
        """Return it."""
        from azure.core.credentials import AccessToken

        return AccessToken(self._token, 2**33)


@contextmanager
def session(where: Where, *, subscription: str | None = None, **settings: Any) -> Iterator[tuple[AksClient, Progress]]:
    """Open a client, and a progress that it tells what happens.

    ``subscription`` is the one to work in where none is named, as a plan or a token knows it.
    """
    without_extras()
    from .. import AksClient, AksEtagError
    from ._reach import Reaching

    known = where.known
    chosen = needed(
        where.subscription,
        subscription or known.subscription,
        "--subscription",
        "give it, or set AZURE_SUBSCRIPTION_ID, or az login",
    )
    if where.api_version is not None:
        settings["api_version"] = where.api_version
    with Progress(verbose=where.verbose, quiet=where.quiet) as progress:
        try:
            client = AksClient(
                credential(where.endpoint),
                (known.named or {}).get(chosen.casefold(), chosen),
                base_url=where.endpoint,
                cloud_setting=_cloud(where.cloud if where.endpoint else known.cloud),
                transport=Reaching(where.endpoint),
                on_event=progress.tell,
                **pace(),
                **settings,
            )
        except AksEtagError:
            raise
        except ValueError as error:
            raise click.UsageError(_in_options(str(error))) from None
        with client as aks:
            yield aks, progress


def credential(endpoint: str | None) -> Any:
    """Return a fixed token where there is one, or where only this machine is asked; else DefaultAzureCredential."""
    token = fixed_token(endpoint)
    return None if token is None else FixedToken(token)


def fixed_token(endpoint: str | None) -> str | None:
    """Return the token that needs no credential, if there is one."""
    token = os.environ.get("AKS_ETAG_TOKEN")
    if token:
        return token
    return "mock" if endpoint is not None and urlsplit(endpoint).hostname in LOOPBACK else None


def _cloud(name: str | None) -> str | None:
    if name is None:
        return None
    found = CLOUDS.get(name.casefold())
    if found is None:
        raise click.UsageError(f"--cloud {name} is not known: AzureCloud, AzureChinaCloud or AzureUSGovernment")
    return found


def _in_options(said: str) -> str:
    """Name the options where the library names its arguments."""
    return said.replace("base_url=", "--endpoint ").replace("api_version=", "--api-version ")
