# SPDX-License-Identifier: MIT
"""Record what a flow sends, what it is told, and how it ends: around the flow, which knows nothing of it."""

from __future__ import annotations

import itertools
import logging
import os
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec, Protocol, TypeVar, cast

from .._core.messages import Body, NoResponse, Request, Response
from .._core.snapshot import Snapshot
from .._core.verdict import service_error
from .._flows.effects import Flow, Join, Send
from .._flows.group import Part
from .._flows.options import Options
from ._file import HistoryFile, Line
from ._leaves import MISSING, UNKNOWN, Digests, Transition, differing, skipped

T = TypeVar("T")
P = ParamSpec("P")

_LOG: Final = logging.getLogger("aks_etag")
_LONGEST: Final = 64
_PRECONDITIONS: Final = ("If-Match", "If-None-Match")
_ENDS: Final = frozenset({"succeeded", "failed", "canceled", "cancelled"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorder:
    """Where a client's calls are written down; ``now`` is in seconds since the epoch."""

    write: Callable[[Line], None]
    now: Callable[[], float]
    digests: Digests
    client: str = field(default_factory=lambda: secrets.token_hex(4))
    process: Callable[[], int] = os.getpid
    close: Callable[[], None] = lambda: None
    _calls: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    @classmethod
    def to(cls, path: str | os.PathLike[str], now: Callable[[], float]) -> Recorder:
        """Append to a file."""
        file = HistoryFile(path)
        return cls(write=file.write, now=now, digests=Digests(file.key), close=file.close)

    def recorded(
        self, flow: Flow[T], verb: str, resource_id: str, snapshot: Snapshot | None = None, **options: object
    ) -> Flow[T]:
        """Return a flow that does the same, and is written down; ``snapshot`` is a read that was made before it."""
        # The process is part of the name: after a fork two of them count on.
        op = f"{self.client}.{self.process():x}.{next(self._calls)}"
        seen = {} if snapshot is None else {snapshot.id.casefold(): snapshot.body}
        call = Call(recorder=self, op=op, verb=verb, resource_id=resource_id, options=options, seen=seen)
        return _watched(flow, call)


class Recordable(Protocol):
    """The verbs of one resource."""

    @property
    def history(self) -> Recorder | None: ...
    @property
    def target(self) -> str: ...
    @property
    def chosen(self) -> Options: ...


R = TypeVar("R", bound=Recordable)


def written_down(verb: Callable[Concatenate[R, P], Flow[T]]) -> Callable[Concatenate[R, P], Flow[T]]:
    """Let a verb be recorded where its client was given a history."""

    @wraps(verb)
    def call(self: R, /, *args: P.args, **kwargs: P.kwargs) -> Flow[T]:
        flow, history = verb(self, *args, **kwargs), self.history
        if history is None:
            return flow
        snapshot = next((each for each in (*args, *kwargs.values()) if isinstance(each, Snapshot)), None)
        told = {"on_doubt": self.chosen.on_doubt, "exactly_once": self.chosen.exactly_once is not None}
        return history.recorded(flow, verb.__name__, self.target, snapshot, **told)

    return call


def _watched(flow: Flow[T], call: Call) -> Flow[T]:
    call.told(call.begun)
    reply: Any = None
    try:
        effect = flow.send(None)
        while True:
            sent = effect.request if isinstance(effect, Send) else None
            if sent is not None:
                call.told(call.sending, sent)
            if isinstance(effect, Join):
                effect.member.noted = call
            try:
                reply = yield effect
            except BaseException as thrown:  # noqa: BLE001  # whatever it is, it is the flow's to deal with
                effect = flow.throw(thrown)
                continue
            if sent is not None:
                call.told(call.answered, sent, reply)
            effect = flow.send(reply)
    except StopIteration as end:
        call.told(call.ended, end.value)
        return cast("T", end.value)
    except BaseException as error:
        call.told(call.failed, error)
        raise


@dataclass(slots=True, kw_only=True)
class Call:
    """One call, as far as it has come."""

    recorder: Recorder
    op: str
    verb: str
    resource_id: str
    options: Mapping[str, object]
    seen: dict[str, Body] = field(default_factory=dict)
    last: str = ""

    def told(self, note: Callable[..., None], *facts: Any) -> None:
        """Take a note; a defect of this bookkeeping must not leave a write in doubt."""
        try:
            note(*facts)
        except Exception:  # noqa: BLE001  # the write matters more than its record
            _LOG.exception("the history of %s has a gap", self.resource_id)

    def begun(self) -> None:
        self._write(
            "call",
            client=self.recorder.client,
            verb=self.verb,
            id=self.resource_id,
            at=self.recorder.now(),
            **self.options,
        )

    def sending(self, request: Request, part: Part | None = None, place: int | None = None) -> None:
        """Note a write that is about to leave; where several calls share it, what this one asks for by it."""
        if not request.is_write:
            return
        self.last, base = request.request_id, self.seen.get(path_of(request))
        changes = self._changes(request, base) if part is None else self._changes(request, part.before, part.after)
        self._write(
            "attempt",
            request=request.request_id,
            method=request.method,
            condition=_condition(request),
            read=None if base is None else _version(base),
            changes=changes,
            **_given(place=place),
        )

    def answered(self, request: Request, reply: Any) -> None:
        if request.is_write:
            self._answer(request, reply)
        elif isinstance(reply, Response) and isinstance(reply.body, dict):
            if "://" not in request.url:
                self.seen[path_of(request)] = reply.body if reply.status == 200 else {}
            elif str(reply.body.get("status")).casefold() in _ENDS:
                code = service_error(reply.body).code[:_LONGEST]
                self._write("operation", request=self.last, status=reply.body["status"], **_given(code=code))

    def ended(self, result: Any) -> None:
        snapshot = getattr(result, "snapshot", None)
        self._write(
            "end",
            outcome=getattr(result, "outcome", "done"),
            at=self.recorder.now(),
            requests=list(filter(None, [getattr(result, "request_id", None)])),
            **_given(recovered=getattr(result, "recovered", None), tag=_tag(snapshot)),
        )

    def failed(self, error: BaseException) -> None:
        cause = error.__cause__
        facts = {name: getattr(error, name, None) for name in ("applied", "pending", "equivalent")}
        seen = getattr(error, "observed", None) or getattr(error, "current", None)
        self._write(
            "end",
            error=type(error).__name__,
            at=self.recorder.now(),
            requests=list(getattr(error, "request_ids", ())),
            **facts,
            **_given(tag=_tag(seen), cause=None if cause is None else type(cause).__name__),
        )

    def _answer(self, request: Request, reply: Any) -> None:
        if isinstance(reply, NoResponse):
            self._write("answer", request=request.request_id, status="lost" if reply.sent else "unsent")
        elif isinstance(reply, Response):
            code = service_error(reply.body).code[:_LONGEST] if reply.status >= 400 else ""
            named = reply.request_id if reply.request_id != request.request_id else ""
            twice = None if reply.sent_once else True
            self._write(
                "answer",
                request=request.request_id,
                status=reply.status,
                **_given(code=code, named=named, perhaps_twice=twice),
            )

    def _changes(self, request: Request, base: Body | None, asked: Body | None = None) -> dict[str, Transition]:
        """Show what a write changes of the read it was made from; without one, what it sends.

        ``asked`` is what one of several calls makes of it, where they share the write.
        """
        if not isinstance(request.body, dict) or request.method == "DELETE":
            return {}
        created = "If-None-Match" in request.headers or request.method == "POST"
        before: Any = MISSING if created or not base else base
        after = request.body if asked is None else asked
        if request.method == "PATCH" and isinstance(before, dict):
            # A PATCH speaks only of what it names.
            before, after = ({name: body[name] for name in request.body if name in body} for body in (before, after))
        pairs = differing(before, after, skipped(path_of(request)), sent=True)
        if request.method == "PATCH" and request.headers.get("Content-Type"):
            # Patches of Kubernetes merge, each by its own rules: what they do not name stays.
            pairs = {path: pair for path, pair in pairs.items() if pair[1] is not MISSING}
        shown = self.recorder.digests.transitions(pairs)
        if before is MISSING and not created:
            return {path: (UNKNOWN, after) for path, (_, after) in shown.items()}
        return shown

    def _write(self, line: str, **facts: object) -> None:
        self.recorder.write({"line": line, "op": self.op, **facts})


def path_of(request: Request) -> str:
    return request.url.partition("?")[0].casefold()


def _condition(request: Request) -> str | None:
    for name in _PRECONDITIONS:
        if name in request.headers:
            return f"{name}: {request.headers[name]}"
    body = request.body if isinstance(request.body, dict) else {}
    lock = body.get("preconditions", body.get("metadata"))
    version = lock.get("resourceVersion") if isinstance(lock, dict) else None
    return None if version is None else f"resourceVersion: {version}"


def _version(body: Body) -> str | None:
    holders = [each for each in (body, body.get("properties"), body.get("metadata")) if isinstance(each, Mapping)]
    found = (each.get(name) for each in holders for name in ("eTag", "etag", "resourceVersion"))
    return next((version for version in found if isinstance(version, str)), None)


def _tag(snapshot: object) -> str | None:
    return snapshot.version if isinstance(snapshot, Snapshot) else None


def _given(**facts: object) -> dict[str, object]:
    return {name: value for name, value in facts.items() if value not in (None, "")}
