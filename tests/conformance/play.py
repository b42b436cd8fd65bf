# SPDX-License-Identifier: MIT
"""Play a case through a door, and take down everything that can be seen from outside."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from .case import PLACES, Behind, Case, Step
from .doors import Answered, Door

_LINKS: Final = {"operation": "azure-asyncoperation", "result": "location"}
# What comes by chance, and the time: the same words in the same places, if not the same values.
_CHANCE: Final = re.compile(
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|t=\d{18}&c=[\w-]+&s=[\w-]+&h=[\w-]+|(?<=resourceUID\":\")[0-9a-f]{24}"
    r"|\d{4}-\d\d-\d\dT[\d:.]+Z|(?<=\"at\": )\d+\.\d+"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What one step came to."""

    step: Step
    answered: Answered | None
    entries: list[dict[str, Any]]
    before: dict[str, str]
    after: dict[str, str]

    @property
    def moved(self) -> frozenset[str]:
        """What has another tag than before, came into being or went."""
        names = {*self.before, *self.after}
        return frozenset(name for name in names if self.before.get(name) != self.after.get(name))

    def written(self, base: str) -> str:
        """Write it down, without the name of the door."""
        status, headers, body = self.answered or (None, {}, b"")
        entries = [{name: value for name, value in each.items() if name != "number"} for each in self.entries]
        shown = [f"{name}: {value}" for name, value in sorted(headers.items())]
        told = [str(status), *shown, body.decode(), json.dumps(entries), json.dumps(self.after)]
        return "\n".join(told).replace(base, "")


@dataclass(slots=True, kw_only=True)
class _Play:
    door: Door
    links: dict[str, str] = field(default_factory=dict)
    requests: int = 0
    tags: dict[str, str] = field(default_factory=dict)

    def step(self, step: Step) -> Seen:
        before = self.tags
        answered = self.door.ask(step.method, self.url(step), self.headers(step, before), _content(step.body))
        self.remember(answered)
        journal = self.door.behind(Behind(verb="GET", what=f"journal?after={self.requests}"))
        self.requests = journal["next"]
        self.look()
        return Seen(step=step, answered=answered, entries=journal["entries"], before=before, after=self.tags)

    def url(self, step: Step) -> str:
        if step.target in self.links:
            return self.links[step.target]
        path = PLACES.get(step.target, step.target)
        query = "" if step.version is None else f"{'&' if '?' in path else '?'}api-version={step.version}"
        return f"{self.door.base}{path}{query}"

    def headers(self, step: Step, tags: Mapping[str, str]) -> dict[str, str]:
        given = {name: re.sub(r"<(\w+)>", lambda found: tags[found[1]], each) for name, each in step.headers.items()}
        return given if step.body is None else {"Content-Type": "application/json", **given}

    def remember(self, answered: Answered | None) -> None:
        _, headers, body = answered or (0, {}, b"")
        self.links |= {name: headers[header] for name, header in _LINKS.items() if header in headers}
        if b"nextLink" in body:
            self.links["next"] = json.loads(body)["nextLink"]

    def look(self) -> None:
        """Take down the tag of everything that is there."""
        self.tags = {}
        for cluster in self.door.behind(Behind(verb="GET", what="state"))["clusters"]:
            first = cluster["name"] == "aks1"
            self.tags["cluster" if first else cluster["name"]] = str(cluster.get("eTag"))
            for pool in cluster["properties"]["agentPoolProfiles"]:
                self.tags[pool["name"] if first else f"{cluster['name']}/{pool['name']}"] = str(pool.get("eTag"))


def play(case: Case, door: Door) -> list[Seen]:
    """Play a script to its end."""
    stage = _Play(door=door)
    stage.look()
    seen = []
    for step in case.script:
        if isinstance(step, Behind):
            door.behind(step)
            stage.look()
        else:
            seen.append(stage.step(step))
    return seen


def transcript(seen: Sequence[Seen], door: Door, *, by_place: bool) -> str:
    """Write all of it down; ``by_place``: what comes by chance is named by the order of its first appearance."""
    text = "\n".join(each.written(door.base) for each in seen)
    names: dict[str, str] = {}
    return _CHANCE.sub(lambda found: names.setdefault(found[0], f"#{len(names)}"), text) if by_place else text


def _content(body: Any) -> bytes:
    if body is None:
        return b""
    return body if isinstance(body, bytes) else json.dumps(body).encode()
