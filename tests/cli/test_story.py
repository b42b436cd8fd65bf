# SPDX-License-Identifier: MIT
"""The story of the eTag article as a shell script, as users write them."""

from __future__ import annotations

import subprocess
from pathlib import Path

from aks_etag.mock import MockAks

from .terminal import PATIENCE

SCRIPT = Path(__file__).parent.parent.parent / "samples" / "aks_story.sh"
SAID = """\
created: Succeeded
a second create never writes over it
team: red
whoever writes from an old read is refused: 1 hint
tags: cost-center,team
nodes: extra=4 nodepool1=3
nodes do not go unasked
a plan is not carried out on what it was not made from
tags: 42,green,yes
a pool that has changed since is not deleted
deleted
"""


def test_the_story_ends_well(shell: dict[str, str]) -> None:
    mock = MockAks(operation_polls=2)
    with mock.serve() as url:
        done = subprocess.run(
            ["bash", str(SCRIPT)],
            capture_output=True,
            text=True,
            env={**shell, "AKS_ETAG_ENDPOINT": url},
            stdin=subprocess.DEVNULL,
            timeout=3 * PATIENCE,
            check=False,
        )
    assert (done.stdout, done.stderr, done.returncode) == (SAID, "", 0)
    writes = [each for each in mock.journal if each.method != "GET" and "managedClusters" in each.path]
    assert [each.path for each in writes if not (each.if_match or each.if_none_match)] == []
    # The others are refused by the read that they begin with: their tag is not there any more.
    assert [each.method for each in writes if each.status == 412] == ["PUT", "DELETE"]


def test_the_story_stops_where_it_goes_wrong(shell: dict[str, str]) -> None:
    mock = MockAks()
    mock.inject("PUT", effect=403, body={"error": {"code": "AuthorizationFailed", "message": "no"}})
    with mock.serve() as url:
        done = subprocess.run(
            ["bash", str(SCRIPT)],
            capture_output=True,
            text=True,
            env={**shell, "AKS_ETAG_ENDPOINT": url},
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE,
            check=False,
        )
    assert (done.stdout, done.returncode) == ("", 1)
    assert "AuthorizationFailed" in done.stderr
