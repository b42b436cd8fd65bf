# SPDX-License-Identifier: MIT
"""From a verb and its arguments to a flow. Whatever can be refused locally is refused here, before any I/O."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias, TypeVar

from ._core.changes import Change, applied, merge_patch, plain_body
from ._core.continuation import Continuation
from ._core.messages import Request
from ._core.operation import trusted
from ._core.pacing import check_seconds
from ._core.precondition import CREATE, Condition, condition, pinned
from ._core.resource_id import ResourceId, check_name, parse
from ._core.snapshot import ClusterSnapshot, Snapshot, WriteResult
from ._core.unset import UNSET, Unset
from ._flows import compose, read
from ._flows.aftermath import verified
from ._flows.budget import Budget
from ._flows.commit import commit, in_company
from ._flows.effects import Flow
from ._flows.group import Group
from ._flows.options import OnBusy, Options
from ._flows.resume import resume
from ._flows.rounds import check_age
from ._flows.single import Verb
from ._flows.update import update
from ._flows.write import once
from ._resources import AgentPool, ClusterTags, ManagedCluster, Resource
from ._settings import Settings
from .errors import InvalidPreconditionError
from .history._recorder import Recorder, written_down
from .history._shared import written_for

T = TypeVar("T")
Tag: TypeAlias = str | Snapshot | Unset
TagsChange: TypeAlias = Mapping[str, str | None] | Change
Verify: TypeAlias = Callable[[Snapshot], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """The verbs of one resource, as flows."""

    address: ResourceId
    settings: Settings

    @property
    def history(self) -> Recorder | None:
        """Where its writes are recorded, if they are."""
        return self.settings.history

    @property
    def target(self) -> str:
        """What its writes are recorded under."""
        return str(self.address)

    @property
    def chosen(self) -> Options:
        """How it was told to go about it."""
        return self.settings.options

    def resource(self, *, inline_pools: bool = False) -> Resource:
        """Return what the flows know of the resource."""
        if self.address.pool is not None:
            return AgentPool(address=self.address, arm=self.settings.arm)
        return ManagedCluster(address=self.address, arm=self.settings.arm, inline_pools=inline_pools)

    def options(self, on_busy: OnBusy | Unset) -> Options:
        """Return the options of one call."""
        return self.settings.options if on_busy is UNSET else replace(self.settings.options, on_busy=on_busy)

    def get(self, deadline: float | None) -> Flow[Snapshot]:
        """Read it."""
        return read.get(self.resource(), self.settings.options, deadline=_seconds(deadline))

    def wait(self, deadline: float | None) -> Flow[Snapshot]:
        """Read it until it is settled."""
        options = replace(self.settings.options, on_busy="wait")
        return read.wait(self.resource(), options, deadline=_seconds(deadline))

    @written_down
    def update(
        self,
        change: Change,
        if_match: Tag,
        deadline: float | None,
        on_busy: OnBusy | Unset,
        inline_pools: bool = False,
        verify: Verify | None = None,
    ) -> Flow[WriteResult]:
        """Change it in the loop."""
        pin = pinned(if_match, target=str(self.address))
        resource, options = self.resource(inline_pools=inline_pools), self.options(on_busy)
        if options.group_commit and pin is None:
            return self._shared(resource, checked(change), options, deadline, verify)
        flow = partial(update, resource, checked(change), options, pin=pin)
        return self._written(deadline, flow, verify)

    @written_down
    def create(
        self, body: Mapping[str, Any], adopt: bool, deadline: float | None, verify: Verify | None = None
    ) -> Flow[WriteResult]:
        """Put it if it is not there."""
        request = self.resource().replace(plain_body(body), CREATE)
        return self._once("put", request, CREATE, deadline, adopt=adopt, verify=verify)

    @written_down
    def create_or_update(
        self,
        body: Mapping[str, Any],
        change: Change,
        deadline: float | None,
        on_busy: OnBusy | Unset,
        verify: Verify | None = None,
    ) -> Flow[WriteResult]:
        """Put it if it is not there, else change it in the loop."""
        resource, options = self.resource(), self.options(on_busy)
        request = resource.replace(plain_body(body), CREATE)
        flow = partial(compose.create_or_update, resource, request, checked(change), options)
        return self._written(deadline, flow, verify)

    @written_down
    def put(
        self,
        body: Mapping[str, Any],
        if_match: Tag,
        if_none_match: str | Unset,
        force: bool,
        deadline: float | None,
        inline_pools: bool = False,
        verify: Verify | None = None,
    ) -> Flow[WriteResult]:
        """Put it once, under exactly the condition given."""
        guard = condition(if_match=if_match, if_none_match=if_none_match, force=force, target=str(self.address))
        resource, desired = self.resource(inline_pools=inline_pools), plain_body(body)
        if guard.version is not None:
            check_age(resource, desired, guard.version)
        # Of a pool that was read, what the service keeps by itself is sent only where it was changed.
        base = if_match.body if isinstance(if_match, Snapshot) and self.address.pool is not None else None
        request = resource.replace(desired, guard, base=base)
        return self._once("put", request, guard, deadline, inline_pools=inline_pools, verify=verify)

    @written_down
    def patch(
        self,
        body: Mapping[str, Any],
        if_match: Tag,
        if_none_match: object,
        force: bool,
        deadline: float | None,
        verify: Verify | None = None,
    ) -> Flow[WriteResult]:
        """Patch it once, under exactly the condition given."""
        _no_if_none_match(if_none_match, "PATCH")
        guard = condition(if_match=if_match, force=force, target=str(self.address))
        return self._once("patch", self.resource().merge(plain_body(body), guard), guard, deadline, verify=verify)

    @written_down
    def update_tags(
        self,
        tags_or_change: TagsChange,
        deadline: float | None,
        on_busy: OnBusy | Unset,
        verify: Verify | None = None,
    ) -> Flow[WriteResult]:
        """Change its tags in the loop, by PATCH; by PUT where one is to go."""
        tags, options = ClusterTags(address=self.address, arm=self.settings.arm), self.options(on_busy)
        change = tags_change(tags_or_change)
        if options.group_commit:
            return self._shared(tags, change, options, deadline, verify)
        return self._written(deadline, partial(update, tags, change, options), verify)

    @written_down
    def delete(
        self,
        if_match: Tag,
        if_none_match: object,
        only_if: Callable[[Snapshot], bool] | Unset,
        force: bool,
        deadline: float | None,
        on_busy: OnBusy | Unset,
    ) -> Flow[WriteResult]:
        """Delete it: once, under exactly the condition given, or in a loop where a predicate decides."""
        _no_if_none_match(if_none_match, "DELETE")
        if only_if is not UNSET:
            if if_match is not UNSET or force is not False:
                raise InvalidPreconditionError("delete takes exactly one of if_match, only_if and force=True")
            if not callable(only_if):
                raise TypeError(f"only_if is a function of the snapshot, not a {type(only_if).__name__}")
            flow = partial(compose.delete_if, self.resource(), only_if, self.options(on_busy))
            return self._within(deadline, in_turn(flow))
        guard = condition(if_match=if_match, force=force, target=str(self.address))
        seen = if_match if isinstance(if_match, Snapshot) else None
        return self._once("delete", self.resource().remove(guard), guard, deadline, seen=seen)

    def read_consistent(self, deadline: float | None, on_busy: OnBusy | Unset) -> Flow[ClusterSnapshot]:
        """Read the cluster and its pools as they were at one time."""
        listing = Listing(path=f"{self.address}/agentPools", settings=self.settings)
        pools = partial(compose.all_of, listing.page, listing.first())
        return self._within(deadline, partial(compose.read_consistent, self.resource(), pools, self.options(on_busy)))

    def resume(self, begun: Continuation) -> Flow[WriteResult]:
        """Follow a write that was accepted before, without a deadline of its own."""
        return self._within(math.inf, partial(resume, self.resource(), begun))

    def _once(
        self,
        verb: Verb,
        request: Request,
        guard: Condition,
        deadline: float | None,
        *,
        inline_pools: bool = False,
        adopt: bool = False,
        seen: Snapshot | None = None,
        verify: Verify | None = None,
    ) -> Flow[WriteResult]:
        resource = self.resource(inline_pools=inline_pools)
        flow = partial(once, resource, verb, request, guard, self.settings.options, adopt=adopt, seen=seen)
        return self._written(deadline, flow, verify)

    def _written(
        self, deadline: float | None, flow: Callable[[Budget], Flow[WriteResult]], verify: Verify | None
    ) -> Flow[WriteResult]:
        return _asked(self._within(deadline, in_turn(flow)), verify)

    def _shared(
        self, resource: Resource, change: Change, options: Options, deadline: float | None, verify: Verify | None
    ) -> Flow[WriteResult]:
        """Let a change go out with those of others; what they wait for is their common turn."""
        begin = partial(begun, resource, options, self.history)
        flow = partial(in_company, resource, change, options, key=(resource, options), begin=begin)
        return _asked(self._within(deadline, flow), verify)

    def _within(self, deadline: float | None, flow: Callable[[Budget], Flow[T]]) -> Flow[T]:
        seconds = _seconds(deadline)

        def limited() -> Flow[T]:
            budget = yield from Budget.start(str(self.address), self.settings.options, seconds)
            return (yield from flow(budget))

        return limited()


def _asked(flow: Flow[WriteResult], verify: Verify | None) -> Flow[WriteResult]:
    if verify is not None and not callable(verify):
        raise TypeError(f"verify is a function of the snapshot, not a {type(verify).__name__}")
    return flow if verify is None else verified(flow, verify)


def begun(resource: Resource, options: Options, history: Recorder | None, group: Group) -> Flow[None]:
    """Return the flow that writes for a group, and is recorded where its members are."""
    flow = commit(resource, options, group)
    return flow if history is None else written_for(flow, group)


def in_turn(flow: Callable[[Budget], Flow[T]]) -> Callable[[Budget], Flow[T]]:
    """Let a flow that writes wait for its turn first."""

    def waiting(budget: Budget) -> Flow[T]:
        yield from budget.turn()
        return (yield from flow(budget))

    return waiting


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A list, page by page, as flows."""

    path: str
    settings: Settings

    def first(self) -> Request:
        """Return the request for the first page."""
        return Request(method="GET", url=f"{self.path}?api-version={self.settings.arm.api_version}")

    def page(self, request: Request, seen: set[str], budget: Budget | None = None) -> Flow[read.Page]:
        """Read one page; ``seen`` has the URLs of those before it."""
        arm = self.settings.arm
        return read.page(
            request,
            self.path,
            self.settings.options,
            resource_of=lambda item: Calls(address=parse(item["id"], listed=True), settings=self.settings).resource(),
            trusted=lambda url: trusted(url, arm.endpoint),
            seen=seen,
            budget=budget,
        )


def resumed(begun: Continuation, subscription_id: str, settings: Settings) -> Calls:
    """Return the calls of the resource that a token is about; its link is followed only to the host we speak to."""
    address = parse(begun.resource_id)
    if address.subscription_id.casefold() != subscription_id.casefold():
        raise ValueError("this continuation token is about a resource of another subscription than this client's")
    if begun.url and not trusted(begun.url, settings.arm.endpoint):
        raise ValueError("this continuation token leads to another host than the one this client speaks to")
    return Calls(address=address, settings=settings)


def clusters_path(subscription_id: str, resource_group: str | None) -> str:
    """Return the path of the list of clusters of a subscription or resource group."""
    scope = f"/subscriptions/{subscription_id}"
    if resource_group is not None:
        check_name("resource group name", resource_group)
        scope += f"/resourceGroups/{resource_group}"
    return f"{scope}/providers/Microsoft.ContainerService/managedClusters"


def checked(change: Change) -> Change:
    """Refuse what is no function before anything is read."""
    if not callable(change):
        raise TypeError(f"a change is a function of the body, not a {type(change).__name__}; see merge_patch")
    return change


def tags_change(tags_or_change: TagsChange) -> Change:
    """Turn tags to set (``None`` removes), or a function of the tags, into a change of the body."""
    if callable(tags_or_change):
        edit = tags_or_change

        def change(body: dict[str, Any]) -> dict[str, Any]:
            return {**body, "tags": applied(edit, body.get("tags") or {})}

        return change
    return merge_patch({"tags": plain_body(tags_or_change)})


def _seconds(deadline: float | None) -> float | None:
    return None if deadline is None else check_seconds("deadline", deadline)


def _no_if_none_match(value: object, verb: str) -> None:
    if value is not UNSET:
        raise InvalidPreconditionError(f"if_none_match has no meaning for {verb}: the service declares it for PUT only")
