# SPDX-License-Identifier: MIT
"""One file, many writers, some of them killed."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from aks_etag.history import check
from aks_etag.history._file import HistoryFile, lines

from .story import HEADER, POOL, answer, attempt, call, done, pool

WRITER = """
import sys
from aks_etag.history._file import HistoryFile
file = HistoryFile(sys.argv[1])
for n in range(200):
    file.write({"line": "call", "op": f"{sys.argv[2]}.{n}", "client": "c", "verb": "update", "id": "x" * 3000})
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "history.jsonl"


def test_threads_and_processes_append_to_one_file(path: Path) -> None:
    processes = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), name]) for name in ("a", "b")]
    file = HistoryFile(path)
    threads = [threading.Thread(target=file.write, args=({"line": "call", "op": f"t{n}"},)) for n in range(20)]
    for thread in threads:
        thread.start()
    for waited in (*threads,):
        waited.join()
    assert [process.wait() for process in processes] == [0, 0]
    file.close()
    told = list(lines(path))
    assert len({line["op"] for line in told if line["line"] == "call"}) == 420
    assert not [line for line in told if line["line"] == "torn"]


def test_all_who_open_a_file_agree_on_its_key(path: Path) -> None:
    files: list[HistoryFile] = []
    threads = [threading.Thread(target=lambda: files.append(HistoryFile(path))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({file.key for file in files}) == 1
    for file in files:
        file.close()


def test_a_torn_line_costs_only_itself(path: Path) -> None:
    file = HistoryFile(path)
    for line in (call("a"), attempt("a", "r1", "t1", pool(3), pool(4)), answer("a", "r1")):
        file.write(line)
    file.close()
    torn = path.read_bytes()[:-7]
    path.write_bytes(torn)
    file = HistoryFile(path)
    for line in (call("b"), done("b")):
        file.write(line)
    file.close()
    report = check(path)
    assert (report.operations, report.attempts, report.strays, report.unknown) == (2, 1, 1, 1)
    assert [line["line"] for line in lines(path)] == ["history", "call", "attempt", "torn", "call", "end"]


@pytest.mark.parametrize(
    "line",
    [
        "not JSON",
        '{"line":',
        "[1]",
        '{"line":"call"}',
        '{"line":"new in a later version","op":"a"}',
        '{"line":"attempt","op":"nobody","request":"r1"}',
        '{"line":"answer","op":"a","request":"nobody","status":200}',
        '{"line":"call","op":"b","client":1',
    ],
)
def test_a_line_that_makes_no_sense_is_counted_and_skipped(path: Path, line: str) -> None:
    file = HistoryFile(path)
    file.write(call("a"))
    file.close()
    with path.open("a") as end:
        end.write(f"\n{line}\n")
    file = HistoryFile(path)
    file.write(done("a"))
    file.close()
    report = check(path)
    assert (report.operations, report.strays, report.unknown) == (1, 1, 0)


def test_a_line_that_cannot_be_written_raises_nothing(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = HistoryFile(path)
    file.close()
    file.write(call("a"))
    assert [line["line"] for line in lines(path)] == ["history"]
    assert "is lost" in caplog.text


def test_another_file_is_not_taken_for_a_history(path: Path) -> None:
    path.write_bytes(b"notes\n")
    with pytest.raises(ValueError, match="something else than a history"):
        HistoryFile(path)
    assert path.read_bytes() == b"notes\n"


def test_the_module_prints_a_report(path: Path) -> None:
    file = HistoryFile(path)
    for line in (call("a", id=POOL), done("a")):
        file.write(line)
    file.close()
    shown = subprocess.run(
        [sys.executable, "-m", "aks_etag.history", str(path)], capture_output=True, text=True, check=True
    )
    assert shown.stdout.startswith("1 operations, 0 writes sent, 0 commits: 0 anomalies")
    assert subprocess.run([sys.executable, "-m", "aks_etag.history"], capture_output=True, check=False).returncode == 1


def test_the_first_line_holds_the_key_and_a_version() -> None:
    assert set(HEADER) == {"line", "version", "key"}
