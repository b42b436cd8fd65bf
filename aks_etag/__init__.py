# SPDX-License-Identifier: MIT
"""Change AKS clusters and agent pools from many hands without losing an update.

Every name is loaded when it is first used: ``import aks_etag`` itself loads neither azure nor an HTTP library.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._version import __version__

if TYPE_CHECKING:
    from ._aio_handles import AsyncAgentPool, AsyncCluster
    from ._aio_operations import AsyncOperation
    from ._budgets import Budgets, WriteBudget
    from ._clock import Clock, SystemClock
    from ._core.changes import Change, merge_patch, typed
    from ._core.document import ABSENT
    from ._core.events import (
        Busy,
        Conflict,
        Doubt,
        Event,
        NotFenced,
        OperationProgress,
        OutcomeUnknown,
        Recovered,
        Retrying,
        Throttled,
        Waiting,
        Warned,
    )
    from ._core.json_patch import json_patch
    from ._core.merge import MergeConflict
    from ._core.pacing import ConflictRetry
    from ._core.resource_id import ResourceId
    from ._core.snapshot import Batch, ClusterSnapshot, Snapshot, WriteResult
    from ._handles import AgentPool, Cluster
    from ._operations import Operation
    from ._resources.diff import Difference, diff
    from ._resources.guards import no_scale_down
    from ._resources.rebase import rebase
    from ._stats import Stats
    from .aio import AsyncAksClient
    from .client import AksClient
    from .errors import (
        AccessDeniedError,
        AksEtagError,
        AlreadyExistsError,
        ConflictRetriesExhaustedError,
        DeadlineExceededError,
        InlinePoolEditError,
        InvalidPreconditionError,
        InvalidResourceIdError,
        JsonPatchError,
        MergeConflictError,
        MissingETagError,
        NotFoundError,
        OperationFailedError,
        OperationInProgressError,
        OperationPreemptedError,
        PreconditionFailedError,
        PreconditionRequiredError,
        ReadOnlyEditError,
        RequestRefusedError,
        ResourceGoneError,
        ResourceReplacedError,
        ScaleDownRefusedError,
        ThrottledError,
        WriteOutcomeUnknownError,
    )

_HOMES = {
    "_budgets": ("Budgets", "WriteBudget"),
    "_clock": ("Clock", "SystemClock"),
    "_core.changes": ("Change", "merge_patch", "typed"),
    "_core.document": ("ABSENT",),
    "_core.events": (
        "Busy", "Conflict", "Doubt", "Event", "NotFenced", "OperationProgress", "OutcomeUnknown", "Recovered",
        "Retrying", "Throttled", "Waiting", "Warned",
    ),
    "_core.json_patch": ("json_patch",),
    "_core.merge": ("MergeConflict",),
    "_core.pacing": ("ConflictRetry",),
    "_core.resource_id": ("ResourceId",),
    "_core.snapshot": ("Batch", "ClusterSnapshot", "Snapshot", "WriteResult"),
    "_resources.diff": ("Difference", "diff"),
    "_resources.guards": ("no_scale_down",),
    "_resources.rebase": ("rebase",),
    "_stats": ("Stats",),
    "_aio_handles": ("AsyncAgentPool", "AsyncCluster"),
    "_handles": ("AgentPool", "Cluster"),
    "_aio_operations": ("AsyncOperation",),
    "_operations": ("Operation",),
    "aio": ("AsyncAksClient",),
    "client": ("AksClient",),
    "errors": (
        "AccessDeniedError", "AksEtagError", "AlreadyExistsError", "ConflictRetriesExhaustedError",
        "DeadlineExceededError", "InlinePoolEditError", "InvalidPreconditionError", "InvalidResourceIdError",
        "JsonPatchError", "MergeConflictError", "MissingETagError", "NotFoundError", "OperationFailedError",
        "OperationInProgressError", "OperationPreemptedError", "PreconditionFailedError", "PreconditionRequiredError",
        "ReadOnlyEditError", "RequestRefusedError", "ResourceGoneError", "ResourceReplacedError",
        "ScaleDownRefusedError", "ThrottledError", "WriteOutcomeUnknownError",
    ),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "ABSENT",
    "AccessDeniedError",
    "AgentPool",
    "AksClient",
    "AksEtagError",
    "AlreadyExistsError",
    "AsyncAgentPool",
    "AsyncAksClient",
    "AsyncCluster",
    "AsyncOperation",
    "Batch",
    "Budgets",
    "Busy",
    "Change",
    "Clock",
    "Cluster",
    "ClusterSnapshot",
    "Conflict",
    "ConflictRetriesExhaustedError",
    "ConflictRetry",
    "DeadlineExceededError",
    "Difference",
    "Doubt",
    "Event",
    "InlinePoolEditError",
    "InvalidPreconditionError",
    "InvalidResourceIdError",
    "JsonPatchError",
    "MergeConflict",
    "MergeConflictError",
    "MissingETagError",
    "NotFenced",
    "NotFoundError",
    "Operation",
    "OperationFailedError",
    "OperationInProgressError",
    "OperationPreemptedError",
    "OperationProgress",
    "OutcomeUnknown",
    "PreconditionFailedError",
    "PreconditionRequiredError",
    "ReadOnlyEditError",
    "Recovered",
    "RequestRefusedError",
    "ResourceGoneError",
    "ResourceId",
    "ResourceReplacedError",
    "Retrying",
    "ScaleDownRefusedError",
    "Snapshot",
    "Stats",
    "SystemClock",
    "Throttled",
    "ThrottledError",
    "Waiting",
    "Warned",
    "WriteBudget",
    "WriteOutcomeUnknownError",
    "WriteResult",
    "__version__",
    "diff",
    "json_patch",
    "merge_patch",
    "no_scale_down",
    "rebase",
    "typed",
]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
