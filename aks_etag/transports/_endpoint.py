# SPDX-License-Identifier: MIT
"""Where Azure Resource Manager is: endpoint, token scope and authority of one cloud, taken together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from azure.core import AzureClouds

_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_AUTHORITIES: Final = {
    "AZURE_PUBLIC_CLOUD": "login.microsoftonline.com",
    "AZURE_CHINA_CLOUD": "login.chinacloudapi.cn",
    "AZURE_US_GOVERNMENT": "login.microsoftonline.us",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """The base URL without a trailing slash, the scopes of the token, and who issues it."""

    url: str
    scopes: tuple[str, ...]
    authority: str
    enforce_https: bool


def endpoint_of(base_url: str | None, cloud_setting: AzureClouds | str | None) -> Endpoint:
    """Return the endpoint of a cloud, or of a base URL that speaks for it.

    Raises:
        ValueError: plain http to another machine: a token would travel in the clear.
    """
    from azure.core.settings import convert_azure_cloud, settings
    from azure.mgmt.core.tools import get_arm_endpoints

    cloud = settings.azure_cloud() if cloud_setting is None else convert_azure_cloud(cloud_setting)
    known = get_arm_endpoints(cloud)
    url = (base_url or known["resource_manager"]).rstrip("/")
    parts = urlsplit(url)
    loopback = parts.hostname in _LOOPBACK
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment or parts.username:
        raise ValueError(f"base_url={base_url!r} is not an http(s) URL of a host")
    if parts.scheme == "http" and not loopback:
        raise ValueError(f"base_url={base_url!r}: a token is sent over plain http only to this machine; use https")
    return Endpoint(
        url=url,
        scopes=tuple(known["credential_scopes"]),
        authority=_AUTHORITIES[cloud.name],
        enforce_https=parts.scheme == "https",
    )
