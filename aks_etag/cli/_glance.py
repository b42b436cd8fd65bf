# SPDX-License-Identifier: MIT
"""One plain GET, for what a script asks again and again: loading the whole client costs more than all else.

It only ever says what a service answered with 200. Whatever else comes, and whatever needs a credential, a proxy or a
word to the user, is left to the client, which begins anew: a read may be made twice.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import SplitResult, urlsplit

from .._api_version import DEFAULT_API_VERSION
from .._version import __version__
from ._session import LOOPBACK, Where, fixed_token

if TYPE_CHECKING:
    from http.client import HTTPConnection

PATIENCE: Final = 10.0
# Narrower than what the service takes: what is not plain is checked, and refused, by the client.
_PLAIN: Final = re.compile(r"[0-9A-Za-z](?:[0-9A-Za-z_-]{0,61}[0-9A-Za-z])?")
_VERSION: Final = re.compile(r"\d{4}-\d\d-\d\d(?:-preview)?")
_TOKEN: Final = re.compile(r"[!-~]+")
_PROXIES: Final = ("http_proxy", "https_proxy", "all_proxy")


def glance(where: Where, group: str, cluster: str, pool: str | None) -> Mapping[str, Any] | None:
    """Return the body of a resource, or ``None`` where it takes the client to say what is there."""
    try:
        place, token = urlsplit(where.endpoint or ""), fixed_token(where.endpoint)
    except ValueError:
        return None
    version = where.api_version or DEFAULT_API_VERSION
    known = where.known
    chosen = where.subscription or known.subscription or ""
    subscription = (known.named or {}).get(chosen.casefold(), chosen)
    names = (subscription, group, cluster, *([] if pool is None else [pool]))
    plain = all(map(_PLAIN.fullmatch, names)) and _VERSION.fullmatch(version) and _TOKEN.fullmatch(token or "")
    if where.cloud or not plain or not reachable(place):
        return None
    path = (
        f"{place.path.rstrip('/')}/subscriptions/{subscription}/resourceGroups/{group}/providers"
        f"/Microsoft.ContainerService/managedClusters/{cluster}{'' if pool is None else f'/agentPools/{pool}'}"
    )
    return _got(place, f"{path}?api-version={version}", token or "")


def reachable(place: SplitResult) -> bool:
    """Say whether a token may go there, and no proxy is in between."""
    safe = place.scheme == "https" or (place.scheme == "http" and place.hostname in LOOPBACK)
    odd = place.query or place.fragment or place.username or not place.hostname
    return safe and not odd and not any(name.casefold() in _PROXIES for name, value in os.environ.items() if value)


def _got(place: SplitResult, path: str, token: str) -> Mapping[str, Any] | None:
    import json
    from http.client import HTTPException

    headers = {
        "Accept": "application/json",
        "Authorization": f"Bearer {token}",
        "User-Agent": f"aks-etag/{__version__}",
    }
    try:
        connection = _connection(place)
        try:
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            body = json.loads(answer.read()) if answer.status == 200 else None
        finally:
            connection.close()
    except (OSError, ValueError, HTTPException):
        return None
    return body if isinstance(body, dict) and isinstance(body.get("id"), str) else None


def _connection(place: SplitResult) -> HTTPConnection:
    from http.client import HTTPConnection, HTTPSConnection

    kind = HTTPSConnection if place.scheme == "https" else HTTPConnection
    return kind(place.hostname or "", place.port, timeout=PATIENCE)
