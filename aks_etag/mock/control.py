# SPDX-License-Identifier: MIT
"""The back door of a served mock, under ``/_mock/``: state, faults, time, journal, snapshots, and a page to look at.

Only this machine may use it, and a page of another site cannot: writes must be JSON, which a browser asks leave for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict
from importlib import resources
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, urlsplit

from aks_etag.mock._assertions import line
from aks_etag.mock._core.answers import Answer, encode
from aks_etag.mock._core.operations import Operation
from aks_etag.mock._core.records import cluster_body
from aks_etag.mock._core.switches import Switches
from aks_etag.mock._fits import check
from aks_etag.mock.writers import ready

if TYPE_CHECKING:
    from aks_etag.mock._mock import MockAks

PREFIX: Final = "/_mock/"
_LOCAL: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
_JSON: Final = {"Content-Type": "application/json", "Cache-Control": "no-store"}
_PAGE: Final = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "connect-src 'self'; img-src data:; frame-ancestors 'none'",
}
_MOST_ENTRIES: Final = 500


class Control:
    """Answers what is asked under ``/_mock/``; the journal does not show it."""

    def __init__(self, mock: MockAks) -> None:
        self._mock = mock
        self._start = mock.snapshot()
        self._routes: dict[tuple[str, str], Callable[[Any, Mapping[str, str]], Any]] = {
            ("GET", "state"): self._state,
            ("PUT", "state"): self._seed,
            ("GET", "journal"): self._journal,
            ("DELETE", "journal"): self._forget,
            ("POST", "faults"): self._break,
            ("DELETE", "faults"): self._mend,
            ("GET", "background"): lambda *_: {"background": self._mock.core.backgrounds.names()},
            ("POST", "background"): self._background,
            ("DELETE", "background"): lambda *_: self._mock.no_background(),
            ("GET", "clock"): self._time,
            ("POST", "clock"): self._pass,
            ("PATCH", "switches"): self._switch,
            ("POST", "reset"): self._reset,
            ("POST", "snapshot"): lambda *_: {"snapshot": self._mock.snapshot()},
            ("POST", "restore"): self._restore,
        }

    def answer(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Answer one request."""
        named = {name.lower(): value for name, value in headers.items()}
        try:
            parts = urlsplit(url)
        except ValueError as error:
            return _refused(400, str(error))
        # A name that an attacker has pointed to this machine is not this machine.
        if named.get("host", "").rpartition(":")[0] not in _LOCAL and named.get("host", "") not in _LOCAL:
            return _refused(403, "this is for the machine that it runs on: use 127.0.0.1 or localhost")
        what = parts.path.removeprefix(PREFIX).strip("/")
        if (method, what) == ("GET", ""):
            page = resources.files("aks_etag.mock").joinpath("page.html").read_bytes()
            return Answer(status=200, row="page", headers=_PAGE, body=page)
        route = self._routes.get((method, what))
        if route is None:
            known = ", ".join(sorted({f"{verb} {name}" for verb, name in self._routes}))
            return _refused(404, f"there is no {method} {PREFIX}{what}; there are {known}")
        return self._answered(route, method, named, body, dict(parse_qsl(parts.query)))

    def _answered(
        self, route: Callable[..., Any], method: str, headers: Mapping[str, str], body: bytes, query: Mapping[str, str]
    ) -> Answer:
        if method != "GET" and not headers.get("content-type", "").startswith("application/json"):
            return _refused(415, "send it as application/json")
        try:
            sent = json.loads(body, parse_constant=_no_constant) if body.strip() else None
            told = route(sent, query)
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
            return _refused(400, str(error) or type(error).__name__)
        return Answer(status=200, row="control", headers=_JSON, body=encode({} if told is None else told))

    def _state(self, *_: Any) -> Any:
        mock = self._mock
        clusters, running = mock.core.shown()
        return {
            "subscription": mock.subscription_id,
            "clusters": [
                {**cluster_body(each), "resourceGroup": each.group, "subscription": each.subscription}
                for each in clusters
            ],
            "operations": [_shown(each) for each in running],
            "switches": {name: _listed(value) for name, value in asdict(mock.switches).items()},
            "now": mock.clock.time(),
            "requests": len(mock.journal),
        }

    def _seed(self, sent: Any, _: Any) -> Any:
        if isinstance(sent, str):
            raise ValueError("send what the file has in it: names of files mean nothing here")
        return {"ids": self._mock.seed(sent)}

    def _journal(self, _: Any, query: Mapping[str, str]) -> Any:
        after = int(query.get("after", "0"))
        entries = self._mock.journal[after : after + _MOST_ENTRIES]
        shown = [{**asdict(each), "number": n, "line": line(each)} for n, each in enumerate(entries, start=after + 1)]
        return {"entries": shown, "next": after + len(entries)}

    def _forget(self, *_: Any) -> None:
        self._mock.journal.clear()

    def _break(self, sent: Any, _: Any) -> None:
        steps = sent if isinstance(sent, list) else [sent]
        for step in steps:
            check(step, self._mock.fail_operation if isinstance(step, dict) and "code" in step else self._mock.inject)
        self._mock.scenario(steps)

    def _mend(self, *_: Any) -> None:
        self._mock.mend()

    def _background(self, sent: Any, _: Any) -> None:
        when = {name: value for name, value in sent.items() if name not in ("writer", "with")}
        self._mock.background(ready(sent["writer"], sent.get("with") or {}), **when)

    def _time(self, *_: Any) -> Any:
        return {"now": self._mock.clock.time()}

    def _pass(self, sent: Any, _: Any) -> Any:
        seconds = float(sent["advance"])
        if not 0 <= seconds < 1e9:
            raise ValueError("advance takes seconds, and time does not go back")
        self._mock.clock.sleep(seconds)
        return self._time()

    def _switch(self, sent: Any, _: Any) -> Any:
        for name, value in check(sent, Switches).items():
            setattr(self._mock.switches, name, value)
        return self._state()["switches"]

    def _reset(self, *_: Any) -> None:
        self._mock.mend()
        self._mock.no_background()
        self._mock.restore(self._start)
        self._mock.journal.clear()
        self._mock.commits.clear()

    def _restore(self, sent: Any, _: Any) -> None:
        self._mock.restore(sent["snapshot"])


def _listed(value: Any) -> Any:
    """Return a collection as JSON has it."""
    return value if isinstance(value, str) or not isinstance(value, Collection) else list(value)


def _shown(operation: Operation) -> dict[str, Any]:
    group, cluster = operation.cluster
    return {
        **operation.body(),
        "verb": operation.verb,
        "resourceGroup": group,
        "cluster": cluster,
        "pool": operation.pool,
    }


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _refused(status: int, why: str) -> Answer:
    return Answer(status=status, row="control", headers=_JSON, body=encode({"error": why}))
