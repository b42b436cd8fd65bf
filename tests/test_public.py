# SPDX-License-Identifier: MIT
"""What the package promises by its names: pinned, documented, lazy; and what its pages and samples say is true."""

from __future__ import annotations

import ast
import concurrent.futures
import importlib.metadata
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import aks_etag
from aks_etag.mock import MockAks

ROOT = Path(__file__).parent.parent
SAMPLES = sorted(path for path in (ROOT / "samples").glob("*.py") if not path.name.startswith("test_"))
NAMES = """
ABSENT AccessDeniedError AgentPool AksClient AksEtagError AlreadyExistsError AsyncAgentPool AsyncAksClient
AsyncCluster AsyncOperation Batch Budgets Busy Change Clock Cluster ClusterSnapshot Conflict
ConflictRetriesExhaustedError
ConflictRetry DeadlineExceededError Difference Doubt Event InlinePoolEditError InvalidPreconditionError
InvalidResourceIdError JsonPatchError MergeConflict MergeConflictError MissingETagError NotFenced NotFoundError
Operation OperationFailedError OperationInProgressError OperationPreemptedError OperationProgress OutcomeUnknown
PreconditionFailedError PreconditionRequiredError ReadOnlyEditError Recovered RequestRefusedError ResourceGoneError
ResourceId ResourceReplacedError Retrying ScaleDownRefusedError Snapshot Stats SystemClock Throttled ThrottledError
Waiting Warned WriteBudget WriteOutcomeUnknownError WriteResult __version__ diff json_patch merge_patch no_scale_down
rebase typed
""".split()


def test_the_public_names_are_these() -> None:
    assert list(aks_etag.__all__) == NAMES
    assert sorted(aks_etag.__all__) == list(aks_etag.__all__)
    assert dir(aks_etag) == NAMES


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("__version__", "Change")])
def test_every_public_name_is_there_and_documented(name: str) -> None:
    value = getattr(aks_etag, name)
    assert inspect.getdoc(value)
    for member, function in inspect.getmembers(value, inspect.isfunction) if inspect.isclass(value) else []:
        if not member.startswith("_") and function.__module__.startswith("aks_etag") and "Clock" not in name:
            assert inspect.getdoc(function), f"{name}.{member}"


def test_what_type_checkers_see_is_what_is_loaded() -> None:
    tree = ast.parse((Path(aks_etag.__file__)).read_text("utf-8"))
    checked = next(node for node in tree.body if isinstance(node, ast.If))
    declared = {alias.name for node in ast.walk(checked) if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert declared == set(NAMES) - {"__version__"}


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'AksKlient'"):
        _ = aks_etag.AksKlient


def test_the_version_is_that_of_the_installed_package() -> None:
    assert importlib.metadata.version("aks-etag") == aks_etag.__version__


@pytest.mark.parametrize(
    "program",
    ["import aks_etag", "import aks_etag; dir(aks_etag)", "import aks_etag.cli as c, contextlib\n"
     "with contextlib.suppress(SystemExit): c.main(['--help'])"],
)  # fmt: skip
def test_nothing_heavy_is_loaded_before_it_is_needed(program: str) -> None:
    heavy = "print(sorted(m for m in __import__('sys').modules if m.split('.')[0] in ('azure', 'httpx', 'aiohttp')))"
    done = subprocess.run([sys.executable, "-c", f"{program}\n{heavy}"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("arguments", [["-m", "aks_etag", "demo"], ["-m", "aks_etag", "demo", "--quiet"]], ids=str)
def test_the_demo_ends_well(arguments: list[str]) -> None:
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("all as expected\n")
    assert "NOT" not in done.stdout


def test_the_demo_says_when_a_row_is_wrong(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from aks_etag._status_table import Row
    from aks_etag.cli import demo

    wrong = Row(line=2, method="PUT", exists=True, documented=412)
    monkeypatch.setattr(demo, "ROWS", (wrong,))
    assert demo.demonstrate(quiet=True) == 1
    assert "cluster: PUT, exists" in capsys.readouterr().err


def test_without_a_command_the_help_is_shown() -> None:
    done = subprocess.run([sys.executable, "-m", "aks_etag"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "demo" in done.stderr


SAID = {
    "create_once": "1 pool was created",
    "delete_what_you_saw": "batch2: kept",
    "many_labels": "40 labels by 40 calls; fewer writes than calls: True",
    "migrate_storage": "2000 objects, 0 left in v1beta1",
    "rolling_labels": "3 writes, then 0",
    "scale_in_asyncio": "np1 has 8 nodes",
    "scale_pool": "np1 has 11 nodes",
    "two_controllers": "the counter says 50",
    "two_field_managers": "(('.data.log-level', 'platform'),)",
    "wrap_sdk_client": "updated under If-Match: ",
}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_a_sample_runs_as_it_is(sample: Path) -> None:
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    done = subprocess.run([sys.executable, str(sample)], capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert SAID[sample.stem] in done.stdout


def test_the_sample_for_pytest_passes() -> None:
    sample = str(ROOT / "samples" / "test_provisioning.py")
    arguments = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, sample]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, cwd=Path(sample).parent)
    assert "3 passed" in done.stdout, done.stdout


def test_ci_runs_exactly_the_command_of_the_readme() -> None:
    readme, ci = (ROOT / "README.md").read_text("utf-8"), (ROOT / ".ci" / "run").read_text("utf-8")
    commands = [line.strip() for line in readme.splitlines() if line.startswith("    python3 -m venv")]
    assert len(commands) == 2
    assert commands[0].endswith("aks-etag demo")
    assert ci.splitlines()[-1] == commands[1]


def test_the_readmes_example_is_runnable_and_early(mock: MockAks, capsys: pytest.CaptureFixture[str]) -> None:
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()
    start = lines.index("```python")
    end = lines.index("```", start)
    assert end <= 30
    source = "\n".join(lines[start + 1 : end]).replace("from azure.identity import DefaultAzureCredential\n", "")
    source = re.sub(r"AksClient\(DefaultAzureCredential\(\), subscription_id\)", "mock.client()", source)
    exec(compile(source, "README.md", "exec"), {"mock": mock})
    assert capsys.readouterr().out.startswith("updated ")
    assert [commit.method for commit in mock.commits] == ["PUT", "PUT", "DELETE"]


def raise_it(error: Exception) -> None:
    raise error


def test_an_error_crosses_a_process_pool_with_its_facts(mock: MockAks) -> None:
    with mock.client() as aks, pytest.raises(aks_etag.PreconditionFailedError) as raised:
        pool = aks.cluster("rg", "prod").agent_pool("np1")
        pool.put({"properties": {"count": 4}}, if_match="not-the-tag")
    with concurrent.futures.ProcessPoolExecutor(1) as processes:
        error = processes.submit(raise_it, raised.value).exception()
    assert isinstance(error, aks_etag.PreconditionFailedError)
    assert (error.sent, error.status_code, str(error)) == ("not-the-tag", 412, str(raised.value))
    assert error.current == raised.value.current
