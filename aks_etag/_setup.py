# SPDX-License-Identifier: MIT
"""What a client is made of, sync or async: endpoint, clock, counters, settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ._calls import Settings, arm_settings
from ._clock import Clock, SystemClock
from ._core.etag import ETagFormat
from ._core.evidence import OnDoubt
from ._core.pacing import ConflictRetry
from ._drivers import OnEvent, Surroundings
from ._flows.options import OnBusy, Options
from ._stats import Stats
from .transports._endpoint import Endpoint, endpoint_of

if TYPE_CHECKING:
    from azure.core import AzureClouds

    from .transports._pipeline import ArmTransport, AsyncArmTransport

# The default of azure-mgmt-containerservice 41.8; the headers exist from 2024-09-01 on.
DEFAULT_API_VERSION: Final = "2026-08-01"

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts that the synchronous and the asynchronous client share."""

    credential: Any
    subscription_id: str
    endpoint: Endpoint
    cloud_setting: Any
    clock: Clock
    stats: Stats = field(default_factory=Stats)

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
        return cls(
            credential=credential,
            subscription_id=subscription_id,
            endpoint=endpoint_of(base_url, cloud_setting),
            cloud_setting=cloud_setting,
            clock=clock or SystemClock(),
        )

    def settings(
        self,
        api_version: str,
        etag_format: ETagFormat,
        conflict_retry: ConflictRetry,
        on_busy: OnBusy,
        on_doubt: OnDoubt,
        polling_interval: float,
        on_event: OnEvent | None,
    ) -> Settings:
        """Check the client-wide defaults."""
        options = Options(
            conflict_retry=conflict_retry, on_busy=on_busy, on_doubt=on_doubt, polling_interval=polling_interval
        )
        return Settings(
            arm=arm_settings(self.endpoint.url, api_version, etag_format), options=options, on_event=on_event
        )

    def around(self, on_event: OnEvent | None) -> Surroundings:
        """Return what a driver needs."""
        return Surroundings(clock=self.clock, stats=self.stats, on_event=on_event)

    def sdk(self, kind: Callable[..., T], settings: Settings, transport: ArmTransport | AsyncArmTransport) -> T:
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

        credential = self.credential
        if credential is None:
            from azure.identity import DefaultAzureCredential

            credential = DefaultAzureCredential(authority=self.endpoint.authority)
        return ArmTransport(credential, self.endpoint, for_threads(chosen, self.clock), self.clock)

    def async_transport(self, chosen: object) -> AsyncArmTransport:
        """Return the asynchronous way to ARM."""
        from .transports._choose import for_tasks
        from .transports._pipeline import AsyncArmTransport

        credential = self.credential
        if credential is None:
            from azure.identity.aio import DefaultAzureCredential

            credential = DefaultAzureCredential(authority=self.endpoint.authority)
        return AsyncArmTransport(credential, self.endpoint, for_tasks(chosen, self.clock), self.clock)
