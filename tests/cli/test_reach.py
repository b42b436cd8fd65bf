# SPDX-License-Identifier: MIT
"""When a server that does not answer is given up: only one that was never there, and never for a write."""

from __future__ import annotations

import pytest
from azure.core.rest import HttpRequest

from aks_etag.cli._reach import TRIES, Reaching, UnreachableError
from aks_etag.mock import MockAks
from aks_etag.transports._httpx import NeverSentError
from aks_etag.transports._pipeline import sends_once

NOWHERE = "http://127.0.0.1:9"


def test_a_server_that_never_was_there_is_given_up_after_some_tries() -> None:
    with Reaching(NOWHERE) as transport:
        for _ in range(TRIES - 1):
            with pytest.raises(NeverSentError):
                transport.send(HttpRequest("GET", f"{NOWHERE}/subscriptions/s/secret?x=1"))
        # What a write came to is for others to say: it is told as ever, that it was not sent.
        with pytest.raises(NeverSentError):
            transport.send(HttpRequest("PUT", f"{NOWHERE}/subscriptions/s"))
        with pytest.raises(UnreachableError, match=f"^{NOWHERE} cannot be reached: Connection refused$"):
            transport.send(HttpRequest("GET", f"{NOWHERE}/subscriptions/s/secret?x=1"))


def test_a_server_that_has_answered_is_waited_for(mock: MockAks) -> None:
    with mock.serve() as url, Reaching(url) as transport:
        assert transport.send(HttpRequest("GET", url)).status_code >= 400
        for _ in range(TRIES + 1):
            with pytest.raises(NeverSentError):
                transport.send(HttpRequest("GET", NOWHERE))


@pytest.mark.parametrize("endpoint", [None, NOWHERE, "https://management.azure.com"])
def test_it_is_proved_to_send_a_write_once(endpoint: str | None) -> None:
    with Reaching(endpoint) as transport:
        assert sends_once(transport)
