# SPDX-License-Identifier: MIT
"""``wait``, with az's words, and ``watch``."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from tests.cli.served import CLUSTER, POOL, Inside, World, told


def until(is_so: Callable[[], bool]) -> None:
    """Wait for what another process does."""
    for _ in range(3000):
        if is_so():
            return
        time.sleep(0.01)
    raise AssertionError("it never came to that")


@pytest.mark.parametrize(
    ("state", "words", "code"),
    [
        pytest.param("Succeeded", ["--created"], 0, id="created"),
        pytest.param("Succeeded", ["--updated"], 0, id="updated"),
        pytest.param("Updating", ["--exists"], 0, id="exists-whatever-its-state"),
        pytest.param("Updating", ["--updated"], 10, id="not-updated-yet"),
        pytest.param("Succeeded", ["--deleted"], 10, id="still-there"),
        pytest.param("Failed", ["--updated"], 9, id="failed-will-not-come"),
        pytest.param("Failed", ["--custom", "name=='x'"], 9, id="failed-while-waiting-for-something"),
        pytest.param("Failed", ["--deleted"], 10, id="failed-may-yet-be-deleted"),
        pytest.param("Succeeded", ["--custom", "agentPoolProfiles[?name=='np1' && count==`3`]"], 0, id="custom"),
        pytest.param("Succeeded", ["--custom", "agentPoolProfiles[?count==`9`]"], 10, id="custom-an-empty-list-is-no"),
        pytest.param("Succeeded", ["--custom", "a["], 2, id="custom-no-jmespath"),
        pytest.param("Succeeded", [], 2, id="nothing-to-wait-for"),
        pytest.param("Succeeded", ["--created", "--deleted"], 2, id="two-things"),
    ],
)
def test_waiting_for_a_cluster(inside: Inside, state: str, words: list[str], code: int) -> None:
    inside.world.mock.set_state("rg", "prod", state=state)
    ran = inside.run("wait", *CLUSTER, *words, "--interval", "0.01", "--timeout", "0.05")
    assert (ran.code, ran.out) == (code, "")
    assert (ran.err == "") == (code == 0)


@pytest.mark.parametrize(
    ("words", "code"), [("--deleted", 0), ("--updated", 3), ("--created", 10), ("--exists", 10)]
)  # fmt: skip
def test_waiting_for_what_is_not_there(inside: Inside, words: str, code: int) -> None:
    ran = inside.run("wait", "-g", "rg", "-n", "nope", words, "--interval", "0", "--timeout", "0")
    assert ran.code == code


def test_a_wait_goes_on_until_it_is_so(world: World) -> None:
    world.mock.set_state("rg", "prod", "np1", "Updating")
    with world.started("nodepool", "wait", *POOL, "--updated", "--interval", "0.05") as waiting:
        until(lambda: len(world.mock.journal) > 2)
        assert waiting.poll() is None
        world.mock.set_state("rg", "prod", "np1", "Succeeded")
        assert waiting.wait(30) == 0


def test_watch_prints_changes_by_path_until_the_cluster_is_gone(world: World) -> None:
    before = world.tag("np1")
    with world.started("watch", *CLUSTER, "--interval", "0.02", "--timeout", "30") as watching:
        first = told(watching.stdout, "watching")
        assert first.split(maxsplit=1)[1] == "watching prod Succeeded, prod/np1 Succeeded, prod/np2 Succeeded\n"
        world.mock.edit("rg", "prod", "np1", lambda body: body["properties"].update(count=5))
        told(watching.stdout, "prod/np1: properties.count: 3 -> 5\n")
        told(watching.stdout, f'prod/np1: properties.eTag: "{before}" -> ')
        world.mock.delete("rg", "prod", "np2")
        told(watching.stdout, "prod/np2: gone\n")
        world.mock.delete("rg", "prod")
        told(watching.stdout, "prod: gone\n")
        assert watching.wait(30) == 3
        told(watching.stderr, "error: ")


def test_watch_ends_when_its_time_is_up(inside: Inside) -> None:
    ran = inside.run("watch", *CLUSTER, "--interval", "0.01", "--timeout", "0.03")
    assert (ran.code, len(ran.out.splitlines()), ran.err) == (0, 1, "")
