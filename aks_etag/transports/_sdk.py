# SPDX-License-Identifier: MIT
"""Through the pipeline of a ContainerServiceClient that a program already has: its credential, cloud, proxies, hooks.

Its retries and redirects are switched off for our calls only. The client is not closed by us.
"""

from __future__ import annotations

from typing import Any

from azure.core.pipeline.policies import (
    AsyncBearerTokenCredentialPolicy,
    AsyncRedirectPolicy,
    AsyncRetryPolicy,
    BearerTokenCredentialPolicy,
    RedirectPolicy,
    RetryPolicy,
)

from .._clock import Clock
from .._core.messages import Outcome, Request
from . import _aiohttp
from ._endpoint import Endpoint, endpoint_of
from ._pipeline import answered, outgoing, sends_once, timeouts, unanswered

_RETRIES = (RetryPolicy, AsyncRetryPolicy)
_REDIRECTS = (RedirectPolicy, AsyncRedirectPolicy)
_BEARERS = (BearerTokenCredentialPolicy, AsyncBearerTokenCredentialPolicy)


class _Sdk:
    """What is asked of an SDK client, sync or async."""

    def __init__(self, client: Any, clock: Clock) -> None:
        self.client = client
        self.endpoint = endpoint_of(client._config.base_url, client._config.cloud_setting)
        self.credential = client._config.credential
        pipeline = client._client._pipeline
        self.inner = pipeline._transport
        guard = _aiohttp.options(self.inner)
        self._once = sends_once(self.inner) or guard is not None
        self._options = {**_switched_off(pipeline, self.endpoint), **(guard or {})}
        self.clock = clock


class SdkTransport(_Sdk):
    """Sends through a synchronous ContainerServiceClient."""

    def send(self, request: Request) -> Outcome:
        """Send one request, once."""
        try:
            raw = self.client.send_request(
                outgoing(request, self.endpoint), **self._options, **timeouts(request, self.inner)
            )
            content = raw.read()
        except Exception as error:  # noqa: BLE001  # any of them leaves the fate of a write open
            return unanswered(error, left=True)
        return answered(raw, content, self.clock.time(), self._once)

    def close(self) -> None:
        """Do nothing: the client belongs to the caller."""


class AsyncSdkTransport(_Sdk):
    """Sends through an asynchronous ContainerServiceClient."""

    async def send(self, request: Request) -> Outcome:
        """Send one request, once."""
        try:
            raw = await self.client.send_request(
                outgoing(request, self.endpoint), **self._options, **timeouts(request, self.inner)
            )
            content = await raw.read()
        except Exception as error:  # noqa: BLE001  # any of them leaves the fate of a write open
            return unanswered(error, left=True)
        return answered(raw, content, self.clock.time(), self._once)

    async def close(self) -> None:
        """Do nothing: the client belongs to the caller."""


def _switched_off(pipeline: Any, endpoint: Endpoint) -> dict[str, Any]:
    """Return the per-call options that stop retries and redirects, each only if there is a policy that takes it."""
    policies = [getattr(policy, "_policy", policy) for policy in pipeline._impl_policies]
    options: dict[str, Any] = {}
    if any(isinstance(policy, _RETRIES) for policy in policies):
        options["retry_total"] = 0
    if any(isinstance(policy, _REDIRECTS) for policy in policies):
        options["permit_redirects"] = False
    if not endpoint.enforce_https and any(isinstance(policy, _BEARERS) for policy in policies):
        options["enforce_https"] = False
    return options


def check_kind(client: object, *, asynchronous: bool) -> None:
    """Refuse what is not the SDK's client of the right kind.

    Raises:
        TypeError: it is the other kind, or none.
    """
    from azure.mgmt.containerservice import ContainerServiceClient
    from azure.mgmt.containerservice.aio import ContainerServiceClient as AsyncContainerServiceClient

    wanted, other = ContainerServiceClient, AsyncContainerServiceClient
    ours, theirs = "AksClient", "AsyncAksClient"
    if asynchronous:
        wanted, other, ours, theirs = other, wanted, theirs, ours  # type: ignore[assignment]  # the twins trade places
    if isinstance(client, other):
        raise TypeError(
            f"{type(client).__module__}.ContainerServiceClient is for {theirs}.from_sdk, not {ours}.from_sdk"
        )
    if not isinstance(client, wanted):
        raise TypeError(f"from_sdk takes a ContainerServiceClient, not a {type(client).__name__}")
