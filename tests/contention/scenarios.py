# SPDX-License-Identifier: MIT
"""Who writes what, how many at a time, and from where; and what is counted."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

from aks_etag import ConflictRetry
from aks_etag._calls import Calls
from aks_etag._core.unset import UNSET
from aks_etag._flows.effects import Flow
from aks_etag._flows.options import Options
from aks_etag._lanes import Lanes

from .peers import Peer, loop
from .stage import Stage

POLLING: Final = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """What a run came to, or the means of several; ``wasted`` are the PUTs that were refused."""

    puts: float
    wasted: float
    gets: float
    success: float
    makespan: float


Scenario: TypeAlias = Callable[[int, float], Count]


def mean(scenario: Scenario, seconds: float, seeds: Iterable[int]) -> Count:
    """Run a scenario once for each seed."""
    counts = [scenario(seed, seconds) for seed in seeds]
    names = Count.__dataclass_fields__
    return Count(**{name: statistics.fmean(getattr(count, name) for count in counts) for name in names})


def one_process(
    seed: int, seconds: float, *, writers: int, within: float = 0.5, throttle: bool = False, **options: Any
) -> Count:
    """Let writers of one client come at about the same time, each with a tag of its own."""
    return processes(seed, seconds, clients=1, each=writers, within=within, throttle=throttle, **options)


def processes(
    seed: int,
    seconds: float,
    *,
    clients: int,
    each: int = 1,
    within: float = 0.0,
    throttle: bool = False,
    lease: bool = False,
    **options: Any,
) -> Count:
    """Let processes that know nothing of each other write to one cluster; with a ``lease`` they queue up."""
    stage, lanes = _stage(seed, seconds, throttle=throttle), Lanes() if lease else None
    patience = deadline(clients * each, seconds)
    for client in range(clients):
        around = stage.process(lanes)
        calls = stage.calls(Options(conflict_retry=ConflictRetry(deadline=patience), **options))
        for writer in range(each):
            when = within * stage.dice.random()
            stage.begin(when, around, _update(calls, f"w{client}-{writer}"))
    return _counted(stage)


def others(seed: int, seconds: float, *, clients: int, peer: Peer, within: float = 0.0) -> Count:
    """The same with processes that do it by another policy."""
    stage = _stage(seed, seconds)
    for client in range(clients):
        resource = stage.calls(Options()).resource()
        flow = loop(resource, partial(_tag, name=f"w{client}"), peer, deadline(clients, seconds))
        stage.begin(within * stage.dice.random(), stage.process(), flow)
    return _counted(stage)


def pools(seed: int, seconds: float, *, count: int) -> Count:
    """Let one client write to many pools, one writer each, where the pools of a cluster block each other."""
    stage = _stage(seed, seconds, pools_block_each_other=True)
    around = stage.process()
    options = Options(conflict_retry=ConflictRetry(deadline=deadline(count, seconds)))
    for number in range(1, count + 1):
        name = f"np{number}"
        if number > 1:
            stage.mock.add_pool("rg", "prod", name, {"count": 3})
        stage.begin(0.0, around, stage.calls(options, name).update(_more, UNSET, None, UNSET))
    return _counted(stage)


def deadline(writers: int, seconds: float) -> float:
    """Return the time that everybody has: three times what all writes take one after the other."""
    return 3 * writers * (seconds + POLLING)


def _stage(seed: int, seconds: float, **switches: Any) -> Stage:
    return Stage(seed, {"operation_seconds": seconds, **switches})


def _update(calls: Calls, name: str) -> Flow[Any]:
    return calls.update(partial(_tag, name=name), UNSET, None, UNSET)


def _tag(body: dict[str, Any], name: str) -> None:
    body.setdefault("tags", {})[name] = "done"


def _more(body: dict[str, Any]) -> None:
    body["properties"]["count"] += 1


def _counted(stage: Stage) -> Count:
    stage.run()
    puts = [entry for entry in stage.mock.journal if entry.method == "PUT"]
    lost = [task for task in stage.tasks if task.ended is None]
    assert not lost, f"{len(lost)} calls never ended"
    done = sum(task.succeeded for task in stage.tasks)
    return Count(
        puts=len(puts),
        wasted=sum(entry.status is not None and entry.status >= 400 for entry in puts),
        gets=sum(entry.method == "GET" for entry in stage.mock.journal),
        success=100 * done / len(stage.tasks),
        makespan=max(task.ended or 0.0 for task in stage.tasks),
    )
