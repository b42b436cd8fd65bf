# SPDX-License-Identifier: MIT
"""The command line: data to stdout, words to stderr, imports inside the commands."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    from ._app import run

    return run(list(sys.argv[1:] if arguments is None else arguments))
