# SPDX-License-Identifier: MIT
"""Where an object is: group, version, kind, namespace and name, and the path that they make."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from ..errors import InvalidResourceIdError

# RFC 1123 subdomain, the widest rule for object names; some kinds allow ":" as well (RBAC).
_NAME: Final = re.compile(r"[0-9A-Za-z](?:[0-9A-Za-z.:_-]{0,251}[0-9A-Za-z])?")
_API_VERSION: Final = re.compile(r"(?:[0-9a-z](?:[0-9a-z.-]{0,251}[0-9a-z])?/)?v[0-9][0-9a-z]*")
_WORD: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z.-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The address of one object. ``plural`` comes from discovery."""

    api_version: str
    kind: str
    plural: str
    namespace: str
    name: str
    subresource: str = ""

    @property
    def collection(self) -> str:
        """The path of all objects of the kind in the namespace."""
        root = "/apis" if "/" in self.api_version else "/api"
        scope = f"/namespaces/{self.namespace}" if self.namespace else ""
        return f"{root}/{self.api_version}{scope}/{self.plural}"

    @property
    def path(self) -> str:
        """The path of the object, or of its subresource."""
        return f"{self.collection}/{self.name}" + (f"/{self.subresource}" if self.subresource else "")

    def at(self, subresource: str) -> Place:
        """Return the address of a subresource."""
        return replace(self, subresource=subresource)


def check_place(api_version: str, kind: str, namespace: str | None, name: str | None) -> None:
    """Refuse what could change the path of a URL, before any I/O."""
    rules: list[tuple[str, re.Pattern[str], object]] = [
        ("api version", _API_VERSION, api_version),
        ("kind", _WORD, kind),
    ]
    rules += [("namespace", _NAME, namespace)] if namespace is not None else []
    rules += [("object name", _NAME, name)] if name is not None else []
    for what, pattern, value in rules:
        if not isinstance(value, str) or pattern.fullmatch(value) is None or ".." in value:
            raise InvalidResourceIdError(f"{value!r} is not a valid Kubernetes {what}")
