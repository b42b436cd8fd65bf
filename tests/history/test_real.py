# SPDX-License-Identifier: MIT
"""Eight processes, a real socket, lost answers and ``kill -9``: one history of them all, checked afterwards."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from aks_etag.history import Report, check
from aks_etag.history._file import lines
from aks_etag.mock import MockAks

PROCESSES, ROUNDS, KILLS = 8, 6, 4
WRITER = Path(__file__).parent / "writer.py"
# A process takes as long to start as it may; that it never writes is a failure.
PATIENCE = 120.0


@dataclass(frozen=True, slots=True)
class Run:
    """What came of it."""

    mock: MockAks
    history: Path
    killed: int

    @property
    def report(self) -> Report:
        return check(self.history, self.mock.commits)


@contextmanager
def writing(url: str, number: int, history: Path, mode: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, str(WRITER), url, str(number), str(ROUNDS), str(history), mode]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


def contended(history: Path, mode: str) -> Run:
    """Let them write; kill some in the middle of it, and let others take their places."""
    mock = MockAks(operation_polls=1)
    mock.add_cluster("rg", "prod")
    mock.inject(method="PUT", phase="after", effect="reset", probability=0.15, seed=8)
    mock.inject(method="PATCH", phase="after", effect="reset", probability=0.15, seed=9)
    mock.inject(method="PUT", phase="before", effect="reset", probability=0.05, seed=10)
    killed = 0
    with mock.serve() as url, ExitStack() as running:
        processes = [running.enter_context(writing(url, n, history, mode)) for n in range(PROCESSES)]
        for n in range(KILLS):
            await_commits(mock, 6 * (n + 1))
            processes[n].kill()
            killed += processes[n].wait() != 0
            processes.append(running.enter_context(writing(url, PROCESSES + n, history, mode)))
        ended = [process.wait(PATIENCE) for process in processes[KILLS:]]
    assert ended == [0] * PROCESSES
    return Run(mock, history, killed)


def await_commits(mock: MockAks, number: int) -> None:
    until = time.monotonic() + PATIENCE
    while len(mock.commits) < number:
        assert time.monotonic() < until, "nobody writes"
        time.sleep(0.005)


@pytest.fixture(scope="module", params=["plain", "exactly-once"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return contended(tmp_path_factory.mktemp("history") / "history.jsonl", request.param)


def test_nothing_is_lost_doubled_invented_or_wrongly_called_failed(run: Run) -> None:
    report = run.report
    assert run.killed > 0
    assert report.clean, str(report)
    assert report.commits == len(run.mock.commits) > PROCESSES * ROUNDS


def test_the_service_shows_the_same(run: Run) -> None:
    words = run.mock.body("rg", "prod", "np1")["properties"]["tags"]["log"].split(";")[:-1]
    assert [word for word, count in Counter(words).items() if count > 1] == []
    # Who was not killed says what became of each word.
    ends = [line for line in lines(run.history) if line["line"] == "end"]
    assert Counter(line.get("outcome") for line in ends)["updated"] > PROCESSES
    told = {line["op"] for line in ends}
    calls = [line["op"] for line in lines(run.history) if line["line"] == "call"]
    assert len(set(calls) - told) <= run.killed


def test_a_writer_that_nobody_wrote_down_is_noticed(run: Run) -> None:
    kept = list(lines(run.history))
    op = next(line["op"] for line in kept if line.get("outcome") == "updated")
    without = [line for line in kept if line.get("op") != op]
    assert {each.kind for each in check(without, run.mock.commits).anomalies} == {"phantom"}


def test_a_commit_that_is_missing_is_noticed(run: Run) -> None:
    commits = list(run.mock.commits)
    del commits[len(commits) // 2]
    assert not check(run.history, commits).clean
