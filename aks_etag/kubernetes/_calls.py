# SPDX-License-Identifier: MIT
"""From a verb on an object to a flow; what can be refused locally is refused here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from .._calls import Tag, checked
from .._core.changes import Change, plain_body
from .._core.pacing import check_seconds
from .._core.precondition import CREATE, condition, pinned
from .._core.snapshot import Snapshot, WriteResult
from .._core.unset import UNSET, Unset
from .._flows import compose, read
from .._flows.budget import Budget
from .._flows.commit import commit, in_company
from .._flows.effects import Flow
from .._flows.group import Group
from .._flows.options import Options
from .._flows.update import update
from .._flows.write import once
from .._surroundings import OnEvent
from .._writers import Writers
from ..errors import InvalidPreconditionError
from ..history._recorder import Recorder, written_down
from ..history._shared import written_for
from . import _flows, _ownership
from ._discovery import Discovery
from ._object import KubernetesObject
from ._patches import Patch
from ._place import Place
from ._watchdog import Watchdog, Watched, noticed, noticed_by_all

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What a client or handle was set to; the watchdog is the client's, whatever else a handle is set to."""

    options: Options
    on_event: OnEvent | None = None
    dry_run: bool = False
    field_manager: str = ""
    history: Recorder | None = None
    watchdog: Watchdog = field(default_factory=Watchdog, compare=False, repr=False)
    writers: Writers = field(default_factory=Writers, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """The verbs of one object, as flows. Where it lives is asked of the server when it is first needed."""

    api_version: str
    kind: str
    namespace: str | None
    name: str
    subresource: str
    choices: Choices
    discovery: Discovery

    @property
    def label(self) -> str:
        """How messages call it before its path is known."""
        scope = f"{self.namespace}/" if self.namespace else ""
        return f"{self.api_version} {self.kind} {scope}{self.name}"

    @property
    def history(self) -> Recorder | None:
        """Where its writes are recorded, if they are."""
        return self.choices.history

    @property
    def target(self) -> str:
        """What its writes are recorded under."""
        return self.label

    @property
    def chosen(self) -> Options:
        """How it was told to go about it."""
        return self.choices.options

    def get(self, deadline: float | None) -> Flow[Snapshot]:
        """Read it."""
        return self._on(deadline, lambda target, budget: read.read(target, budget))

    def owners(self, deadline: float | None) -> Flow[tuple[_ownership.Owner, ...]]:
        """Read who owns which fields."""

        def decoded(target: KubernetesObject, budget: Budget) -> Flow[tuple[_ownership.Owner, ...]]:
            return _ownership.owners_of((yield from read.read(target, budget)).body)

        return self._on(deadline, decoded)

    def owned(self, manager: str, deadline: float | None) -> Flow[dict[str, Any]]:
        """Read what a field manager has applied."""

        def part(target: KubernetesObject, budget: Budget) -> Flow[dict[str, Any]]:
            seen = yield from read.read(target, budget)
            return _ownership.owned_by(seen.body, manager, subresource=self.subresource)

        return self._on(deadline, part)

    @written_down
    def create(self, body: Mapping[str, Any], adopt: bool, deadline: float | None) -> Flow[WriteResult]:
        """Post it if it is not there."""
        desired = plain_body(body)

        def post(target: KubernetesObject, budget: Budget) -> Flow[WriteResult]:
            request = target.replace(desired, CREATE)
            return once(target, "put", request, CREATE, self.choices.options, budget, adopt=adopt)

        return self._writing(deadline, post)

    @written_down
    def update(self, change: Change, if_match: Tag, deadline: float | None) -> Flow[WriteResult]:
        """Change it in the loop."""
        wanted, options = checked(change), self.choices.options
        if options.group_commit and if_match is UNSET:
            return self._on(deadline, partial(self._shared, wanted))

        def loop(target: Watched, budget: Budget) -> Flow[WriteResult]:
            pin = _locking(pinned(if_match, target=target.id))
            return noticed(update(target, wanted, options, budget, pin=pin), target, self.choices.watchdog)

        return self._writing(deadline, loop)

    @written_down
    def create_or_update(self, body: Mapping[str, Any], change: Change, deadline: float | None) -> Flow[WriteResult]:
        """Post it if it is not there, else change it in the loop."""
        desired, wanted = plain_body(body), checked(change)

        def either(target: Watched, budget: Budget) -> Flow[WriteResult]:
            request = target.replace(desired, CREATE)
            done = compose.create_or_update(target, request, wanted, self.choices.options, budget)
            return noticed(done, target, self.choices.watchdog)

        return self._writing(deadline, either)

    @written_down
    def patch(
        self, change: Patch, if_match: Snapshot | Unset, locked: bool, deadline: float | None
    ) -> Flow[WriteResult]:
        """Patch it once."""
        if not hasattr(change, "content_type"):
            raise TypeError("patch takes merge_patch(...), json_patch(...) or strategic_merge_patch(...)")
        if if_match is not UNSET and not isinstance(if_match, Snapshot):
            raise InvalidPreconditionError("if_match of a patch takes a snapshot: its uid locks as well as its version")
        if if_match is not UNSET and not locked:
            raise InvalidPreconditionError("locked=False means no lock: it cannot be combined with if_match")
        seen = if_match if isinstance(if_match, Snapshot) else None
        flow = partial(_flows.patch, change=change, seen=seen, locked=locked, options=self.choices.options)
        return self._writing(deadline, lambda target, budget: flow(target, budget=budget))

    @written_down
    def apply(
        self, body: Mapping[str, Any], field_manager: str, force: bool, deadline: float | None
    ) -> Flow[WriteResult]:
        """Apply it as one field manager."""
        if not str(field_manager).replace("-", "").replace(".", "").isalnum():
            raise InvalidPreconditionError(
                f"field_manager={field_manager!r} is not a name: letters, digits, '-' and '.'"
            )
        desired = plain_body(body)

        def said(target: KubernetesObject, budget: Budget) -> Flow[WriteResult]:
            as_manager = replace(target, field_manager=field_manager)
            return _flows.apply(as_manager, as_manager.named(desired), force, budget, self.choices.watchdog)

        return self._writing(deadline, said)

    @written_down
    def delete(
        self, if_match: Tag, only_if: Callable[[Snapshot], bool] | Unset, force: bool, deadline: float | None
    ) -> Flow[WriteResult]:
        """Delete it: once under a condition, or in a loop where a predicate decides."""
        given = [if_match is not UNSET, only_if is not UNSET, force is True]
        if sum(given) != 1:
            raise InvalidPreconditionError("delete takes exactly one of if_match, only_if and force=True")
        if callable(only_if):
            predicate = only_if
            return self._writing(
                deadline, lambda target, budget: compose.delete_if(target, predicate, self.choices.options, budget)
            )

        def remove(target: KubernetesObject, budget: Budget) -> Flow[WriteResult]:
            guard = condition(if_match=if_match, force=force, target=target.id)
            seen = if_match if isinstance(if_match, Snapshot) else None
            _locking(guard.tag)
            request = target.remove(guard, base=None if seen is None else seen.body)
            return once(target, "delete", request, guard, self.choices.options, budget, seen=seen)

        return self._writing(deadline, remove)

    def _shared(self, change: Change, target: Watched, budget: Budget) -> Flow[WriteResult]:
        """Let a change go out with those of others."""
        options = self.choices.options

        def begin(group: Group) -> Flow[None]:
            flow = noticed_by_all(commit(target, options, group, lane=self.label), target, self.choices.watchdog)
            return flow if self.history is None else written_for(flow, group)

        return in_company(target, change, options, budget, (target, options), begin)

    def _writing(self, deadline: float | None, flow: Callable[[Watched, Budget], Flow[T]]) -> Flow[T]:
        return self._on(deadline, flow, in_turn=True)

    def _on(
        self, deadline: float | None, flow: Callable[[Watched, Budget], Flow[T]], *, in_turn: bool = False
    ) -> Flow[T]:
        seconds = None if deadline is None else check_seconds("deadline", deadline)

        def located() -> Flow[T]:
            budget = yield from Budget.start(self.label, self.choices.options, seconds)
            if in_turn:
                yield from budget.turn()
            place = yield from self.discovery.place(self.api_version, self.kind, self.namespace, self.name, budget)
            return (yield from flow(self._target(place), budget))

        return located()

    def _target(self, place: Place) -> Watched:
        return Watched(
            place=place.at(self.subresource), dry_run=self.choices.dry_run, field_manager=self.choices.field_manager
        )


def _locking(version: str | None) -> str | None:
    """Refuse what the server takes for no lock at all."""
    if version in ("0", "*"):
        raise InvalidPreconditionError(f'if_match="{version}" locks nothing here: pass the snapshot or its version')
    return version
