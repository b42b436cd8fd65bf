# SPDX-License-Identifier: MIT
"""The synchronous Kubernetes client. Each verb is one line: a flow, run by the driver."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self, TypeVar

from .._calls import Tag
from .._clock import Clock
from .._core.changes import Change
from .._core.evidence import OnDoubt
from .._core.pacing import ConflictRetry
from .._core.snapshot import Snapshot, WriteResult
from .._core.unset import UNSET, Unset
from .._drivers import run
from .._flows.effects import Flow
from .._handles import Cluster
from .._stats import Stats
from .._surroundings import OnEvent
from ..errors import NotFoundError
from . import _aks, _config, _setup
from ._calls import Calls, Choices
from ._ownership import Owner
from ._patches import Patch
from ._place import check_place

T = TypeVar("T")


class KubernetesClient:
    """A client that changes objects of one API server without losing anybody's update; thread-safe.

    ``token`` is a bearer token or a function that gives one (asked with ``True`` after a 401). ``verify`` is ``True``,
    the path of a CA bundle, or an ``ssl.SSLContext``. ``polling_interval`` is the longest pause between tries, in
    seconds. With ``exactly_once``, updates and creates are noted in an annotation, so that one whose answer was lost is
    found out for sure. With ``group_commit``, updates that wait for the same object go out as one write, after a
    ``linger`` for company, in seconds.
    ``history`` is a file in which writes and their outcomes are recorded, for ``aks_etag.history.check``.
    """

    def __init__(
        self,
        base_url: str,
        *,
        token: _setup.TokenSource = None,
        verify: _setup.Verify = True,
        transport: Any = "httpx",
        conflict_retry: ConflictRetry = _setup.PATIENCE,
        on_doubt: OnDoubt = "untouched",
        polling_interval: float = 5.0,
        exactly_once: bool = False,
        group_commit: bool = False,
        linger: float = 0.0,
        on_event: OnEvent | None = None,
        history: str | os.PathLike[str] | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._parts = _setup.Parts.made(base_url, clock)
        choices = _setup.choices(
            conflict_retry, on_doubt, polling_interval, exactly_once, group_commit, linger, on_event
        )
        self._choices = self._parts.recording(choices, history)
        self._transport = self._parts.transport(token, verify, transport, on_event)

    @classmethod
    def from_kubeconfig(
        cls, path: str | os.PathLike[str] | None = None, context: str | None = None, **settings: Any
    ) -> Self:
        """Take server, CA and credential from a kubeconfig: the given one, ``KUBECONFIG``, or ``~/.kube/config``.

        Raises:
            KubeconfigError: it cannot be read, or lacks a part.
        """
        return cls._of(_config.from_file(path, context), settings)

    @classmethod
    def from_aks(cls, cluster: Cluster, credential: Any = None, **settings: Any) -> Self:
        """Get into an AKS cluster: with what Azure's kubeconfig holds, else with a token of a credential.

        For a cluster with Entra ID the credential is the given one, or that of the cluster's own client; the exec
        plugin that the kubeconfig names is never run.
        """
        text = cluster._run(_aks.kubeconfig(cluster.id, cluster.api_version, cluster.options))
        return cls._of(_aks.access(text, credential or cluster.credential), settings)

    @classmethod
    def in_cluster(cls, **settings: Any) -> Self:
        """Take server, CA and token from the service account of the pod that this process runs in."""
        return cls._of(_config.in_cluster(), settings)

    @classmethod
    def _of(cls, access: _config.Access, settings: dict[str, Any]) -> Self:
        return cls(access.base_url, token=access.token, verify=access.verify, **settings)

    @property
    def stats(self) -> Stats:
        """Counters of what this client has done so far."""
        return self._parts.stats

    def object(self, api_version: str, kind: str, namespace: str | None, name: str) -> Object:
        """Return a handle of one object; nothing is sent. ``namespace`` is ``None`` for kinds that live in none."""
        check_place(api_version, kind, namespace, name)
        calls = Calls(
            api_version=api_version,
            kind=kind,
            namespace=namespace,
            name=name,
            subresource="",
            choices=self._choices,
            discovery=self._parts.discovery,
        )
        return Object(self, calls)

    def objects(
        self, api_version: str, kind: str, namespace: str | None = None, *, chunk: int = 500, labels: str = ""
    ) -> Iterator[Snapshot]:
        """List objects of one kind, of one namespace or of all, chunk by chunk; ``labels`` is a label selector."""
        check_place(api_version, kind, namespace, None)
        listing = self._parts.listing(api_version, kind, namespace, chunk, labels, self._choices)
        following = self._run(listing.first(), self._choices)
        while following is not None:
            items, following = self._run(listing.chunk(following), self._choices)
            yield from items

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()
        if self._choices.history is not None:
            self._choices.history.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _run(self, flow: Flow[T], choices: Choices) -> T:
        return run(flow, self._transport, self._parts.around(choices.on_event))


class Object:
    """A handle of one object: cheap, immutable, no I/O of its own."""

    __slots__ = ("_calls", "_client")

    def __init__(self, client: KubernetesClient, calls: Calls) -> None:
        self._client = client
        self._calls = calls

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._calls.label}>"

    @property
    def name(self) -> str:
        """The object's name."""
        return self._calls.name

    def subresource(self, name: str) -> Object:
        """Return a handle of its ``status`` or ``scale``, which have the same version."""
        return type(self)(self._client, _setup.of_subresource(self._calls, name))

    def with_options(
        self,
        *,
        conflict_retry: ConflictRetry | Unset = UNSET,
        on_doubt: OnDoubt | Unset = UNSET,
        polling_interval: float | Unset = UNSET,
        exactly_once: bool | Unset = UNSET,
        group_commit: bool | Unset = UNSET,
        linger: float | Unset = UNSET,
        on_event: OnEvent | Unset | None = UNSET,
        dry_run: bool | Unset = UNSET,
        field_manager: str | Unset = UNSET,
    ) -> Self:
        """Return a handle with other options; with ``dry_run`` the server checks and changes nothing."""
        changed = _setup.changed(
            self._calls,
            conflict_retry=conflict_retry,
            on_doubt=on_doubt,
            polling_interval=polling_interval,
            exactly_once=exactly_once,
            group_commit=group_commit,
            linger=linger,
            on_event=on_event,
            dry_run=dry_run,
            field_manager=field_manager,
        )
        return type(self)(self._client, changed)

    def get(self, *, deadline: float | None = None) -> Snapshot:
        """Read it.

        Raises:
            NotFoundError: it does not exist.
        """
        return self._run(self._calls.get(deadline))

    def get_or_none(self, *, deadline: float | None = None) -> Snapshot | None:
        """Read it; ``None`` where it does not exist."""
        try:
            return self._run(self._calls.get(deadline))
        except NotFoundError:
            return None

    def create(self, body: Mapping[str, Any], *, adopt: bool = False, deadline: float | None = None) -> WriteResult:
        """Create it.

        Raises:
            AlreadyExistsError: somebody else's is there.
        """
        return self._run(self._calls.create(body, adopt, deadline))

    def update(self, change: Change, *, if_match: Tag = UNSET, deadline: float | None = None) -> WriteResult:
        """Read, change and put it under the uid and version of that read, again and again until nobody was faster.

        Raises:
            NotFoundError, ResourceGoneError, ResourceReplacedError: it is not (or no longer) there.
            ConflictRetriesExhaustedError, DeadlineExceededError: not done within what ``conflict_retry`` allows.
            WriteOutcomeUnknownError: sent, and it could not be found out what became of it.
        """
        return self._run(self._calls.update(change, if_match, deadline))

    def create_or_update(
        self, body: Mapping[str, Any], change: Change, *, deadline: float | None = None
    ) -> WriteResult:
        """Create ``body`` where nothing is there, else ``update(change)``, whoever else does what in between."""
        return self._run(self._calls.create_or_update(body, change, deadline))

    def patch(
        self, patch: Patch, *, if_match: Snapshot | Unset = UNSET, locked: bool = True, deadline: float | None = None
    ) -> WriteResult:
        """Send one patch, locked by uid and version: those of ``if_match``, or of a read made for it.

        ``locked=False`` sends it without a lock: the server retries inside, and the last writer wins without a warning.
        For a field that nobody else writes that is fine; for any other it is the lost update.

        Raises:
            PreconditionFailedError: somebody else wrote in between.
        """
        return self._run(self._calls.patch(patch, if_match, locked, deadline))

    def apply(
        self, body: Mapping[str, Any], field_manager: str, *, force: bool = False, deadline: float | None = None
    ) -> WriteResult:
        """Apply it on the server as one field manager, which owns just the fields of ``body`` from then on.

        ``force=True`` takes over what others own. It is asked without force first, so that a :class:`Fighting` event
        can name whose fields are taken again and again: that is one request more where, and only where, there are any.

        Raises:
            MergeConflictError: others own some of the fields; ``conflicts`` has pairs of path and manager.
            WriteOutcomeUnknownError: it was repeated after a lost answer, and refused: the first may have been applied.
        """
        return self._run(self._calls.apply(body, field_manager, force, deadline))

    def owners(self, *, deadline: float | None = None) -> tuple[Owner, ...]:
        """Read who owns which fields."""
        return self._run(self._calls.owners(deadline))

    def owned(self, manager: str, *, deadline: float | None = None) -> dict[str, Any]:
        """Read what a field manager has applied, ready to be changed and applied again by it.

        Raises:
            InvalidPreconditionError: it applied through another api version.
        """
        return self._run(self._calls.owned(manager, deadline))

    def delete(
        self,
        *,
        if_match: Tag = UNSET,
        only_if: Callable[[Snapshot], bool] | Unset = UNSET,
        force: bool = False,
        deadline: float | None = None,
    ) -> WriteResult:
        """Delete it, given exactly one of ``if_match`` (the version seen), ``only_if`` and ``force=True``.

        Raises:
            PreconditionFailedError: another version is there.
        """
        return self._run(self._calls.delete(if_match, only_if, force, deadline))

    def _run(self, flow: Flow[T]) -> T:
        return self._client._run(flow, self._calls.choices)
