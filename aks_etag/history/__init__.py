# SPDX-License-Identifier: MIT
"""Record what a client sent and what it was told, in any program, and check it afterwards.

``AksClient(..., history="history.jsonl")`` appends to the file; ``check("history.jsonl", ...)`` reads it. There are no
bodies, tokens or URLs in it: values are shown as digests under a key of the file, except for numbers and booleans, and
fields that are never shown by the service are left out. Keep it as private as a log all the same.
"""

from __future__ import annotations

from ._chain import Commit
from ._check import check
from ._report import Anomaly, Report

__all__ = ["Anomaly", "Commit", "Report", "check"]
