# SPDX-License-Identifier: MIT
"""Requests through azure-core's pipeline, with policies that send once: no retry, no redirect, no registration.

Waiting is the flow's business, so that deadlines hold; ContainerServiceClient's registration policy would send a PUT a
second time, and its ContentDecodePolicy would parse a body that is parsed here.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from typing import Any, Final

from azure.core.exceptions import AzureError, ClientAuthenticationError, HttpResponseError, ServiceRequestError
from azure.core.pipeline import AsyncPipeline, Pipeline, PipelineRequest
from azure.core.pipeline.policies import DistributedTracingPolicy, SansIOHTTPPolicy, UserAgentPolicy
from azure.core.pipeline.transport import AsyncHttpTransport, HttpTransport
from azure.core.rest import HttpRequest
from azure.mgmt.core.policies import (
    ARMChallengeAuthenticationPolicy,
    ARMHttpLoggingPolicy,
    AsyncARMChallengeAuthenticationPolicy,
)

from .._clock import Clock
from .._core.messages import JSON, NoResponse, Outcome, Request, Response
from .._core.verdict import service_error
from .._version import __version__
from . import _aiohttp, _redact
from ._endpoint import Endpoint
from ._httpx import CONNECT_TIMEOUT, READ_TIMEOUT, AsyncHttpxTransport, HttpxTransport, NeverSentError

# Proved over a socket that drops the connection after the commit: one request arrives, not two.
_PROVED: Final = (HttpxTransport, AsyncHttpxTransport)
_PROVED_IF_LOADED: Final = "azure.core.pipeline.transport._requests_basic"


def sends_once(transport: object) -> bool:
    """Whether a transport is proved to send a write once, or says so itself (``sends_once = True``).

    A subclass may do as it likes, and so is not taken for proved.
    """
    if not _is_proved(type(transport)):
        return getattr(transport, "sends_once", False) is True
    if isinstance(transport, HttpxTransport | AsyncHttpxTransport):
        return transport.sends_once
    session = getattr(transport, "session", None)
    return session is None or _is_plain(session)


def _is_proved(kind: type) -> bool:
    # To load azure-core's transport of requests is to load requests: where nobody has, it cannot be one.
    module = sys.modules.get(_PROVED_IF_LOADED)
    return kind in _PROVED or (module is not None and kind is module.RequestsTransport)


def _is_plain(session: Any) -> bool:
    """Whether a session of requests and its adapters are stock, and none of them sends again after a failed read."""
    if type(session).__module__ != "requests.sessions":
        return False
    for adapter in session.adapters.values():
        stock = type(adapter).__module__ in ("requests.adapters", _AZURE_ADAPTERS)
        retries = getattr(adapter, "max_retries", None)
        if not stock or any(getattr(retries, name, None) for name in ("total", "read", "status", "other")):
            return False
    return True


_AZURE_ADAPTERS: Final = "azure.core.pipeline.transport._bigger_block_size_http_adapters"


_redact.install()


class _Leaving(SansIOHTTPPolicy[Any, Any]):
    """Note that everything before the wire went well: from here on, no answer means doubt."""

    def on_request(self, request: PipelineRequest[Any]) -> None:
        _check_headers(request.http_request.headers)
        left = request.context.options.pop("aks_left", None)
        if left is not None:
            left.append(True)


_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


def _check_headers(headers: Mapping[str, str]) -> None:
    """Refuse a header that no HTTP library would send: their words for it would show its value, a token maybe."""
    for name, value in headers.items():
        if _CONTROL.search(value):
            raise ServiceRequestError(
                f"the header {name} has a control character, as a token read from a file with its line end has"
            )


def _around(authentication: Any) -> list[Any]:
    return [
        UserAgentPolicy(sdk_moniker=f"aks-etag/{__version__}"),
        authentication,
        DistributedTracingPolicy(),
        ARMHttpLoggingPolicy(),
        _Leaving(),
    ]


class ArmTransport:
    """Sends requests to Azure Resource Manager in threads."""

    def __init__(self, credential: Any, endpoint: Endpoint, transport: HttpTransport[Any, Any], clock: Clock) -> None:
        self.credential = credential
        self.endpoint = endpoint
        self.inner = transport
        self._clock = clock
        self._once = sends_once(transport)
        policies = _around(ARMChallengeAuthenticationPolicy(credential, *endpoint.scopes))
        self._pipeline: Pipeline[Any, Any] = Pipeline(transport, policies)

    def send(self, request: Request) -> Outcome:
        """Send one request, once; after a 401 for an expired token, once more with a fresh one."""
        outcome = self._send(request)
        return self._send(request) if expired(outcome) else outcome

    def close(self) -> None:
        """Close the connections."""
        self.inner.close()

    def _send(self, request: Request) -> Outcome:
        left: list[bool] = []
        try:
            sent = outgoing(request, self.endpoint)
            options = {"enforce_https": self.endpoint.enforce_https, **timeouts(request, self.inner)}
            ran = self._pipeline.run(sent, aks_left=left, **options)
            content = ran.http_response.read()
        except Exception as error:  # noqa: BLE001  # any of them leaves the fate of a write open
            return unanswered(error, bool(left))
        return answered(ran.http_response, content, self._clock.time(), self._once)


class AsyncArmTransport:
    """Sends requests to Azure Resource Manager in tasks."""

    def __init__(
        self, credential: Any, endpoint: Endpoint, transport: AsyncHttpTransport[Any, Any], clock: Clock
    ) -> None:
        self.credential = credential
        self.endpoint = endpoint
        self.inner = transport
        self._clock = clock
        guard = _aiohttp.options(transport)
        self._once = sends_once(transport) or guard is not None
        self._options = {"enforce_https": endpoint.enforce_https, **(guard or {})}
        policies = _around(AsyncARMChallengeAuthenticationPolicy(credential, *endpoint.scopes))
        self._pipeline: AsyncPipeline[Any, Any] = AsyncPipeline(transport, policies)

    async def send(self, request: Request) -> Outcome:
        """Send one request, once; after a 401 for an expired token, once more with a fresh one."""
        outcome = await self._send(request)
        return await self._send(request) if expired(outcome) else outcome

    async def close(self) -> None:
        """Close the connections."""
        await self.inner.close()

    async def _send(self, request: Request) -> Outcome:
        left: list[bool] = []
        try:
            sent = outgoing(request, self.endpoint)
            ran = await self._pipeline.run(sent, aks_left=left, **self._options, **timeouts(request, self.inner))
            content = await ran.http_response.read()
        except Exception as error:  # noqa: BLE001  # any of them leaves the fate of a write open
            return unanswered(error, bool(left))
        return answered(ran.http_response, content, self._clock.time(), self._once)


def timeouts(request: Request, transport: object) -> dict[str, float]:
    """Return the options that bound how long an answer is waited for: never longer than the transport itself would."""
    if request.timeout is None:
        return {}
    own = getattr(transport, "connection_config", None)
    connect = min(request.timeout, CONNECT_TIMEOUT, float(getattr(own, "timeout", CONNECT_TIMEOUT)))
    read = min(request.timeout, READ_TIMEOUT, float(getattr(own, "read_timeout", READ_TIMEOUT)))
    return {"connection_timeout": connect, "read_timeout": read}


def expired(outcome: Outcome) -> bool:
    """Whether a request was refused for its token only; azure-core's policy has dropped that token by now."""
    if not isinstance(outcome, Response) or outcome.status != 401:
        return False
    return service_error(outcome.body).code in ("ExpiredAuthenticationToken", "InvalidAuthenticationToken")


def outgoing(request: Request, endpoint: Endpoint) -> HttpRequest:
    """Return a request as azure-core knows it; relative URLs are completed with the endpoint."""
    headers = {"Accept": "application/json", **request.headers}
    if request.request_id:
        headers["x-ms-client-request-id"] = request.request_id
    url = endpoint.url + request.url if request.url.startswith("/") else request.url
    if request.body is None:
        return HttpRequest(request.method, url, headers=headers)
    headers["Content-Type"] = "application/json"
    content = json.dumps(request.body, allow_nan=False, separators=(",", ":")).encode()
    return HttpRequest(request.method, url, headers=headers, content=content)


def answered(raw: Any, content: bytes, at: float, sent_once: bool) -> Response:
    """Return an answer as the flows know it, its body parsed once; what is not JSON is no body."""
    headers: Mapping[str, str] = {name.lower(): value for name, value in raw.headers.items()}
    body, garbled = parsed(content)
    return Response(
        status=raw.status_code,
        headers=headers,
        body=body,
        garbled=garbled,
        received_at=at,
        sent_once=sent_once,
        request_id=raw.request.headers.get("x-ms-client-request-id") or "",
        raw=raw,
    )


_UNSENDABLE: Final = (
    "the header Authorization has a control character, as a token read from a file with its line end has"
)


def unanswered(error: Exception, left: bool) -> NoResponse:
    """Say whether a request without an answer can have arrived."""
    if "Bearer " in f"{error} {error.__cause__!r} {error.__context__!r}":
        # An HTTP library refuses a header that it cannot send by showing it, and this one is a secret.
        return NoResponse(error=ServiceRequestError(_UNSENDABLE), sent=False, final=True)
    refused = isinstance(error.__cause__, HttpResponseError) and error.__cause__.status_code == 401
    if not left or isinstance(error, ClientAuthenticationError) or refused:
        return NoResponse(error=error, sent=False, final=True)
    # An error that is none of azure-core's is a defect somewhere: no reason to read again, and none to trust a write.
    never = isinstance(error, NeverSentError) or _aiohttp.never_sent(error)
    return NoResponse(error=error, sent=not never, final=not isinstance(error, AzureError))


def parsed(content: bytes) -> tuple[JSON, bool]:
    """Return what a body says, and whether it says something that is no JSON."""
    try:
        return (json.loads(content, parse_constant=_no_constant) if content else None), False
    except (ValueError, RecursionError):
        return None, True


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
