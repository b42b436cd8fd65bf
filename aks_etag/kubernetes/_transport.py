# SPDX-License-Identifier: MIT
"""A thin httpx transport for an API server: bearer token or client certificate, TLS on, each request sent once."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import httpx

from .._clock import Clock
from .._core.messages import NoResponse, Outcome, Request, Response
from .._version import __version__
from ..errors import AksEtagError
from ..transports._httpx import all_proved, never_left
from ..transports._pipeline import parsed

READ_TIMEOUT: Final = 60.0
Token = Callable[[bool], Any]
Warned = Callable[[Request, str], None]


class _Wire:
    """What the synchronous and the asynchronous transport share."""

    def __init__(self, base_url: str, token: Token, client: Any, clock: Clock, warned: Warned) -> None:
        self._base_url = base_url
        self._token = token
        self._client = client
        self._clock = clock
        self._warned = warned
        self._once = all_proved(client)

    def _built(self, request: Request, token: str | None) -> httpx.Request:
        headers = {"Accept": "application/json", "User-Agent": f"aks-etag/{__version__}", **request.headers}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if request.request_id:
            headers["X-Request-Id"] = request.request_id
        content = None
        if request.body is not None:
            headers.setdefault("Content-Type", "application/json")
            content = json.dumps(request.body, allow_nan=False, separators=(",", ":")).encode()
        url = self._base_url + request.url
        timeout = min(request.timeout or READ_TIMEOUT, READ_TIMEOUT)
        built: httpx.Request = self._client.build_request(
            request.method, url, headers=headers, content=content, timeout=timeout
        )
        return built

    def _answered(self, request: Request, answer: httpx.Response) -> Response:
        for warning in answer.headers.get_list("warning"):
            self._warned(request, warning)
        headers: Mapping[str, str] = {name.lower(): value for name, value in answer.headers.items()}
        # The Content-Type is not asked: a 504 is JSON under text/plain, a 429 and some 404s are plain text.
        body, garbled = parsed(answer.content)
        return Response(
            status=answer.status_code,
            headers=headers,
            body=body,
            garbled=garbled,
            received_at=self._clock.time(),
            sent_once=self._once,
        )

    @staticmethod
    def _unanswered(error: Exception) -> NoResponse:
        # Its words may show a header's value, which may be the token.
        shown = AksEtagError("the request or its answer broke the rules of HTTP") if _illegal(error) else error
        known = isinstance(error, httpx.HTTPError)
        return NoResponse(error=shown, sent=not never_left(error), final=not known or _illegal(error))


class KubernetesTransport(_Wire):
    """Sends to an API server in threads."""

    def send(self, request: Request) -> Outcome:
        """Send one request, once; after a 401, once more with a fresh token."""
        outcome = self._send(request, renew=False)
        return self._send(request, renew=True) if _refused_token(outcome) else outcome

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _send(self, request: Request, *, renew: bool) -> Outcome:
        try:
            built = self._built(request, self._token(renew))
        except Exception as error:  # noqa: BLE001  # nothing was sent
            return NoResponse(error=error, sent=False, final=True)
        try:
            return self._answered(request, self._client.send(built, auth=None, follow_redirects=False))
        except Exception as error:  # noqa: BLE001  # any of them leaves the fate of a write open
            return self._unanswered(error)


class AsyncKubernetesTransport(_Wire):
    """Sends to an API server in tasks."""

    async def send(self, request: Request) -> Outcome:
        """Send one request, once; after a 401, once more with a fresh token."""
        outcome = await self._send(request, renew=False)
        return await self._send(request, renew=True) if _refused_token(outcome) else outcome

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _send(self, request: Request, *, renew: bool) -> Outcome:
        try:
            token = self._token(renew)
            built = self._built(request, await token if isinstance(token, Awaitable) else token)
        except Exception as error:  # noqa: BLE001  # nothing was sent
            return NoResponse(error=error, sent=False, final=True)
        try:
            return self._answered(request, await self._client.send(built, auth=None, follow_redirects=False))
        except Exception as error:  # noqa: BLE001  # any of them leaves the fate of a write open
            return self._unanswered(error)


def _refused_token(outcome: Outcome) -> bool:
    return isinstance(outcome, Response) and outcome.status == 401


def _illegal(error: Exception) -> bool:
    return isinstance(error, httpx.LocalProtocolError | UnicodeEncodeError)
