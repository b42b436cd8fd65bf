# SPDX-License-Identifier: MIT
"""Handles of clusters and agent pools for threads. Each verb is one line: a flow, run by the driver."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from ._calls import Calls, Listing, Tag, TagsChange, Verify
from ._core.changes import Change
from ._core.etag import ETagFormat
from ._core.evidence import OnDoubt
from ._core.pacing import ConflictRetry
from ._core.resource_id import ResourceId
from ._core.snapshot import ClusterSnapshot, Snapshot, WriteResult
from ._core.unset import UNSET, Unset
from ._flows.effects import Flow
from ._flows.options import OnBusy, Options
from ._operations import Operation
from ._settings import Settings
from ._surroundings import OnEvent
from .errors import NotFoundError

if TYPE_CHECKING:
    from .client import AksClient

T = TypeVar("T")


class _Handle:
    """What handles of clusters and pools have in common."""

    __slots__ = ("_calls", "_client")

    def __init__(self, client: AksClient, address: ResourceId, settings: Settings) -> None:
        self._client = client
        self._calls = Calls(address=address, settings=settings)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id}>"

    @property
    def id(self) -> str:
        """The ARM id."""
        return str(self._calls.address)

    @property
    def name(self) -> str:
        """The last name of the id."""
        return self._calls.address.name

    @property
    def api_version(self) -> str:
        """The api-version it is asked in."""
        return self._calls.settings.arm.api_version

    @property
    def options(self) -> Options:
        """How its verbs go about it."""
        return self._calls.settings.options

    @property
    def credential(self) -> object:
        """The credential of its client."""
        return self._client._transport.credential

    def with_options(
        self,
        *,
        conflict_retry: ConflictRetry | Unset = UNSET,
        on_busy: OnBusy | Unset = UNSET,
        on_doubt: OnDoubt | Unset = UNSET,
        polling_interval: float | Unset = UNSET,
        exactly_once: bool | Unset = UNSET,
        group_commit: bool | Unset = UNSET,
        linger: float | Unset = UNSET,
        etag_format: ETagFormat | Unset = UNSET,
        on_event: OnEvent | Unset | None = UNSET,
    ) -> Self:
        """Return a handle of the same resource with other options."""
        settings = self._calls.settings.changed(
            conflict_retry=conflict_retry,
            on_busy=on_busy,
            on_doubt=on_doubt,
            polling_interval=polling_interval,
            exactly_once=exactly_once,
            group_commit=group_commit,
            linger=linger,
            etag_format=etag_format,
            on_event=on_event,
        )
        return type(self)(self._client, self._calls.address, settings)

    def get(self, *, deadline: float | None = None) -> Snapshot:
        """Read it.

        Raises:
            NotFoundError: it does not exist.
        """
        return self._run(self._calls.get(deadline))

    def get_or_none(self, *, deadline: float | None = None) -> Snapshot | None:
        """Read it; ``None`` where it does not exist. A read that fails is never taken for that."""
        try:
            return self._run(self._calls.get(deadline))
        except NotFoundError:
            return None

    def wait(self, *, deadline: float | None = None) -> Snapshot:
        """Read it until it is settled, and return that read."""
        return self._run(self._calls.wait(deadline))

    def create(
        self,
        body: Mapping[str, Any],
        *,
        adopt: bool = False,
        deadline: float | None = None,
        verify: Verify | None = None,
    ) -> WriteResult:
        """Create it with ``If-None-Match: *``.

        A create of somebody else with the same body cannot be told from our own after a lost answer: that is a
        WriteOutcomeUnknownError with ``equivalent=True``. ``adopt=True`` takes such a one for ours
        (``outcome="satisfied"``).

        Raises:
            AlreadyExistsError: somebody else's is there.
            WriteOutcomeUnknownError: sent, and it could not be found out what became of it.
        """
        return self._run(self._calls.create(body, adopt, deadline, verify))

    def begin_create(
        self,
        body: Mapping[str, Any],
        *,
        adopt: bool = False,
        deadline: float | None = None,
        verify: Verify | None = None,
    ) -> Operation[WriteResult]:
        """Create it as ``create`` does, and return as soon as that is accepted.

        ``deadline`` is for that; from then on, the ``timeout`` of whoever waits for the operation holds.
        """
        return self._begin(self._calls.create(body, adopt, deadline, verify))

    def begin_delete(
        self,
        *,
        if_match: Tag = UNSET,
        only_if: Callable[[Snapshot], bool] | Unset = UNSET,
        force: bool = False,
        deadline: float | None = None,
        on_busy: OnBusy | Unset = UNSET,
    ) -> Operation[WriteResult]:
        """Delete it as ``delete`` does, and return as soon as that is accepted."""
        return self._begin(self._calls.delete(if_match, UNSET, only_if, force, deadline, on_busy))

    def create_or_update(
        self,
        body: Mapping[str, Any],
        change: Change,
        *,
        deadline: float | None = None,
        on_busy: OnBusy | Unset = UNSET,
        verify: Verify | None = None,
    ) -> WriteResult:
        """Create ``body`` where nothing is there, else ``update(change)``, whoever else does what in between."""
        return self._run(self._calls.create_or_update(body, change, deadline, on_busy, verify))

    def delete(
        self,
        *,
        if_match: Tag = UNSET,
        if_none_match: object = UNSET,
        only_if: Callable[[Snapshot], bool] | Unset = UNSET,
        force: bool = False,
        deadline: float | None = None,
        on_busy: OnBusy | Unset = UNSET,
    ) -> WriteResult:
        """Delete it, given exactly one of ``if_match``, ``only_if`` and ``force=True``.

        ``if_match`` deletes the version seen, in one attempt. ``only_if`` is asked of a fresh snapshot, and again of
        every other version that comes in between; where it says no, the outcome is ``unchanged``. The outcome is
        ``absent`` where there was nothing to delete.

        Raises:
            PreconditionFailedError: another version is there.
            OperationInProgressError, ThrottledError: refused for now.
            WriteOutcomeUnknownError: sent, and it could not be found out what became of it.
        """
        return self._run(self._calls.delete(if_match, if_none_match, only_if, force, deadline, on_busy))

    def _run(self, flow: Flow[T]) -> T:
        return self._client._run(flow, self._calls.settings)

    def _begin(self, flow: Flow[WriteResult]) -> Operation[WriteResult]:
        return self._client._begin(flow, self._calls)


class Cluster(_Handle):
    """A handle of one managed cluster: cheap, immutable, no I/O of its own."""

    __slots__ = ()

    def agent_pool(self, name: str) -> AgentPool:
        """Return a handle of one of its agent pools; nothing is sent."""
        return AgentPool(self._client, self._calls.address.agent_pool(name), self._calls.settings)

    def agent_pools(self) -> Iterator[Snapshot]:
        """List its agent pools, page by page."""
        return self._client._list(Listing(path=f"{self.id}/agentPools", settings=self._calls.settings))

    def read_consistent(self, *, deadline: float | None = None, on_busy: OnBusy | Unset = UNSET) -> ClusterSnapshot:
        """Read it and all its pools until two reads in a row show the same settled versions of all of them."""
        return self._run(self._calls.read_consistent(deadline, on_busy))

    def update_tags(
        self,
        tags_or_change: TagsChange,
        *,
        deadline: float | None = None,
        on_busy: OnBusy | Unset = UNSET,
        verify: Verify | None = None,
    ) -> WriteResult:
        """Set tags (``None`` removes one, others stay), or change them by a function: the loop, by PATCH.

        Where one is to go, it is a PUT of the cluster, since a PATCH may merge; a PUT starts a long operation.
        """
        return self._run(self._calls.update_tags(tags_or_change, deadline, on_busy, verify))

    def update(
        self,
        change: Change,
        *,
        if_match: Tag = UNSET,
        deadline: float | None = None,
        on_busy: OnBusy | Unset = UNSET,
        verify: Verify | None = None,
        inline_pools: bool = False,
    ) -> WriteResult:
        """Read, change and write it under the eTag of that read, again and again until nobody was faster.

        ``change`` gets a fresh copy of the body each time; it edits it in place or returns a new one. ``if_match`` pins
        the update to one version: another one is a PreconditionFailedError, without a retry. ``agentPoolProfiles`` stay
        out of it, unless ``inline_pools=True``. ``deadline`` is in seconds; no write begins after it, and one that is
        under way then is given 30 seconds more. ``verify`` is asked of the final snapshot: where it says no, the
        service called the write a success and did not carry it out.

        Raises:
            NotFoundError, ResourceGoneError, ResourceReplacedError: it is not (or no longer) there.
            ConflictRetriesExhaustedError, DeadlineExceededError: not done within what ``conflict_retry`` allows.
            OperationFailedError: its operation failed; or it succeeded, and ``verify`` says that nothing came of it.
            WriteOutcomeUnknownError: sent, and it could not be found out what became of it.
        """
        return self._run(self._calls.update(change, if_match, deadline, on_busy, inline_pools, verify))

    def begin_update(
        self,
        change: Change,
        *,
        if_match: Tag = UNSET,
        deadline: float | None = None,
        on_busy: OnBusy | Unset = UNSET,
        verify: Verify | None = None,
        inline_pools: bool = False,
    ) -> Operation[WriteResult]:
        """Change it as ``update`` does, and return as soon as a write is accepted.

        Where there is nothing to change, the operation is over at once. Should it lose a race after all, whoever waits
        for it goes round again. ``deadline`` is for the acceptance; from then on, the ``timeout`` of who waits holds.
        """
        return self._begin(self._calls.update(change, if_match, deadline, on_busy, inline_pools, verify))

    def begin_put(
        self,
        body: Mapping[str, Any],
        *,
        if_match: Tag = UNSET,
        if_none_match: str | Unset = UNSET,
        force: bool = False,
        deadline: float | None = None,
        verify: Verify | None = None,
        inline_pools: bool = False,
    ) -> Operation[WriteResult]:
        """Put it as ``put`` does, and return as soon as that is accepted."""
        return self._begin(self._calls.put(body, if_match, if_none_match, force, deadline, inline_pools, verify))

    def put(
        self,
        body: Mapping[str, Any],
        *,
        if_match: Tag = UNSET,
        if_none_match: str | Unset = UNSET,
        force: bool = False,
        deadline: float | None = None,
        verify: Verify | None = None,
        inline_pools: bool = False,
    ) -> WriteResult:
        """Put a whole body under exactly one condition, in one attempt.

        Raises:
            PreconditionFailedError, AlreadyExistsError, NotFoundError: the condition did not hold.
            OperationInProgressError, ThrottledError: refused for now.
            WriteOutcomeUnknownError: sent, and it could not be found out what became of it.
        """
        return self._run(self._calls.put(body, if_match, if_none_match, force, deadline, inline_pools, verify))

    def patch(
        self,
        body: Mapping[str, Any],
        *,
        if_match: Tag = UNSET,
        if_none_match: object = UNSET,
        force: bool = False,
        deadline: float | None = None,
        verify: Verify | None = None,
    ) -> WriteResult:
        """Patch its tags under exactly one condition, in one attempt: ``{"tags": {...}}``."""
        return self._run(self._calls.patch(body, if_match, if_none_match, force, deadline, verify))


class AgentPool(_Handle):
    """A handle of one agent pool: cheap, immutable, no I/O of its own."""

    __slots__ = ()

    @property
    def cluster(self) -> Cluster:
        """The handle of its cluster."""
        return Cluster(self._client, self._calls.address.parent, self._calls.settings)

    def update(
        self,
        change: Change,
        *,
        if_match: Tag = UNSET,
        deadline: float | None = None,
        on_busy: OnBusy | Unset = UNSET,
        verify: Verify | None = None,
    ) -> WriteResult:
        """Read, change and write it under the eTag of that read, again and again until nobody was faster.

        See ``Cluster.update``.
        """
        return self._run(self._calls.update(change, if_match, deadline, on_busy, verify=verify))

    def begin_update(
        self,
        change: Change,
        *,
        if_match: Tag = UNSET,
        deadline: float | None = None,
        on_busy: OnBusy | Unset = UNSET,
        verify: Verify | None = None,
    ) -> Operation[WriteResult]:
        """Change it as ``update`` does, and return once a write is accepted; see ``Cluster.begin_update``."""
        return self._begin(self._calls.update(change, if_match, deadline, on_busy, verify=verify))

    def begin_put(
        self,
        body: Mapping[str, Any],
        *,
        if_match: Tag = UNSET,
        if_none_match: str | Unset = UNSET,
        force: bool = False,
        deadline: float | None = None,
        verify: Verify | None = None,
    ) -> Operation[WriteResult]:
        """Put it as ``put`` does, and return as soon as that is accepted."""
        return self._begin(self._calls.put(body, if_match, if_none_match, force, deadline, verify=verify))

    def put(
        self,
        body: Mapping[str, Any],
        *,
        if_match: Tag = UNSET,
        if_none_match: str | Unset = UNSET,
        force: bool = False,
        deadline: float | None = None,
        verify: Verify | None = None,
    ) -> WriteResult:
        """Put a whole body under exactly one condition, in one attempt. See ``Cluster.put``."""
        return self._run(self._calls.put(body, if_match, if_none_match, force, deadline, verify=verify))
