# SPDX-License-Identifier: MIT
"""Exit codes of errors that only ``kube`` commands meet, and what to do about those that mean something else there."""

from __future__ import annotations

from typing import Final

from .. import errors
from ..kubernetes._config import KubeconfigError
from ..kubernetes.migration import MigrationRefusedError
from ._errors import CODES as COMMON
from ._errors import Codes, Hints
from ._exits import Exit

CODES: Final[Codes] = ((KubeconfigError, Exit.USAGE), (MigrationRefusedError, Exit.REFUSED), *COMMON)

# The first that fits counts: from the narrow to the wide.
HINTS: Final[Hints] = (
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
