# SPDX-License-Identifier: MIT
"""The ``kube`` commands against an API server on a socket: output, words, exit codes, and what is there afterwards."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from aks_etag.cli import main
from aks_etag.mock import MockKubernetes

from .terminal import Terminal, environment, run

SETTINGS = ("v1", "ConfigMap", "settings", "-n", "default")
TOKEN = "sesame"


@dataclass(frozen=True)
class Stage:
    """A server with one ConfigMap, a kubeconfig, and a way to run commands as a process or in this one."""

    server: MockKubernetes
    url: str
    home: Path

    def __post_init__(self) -> None:
        self.configured("config", self.url)

    def configured(self, name: str, url: str, token: str = TOKEN) -> str:
        """Write a kubeconfig; return its path."""
        named = [
            ("contexts", {"cluster": "k", "user": "u"}),
            ("clusters", {"server": url}),
            ("users", {"token": token}),
        ]
        config: dict[str, Any] = {"current-context": "k"}
        for section, body in named:
            config[section] = [{"name": "u" if section == "users" else "k", section[:-1]: body}]
        (self.home / name).write_text(json.dumps(config), "utf-8")
        return str(self.home / name)

    def run(self, *arguments: str, stdin: str = "", **more: str) -> tuple[int, str, str]:
        """Run a command as a process."""
        done = run("kube", *arguments, home=self.home, stdin=stdin, KUBECONFIG=str(self.home / "config"), **more)
        return done.returncode, done.stdout, done.stderr

    def data(self) -> Any:
        """Return what the ConfigMap holds."""
        body = self.server.object("v1", "ConfigMap", "default", "settings")
        assert body is not None
        return body["data"]


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    server = MockKubernetes(token=TOKEN)
    metadata = {"name": "settings", "namespace": "default"}
    server.add({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"level": "info", "old": "1"}})
    with server.serve() as url:
        yield Stage(server, url, tmp_path)


@pytest.fixture
def inside(stage: Stage, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command in this process, for what a process of its own would show no better."""
    monkeypatch.setenv("KUBECONFIG", str(stage.home / "config"))
    monkeypatch.setenv("HOME", str(stage.home))
    monkeypatch.setenv("AKS_ETAG_POLLING_INTERVAL", "0.01")

    def told(*arguments: str) -> tuple[int, str, str]:
        code = main(["kube", *arguments])
        return (code, *capsys.readouterr())

    return told


def manifest(**data: str) -> str:
    """Write a manifest of the ConfigMap, in YAML."""
    lines = ["apiVersion: v1", "kind: ConfigMap", "metadata:", "  name: settings", "  namespace: default", "data:"]
    return "\n".join([*lines, *(f"  {name}: {value}" for name, value in data.items())])


def test_an_object_is_shown_without_the_managed_fields(stage: Stage) -> None:
    code, out, err = stage.run("get", *SETTINGS)
    shown = json.loads(out)
    assert (code, err) == (0, "")
    assert shown["data"] == {"level": "info", "old": "1"}
    assert "managedFields" not in shown["metadata"]


def test_the_managed_fields_are_shown_if_asked_for(inside: Any) -> None:
    code, out, _ = inside("get", *SETTINGS, "--show-managed-fields", "--query", "metadata.managedFields[].manager")
    assert (code, json.loads(out)) == (0, ["kubectl-create"])


def test_an_update_reads_again_when_somebody_was_faster(stage: Stage) -> None:
    stage.server.before_write(
        lambda: stage.server.edit("v1", "ConfigMap", "default", "settings", lambda body: body["data"].update(by="us")),
        times=1,
    )
    change = ("--set", "data.level=debug", "--remove", "data.old")
    code, out, err = stage.run("update", *SETTINGS, *change, "-v", "--query", "data")
    assert (code, json.loads(out)) == (0, {"level": "debug", "by": "us"})
    assert [line.partition(":")[0] for line in err.splitlines()][:1] == ["Conflict"]
    assert stage.data() == {"level": "debug", "by": "us"}


def test_an_update_that_holds_already_says_so(inside: Any, stage: Stage) -> None:
    code, out, err = inside("update", *SETTINGS, "--set", "data.level=info", "-o", "none")
    assert (code, out, err) == (0, "", "unchanged: nothing to do\n")
    assert [each.method for each in stage.server.journal if each.method not in ("GET",)] == []


@pytest.mark.parametrize(
    "command",
    [
        ("update", *SETTINGS, "--set", "data.level=dry"),
        ("patch", *SETTINGS, "--patch", "-"),
        ("apply", "-f", "-", "--field-manager", "me", "--force"),
    ],
    ids=lambda command: command[0],
)
def test_a_dry_run_shows_what_the_server_would_store_and_stores_nothing(stage: Stage, command: tuple[str, ...]) -> None:
    stdin = {"patch": '{"data": {"level": "dry"}}', "apply": manifest(level="dry")}.get(command[0], "")
    code, out, err = stage.run(*command, "--dry-run", "--query", "data.level", "-o", "tsv", stdin=stdin)
    assert (code, out, err) == (0, "dry\n", "")
    assert stage.data() == {"level": "info", "old": "1"}


@pytest.mark.parametrize(
    ("kind", "patch"),
    [
        ("merge", '{"data": {"level": "debug", "old": null}}'),
        ("strategic", '{"data": {"level": "debug", "old": null}}'),
        (
            "json",
            '[{"op": "replace", "path": "/data/level", "value": "debug"}, {"op": "remove", "path": "/data/old"}]',
        ),
    ],
)
def test_a_patch_is_read_from_a_file_in_each_kind(inside: Any, stage: Stage, kind: str, patch: str) -> None:
    (stage.home / "patch").write_text(patch, "utf-8")
    code, out, err = inside("patch", *SETTINGS, "--patch", str(stage.home / "patch"), "--type", kind, "--query", "data")
    assert (code, json.loads(out), err) == (0, {"level": "debug"}, "")


def test_a_patch_of_another_version_is_refused_with_what_is_there(stage: Stage) -> None:
    now = stage.server.object("v1", "ConfigMap", "default", "settings")
    assert now is not None
    version = now["metadata"]["resourceVersion"]
    stage.server.edit("v1", "ConfigMap", "default", "settings", lambda body: body["data"].update(by="us"))
    stale = ("patch", *SETTINGS, "--patch", "-", "--if-match", version)
    code, out, err = stage.run(*stale, stdin='{"data": {"x": "y"}}')
    assert (code, out) == (4, "")
    what, state, hint = err.splitlines()
    assert what.startswith("error: /api/v1/namespaces/default/configmaps/settings was not patched: ")
    assert re.fullmatch(rf'state: sent "{version}", there is now "\d+" \(no state\)', state)
    assert hint == "hint: kube get it again, or use kube update, which reads and guards by itself"
    assert "x" not in stage.data()


def test_a_field_of_another_owner_is_refused_with_the_owner_and_the_ways_out(stage: Stage) -> None:
    apply = ("apply", "-f", "-", "--field-manager", "me", "--query", "data")
    code, out, err = stage.run(*apply, stdin=manifest(level="mine"))
    assert (code, out) == (4, "")
    what, hint = err.splitlines()
    assert "others own .data.level (kubectl-create)" in what
    assert hint == (
        "hint: leave these fields out, give the same values as their owners, or take them over with --force"
    )
    assert stage.data() == {"level": "info", "old": "1"}
    code, out, err = stage.run(*apply, "--force", stdin=manifest(level="mine"))
    assert (code, json.loads(out), err) == (0, {"level": "mine", "old": "1"}, "")


def test_owners_are_listed_field_by_field(inside: Any) -> None:
    code, out, err = inside("owners", *SETTINGS, "-o", "table")
    rows = [line.split() for line in out.splitlines()]
    assert (code, err) == (0, "")
    assert rows[0] == ["Manager", "Field"]
    assert rows[2:] == [["kubectl-create", field] for field in (".data", ".data.level", ".data.old")]
    assert json.loads(inside("owners", *SETTINGS)[1])[0]["manager"] == "kubectl-create"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\n---\nb: 2\n", "it holds 2 objects, and one is applied at a time"),
        ("", "it holds 0 objects"),
        ("[1]", "it is no manifest of an object"),
        ("kind: ConfigMap\n", "apiVersion, kind and metadata.name are needed"),
        ("apiVersion: v1\nkind: ConfigMap\nmetadata: x\n", "apiVersion, kind and metadata.name are needed"),
        ("a: [", "is neither JSON nor YAML"),
        (b"\xff", "it is no text in UTF-8"),
        (None, "No such file or directory"),
    ],
)
def test_what_is_no_manifest_is_refused(inside: Any, stage: Stage, text: str | bytes | None, said: str) -> None:
    file = stage.home / "manifest.yaml"
    if text is not None:
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    code, out, err = inside("apply", "-f", str(file), "--field-manager", "me")
    assert (code, out) == (2, "")
    assert err.startswith(f"error: --filename {file}")
    assert said in err
    assert len(err.splitlines()) == 2


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        pytest.param(("get", "v1", "ConfigMap", "nope", "-n", "default"), 3, "does not exist", id="absent"),
        pytest.param(("get", "v1", "Wrong", "x", "-n", "default"), 3, "the server knows no kind Wrong", id="kind"),
        pytest.param(("get", "v1", "ConfigMap", "a/b", "-n", "default"), 7, "not a valid Kubernetes", id="name"),
        pytest.param(("get", *SETTINGS, "--context", "other"), 2, "no context named 'other'", id="context"),
        pytest.param(("get", *SETTINGS, "--kubeconfig", "/nope"), 2, "/nope cannot be read: No such", id="kubeconfig"),
        pytest.param(("get", *SETTINGS, "--kubeconfig", "/dev/null"), 2, "is not a mapping", id="empty-kubeconfig"),
        pytest.param(("get", *SETTINGS, "--server", ""), 2, "--server is empty", id="empty-server"),
        pytest.param(("get", *SETTINGS, "--server", "http://x.example"), 2, "use https", id="plain-http"),
        pytest.param(("get", *SETTINGS, "--server", "ftp://x"), 2, "--server 'ftp://x' is not an http", id="ftp"),
        pytest.param(
            ("get", *SETTINGS, "--server", "https://x", "--context", "k"), 2, "leave out --kubeconfig", id="two-servers"
        ),
        pytest.param(
            ("get", *SETTINGS, "--certificate-authority", "ca"), 2, "--certificate-authority goes with", id="lone-ca"
        ),
        pytest.param(
            ("get", *SETTINGS, "--server", "https://x", "--certificate-authority", "/nope"), 2, "/nope: No", id="no-ca"
        ),
        pytest.param(("update", *SETTINGS), 2, "nothing to change: give --set", id="nothing"),
        pytest.param(("patch", *SETTINGS, "--patch", "/nope"), 2, "--patch /nope: No such file", id="no-patch"),
        pytest.param(("migrate-storage", "x.y", "--to", "v1", "--window", "9"), 2, "is not HH:MM-HH:MM", id="window"),
    ],
)
def test_what_cannot_be_is_said_in_a_few_lines(inside: Any, arguments: tuple[str, ...], code: int, said: str) -> None:
    ended, out, err = inside(*arguments)
    assert (ended, out) == (code, "")
    assert err.startswith("error: ")
    assert said in err
    assert len(err.splitlines()) <= 3
    assert "--resource-group" not in err


def test_a_token_that_is_not_accepted_is_never_shown(stage: Stage) -> None:
    config = stage.configured("bad", stage.url, "hush-hush")
    code, out, err = stage.run("get", *SETTINGS, "--kubeconfig", config)
    assert (code, out) == (1, "")
    assert "401 Unauthorized" in err
    assert "hint: check the user of the kubeconfig, and what its roles allow: kubectl auth can-i" in err
    assert "hush" not in err


def test_a_server_that_is_not_there_is_given_up_on_in_time(stage: Stage) -> None:
    config = stage.configured("dead", "http://127.0.0.1:1")
    code, out, err = stage.run("get", *SETTINGS, "--kubeconfig", config, "--timeout", "0.1")
    assert (code, out) == (10, "")
    assert "0.1 s passed while waiting for a usable answer" in err
    assert "hint: check that the server of the kubeconfig can be reached" in err


def test_a_token_of_the_environment_goes_with_a_server(stage: Stage) -> None:
    server = ("--server", stage.url, "-o", "none")
    assert stage.run("get", *SETTINGS, *server, AKS_ETAG_KUBE_TOKEN=TOKEN) == (0, "", "")
    assert stage.run("get", *SETTINGS, *server)[0] == 1


def test_a_terminal_shows_the_conflict_and_takes_it_away(stage: Stage) -> None:
    edit = stage.server.edit
    stage.server.before_write(lambda: edit("v1", "ConfigMap", "default", "settings", _touch), times=1)
    env = environment(stage.home, KUBECONFIG=str(stage.home / "config"))
    with Terminal("kube", "update", *SETTINGS, "--set", "data.a=b", "-o", "none", env=env) as terminal:
        assert terminal.end() == 0
    assert "1 conflict: somebody else changed settings, reading it again" in terminal.screens[0]
    assert terminal.text == ""


def _touch(body: dict[str, Any]) -> None:
    body["data"]["touched"] = "yes"
