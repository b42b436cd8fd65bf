# SPDX-License-Identifier: MIT
"""The sample for those who have curl and nothing else: the command serves, and another program asks."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from .terminal import PATIENCE

SCRIPT = Path(__file__).parent.parent.parent / "samples" / "from_the_shell.sh"
SAID = """\
the first writer: 200
the second one, with the same tag: 412 PreconditionFailed
the nodes that there are: 5
after a fresh look: 200
"""


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl here")
def test_curl_sees_the_412(shell: dict[str, str]) -> None:
    done = subprocess.run(
        ["bash", str(SCRIPT)],
        capture_output=True,
        text=True,
        env=shell,
        stdin=subprocess.DEVNULL,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == (SAID, "", 0)
