# SPDX-License-Identifier: MIT
"""From a kind to its plural and scope, as the server tells it; asked once for each api version."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .._core.messages import Request
from .._flows.budget import Budget
from .._flows.effects import Flow
from .._flows.read import fetch
from ..errors import InvalidResourceIdError, NotFoundError
from ._place import Place


@dataclass(slots=True)
class Discovery:
    """What is known of the kinds of one server."""

    known: dict[tuple[str, str], tuple[str, bool]] = field(default_factory=dict)

    def place(self, api_version: str, kind: str, namespace: str | None, name: str, budget: Budget) -> Flow[Place]:
        """Return the address of an object.

        Raises:
            NotFoundError: the server knows no such kind in this api version.
            InvalidResourceIdError: a namespaced kind without a namespace, or the other way round.
        """
        plural, namespaced = yield from self._found(api_version, kind, budget)
        if namespaced and not namespace:
            raise InvalidResourceIdError(f"{kind} {name!r} lives in a namespace: name it")
        if not namespaced and namespace:
            raise InvalidResourceIdError(f"{kind} {name!r} lives in no namespace: leave {namespace!r} out")
        return Place(api_version=api_version, kind=kind, plural=plural, namespace=namespace or "", name=name)

    def listed(self, api_version: str, kind: str, namespace: str | None, budget: Budget) -> Flow[Place]:
        """Return the address of a list, of one namespace or of all."""
        plural, namespaced = yield from self._found(api_version, kind, budget)
        scope = namespace or "" if namespaced else ""
        return Place(api_version=api_version, kind=kind, plural=plural, namespace=scope, name="")

    def _found(self, api_version: str, kind: str, budget: Budget) -> Flow[tuple[str, bool]]:
        if (api_version, kind) not in self.known:
            yield from self._ask(api_version, budget)
        found = self.known.get((api_version, kind))
        if found is None:
            raise NotFoundError(f"the server knows no kind {kind} in {api_version}: check spelling and api version")
        return found

    def _ask(self, api_version: str, budget: Budget) -> Flow[None]:
        root = "/apis" if "/" in api_version else "/api"
        answer = yield from fetch(Request(method="GET", url=f"{root}/{api_version}"), budget)
        resources = answer.body.get("resources")
        for each in resources if isinstance(resources, list) else []:
            if _is_kind(each):
                self.known[api_version, each["kind"]] = (each["name"], each.get("namespaced") is True)


def _is_kind(resource: Any) -> bool:
    return (
        isinstance(resource, dict)
        and isinstance(resource.get("kind"), str)
        and isinstance(resource.get("name"), str)
        and "/" not in resource["name"]
    )
