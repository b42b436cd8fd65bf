# SPDX-License-Identifier: MIT
"""``aks-etag mock serve`` as a process of its own: its first line, its seed, its end."""

from __future__ import annotations

import json
import signal
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from aks_etag.cli import main

from .terminal import PATIENCE, command, environment, run

SEED = {"rg": {"prod": {"np1": {"count": 3}, "np2": {"count": 1}}}, "empty": {}}


@contextmanager
def serving(home: Path, *arguments: str, stdin: str = "") -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """Start one; give what its first line says."""
    process = subprocess.Popen(
        command("mock", "serve", *arguments),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(home),
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        try:
            process.stdin.write(stdin)
            process.stdin.close()
            yield process, json.loads(process.stdout.readline())
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_says_where_it_is_serves_its_seed_and_stops_when_it_is_told(tmp_path: Path, number: int) -> None:
    with serving(tmp_path, "--seed", "-", stdin=json.dumps(SEED)) as (process, said):
        assert sorted(said) == ["endpoint", "subscription"]
        assert said["endpoint"].startswith("http://127.0.0.1:")
        listed = run("list", "--query", "[].[resourceGroup, name]", "-o", "tsv", home=tmp_path, url=said["endpoint"])
        assert (listed.returncode, listed.stdout, listed.stderr) == (0, "rg\tprod\n", "")
        process.send_signal(number)
        assert process.wait(PATIENCE) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_the_subscription_may_be_chosen(tmp_path: Path) -> None:
    mine = "11111111-1111-1111-1111-111111111111"
    with serving(tmp_path, "--subscription", mine) as (_, said):
        done = run("list", "--subscription", mine, home=tmp_path, url=said["endpoint"])
    assert (said["subscription"], done.returncode, done.stdout) == (mine, 0, "[]\n")


@pytest.mark.parametrize(
    ("seed", "said"),
    [
        (None, "No such file or directory"),
        ("{", "is no JSON"),
        ("5", "it has no id of a cluster or agent pool"),
        ('{"id": "x", "properties": {}}', "it has no id of a cluster or agent pool"),
        ('{"rg": ["prod"]}', ": rg is no object; write it like"),
        ('{"rg": {"prod": 3}}', ": rg/prod is no object"),
        ('{"rg": {"prod": {"np1": 3}}}', ": rg/prod/np1 is no object"),
    ],
)
def test_a_seed_that_cannot_be_used_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], seed: str | None, said: str
) -> None:
    if seed is not None:
        (tmp_path / "seed").write_text(seed, "utf-8")
    code = main(["mock", "serve", "--seed", str(tmp_path / "seed")])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert err.startswith(f"error: --seed {tmp_path / 'seed'}")
    assert said in err


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = run("mock", "serve", "--port", port, home=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: --port {port}: Address already in use")


def test_what_az_shows_is_a_seed(tmp_path: Path) -> None:
    with serving(tmp_path, "--seed", "-", stdin=json.dumps(SEED)) as (_, said):
        shown = run("show", "-g", "rg", "-n", "prod", home=tmp_path, url=said["endpoint"]).stdout
    with serving(tmp_path, "--seed", "-", stdin=shown) as (_, said):
        again = run("show", "-g", "rg", "-n", "prod", home=tmp_path, url=said["endpoint"]).stdout
    assert json.loads(again) == json.loads(shown)


def test_tls_by_a_ca_of_its_own_and_a_token(tmp_path: Path) -> None:
    ca = tmp_path / "ca.pem"
    with serving(tmp_path, "--tls-ca", str(ca), "--require-token", "--seed", "-", stdin=json.dumps(SEED)) as (_, said):
        url = f"{said['endpoint']}/subscriptions/{said['subscription']}/resourceGroups/rg?api-version=1"
        assert url.startswith("https://127.0.0.1:")
        trusted = ssl.create_default_context(cafile=str(ca))
        with httpx.Client(verify=trusted) as client:
            assert client.get(url).status_code == 401
            answer = client.get(url, headers={"Authorization": "Bearer x"})
            assert (answer.status_code, answer.json()["name"]) == (200, "rg")
            assert client.get(f"{said['endpoint'].replace('127.0.0.1', 'localhost')}/_mock/").status_code == 200
        with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"), httpx.Client() as stranger:
            stranger.get(url)


def test_switches_are_turned(tmp_path: Path) -> None:
    with serving(tmp_path, "--switch", "busy_first=true", "--switch", "patch_tags=merge") as (_, said):
        turned = httpx.get(f"{said['endpoint']}/_mock/state").json()["switches"]
    assert (turned["busy_first"], turned["patch_tags"]) == (True, "merge")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--switch", "nope=1"], "unexpected keyword argument 'nope'"),
        (["--switch", "busy_first"], "--switch busy_first has no value"),
        (["--switch", "page_size=many"], "--switch: page_size cannot be 'many'"),
        (["--switch", "busy_first=1"], "--switch: busy_first cannot be 1"),
        (["--tls-ca", "/nowhere/ca.pem"], "--tls-ca /nowhere/ca.pem: No such file or directory"),
    ],
)
def test_what_cannot_be_is_refused(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mock", "serve", *arguments]) == 2
    assert said in capsys.readouterr().err
