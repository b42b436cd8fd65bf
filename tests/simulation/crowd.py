# SPDX-License-Identifier: MIT
"""Many histories at once, in processes of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path
from typing import Final

from .judge import Tally, tally

ROOT: Final = Path(__file__).parent.parent.parent
# What is tested is what is installed, so the directory of the tests comes last.
CODE: Final = (
    "import sys; sys.path.append(sys.argv[1]); from tests.simulation.crowd import share; share(*map(int, sys.argv[2:]))"
)


def crowd(
    first: int, histories: int, processes: int, *, share: int = 5000, heard: Callable[[Tally], object] = id
) -> Tally:
    """Run so many histories; ``heard`` is told how far it has come, after each share of them."""
    total = Tally()
    starts = range(first, first + histories, share)
    with ThreadPoolExecutor(processes) as pool:
        for part in pool.map(lambda start: _asked(start, min(share, first + histories - start)), starts):
            total = total.joined(part)
            heard(total)
    return total


def share(first: int, histories: int) -> None:
    """Run some, and print what they came to."""
    sys.stdout.write(json.dumps(dict(_told(tally(range(first, first + histories))))))


def _asked(first: int, histories: int) -> Tally:
    command = [sys.executable, "-P", "-c", CODE, str(ROOT), str(first), str(histories)]
    told = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    return Tally(**{**told, "found": Counter(told["found"])})


def _told(counts: Tally) -> Iterator[tuple[str, object]]:
    for each in fields(counts):
        yield each.name, getattr(counts, each.name)
