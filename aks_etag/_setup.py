# SPDX-License-Identifier: MIT
"""What a client is made of, sync or async: endpoint, clock, counters, settings."""

from __future__ import annotations

import inspect
import os
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from ._budgets import Budgets
from ._clock import Clock, SystemClock
from ._core.etag import ETagFormat
from ._core.evidence import OnDoubt
from ._core.pacing import ConflictRetry
from ._flows.options import OnBusy, Options
from ._groups import Groups
from ._lanes import Lanes
from ._settings import Settings, arm_settings, noting
from ._stats import Stats
from ._surroundings import OnEvent, Surroundings
from ._tokens import Tokens, tokens_of
from ._writers import Writers
from .history._recorder import Recorder
from .transports._endpoint import Endpoint, endpoint_of

if TYPE_CHECKING:
    from azure.core import AzureClouds

    from .transports._pipeline import ArmTransport, AsyncArmTransport
    from .transports._sdk import AsyncSdkTransport, SdkTransport

T = TypeVar("T")
Way: TypeAlias = "ArmTransport | AsyncArmTransport | SdkTransport | AsyncSdkTransport"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts that the synchronous and the asynchronous client share."""

    credential: Any
    subscription_id: str
    endpoint: Endpoint
    cloud_setting: Any
    clock: Clock
    tokens: Tokens
    stats: Stats = field(default_factory=Stats)
    rng: random.Random = field(default_factory=random.Random)
    lanes: Lanes = field(default_factory=Lanes)
    groups: Groups = field(default_factory=Groups)

    @classmethod
    def of_sdk(cls, transport: SdkTransport | AsyncSdkTransport, subscription_id: str, clock: Clock) -> Parts:
        """Take what a client of the SDK was set to."""
        return cls(
            credential=transport.credential,
            subscription_id=subscription_id,
            endpoint=transport.endpoint,
            cloud_setting=None,
            clock=clock,
            tokens=tokens_of(transport.endpoint.url, clock, transport.credential),
        )

    @classmethod
    def made(
        cls,
        credential: Any,
        subscription_id: str,
        *,
        base_url: str | None,
        cloud_setting: AzureClouds | str | None,
        clock: Clock | None,
    ) -> Parts:
        """Check and complete what a caller gave."""
        endpoint, time = endpoint_of(base_url, cloud_setting), clock or SystemClock()
        return cls(
            credential=credential,
            subscription_id=subscription_id,
            endpoint=endpoint,
            cloud_setting=cloud_setting,
            clock=time,
            tokens=tokens_of(endpoint.url, time, credential),
        )

    def settings(
        self,
        api_version: str,
        etag_format: ETagFormat,
        conflict_retry: ConflictRetry,
        on_busy: OnBusy,
        on_doubt: OnDoubt,
        polling_interval: float,
        exactly_once: bool,
        group_commit: bool,
        linger: float,
        on_event: OnEvent | None,
    ) -> Settings:
        """Check the client-wide defaults."""
        writers = Writers()
        options = Options(
            conflict_retry=conflict_retry,
            on_busy=on_busy,
            on_doubt=on_doubt,
            polling_interval=polling_interval,
            exactly_once=noting(exactly_once, writers),
            group_commit=group_commit,
            linger=linger,
        )
        arm = arm_settings(self.endpoint.url, api_version, etag_format)
        return Settings(arm=arm, options=options, on_event=on_event, writers=writers)

    def recording(self, settings: Settings, path: str | os.PathLike[str] | None) -> Settings:
        """Let what is written be recorded in a file, if one is given."""
        return settings if path is None else replace(settings, history=Recorder.to(path, self.clock.time))

    def budgets(self) -> Budgets:
        """Return what is known of the service's request budgets."""
        return Budgets(self.tokens, self.clock)

    def around(self, on_event: OnEvent | None) -> Surroundings:
        """Return what a driver needs."""
        return Surroundings(
            clock=self.clock,
            stats=self.stats,
            on_event=on_event,
            rng=self.rng,
            lanes=self.lanes,
            groups=self.groups,
            tokens=self.tokens,
            polls=self.tokens.polls,
        )

    def sdk(self, kind: Callable[..., T], settings: Settings, transport: Way) -> T:
        """Return the SDK's stock client on the same credential, cloud and connections."""
        return kind(
            transport.credential,
            self.subscription_id,
            self.endpoint.url,
            cloud_setting=self.cloud_setting,
            api_version=settings.arm.api_version,
            polling_interval=settings.options.polling_interval,
            transport=transport.inner,
        )

    def transport(self, chosen: object) -> ArmTransport:
        """Return the synchronous way to ARM."""
        from .transports._choose import for_threads
        from .transports._pipeline import ArmTransport

        check_credential(self.credential, asynchronous=False)
        credential = self.credential
        if credential is None:
            from azure.identity import DefaultAzureCredential

            credential = DefaultAzureCredential(authority=self.endpoint.authority)
        return ArmTransport(credential, self.endpoint, for_threads(chosen, self.clock), self.clock)

    def async_transport(self, chosen: object) -> AsyncArmTransport:
        """Return the asynchronous way to ARM."""
        from .transports._choose import for_tasks
        from .transports._pipeline import AsyncArmTransport

        check_credential(self.credential, asynchronous=True)
        credential = self.credential
        if credential is None:
            from azure.identity.aio import DefaultAzureCredential

            credential = DefaultAzureCredential(authority=self.endpoint.authority)
        return AsyncArmTransport(credential, self.endpoint, for_tasks(chosen, self.clock), self.clock)


def sdk_transport(client: object, clock: Clock | None) -> SdkTransport:
    """Return the way to ARM through a synchronous client of the SDK."""
    from .transports._sdk import SdkTransport, check_kind

    check_kind(client, asynchronous=False)
    return SdkTransport(client, clock or SystemClock())


def async_sdk_transport(client: object, clock: Clock | None) -> AsyncSdkTransport:
    """Return the way to ARM through an asynchronous client of the SDK."""
    from .transports._sdk import AsyncSdkTransport, check_kind

    check_kind(client, asynchronous=True)
    return AsyncSdkTransport(client, clock or SystemClock())


def check_credential(credential: object, *, asynchronous: bool) -> None:
    """Refuse what gives no token, or gives it only to those who await it.

    Raises:
        TypeError: it has neither ``get_token`` nor ``get_token_info``, or is asynchronous in a synchronous client.
    """
    if credential is None:
        return
    ask = getattr(credential, "get_token_info", None) or getattr(credential, "get_token", None)
    if not callable(ask):
        raise TypeError(f"a credential has get_token or get_token_info; a {type(credential).__name__} has neither")
    if not asynchronous and inspect.iscoroutinefunction(ask):
        raise TypeError("this credential is asynchronous: use it with AsyncAksClient, or take its synchronous twin")
