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
    from ._clock import Clock, SystemClock
    from ._core.changes import Change, merge_patch, typed
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
    from ._core.pacing import ConflictRetry
    from ._core.resource_id import ResourceId
    from ._core.snapshot import ClusterSnapshot, Snapshot, WriteResult
    from ._handles import AgentPool, Cluster
    from ._operations import Operation
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
        ThrottledError,
        WriteOutcomeUnknownError,
    )

_HOMES = {
    "_clock": ("Clock", "SystemClock"),
    "_core.changes": ("Change", "merge_patch", "typed"),
    "_core.events": (
        "Busy", "Conflict", "Doubt", "Event", "NotFenced", "OperationProgress", "OutcomeUnknown", "Recovered",
        "Retrying", "Throttled", "Waiting", "Warned",
    ),
    "_core.pacing": ("ConflictRetry",),
    "_core.resource_id": ("ResourceId",),
    "_core.snapshot": ("ClusterSnapshot", "Snapshot", "WriteResult"),
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
        "MergeConflictError", "MissingETagError", "NotFoundError", "OperationFailedError", "OperationInProgressError",
        "OperationPreemptedError", "PreconditionFailedError", "PreconditionRequiredError", "ReadOnlyEditError",
        "RequestRefusedError", "ResourceGoneError", "ResourceReplacedError", "ThrottledError",
        "WriteOutcomeUnknownError",
    ),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "AccessDeniedError",
    "AgentPool",
    "AksClient",
    "AksEtagError",
    "AlreadyExistsError",
    "AsyncAgentPool",
    "AsyncAksClient",
    "AsyncCluster",
    "AsyncOperation",
    "Busy",
    "Change",
    "Clock",
    "Cluster",
    "ClusterSnapshot",
    "Conflict",
    "ConflictRetriesExhaustedError",
    "ConflictRetry",
    "DeadlineExceededError",
    "Doubt",
    "Event",
    "InlinePoolEditError",
    "InvalidPreconditionError",
    "InvalidResourceIdError",
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
    "Snapshot",
    "Stats",
    "SystemClock",
    "Throttled",
    "ThrottledError",
    "Waiting",
    "Warned",
    "WriteOutcomeUnknownError",
    "WriteResult",
    "__version__",
    "merge_patch",
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
