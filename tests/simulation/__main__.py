# SPDX-License-Identifier: MIT
"""``python -m tests.simulation --histories 1000000``: run histories, and show the first that fails, made small."""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import replace

from .crowd import crowd
from .judge import Tally, shrunk, story
from .plan import drawn


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--histories", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, help="tell the history of one seed")
    asked = parser.parse_args()
    if asked.seed is not None:
        print(story(drawn(asked.seed)))
        return 0
    began = time.perf_counter()

    def heard(counts: Tally) -> None:
        seconds = time.perf_counter() - began
        print(f"{counts.histories} histories, {seconds:.0f} s, {dict(counts.found)}", flush=True)

    counts = crowd(asked.first, asked.histories, asked.processes, heard=heard)
    print(replace(counts, failing=counts.failing[:10]), f"failing: {len(counts.failing)}")
    if counts.failing:
        print(story(shrunk(drawn(counts.failing[0]))))
    return 1 if counts.failing else 0


if __name__ == "__main__":
    raise SystemExit(main())
