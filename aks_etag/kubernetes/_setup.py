# SPDX-License-Identifier: MIT
"""What a Kubernetes client is made of, sync or async."""

from __future__ import annotations

import os
import random
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, TypeAlias
from urllib.parse import quote, urlsplit

import httpx

from .._clock import Clock, SystemClock
from .._core.events import Warned
from .._core.evidence import OnDoubt
from .._core.messages import Request, Response
from .._core.pacing import ConflictRetry, check_count
from .._core.snapshot import Snapshot
from .._core.unset import UNSET
from .._flows.budget import Budget
from .._flows.effects import Flow
from .._flows.options import Options
from .._groups import Groups
from .._lanes import Lanes
from .._settings import noting
from .._stats import Stats
from .._surroundings import OnEvent, Surroundings
from .._writers import Writers
from ..history._recorder import Recorder
from . import _flows
from ._calls import Calls, Choices
from ._discovery import Discovery
from ._object import KubernetesObject
from ._place import Place
from ._transport import AsyncKubernetesTransport, KubernetesTransport

TokenSource: TypeAlias = str | Callable[[bool], Any] | None
Verify: TypeAlias = bool | str | ssl.SSLContext
# Objects have no long operations: what is not done in a minute will not be done by trying on.
PATIENCE: Final = ConflictRetry(attempts=20, deadline=60.0)
_OF_OPTIONS: Final = ("conflict_retry", "on_doubt", "polling_interval", "exactly_once", "group_commit", "linger")
SUBRESOURCES: Final = ("status", "scale")
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


def choices(
    conflict_retry: ConflictRetry,
    on_doubt: OnDoubt,
    polling_interval: float,
    exactly_once: bool,
    group_commit: bool,
    linger: float,
    on_event: OnEvent | None,
) -> Choices:
    """Check the client-wide defaults."""
    writers = Writers()
    options = Options(
        conflict_retry=conflict_retry,
        on_doubt=on_doubt,
        polling_interval=polling_interval,
        exactly_once=noting(exactly_once, writers),
        group_commit=group_commit,
        linger=linger,
    )
    return Choices(options=options, on_event=on_event, writers=writers)


def changed(calls: Calls, **given: Any) -> Calls:
    """Return the same calls with other choices, the same where nothing else is said."""
    said = {name: value for name, value in given.items() if value is not UNSET}
    if "exactly_once" in said:
        said["exactly_once"] = noting(said["exactly_once"], calls.choices.writers)
    of_options = {name: said.pop(name) for name in _OF_OPTIONS if name in said}
    options = replace(calls.choices.options, **of_options)
    return replace(calls, choices=replace(calls.choices, options=options, **said))


def of_subresource(calls: Calls, name: str) -> Calls:
    """Return the calls of a subresource."""
    if name not in SUBRESOURCES:
        raise ValueError(f"subresource {name!r}: it is one of {', '.join(SUBRESOURCES)}")
    return replace(calls, subresource=name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A list of objects, chunk by chunk, as flows."""

    api_version: str
    kind: str
    namespace: str | None
    query: str
    choices: Choices
    discovery: Discovery

    def first(self) -> Flow[Request | None]:
        """Return the request for the first chunk."""
        budget = yield from Budget.start(f"{self.api_version} {self.kind}", self.choices.options)
        place = yield from self.discovery.listed(self.api_version, self.kind, self.namespace, budget)
        return Request(method="GET", url=f"{place.collection}?{self.query}")

    def chunk(self, request: Request) -> Flow[tuple[list[Snapshot], Request | None]]:
        """Read one chunk."""
        what = f"{self.api_version} {self.kind}"
        items, following = yield from _flows.chunk(request, what, self.choices.options)
        return [self._snapshot(item) for item in items], following

    def _snapshot(self, item: Any) -> Snapshot:
        metadata = item.get("metadata") or {}
        plural, namespaced = self.discovery.known[self.api_version, self.kind]
        place = Place(
            api_version=self.api_version,
            kind=self.kind,
            plural=plural,
            namespace=str(metadata.get("namespace", "")) if namespaced else "",
            name=str(metadata.get("name", "")),
        )
        body = {"apiVersion": self.api_version, "kind": self.kind, **item}
        return KubernetesObject(place=place).snapshot(Response(status=200, body=body))


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts that the synchronous and the asynchronous client share."""

    base_url: str
    clock: Clock
    stats: Stats = field(default_factory=Stats)
    discovery: Discovery = field(default_factory=Discovery)
    rng: random.Random = field(default_factory=random.Random)
    lanes: Lanes = field(default_factory=Lanes)
    groups: Groups = field(default_factory=Groups)

    @classmethod
    def made(cls, base_url: str, clock: Clock | None) -> Parts:
        """Check where the server is.

        Raises:
            ValueError: plain http to another machine: a token would travel in the clear.
        """
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query:
            raise ValueError(f"base_url={base_url!r} is not an http(s) URL of an API server")
        if parts.scheme == "http" and parts.hostname not in _LOOPBACK:
            raise ValueError(f"base_url={base_url!r}: a token is sent over plain http only to this machine; use https")
        return cls(base_url=base_url.rstrip("/"), clock=clock or SystemClock())

    def recording(self, choices: Choices, path: str | os.PathLike[str] | None) -> Choices:
        """Let what is written be recorded in a file, if one is given."""
        return choices if path is None else replace(choices, history=Recorder.to(path, self.clock.time))

    def around(self, on_event: OnEvent | None) -> Surroundings:
        """Return what a driver needs."""
        return Surroundings(
            clock=self.clock,
            stats=self.stats,
            on_event=on_event,
            rng=self.rng,
            lanes=self.lanes,
            groups=self.groups,
        )

    def listing(
        self, api_version: str, kind: str, namespace: str | None, chunk: int, labels: str, choices: Choices
    ) -> Listing:
        """Return a list, to be read in chunks."""
        check_count("chunk", chunk)
        query = f"limit={chunk}" + (f"&labelSelector={quote(labels, safe='')}" if labels else "")
        return Listing(
            api_version=api_version,
            kind=kind,
            namespace=namespace,
            query=query,
            choices=choices,
            discovery=self.discovery,
        )

    def transport(
        self, token: TokenSource, verify: Verify, chosen: object, on_event: OnEvent | None
    ) -> KubernetesTransport:
        """Return the synchronous way to the server."""
        if chosen == "httpx":
            client = httpx.Client(verify=verify)
        elif isinstance(chosen, httpx.BaseTransport):
            client = httpx.Client(transport=chosen)
        else:
            raise TypeError(f'transport={chosen!r}: it takes "httpx" or an httpx transport')
        return KubernetesTransport(self.base_url, _asked(token), client, self.clock, self._warned(on_event))

    def async_transport(
        self, token: TokenSource, verify: Verify, chosen: object, on_event: OnEvent | None
    ) -> AsyncKubernetesTransport:
        """Return the asynchronous way to the server."""
        if chosen == "httpx":
            client = httpx.AsyncClient(verify=verify)
        elif isinstance(chosen, httpx.AsyncBaseTransport):
            client = httpx.AsyncClient(transport=chosen)
        else:
            raise TypeError(f'transport={chosen!r}: it takes "httpx" or an async httpx transport')
        return AsyncKubernetesTransport(self.base_url, _asked(token), client, self.clock, self._warned(on_event))

    def _warned(self, on_event: OnEvent | None) -> Callable[[Request, str], None]:
        around = self.around(on_event)

        def tell(request: Request, text: str) -> None:
            around.tell(Warned(resource_id=request.url.partition("?")[0], text=text))

        return tell


def _asked(token: TokenSource) -> Callable[[bool], Any]:
    return token if callable(token) else partial(_fixed, token)


def _fixed(token: str | None, _renew: bool) -> str | None:
    return token
