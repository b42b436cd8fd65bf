# SPDX-License-Identifier: MIT
"""16 writers, 8 read-modify-writes each, one cluster, a real socket, some answers lost after the commit."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any

from aks_etag import AksEtagError, ConflictRetry, Doubt, Event, WriteOutcomeUnknownError, WriteResult
from aks_etag.mock import MockAks

from .checker import Operation, Tags, Verdict, check, tags_of

WRITERS, ROUNDS = 16, 5
Writer = Callable[[str, int, list[Operation]], None]
Task = Callable[[str, int, list[Operation]], Awaitable[None]]
PATIENT = ConflictRetry(attempts=10_000, deadline=300)
SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"


def change_of(thread: int, turn: int) -> Callable[[Tags], None]:
    """Return a change that can tell: +1, an append that shows its doubles, or a key of its own."""

    def one_more(tags: Tags) -> None:
        tags["counter"] = str(int(tags.get("counter", "0")) + 1)

    def append(tags: Tags) -> None:
        tags["log"] = tags.get("log", "") + f"{thread}.{turn};"

    def claim(tags: Tags) -> None:
        tags[f"w{thread}-{turn}"] = "done"

    return (one_more, append, claim, claim)[turn % 4]


def on_body(change: Callable[[Tags], None]) -> Callable[[dict[str, Any]], None]:
    def edit(body: dict[str, Any]) -> None:
        change(body.setdefault("tags", {}))

    return edit


def listener(operations: list[Operation]) -> Callable[[Event], None]:
    """Enter the id of every write in doubt with the operation under way."""

    def heard(event: Event) -> None:
        if isinstance(event, Doubt):
            operations[-1].request_ids.add(event.request_id)

    return heard


def begun(writer: int, turn: int, operations: list[Operation]) -> Operation:
    operation = Operation(change_of(writer, turn))
    operations.append(operation)
    return operation


def ended(operation: Operation, result: WriteResult) -> None:
    operation.ended, operation.recovered = result.outcome, result.recovered is not None
    operation.request_ids |= {result.request_id} if result.request_id else set()


def failed(operation: Operation, error: AksEtagError) -> None:
    if isinstance(error, WriteOutcomeUnknownError):
        operation.ended = "unknown"
        operation.request_ids |= set(error.request_ids)
    else:
        operation.ended = type(error).__name__


def write_all(cluster: Any, writer: int, operations: list[Operation]) -> None:
    """Do the work of one writer through a synchronous handle."""
    for turn in range(ROUNDS):
        operation = begun(writer, turn, operations)
        try:
            ended(operation, cluster.update(on_body(operation.change)))
        except AksEtagError as error:
            failed(operation, error)


async def awrite_all(cluster: Any, writer: int, operations: list[Operation]) -> None:
    """Do the work of one writer through an asynchronous handle."""
    for turn in range(ROUNDS):
        operation = begun(writer, turn, operations)
        try:
            ended(operation, await cluster.update(on_body(operation.change)))
        except AksEtagError as error:
            failed(operation, error)


def contend(writer: Writer, *, dropped: float) -> tuple[Verdict, Tags]:
    """Let 16 threads contend, and judge what came of it."""

    def start(url: str, calls: list[list[Operation]]) -> None:
        threads = [threading.Thread(target=writer, args=(url, n, calls[n])) for n in range(WRITERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    return _judged(start, dropped)


def acontend(task: Task, *, dropped: float) -> tuple[Verdict, Tags]:
    """Let 16 tasks of one event loop contend, and judge what came of it."""

    def start(url: str, calls: list[list[Operation]]) -> None:
        async def all_of_them() -> None:
            await asyncio.gather(*(task(url, n, calls[n]) for n in range(WRITERS)))

        asyncio.run(all_of_them())

    return _judged(start, dropped)


def _judged(start: Callable[[str, list[list[Operation]]], None], dropped: float) -> tuple[Verdict, Tags]:
    mock = MockAks()
    mock.add_cluster("rg", "prod")
    before = mock.body("rg", "prod")
    mock.inject(method="PUT", phase="after", effect="reset", probability=dropped, seed=16)
    calls: list[list[Operation]] = [[] for _ in range(WRITERS)]
    with mock.serve() as url:
        start(url, calls)
    operations = [operation for mine in calls for operation in mine]
    assert len(operations) == WRITERS * ROUNDS
    return check(operations, mock.commits, before), tags_of(mock.body("rg", "prod"))
