# SPDX-License-Identifier: MIT
"""``aks-etag demo``: what it tells, how it ends, and that it needs nothing."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from aks_etag.cli.demo import Story

from .terminal import PATIENCE, command, environment, run

VERDICT = re.compile(r"(\d+) steps and (\d+) rows of the table: all as expected\n")


def test_it_tells_the_story_row_by_row_without_account_or_network(tmp_path: Path) -> None:
    env = environment(tmp_path)
    del env["AZURE_SUBSCRIPTION_ID"]
    done = subprocess.run(
        command("demo"), capture_output=True, text=True, env=env, timeout=PATIENCE, check=False, encoding="utf-8"
    )
    *story, last = done.stdout.splitlines(keepends=True)
    counted = VERDICT.fullmatch(last)
    assert (done.returncode, done.stderr) == (0, "")
    assert counted is not None
    told = "".join(story)
    assert len(re.findall(r"^ *\d+\. ", told, re.MULTILINE)) == int(counted[1])
    assert len(re.findall(r"^  ok   (?:cluster|pool) ", told, re.MULTILINE)) == int(counted[2])
    assert "NOT" not in told
    assert "add one node with update(); somebody scales to 10 between its read and its write" in told


def test_quiet_it_says_the_verdict_alone(tmp_path: Path) -> None:
    done = run("demo", "--quiet", home=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert VERDICT.fullmatch(done.stdout)


def test_a_step_that_comes_out_otherwise_is_counted() -> None:
    story = Story(quiet=True)
    story.step("as expected", "created 201", "created 201")
    story.step("otherwise", "created 201", "created 200")
    assert (story.steps, story.failures) == (2, ["otherwise"])
