# SPDX-License-Identifier: MIT
"""One request as the service sees it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from aks_etag._core.messages import WRITES, Request
from aks_etag.mock._core import errors
from aks_etag.mock._core.address import Address, parse_path
from aks_etag.mock._core.answers import RefusalError

# Copies and comparisons of a body recurse, so deeper ones are refused before they are stored.
DEEPEST_BODY: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A parsed request; header names are lower-case, ``base`` is the scheme and host it was sent to."""

    method: str
    url: str
    base: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes
    address: Address | None

    @property
    def is_write(self) -> bool:
        """Whether it can change something."""
        asks = self.address is not None and self.address.action.lower().startswith("list")
        return self.method in WRITES and not asks

    @property
    def request_id(self) -> str:
        """The id that the client gave to this attempt."""
        return self.headers.get("x-ms-client-request-id", "")

    @property
    def api_version(self) -> str | None:
        """The api-version it asks for."""
        return self.parameter("api-version")

    @property
    def target(self) -> Address:
        """The address, where routing has proved that there is one."""
        if self.address is None:
            raise RefusalError(errors.unknown_route(self.method, self.path))
        return self.address

    def condition(self, name: str) -> str | None:
        """Return a precondition header; an empty one counts as absent."""
        return self.headers.get(name, "").strip() or None

    def parameter(self, name: str) -> str | None:
        """Return a query parameter, its name compared without case."""
        return next((value for key, value in _pairs(self.query) if key.lower() == name.lower()), None)

    def json_object(self) -> dict[str, Any]:
        """Parse the body, or refuse what is no JSON object."""
        parsed = parse_json(self.body)
        if not isinstance(parsed, dict) or not (self._has_few_brackets() or _shallow(parsed)):
            raise RefusalError(errors.bad_content())
        return parsed

    def _has_few_brackets(self) -> bool:
        """Whether the body is too short of brackets to be deep; it saves walking through nearly all of them."""
        return self.body.count(b"{") + self.body.count(b"[") <= DEEPEST_BODY

    def request(self) -> Request:
        """Show this call to a hook."""
        body = parse_json(self.body)
        return Request(
            method=self.method, url=self.url, headers=dict(self.headers), body=body, request_id=self.request_id
        )


def parse_call(method: str, url: str, headers: Mapping[str, str], body: bytes) -> Call:
    """Take a request apart; a URL that has no parts leads nowhere."""
    try:
        scheme, host, path, query, _ = urlsplit(url)
    except ValueError:
        scheme, host, path, query = "http", "invalid", "/", ""
    return Call(
        method=method.upper(),
        url=url,
        base=f"{scheme}://{host}",
        path=path,
        query=query,
        headers={name.lower(): value for name, value in headers.items()},
        body=body,
        address=parse_path(path),
    )


def parse_json(content: bytes) -> Any:
    """Parse strict JSON; None where it is none."""
    try:
        return _STRICT.decode(content.decode(json.detect_encoding(content)))
    except (ValueError, RecursionError):
        return None


@lru_cache(maxsize=256)
def _pairs(query: str) -> list[tuple[str, str]]:
    return parse_qsl(query, keep_blank_values=True)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _finite(digits: str) -> float:
    # A number beyond all floats would come out again as Infinity, which is no JSON.
    value = float(digits)
    if math.isinf(value):
        raise ValueError(f"{digits} is too large")
    return value


_STRICT: Final = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite)


def _shallow(parsed: Any) -> bool:
    level = [parsed]
    for _ in range(DEEPEST_BODY):
        level = [child for parent in level for child in _children(parent)]
        if not level:
            return True
    return False


def _children(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []
