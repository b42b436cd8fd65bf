# SPDX-License-Identifier: MIT
"""What to do about an error of a ``kube`` command, where that is something else than for a cluster of AKS."""

from __future__ import annotations

from typing import Final

from .. import errors
from ..kubernetes._config import KubeconfigError

# The first that fits counts: from the narrow to the wide.
HINTS: Final[tuple[tuple[type[BaseException], str], ...]] = (
    (
        errors.WriteOutcomeUnknownError,
        "kube get it before you write again: the write may have been, or may yet be, applied",
    ),
    (
        errors.DeadlineExceededError,
        "check that the server of the kubeconfig can be reached, or give a longer --timeout",
    ),
    (errors.NotFoundError, "check API-VERSION, KIND, NAME and --namespace, and --context for the right cluster"),
    (
        errors.MergeConflictError,
        "leave these fields out, give the same values as their owners, or take them over with --force",
    ),
    (errors.PreconditionFailedError, "kube get it again, or use kube update, which reads and guards by itself"),
    (errors.AccessDeniedError, "check the user of the kubeconfig, and what its roles allow: kubectl auth can-i"),
    (KubeconfigError, "give --kubeconfig FILE and --context NAME, or --server URL"),
)
