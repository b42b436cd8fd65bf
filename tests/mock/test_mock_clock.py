# SPDX-License-Identifier: MIT
"""Virtual time: parallel waits are not added up, and nobody really sleeps."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

from aks_etag.mock import VirtualClock


def in_threads(jobs: list[Callable[[], None]]) -> None:
    threads = [threading.Thread(target=job, daemon=True) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not any(thread.is_alive() for thread in threads)


def test_without_participants_a_sleep_is_a_jump() -> None:
    clock = VirtualClock()
    started = clock.time()
    clock.sleep(3600)
    clock.sleep(-5)
    asyncio.run(clock.asleep(60))
    assert (clock.monotonic(), clock.time() - started) == (3660.0, 3660.0)


def test_parallel_waits_of_threads_are_not_added_up() -> None:
    clock, together, log = VirtualClock(), threading.Barrier(4), []

    def sleeper(seconds: float) -> None:
        with clock.participant():
            together.wait()
            for _ in range(3):
                clock.sleep(seconds)
                log.append((clock.monotonic(), seconds))

    in_threads([lambda seconds=seconds: sleeper(seconds) for seconds in (10, 20, 30, 45)])  # type: ignore[misc]
    assert clock.monotonic() == 135.0
    assert sorted(log) == sorted((turn * seconds, seconds) for seconds in (10, 20, 30, 45) for turn in (1, 2, 3))
    assert [moment for moment, _ in log] == sorted(moment for moment, _ in log)


def test_parallel_waits_of_tasks_are_not_added_up() -> None:
    clock, log = VirtualClock(), []

    async def sleeper(seconds: float, together: asyncio.Barrier) -> None:
        with clock.participant():
            await together.wait()
            for _ in range(3):
                await clock.asleep(seconds)
                log.append((clock.monotonic(), seconds))

    async def everybody() -> None:
        together = asyncio.Barrier(3)
        await asyncio.gather(*(sleeper(seconds, together) for seconds in (10.0, 20.0, 30.0)))

    asyncio.run(everybody())
    assert log == sorted(log, key=lambda entry: entry[0])
    assert clock.monotonic() == 90.0


def test_time_stands_still_while_a_participant_works() -> None:
    clock, asleep, log = VirtualClock(), threading.Event(), []

    def worker() -> None:
        with clock.participant():
            asleep.set()
            clock.sleep(5)
            log.append(clock.monotonic())

    with clock.participant():
        thread = threading.Thread(target=worker, daemon=True)
        thread.start()
        asleep.wait(30)
        assert clock.monotonic() == 0.0
        clock.sleep(2)
        assert (clock.monotonic(), log) == (2.0, [])
    thread.join(30)
    assert log == [5.0]


def test_a_suspended_participant_does_not_hold_the_clock() -> None:
    clock, log = VirtualClock(), []

    def worker() -> None:
        with clock.participant():
            clock.sleep(5)
            log.append(clock.monotonic())

    with clock.participant():
        thread = threading.Thread(target=worker, daemon=True)
        thread.start()
        with clock.suspended():
            thread.join(30)
    assert log == [5.0]


def test_a_cancelled_wait_is_forgotten() -> None:
    clock = VirtualClock()

    async def impatient() -> None:
        with clock.participant():
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(asyncio.shield(asyncio.Event().wait()), 0)
            await clock.asleep(3)

    async def everybody() -> None:
        with clock.participant():
            waiting = asyncio.create_task(clock.asleep(100))
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            await clock.asleep(1)
        await impatient()

    asyncio.run(everybody())
    assert clock.monotonic() == 4.0
