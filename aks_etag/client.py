# SPDX-License-Identifier: MIT
"""The synchronous client. Each verb is one line: build a flow, let the driver run it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Self, TypeVar

from . import _setup
from ._api_version import DEFAULT_API_VERSION
from ._budgets import Budgets
from ._calls import Calls, Listing, clusters_path, resumed
from ._clock import Clock
from ._core.continuation import continuation
from ._core.etag import ETagFormat
from ._core.evidence import OnDoubt
from ._core.messages import Request
from ._core.pacing import ConflictRetry
from ._core.resource_id import ResourceId, check_name, parse
from ._core.snapshot import Snapshot, WriteResult
from ._drivers import run
from ._flows.effects import Flow
from ._flows.options import OnBusy
from ._handles import AgentPool, Cluster
from ._operations import Operation
from ._settings import Settings
from ._stats import Stats
from ._surroundings import OnEvent

if TYPE_CHECKING:
    from azure.core import AzureClouds
    from azure.core.credentials import TokenCredential
    from azure.mgmt.containerservice import ContainerServiceClient

    from .transports._pipeline import ArmTransport
    from .transports._sdk import SdkTransport

T = TypeVar("T")


class AksClient:
    """A client that changes AKS clusters and agent pools without losing anybody's update; thread-safe.

    ``credential`` is any azure-core token credential; ``None`` takes ``DefaultAzureCredential`` of the cloud.
    ``polling_interval`` is the longest pause between polls and tries, in seconds. ``transport`` is ``"httpx"``, an
    httpx transport or client, or an azure-core transport. ``on_event`` is called in the writing thread.
    ``exactly_once`` notes writes in a tag of the resource, so that the fate of one in doubt is found out for sure.
    ``group_commit`` lets updates that wait for the same resource go out as one write, after a ``linger`` for company,
    in seconds. ``history`` is a file in which writes and their outcomes are recorded, for ``aks_etag.history.check``.
    """

    def __init__(
        self,
        credential: TokenCredential | None,
        subscription_id: str,
        *,
        base_url: str | None = None,
        cloud_setting: AzureClouds | str | None = None,
        api_version: str = DEFAULT_API_VERSION,
        transport: object = "httpx",
        conflict_retry: ConflictRetry = ConflictRetry(),
        on_busy: OnBusy = "wait",
        on_doubt: OnDoubt = "untouched",
        polling_interval: float = 30.0,
        exactly_once: bool = False,
        group_commit: bool = False,
        linger: float = 0.0,
        on_event: OnEvent | None = None,
        etag_format: ETagFormat = "raw",
        history: str | os.PathLike[str] | None = None,
        clock: Clock | None = None,
    ) -> None:
        check_name("subscription id", subscription_id)
        self._parts = _setup.Parts.made(
            credential, subscription_id, base_url=base_url, cloud_setting=cloud_setting, clock=clock
        )
        self._settings = self._parts.settings(
            api_version,
            etag_format,
            conflict_retry,
            on_busy,
            on_doubt,
            polling_interval,
            exactly_once,
            group_commit,
            linger,
            on_event,
        )
        self._settings = self._parts.recording(self._settings, history)
        self._transport: ArmTransport | SdkTransport = self._parts.transport(transport)
        self._sdk: ContainerServiceClient | None = None

    @classmethod
    def from_sdk(
        cls,
        client: ContainerServiceClient,
        subscription_id: str,
        *,
        conflict_retry: ConflictRetry = ConflictRetry(),
        on_busy: OnBusy = "wait",
        on_doubt: OnDoubt = "untouched",
        polling_interval: float = 30.0,
        exactly_once: bool = False,
        group_commit: bool = False,
        linger: float = 0.0,
        on_event: OnEvent | None = None,
        etag_format: ETagFormat = "raw",
        history: str | os.PathLike[str] | None = None,
        clock: Clock | None = None,
    ) -> Self:
        """Wrap a client that a program already has: its credential, cloud, api-version, transport and policies.

        Its retries and redirects are off for calls made here, and stay as they are for its own. It is not closed by us.

        Raises:
            TypeError: it is the asynchronous kind, or no ContainerServiceClient.
        """
        check_name("subscription id", subscription_id)
        wrapped = _setup.sdk_transport(client, clock)
        self = cls.__new__(cls)
        self._parts = _setup.Parts.of_sdk(wrapped, subscription_id, wrapped.clock)
        self._settings = self._parts.settings(
            client._config.api_version,
            etag_format,
            conflict_retry,
            on_busy,
            on_doubt,
            polling_interval,
            exactly_once,
            group_commit,
            linger,
            on_event,
        )
        self._settings = self._parts.recording(self._settings, history)
        self._transport = wrapped
        self._sdk = client
        return self

    @property
    def subscription_id(self) -> str:
        """The subscription this client works in."""
        return self._parts.subscription_id

    @property
    def stats(self) -> Stats:
        """Counters of what this client has done so far."""
        return self._parts.stats

    @property
    def budget(self) -> Budgets:
        """What is left of the service's write budgets, as far as this process knows."""
        return self._parts.budgets()

    @property
    def sdk(self) -> ContainerServiceClient:
        """The stock ``ContainerServiceClient`` on the same credential and transport, for all else."""
        if self._sdk is None:
            from azure.mgmt.containerservice import ContainerServiceClient

            self._sdk = self._parts.sdk(ContainerServiceClient, self._settings, self._transport)
        return self._sdk

    def cluster(self, resource_group: str, name: str) -> Cluster:
        """Return a handle of a cluster; nothing is sent."""
        return Cluster(self, ResourceId(self.subscription_id, resource_group, name), self._settings)

    def at(self, where: Snapshot | str) -> Cluster | AgentPool:
        """Return the handle of what a snapshot or ARM id names; nothing is sent."""
        address = parse(where.id if isinstance(where, Snapshot) else where)
        kind = Cluster if address.pool is None else AgentPool
        return kind(self, address, self._settings)

    def clusters(self, resource_group: str | None = None) -> Iterator[Snapshot]:
        """List the clusters of the subscription or of one resource group, page by page."""
        path = clusters_path(self.subscription_id, resource_group)
        return self._list(Listing(path=path, settings=self._settings))

    def operation(self, token: str) -> Operation[WriteResult]:
        """Go on with a write that another process began, by its ``continuation_token()``; nothing is sent yet.

        It is only followed: where its operation lost a race, that is raised, and it is not written again.

        Raises:
            ValueError: this is no such token, or one of another subscription or cloud.
        """
        begun = continuation(token)
        calls = resumed(begun, self.subscription_id, self._settings)
        around = self._parts.around(self._settings.on_event)
        return Operation(calls.resume(begun), self._transport, around, begun.resource_id, calls.resume)

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()
        if self._settings.history is not None:
            self._settings.history.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _begin(self, flow: Flow[WriteResult], calls: Calls) -> Operation[WriteResult]:
        around = self._parts.around(calls.settings.on_event)
        return Operation(flow, self._transport, around, str(calls.address), calls.resume)._start()

    def _run(self, flow: Flow[T], settings: Settings) -> T:
        return run(flow, self._transport, self._parts.around(settings.on_event))

    def _list(self, listing: Listing) -> Iterator[Snapshot]:
        following: Request | None = listing.first()
        seen: set[str] = set()
        while following is not None:
            page = self._run(listing.page(following, seen), listing.settings)
            yield from page.items
            following = page.following
