# SPDX-License-Identifier: MIT
"""Where a server is and how to be let in: kubeconfigs, exec plugins, service accounts; and what is left on disk."""

from __future__ import annotations

import base64
import json
import ssl
import stat
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from aks_etag.kubernetes import KubernetesClient, _config
from aks_etag.kubernetes._config import KubeconfigError, from_file, from_text, in_cluster
from aks_etag.kubernetes._exec import ExecPluginError, ExecToken


def kubeconfig(user: dict[str, Any], **cluster: Any) -> str:
    return yaml.safe_dump(
        {
            "current-context": "one",
            "contexts": [{"name": "one", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": {"server": "https://example.test:6443", **cluster}}],
            "users": [{"name": "u", "user": user}],
        }
    )


def token_of(access: _config.Access, *, renew: bool = False) -> str | None:
    return access.token(renew) if callable(access.token) else access.token


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """Make a certificate and its key with openssl."""
    folder = tmp_path_factory.mktemp("pair")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=x", "-days", "2"]
    command += ["-keyout", str(folder / "key"), "-out", str(folder / "crt")]
    subprocess.run(command, check=True, capture_output=True)
    return (folder / "crt").read_bytes(), (folder / "key").read_bytes()


def test_a_token_and_a_server(tmp_path: Path) -> None:
    (tmp_path / "config").write_text(kubeconfig({"token": "t"}))
    access = from_file(tmp_path / "config", None)
    assert (access.base_url, token_of(access)) == ("https://example.test:6443", "t")
    assert access.verify.verify_mode is ssl.CERT_REQUIRED
    assert access.verify.check_hostname


def test_the_environment_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config").write_text(kubeconfig({"token": "t"}))
    monkeypatch.setenv("KUBECONFIG", f"{tmp_path / 'config'}:/nowhere")
    assert token_of(from_file(None, None)) == "t"
    KubernetesClient.from_kubeconfig().close()


def test_a_token_file_is_read_again_when_it_was_refused(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("old\n")
    access = from_text(kubeconfig({"tokenFile": "token"}), None, base=tmp_path)
    assert token_of(access) == "old"
    (tmp_path / "token").write_text("new\n")
    assert (token_of(access), token_of(access, renew=True)) == ("old", "new")


def test_key_material_is_private_and_gone_at_once(
    tmp_path: Path, pair: tuple[bytes, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    modes: list[int] = []
    loading = ssl.SSLContext.load_cert_chain

    def load(context: ssl.SSLContext, file: str, *rest: Any) -> None:
        modes.append(stat.S_IMODE(Path(file).stat().st_mode))
        loading(context, file, *rest)

    monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", load)
    user = {
        "client-certificate-data": base64.b64encode(pair[0]).decode(),
        "client-key-data": base64.b64encode(pair[1]).decode(),
    }
    from_text(
        kubeconfig(user, **{"certificate-authority-data": base64.b64encode(pair[0]).decode()}), None, base=tmp_path
    )
    assert modes == [0o600]
    assert list(tmp_path.iterdir()) == []


BROKEN = {
    "not yaml": ("{", "not YAML"),
    "a list": ("[]", "not a mapping"),
    "no context": ("{}", "no context"),
    "unknown context": ("current-context: x", "no context named 'x'"),
    "no TLS check": (kubeconfig({"token": "t"}, **{"insecure-skip-tls-verify": True}), "insecure-skip-tls-verify"),
    "bad base64": (kubeconfig({"client-certificate-data": "%%"}), "client-certificate"),
    "no such file": (kubeconfig({"client-certificate": "/nowhere"}), "client-certificate"),
}


@pytest.mark.parametrize(("text", "said"), BROKEN.values(), ids=BROKEN)
def test_a_broken_kubeconfig_says_which_part(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(KubeconfigError, match=said):
        from_text(text, None, base=tmp_path)


def test_a_missing_kubeconfig_is_named(tmp_path: Path) -> None:
    with pytest.raises(KubeconfigError, match="nowhere"):
        from_file(tmp_path / "nowhere", None)


def test_outside_of_a_pod_there_is_no_service_account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    with pytest.raises(KubeconfigError, match="no pod"):
        in_cluster()


def test_a_service_account_is_server_ca_and_token(
    tmp_path: Path, pair: tuple[bytes, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ca.crt").write_bytes(pair[0])
    (tmp_path / "token").write_text("sa")
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "fd00::1")
    access = in_cluster(tmp_path)
    assert (access.base_url, token_of(access)) == ("https://[fd00::1]:443", "sa")


def plugin(tmp_path: Path, body: str, **spec: Any) -> ExecToken:
    """Write a plugin that is a Python program, and counts its runs."""
    program = tmp_path / "plugin.py"
    program.write_text(f"import json, os, pathlib\nruns = pathlib.Path({str(tmp_path / 'runs')!r})\n"
                       "runs.write_text((runs.read_text() if runs.exists() else '') + 'x')\n" + body)  # fmt: skip
    given = {"apiVersion": "client.authentication.k8s.io/v1", "command": sys.executable, "args": [str(program)], **spec}
    return ExecToken(given, {"server": "https://example.test"})


def credential(**status: Any) -> str:
    return f"print({json.dumps(json.dumps({'status': status}))})"


def runs(tmp_path: Path) -> int:
    return len((tmp_path / "runs").read_text())


def test_a_plugin_is_asked_once_and_again_after_a_refusal(tmp_path: Path) -> None:
    token = plugin(tmp_path, credential(token="p"))
    assert [token(False), token(False), runs(tmp_path)] == ["p", "p", 1]
    assert [token(True), runs(tmp_path)] == ["p", 2]


def test_a_token_that_runs_out_is_renewed_in_time(tmp_path: Path) -> None:
    soon = (datetime.now(UTC) + timedelta(seconds=30)).isoformat()
    token = plugin(tmp_path, credential(token="p", expirationTimestamp=soon))
    assert [token(False), token(False), runs(tmp_path)] == ["p", "p", 2]


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
def test_a_plugin_is_told_what_is_asked_and_of_whom(tmp_path: Path, version: str) -> None:
    body = "info = json.loads(os.environ['KUBERNETES_EXEC_INFO'])\n"
    body += "token = info['apiVersion'] + ' ' + info['spec']['cluster']['server'] + ' ' + os.environ['A']\n"
    body += "print(json.dumps({'status': {'token': token}}))"
    spec = {"apiVersion": f"client.authentication.k8s.io/{version}", "provideClusterInfo": True}
    token = plugin(tmp_path, body, env=[{"name": "A", "value": "b"}], **spec)
    assert token(False) == f"client.authentication.k8s.io/{version} https://example.test b"


@pytest.mark.parametrize(
    "body", ["print('SECRET')", "print('{}')", "raise SystemExit('SECRET')"], ids=["text", "empty", "fails"]
)
def test_what_a_plugin_prints_is_not_shown(tmp_path: Path, body: str) -> None:
    with pytest.raises(ExecPluginError) as raised:
        plugin(tmp_path, body)(False)
    assert "SECRET" not in str(raised.value)


def test_a_plugin_that_is_not_there_is_named() -> None:
    with pytest.raises(ExecPluginError, match="not installed"):
        ExecToken({"apiVersion": "client.authentication.k8s.io/v1", "command": "no-such-plugin"}, {})(False)
    with pytest.raises(ExecPluginError, match="v1alpha1"):
        ExecToken({"apiVersion": "client.authentication.k8s.io/v1alpha1", "command": "x"}, {})
