# SPDX-License-Identifier: MIT
"""A transport that soon gives up on a server that was never there: whoever waits at a terminal has mistyped it."""

from __future__ import annotations

import ssl
from typing import Any, Final

import httpx
from azure.core.rest import HttpRequest

from ..transports._httpx import HttpxTransport, NeverSentError
from ..transports._httpx_response import HttpxResponse

TRIES: Final = 3


class UnreachableError(Exception):
    """No connection could be made, not once."""


class Reaching(HttpxTransport):
    """Tries a few times to connect; once a server has answered, every later failure is waited out as ever."""

    def __init__(self, endpoint: str | None) -> None:
        super().__init__(_without_tls() if (endpoint or "").startswith("http://") else None, owned=True)
        self._met = False
        self._failed = 0

    def send(self, request: HttpRequest, **options: Any) -> HttpxResponse:
        """Send one request, once.

        Raises:
            UnreachableError: a read, and nobody has answered yet. (A write is left to those who know how to doubt.)
        """
        try:
            answer = super().send(request, **options)
        except NeverSentError as error:
            self._failed += 1
            if self._met or self._failed < TRIES or request.method != "GET":
                raise
            host = request.url.split("?")[0].partition("/subscriptions/")[0]
            raise UnreachableError(f"{host} cannot be reached: {_why(error)}") from None
        self._met = True
        return answer


def _without_tls() -> httpx.Client:
    """Return a client for plain http: to load certificates takes longer than to show a cluster; it trusts none."""
    return httpx.Client(verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), trust_env=False)


def _why(error: BaseException) -> str:
    """Return the innermost reason: "connection refused" says more than what it is wrapped in."""
    while (inner := error.__cause__ or error.__context__) is not None:
        error = inner
    return getattr(error, "strerror", None) or str(error)
