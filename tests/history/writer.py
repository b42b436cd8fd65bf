# SPDX-License-Identifier: MIT
"""One writer as a program of its own: ``writer.py URL NUMBER ROUNDS HISTORY exactly-once|plain``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from aks_etag import AksClient, AksEtagError, ConflictRetry
from aks_etag.mock import FakeCredential

Change = Callable[[dict[str, Any]], None]


def one_more(path: str) -> Change:
    """Count in a tag of the cluster: no two of these are one."""

    def change(body: dict[str, Any]) -> None:
        tags = body.setdefault("tags", {})
        tags[path] = str(int(tags.get(path, "0")) + 1)

    return change


def append(properties: str, word: str) -> Change:
    """Append a word that shows its doubles."""

    def change(body: dict[str, Any]) -> None:
        tags = body[properties].setdefault("tags", {})
        tags["log"] = tags.get("log", "") + f"{word};"

    return change


def main(url: str, number: str, rounds: str, history: str, mode: str) -> None:
    """Write, and go on after whatever goes wrong."""
    with AksClient(
        FakeCredential(),
        "00000000-0000-0000-0000-000000000000",
        base_url=url,
        polling_interval=0,
        conflict_retry=ConflictRetry(attempts=10_000, deadline=300),
        exactly_once=mode == "exactly-once",
        history=history,
    ) as aks:
        cluster = aks.cluster("rg", "prod")
        pool = cluster.agent_pool("np1")
        for turn in range(int(rounds)):
            for write in (
                lambda: cluster.update(one_more("counter")),
                lambda turn=turn: pool.update(append("properties", f"{number}.{turn}")),
                lambda turn=turn: cluster.update_tags({f"w{number}-{turn % 2}": str(turn)}),
            ):
                # What became of it is in the history.
                with suppress(AksEtagError):
                    write()


if __name__ == "__main__":
    main(*sys.argv[1:])
