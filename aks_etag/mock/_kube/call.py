# SPDX-License-Identifier: MIT
"""One request as the API server sees it, and where its path leads."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from aks_etag._core.messages import WRITES, Request
from aks_etag.mock._core.answers import MISSING

_DURATION: Final = re.compile(r"([\d.]+)(ns|us|µs|ms|s|m|h)")
_SECONDS: Final[Mapping[str, float]] = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600}


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """The parts of a path; ``name`` is empty for a collection."""

    group: str
    version: str
    namespace: str
    plural: str
    name: str
    subresource: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A parsed request; header names are lower-case."""

    method: str
    url: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_write(self) -> bool:
        """Whether it can change something."""
        return self.method in WRITES

    @property
    def request_id(self) -> str:
        """The id that the client gave to this attempt."""
        return self.headers.get("x-request-id", "")

    @property
    def content_type(self) -> str:
        """The media type of the body, without parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def manager(self) -> str:
        """The field manager: as asked for, else the product of the User-Agent."""
        agent = self.headers.get("user-agent", "").partition("/")[0]
        return self.query.get("fieldManager") or agent or "unknown"

    @property
    def timeout(self) -> float | None:
        """The seconds after which the server is to give up."""
        found = _DURATION.findall(self.query.get("timeout", ""))
        return sum(float(number) * _SECONDS[unit] for number, unit in found) if found else None

    def json(self) -> Any:
        """Parse the body; MISSING where it is no JSON."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return MISSING

    def request(self) -> Request:
        """Show this call to a hook."""
        body = self.json()
        return Request(
            method=self.method,
            url=self.url,
            headers=dict(self.headers),
            body=None if body is MISSING else body,
            request_id=self.request_id,
        )


def parse_call(method: str, url: str, headers: Mapping[str, str], body: bytes) -> Call:
    """Take a request apart; a URL that has no parts leads nowhere."""
    try:
        parts = urlsplit(url)
        path, query = parts.path, parts.query
    except ValueError:
        path, query = "/", ""
    return Call(
        method=method.upper(),
        url=url,
        path=path,
        query=dict(parse_qsl(query, keep_blank_values=True)),
        headers={name.lower(): value for name, value in headers.items()},
        body=body,
    )


def parse_path(path: str) -> Address | None:
    """Find the resource that a path names; None where it names none."""
    parts = [unquote(part) for part in path.strip("/").split("/")]
    if parts[0] == "api":
        return _resource("", parts[1:2], parts[2:])
    if parts[0] == "apis" and len(parts) > 2:
        return _resource(parts[1], parts[2:3], parts[3:])
    return None


def _resource(group: str, version: list[str], rest: list[str]) -> Address | None:
    namespace = ""
    # A namespace is a resource, too: its own subresources are told by their names.
    if len(rest) > 2 and rest[0] == "namespaces" and rest[2] not in ("status", "finalize"):
        namespace, rest = rest[1], rest[2:]
    if not version or not 1 <= len(rest) <= 3:
        return None
    plural, name, subresource = [*rest, "", ""][:3]
    return Address(
        group=group, version=version[0], namespace=namespace, plural=plural, name=name, subresource=subresource
    )
