# SPDX-License-Identifier: MIT
"""The mock's front: one object for fixtures, faults, other writers and doors."""

from __future__ import annotations

import copy
import random
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Literal

from aks_etag.mock._assertions import Assertions
from aks_etag.mock._company import Company
from aks_etag.mock._core.answers import MISSING
from aks_etag.mock._core.backstage import Backstage, Change, Pools
from aks_etag.mock._core.clock import VirtualClock
from aks_etag.mock._core.faults import Aim, Doom, Effect, Fault, Phase
from aks_etag.mock._core.hooks import Hook, Hooks
from aks_etag.mock._core.operations import Failure
from aks_etag.mock._core.seeding import sow
from aks_etag.mock._core.seeds import ZERO_ID
from aks_etag.mock._core.service import Service
from aks_etag.mock._core.store import Store
from aks_etag.mock._core.switches import Switches
from aks_etag.mock._doors import Doors


def _nothing(body: dict[str, Any]) -> None:
    """Change nothing: even such a PUT moves the tags."""


class MockAks(Doors, Assertions, Company):
    """An AKS in memory that is true to eTags; every door shows the same state."""

    def __init__(
        self,
        subscription_id: str = ZERO_ID,
        *,
        operation_polls: int = 1,
        operation_seconds: float | None = None,
        location: str = "region1",
        page_size: int = 100,
        etag_seed: int = 0,
        accept_quotes: bool = True,
        actions_move_tags: bool = True,
        autoscaler_moves_tag: bool = True,
        bad_condition_message: str = "",
        busy_answer: Literal["operation", "operation id", "state", "etag mismatch"] = "operation",
        busy_first: bool = False,
        cluster_tag_moves: Literal["completion", "accept"] = "completion",
        failed_moves_tag: bool = False,
        keep_empty_maps: bool = False,
        lower_etag_api_versions: Collection[str] = (),
        none_match_elsewhere: Literal["ignored", "refused", "honoured"] = "ignored",
        omitted_pools_move: bool = True,
        partial_pools: Literal["keep", "remove"] = "keep",
        patch_moves_tag: bool = True,
        patch_runs: bool = False,
        patch_tags: Literal["replace", "merge"] = "replace",
        pool_patch_status: Literal[405, 404, 400] = 405,
        pools_block_each_other: bool = False,
        refused_writes_cost: bool = True,
        require_token: bool = False,
        running_shows: Literal["new", "old"] = "new",
        stale_code: Literal["PreconditionFailed", "PreConditionFailed"] = "PreconditionFailed",
        stale_message: str = "",
        state_must_match: bool = True,
        tag_on_create: bool = False,
        tagless_api_versions: Collection[str] = (),
        throttle: bool = False,
    ) -> None:
        self.subscription_id = subscription_id
        # Longer than the house allows: spelled out, so that editors and type checkers know every switch.
        self.switches = Switches(
            operation_polls=operation_polls,
            operation_seconds=operation_seconds,
            location=location,
            page_size=page_size,
            accept_quotes=accept_quotes,
            actions_move_tags=actions_move_tags,
            autoscaler_moves_tag=autoscaler_moves_tag,
            bad_condition_message=bad_condition_message,
            busy_answer=busy_answer,
            busy_first=busy_first,
            cluster_tag_moves=cluster_tag_moves,
            failed_moves_tag=failed_moves_tag,
            keep_empty_maps=keep_empty_maps,
            lower_etag_api_versions=lower_etag_api_versions,
            none_match_elsewhere=none_match_elsewhere,
            omitted_pools_move=omitted_pools_move,
            partial_pools=partial_pools,
            patch_moves_tag=patch_moves_tag,
            patch_runs=patch_runs,
            patch_tags=patch_tags,
            pool_patch_status=pool_patch_status,
            pools_block_each_other=pools_block_each_other,
            refused_writes_cost=refused_writes_cost,
            require_token=require_token,
            running_shows=running_shows,
            stale_code=stale_code,
            stale_message=stale_message,
            state_must_match=state_must_match,
            tag_on_create=tag_on_create,
            tagless_api_versions=tagless_api_versions,
            throttle=throttle,
        )
        self._store = Store(subscription_id, self.switches, etag_seed)
        self._hooks = Hooks()
        self._backstage = Backstage(self._store)
        self.core = Service(self._store, self._hooks)
        self._saved: dict[str, Any] = {}
        # Every request so far, with the rule that decided it, and every write that was stored; a test may clear them.
        self.journal, self.commits = self._store.journal, self._store.commits

    @property
    def clock(self) -> VirtualClock:
        """The virtual clock that stamps journal, commits and operations."""
        return self._store.clock

    def add_subscription(self, subscription_id: str) -> MockAks:
        """Serve another subscription, too; return its front, which shares time, faults, journal and commits."""
        other = copy.copy(self)
        other.subscription_id = subscription_id
        other._store = self._store.sibling(subscription_id)
        other._backstage = Backstage(other._store)
        self.core.serve(other._store)
        return other

    def add_resource_group(self, name: str) -> str:
        """Create a resource group where there is none; return its ARM id."""
        return self._backstage.add_group(name)

    def add_cluster(self, rg: str, name: str, body: Mapping[str, Any] | None = None, pools: Pools | None = None) -> str:
        """Create a settled cluster (by default the recorded one, with 3 nodes in np1); return its ARM id."""
        return self._backstage.add_cluster(rg, name, body, pools)

    def add_pool(
        self, resource_group: str, cluster: str, name: str, properties: Mapping[str, Any] | None = None
    ) -> str:
        """Create a settled agent pool; return its ARM id."""
        return self._backstage.add_pool(resource_group, cluster, name, properties or {})

    def seed(self, source: Any) -> list[str]:
        """Begin with what you have: a JSON file or its content; return the ARM ids.

        It takes what ``az aks show``, ``az aks list`` and ``az aks nodepool list`` print, bodies and lists of ARM, the
        SDK's models, and names alone: ``{"rg": {"prod": {"np1": {"count": 3}}}}``. eTags stay as they are.

        Raises:
            ValueError: something in it is neither a cluster nor an agent pool.
        """
        return sow(self._store, self._backstage, source)

    def body(self, resource_group: str, cluster: str, pool: str | None = None) -> dict[str, Any]:
        """Return a copy of what a GET would show now, without counting as one."""
        return self._backstage.body(resource_group, cluster, pool)

    def clusters(self) -> list[tuple[str, str]]:
        """List the clusters there are: group and name."""
        return self._backstage.clusters()

    def edit(self, resource_group: str, cluster: str, pool: str | None = None, change: Change = _nothing) -> None:
        """Be another writer: ``change`` edits the body in place, and its operation is already over."""
        self._backstage.edit(resource_group, cluster, pool, change)

    def delete(self, resource_group: str, cluster: str, pool: str | None = None) -> None:
        """Be another writer that deletes, at once."""
        self._backstage.delete(resource_group, cluster, pool)

    def set_state(self, resource_group: str, cluster: str, pool: str | None = None, state: str = "Updating") -> None:
        """Pin a provisioning state until it is set again."""
        self._backstage.set_state(resource_group, cluster, pool, state)

    def set_kubeconfig(self, resource_group: str, cluster: str, text: str) -> None:
        """Let the credential requests of a cluster be answered with this kubeconfig."""
        self._backstage.set_kubeconfig(resource_group, cluster, text)

    def before_write(self, hook: Hook | None, times: int | None = None) -> None:
        """Call ``hook`` (with the request, if it takes one) before each write is evaluated; None removes it."""
        self._hooks.set(hook, times)

    def inject(
        self,
        method: str | None = None,
        path: str | None = None,
        nth: int = 1,
        phase: Phase = "before",
        effect: Effect = "reset",
        headers: Mapping[str, str] | None = None,
        body: Any = MISSING,
        times: int = 1,
        probability: float | None = None,
        seed: int = 0,
        seconds: float = 0.0,
    ) -> None:
        """Break the nth matching request from now on, and ``times - 1`` after it.

        ``phase``: "before" it is processed, "after", "during" (only while an operation runs on what it asks for), or
        "late": no answer, and processed at ``drain()``. ``effect``: "reset" or "fin" (no answer), "truncated", "slow"
        (a pause of so many seconds), "malformed", "html", or a status, with ``headers`` and ``body`` of your own.
        """
        dice = random.Random(seed)
        aim = Aim(method=method, path=path, nth=nth, times=times, chance=probability, dice=dice)
        self._store.faults.add(Fault(aim=aim, phase=phase, effect=effect, headers=headers, body=body, seconds=seconds))

    def scenario(self, steps: Iterable[Mapping[str, Any]]) -> None:
        """Take faults as data: each step has the arguments of ``inject`` or, with a ``code``, of ``fail_operation``.

        Steps aimed at the same requests come one after the other: "fail twice, then succeed" is one step with
        ``times=2``.
        """
        counted: dict[tuple[Any, Any], int] = {}
        for step in steps:
            if "code" in step:
                self.fail_operation(**step)
                continue
            key = (step.get("method"), step.get("path"))
            first = step.get("nth", 1) + counted.get(key, 0)
            self.inject(**{**step, "nth": first})
            counted[key] = first + step.get("times", 1) - 1

    def mend(self) -> None:
        """Take back every fault that has not hit yet."""
        self._store.faults.clear()

    def snapshot(self) -> str:
        """Keep what is there; return its name. Journal, commits, time and faults are no part of it."""
        name = f"snapshot-{len(self._saved) + 1}"
        self._saved[name] = self.core.save()
        return name

    def restore(self, snapshot: str) -> None:
        """Bring back what was there.

        Raises:
            LookupError: there is no such snapshot.
        """
        if snapshot not in self._saved:
            raise LookupError(f"there is no snapshot {snapshot!r}")
        self.core.restore(self._saved[snapshot])

    def drain(self) -> int:
        """Let the requests that a "late" fault held back reach the service now; return their number."""
        return self.core.drain()

    def fail_operation(
        self,
        code: str,
        message: str = "",
        status: str = "Failed",
        stored: bool = False,
        nth: int = 1,
        path: str | None = None,
        details: Any = None,
    ) -> None:
        """Let the nth matching operation to be accepted end badly; ``stored`` says whether its body is kept."""
        failure = Failure(code=code, message=message, status=status, stored=stored, details=details)
        self._store.faults.doom(Doom(aim=Aim(path=path, nth=nth), failure=failure))
