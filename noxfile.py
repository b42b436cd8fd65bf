# SPDX-License-Identifier: MIT
"""What CI runs: ``nox`` for lint, types and tests. The others are run by name."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

import nox

nox.options.sessions = ["lint", "typing", "tests"]
nox.options.error_on_missing_interpreters = False

ROOT = Path(__file__).parent
DEV = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]["dev"]
PURE = "*/aks_etag/_core/*,*/aks_etag/_flows/*"
TESTERS = ("anyio", "coverage", "hypothesis", "pyte", "pytest-cov", "pytest-timeout", "pytest-xdist", "uvicorn")
DECISIONS = ("tests/core", "tests/flows")
# A process for each core; what a file sets up for all its tests is set up once.
SPREAD = ("-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder")


def needed(*names: str) -> list[str]:
    """Look up requirements in the dev extra, so that bounds stand in one place."""
    found = [requirement for requirement in DEV if requirement.split(">=")[0] in names]
    assert len(found) == len(names), f"not all of {names} are in the dev extra"
    return found


@nox.session
def lint(session: nox.Session) -> None:
    """Check format, style, the import floors, and that what is generated is what its generators make."""
    session.install("-q", ".", *needed("ruff", "import-linter"))
    session.run("ruff", "format", "--check", ".")
    session.run("ruff", "check", ".")
    session.run("python", "tools/make_aio.py", "--check")
    session.run("python", "tools/make_cli_reference.py", "--check")
    session.run("lint-imports", "--no-logo", silent=True)


@nox.session
def typing(session: nox.Session) -> None:
    """Check types: mypy for all, basedpyright for what users see."""
    session.install("-q", ".[aio,kubernetes,test]", *needed("mypy", "basedpyright", "hypothesis", "anyio", "nox"))
    session.run("mypy", "aks_etag", "samples", "tools", "noxfile.py", "tests/typing")
    # Told which Python, since it would take a .venv beside it for the one to look into.
    python = str(Path(session.bin) / "python")
    session.run("basedpyright", "--pythonpath", python, "--level", "error", "tests/typing", "samples")


@nox.session
def tests(session: nox.Session) -> None:
    """Run all tests against the built wheel; the pure core and the flows must be covered branch by branch."""
    session.install("-q", *needed("build"))
    dist = Path(session.create_tmp()).resolve() / "dist"
    session.run("python", "-m", "build", "-q", "--wheel", "--outdir", str(dist), silent=True)
    wheel = max(dist.glob("*.whl"), key=lambda path: path.stat().st_mtime)
    needs = needed(*TESTERS)
    session.install("-q", "--force-reinstall", "--no-deps", str(wheel))
    session.install("-q", f"aks-etag[aio,kubernetes,test] @ {wheel.as_uri()}", *needs)
    if session.posargs:
        session.run("pytest", *SPREAD, *session.posargs)
        return
    # What is pure is proved by its own tests, and only these are traced: that costs a third of their time.
    session.run("pytest", *SPREAD, "--cov", "--cov-report=", *DECISIONS)
    session.run("coverage", "report", f"--include={PURE}", "--fail-under=100")
    session.run("pytest", *SPREAD, *(f"--ignore={each}" for each in DECISIONS))


@nox.session
def minimums(session: nox.Session) -> None:
    """Run all tests with the lowest version of each dependency that pyproject.toml allows."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    optional = [each for extra in ("test", "mock", "aio", "kubernetes") for each in extras[extra]]
    asked = [*project["dependencies"], *(each for each in optional if not each.startswith("aks-etag"))]
    lowest = [each.replace(">=", "==") for each in asked]
    session.install("-q", *lowest, *needed(*TESTERS))
    session.install("-q", "--no-deps", ".")
    session.run("pip", "list", "--format=freeze")
    session.run("pytest", *SPREAD, *session.posargs)


@nox.session
def javascript(session: nox.Session) -> None:
    """Let Microsoft's client for JavaScript at the served mock; node and npm have to be there."""
    session.install("-q", ".[mock]")
    work = Path(session.create_tmp()).resolve()
    for name in ("package.json", "clusters.mjs"):
        shutil.copy(ROOT / "tests" / "other_languages" / name, work)
    session.chdir(work)
    session.run("npm", "install", "--no-audit", "--no-fund", "--no-package-lock", external=True)
    session.run("node", "clusters.mjs", external=True)


@nox.session
def deep(session: nox.Session) -> None:
    """Run what hypothesis makes up about the mock a hundred times as often."""
    session.install("-q", ".[mock]", *needed("anyio", "hypothesis", "pytest-timeout", "uvicorn"))
    made_up = [f"tests/mock/test_mock_{name}.py" for name in ("model", "fuzz", "fuzz_control", "raw_http")]
    session.run("pytest", "-o", "timeout=7200", "--hypothesis-profile=deep", *made_up, *session.posargs)


@nox.session
def live(session: nox.Session) -> None:
    """Find out on a real cluster what nobody could verify: see tests/live."""
    session.install("-q", ".[test]", *needed("anyio", "hypothesis", "pytest-timeout"))
    session.run("pytest", "tests/live", "-o", "timeout=3600", *session.posargs)


@nox.session
def simulate(session: nox.Session) -> None:
    """Run many histories of writers, faults and others, and judge each: ``nox -s simulate -- --histories 1000000``."""
    session.install("-q", ".")
    session.run("python", "-m", "tests.simulation", *session.posargs)


@nox.session
def benchmark(session: nox.Session) -> None:
    """Measure beside the SDK, in the same run."""
    session.install("-q", ".[aio,kubernetes]", "kubernetes", "moto[server]")
    session.run("python", "benchmarks/update.py", *session.posargs)
    session.run("python", "benchmarks/kubernetes.py")
    session.run("python", "benchmarks/certainty.py")
    session.run("python", "benchmarks/contention.py")
    session.run("python", "benchmarks/startup.py")
    session.run("python", "benchmarks/mock.py")
