# SPDX-License-Identifier: MIT
"""Writes that go on after their command: --no-wait, --timeout, Ctrl-C, and ``resume``."""

from __future__ import annotations

import signal
import stat
from pathlib import Path

import pytest

from aks_etag.mock import MockAks
from tests.cli.served import CLUSTER, POOL, Inside, World, told
from tests.cli.test_waits import until

STATE = ".local/state/aks-etag"
SCALE = ("nodepool", "scale", *POOL, "-c", "9")


def kept(world: World) -> Path:
    """Return the one token that was left behind."""
    (path,) = (world.home / STATE).iterdir()
    return path


def resuming(err: str) -> list[str]:
    """Return the words of the command that is said to go on."""
    (line,) = (line for line in err.splitlines() if "aks-etag resume " in line)
    return line.partition("aks-etag ")[2].split()


def test_a_write_that_is_not_waited_for_can_be_resumed(world: World) -> None:
    ran = world.run("create", "-g", "rg", "-n", "new", "-l", "region1", "--no-wait")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.startswith("accepted, not waiting for it; go on with: aks-etag resume ")
    token = kept(world)
    assert (stat.S_IMODE(token.stat().st_mode), stat.S_IMODE(token.parent.stat().st_mode)) == (0o600, 0o700)
    assert token.read_text() not in ran.err
    # Neither the address nor the subscription need be said again.
    ran = world.run(*resuming(ran.err), "--query", "name", AKS_ETAG_ENDPOINT=None, AZURE_SUBSCRIPTION_ID=None)
    assert (ran.code, ran.out, ran.err) == (0, '"new"\n', "")
    assert not token.exists()
    assert [method for method, _ in world.writes] == ["PUT"]


def test_time_that_runs_out_leaves_a_way_to_go_on(world: World) -> None:
    ran = world.run(*SCALE, "--timeout", "0.2")
    assert (ran.code, ran.out) == (10, "")
    assert "s passed while waiting for the operation of a write (it is InProgress)\n" in ran.err
    assert "note: the write was accepted and goes on without us: nothing was cancelled" in ran.err
    again = world.run(*resuming(ran.err), "--timeout", "0.1")
    assert resuming(again.err) == resuming(ran.err)
    ran = world.run(*resuming(ran.err), "--query", "count")
    assert (ran.code, ran.out) == (0, "9\n")


def test_ctrl_c_cancels_nothing_and_says_how_to_go_on(world: World) -> None:
    with world.started(*SCALE, "-v") as scaling:
        told(scaling.stderr, "waiting for the operation")
        scaling.send_signal(signal.SIGINT)
        out, err = scaling.communicate(timeout=30)
    assert (scaling.returncode, out) == (130, "")
    first, *notes = err.strip().splitlines()
    assert (first, len(notes)) == ("interrupted", 2)
    assert notes[0] == "the write was accepted and goes on without us: nothing was cancelled"
    ran = world.run(*resuming(err), "--query", "count")
    assert (ran.code, ran.out) == (0, "9\n")
    assert [method for method, _ in world.writes] == ["PUT"]


def test_ctrl_c_before_anything_was_sent_says_so(world: World) -> None:
    world.mock.set_state("rg", "prod", "np1", "Updating")
    with world.started(*SCALE) as scaling:
        until(lambda: bool(world.mock.journal))
        scaling.send_signal(signal.SIGINT)
        out, err = scaling.communicate(timeout=30)
    assert (scaling.returncode, out, err.strip()) == (130, "", "interrupted\nnothing was written")
    assert world.writes == []


def test_ctrl_c_while_a_write_is_on_its_way_leaves_it_open(world: World) -> None:
    world.mock.inject(method="PUT", phase="late", effect=503)
    with world.started(*SCALE, "-v") as scaling:
        told(scaling.stderr, "Doubt")
        scaling.send_signal(signal.SIGINT)
        out, err = scaling.communicate(timeout=30)
    assert (scaling.returncode, out) == (130, "")
    assert "may be, or may yet be, applied" in err
    assert "nothing was written" not in err


def test_a_failed_operation_is_told_and_its_token_is_over(world: World) -> None:
    world.mock.fail_operation("QuotaExceeded", "not enough cores")
    ran = world.run(*SCALE, "--no-wait")
    ran = world.run(*resuming(ran.err))
    assert ran.refusal[0] == 9
    assert "QuotaExceeded: not enough cores" in ran.refusal[1]


def test_a_token_that_is_refused_for_a_while_is_kept(world: World) -> None:
    ran = world.run(*SCALE, "--no-wait")
    words = resuming(ran.err)
    world.mock.inject(method="GET", path="operations", effect=403)
    refused = world.run(*words)
    assert refused.code == 8
    assert resuming(refused.err) == words
    assert world.run(*words, "-o", "none").code == 0


def test_a_token_that_cannot_be_kept_is_not_shown_either(world: World) -> None:
    ran = world.run(*SCALE, "--no-wait", XDG_STATE_HOME=str(world.file("no-folder", "")))
    assert ran.code == 0
    assert "aks-etag resume" not in ran.err
    assert ran.err.startswith("accepted, not waiting for it; go on with: aks-etag show (there is nothing to resume by")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"nonsense", "this is no continuation token"),
        (b"", "this is no continuation token"),
        (b"\xff\xfe", "it is no text"),
        (None, "No such file or directory"),
    ],
)
def test_a_file_that_holds_no_token_is_refused_and_kept(inside: Inside, content: bytes | None, said: str) -> None:
    path = inside.world.home / "token"
    if content is not None:
        path.write_bytes(content)
    ran = inside.run("resume", path)
    assert ran.refusal[0] == 2
    assert said in ran.refusal[1]
    assert path.exists() == (content is not None)
    assert inside.world.mock.journal == []


def test_a_token_is_not_followed_to_another_host(world: World, tmp_path: Path) -> None:
    ran = world.run(*SCALE, "--no-wait")
    with MockAks().serve() as url:
        ran = world.run("resume", kept(world), "--endpoint", url)
    assert ran.refusal[0] == 2
    assert "leads to another host" in ran.refusal[1]
    assert kept(world).exists()


def test_reading_is_interrupted_without_ado(world: World) -> None:
    with world.started("watch", *CLUSTER, "--interval", "60") as watching:
        assert watching.stdout is not None
        watching.stdout.readline()
        watching.send_signal(signal.SIGINT)
        _, err = watching.communicate(timeout=30)
    assert (watching.returncode, err.strip()) == (130, "interrupted")
