# SPDX-License-Identifier: MIT
"""Clients whose updates go out together, a transport that can be held, and what there is to count."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import httpx

from aks_etag import AksClient, AsyncAksClient, ConflictRetry
from aks_etag.mock import FakeCredential, MockAks

from .test_lanes import PATIENCE


def rooms(aks: AksClient | AsyncAksClient) -> int:
    return len(aks._parts.groups._rooms)


def queued(aks: AksClient | AsyncAksClient) -> int:
    return sum(len(room.posts) for room in aks._parts.groups._rooms.values())


def count(mock: MockAks) -> int:
    return int(mock.body("rg", "prod", "np1")["properties"]["count"])


def puts(mock: MockAks) -> list[int]:
    return [entry.status for entry in mock.journal if entry.method == "PUT"]


class Gate(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Holds the answer to every PUT, or whatever else is named, until it is let go."""

    sends_once = True

    def __init__(self, mock: MockAks, what: str = "PUT") -> None:
        self.what = what
        self.inner = mock.httpx_transport()
        self.inside, self.go = threading.Event(), threading.Event()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = self.inner.handle_request(request)
        if self.what in f"{request.method} {request.url}":
            self.inside.set()
            assert self.go.wait(PATIENCE)
        return answer

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        answer = await self.inner.handle_async_request(request)
        if self.what in f"{request.method} {request.url}":
            self.inside.set()
            while not self.go.is_set():
                await asyncio.sleep(0.001)
        return answer


def on_real_time(mock: MockAks, **settings: Any) -> AksClient:
    """Return a client on real time, since somebody is really waited for."""
    retry = ConflictRetry(deadline=60)
    return AksClient(
        FakeCredential(), mock.subscription_id, polling_interval=0.01, conflict_retry=retry, group_commit=True,
        **{"transport": mock.httpx_transport(), **settings},
    )  # fmt: skip
