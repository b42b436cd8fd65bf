# SPDX-License-Identifier: MIT
"""Where an API server is and how to be let in: a kubeconfig, the service account of a pod, an AKS cluster.

Key material is on disk only while OpenSSL reads it, in a file that only its owner can read.
"""

from __future__ import annotations

import base64
import os
import ssl
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ..errors import AksEtagError
from ._exec import ExecToken

SERVICE_ACCOUNT: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")


class KubeconfigError(AksEtagError):
    """A kubeconfig, or what stands in for one, cannot be used; the message names the part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """How to reach one API server."""

    base_url: str
    token: Callable[[bool], Any] | str | None
    verify: ssl.SSLContext


def from_file(path: str | os.PathLike[str] | None, context: str | None) -> Access:
    """Read a kubeconfig: the given one, the first of KUBECONFIG, or ~/.kube/config."""
    chosen = os.fspath(path) if path is not None else os.environ.get("KUBECONFIG", "").split(os.pathsep)[0]
    file = Path(chosen or Path.home() / ".kube" / "config").expanduser()
    try:
        text = file.read_text("utf-8")
    except OSError as error:
        raise KubeconfigError(f"{file} cannot be read: {error.strerror}") from error
    return from_text(text, context, base=file.parent)


def from_text(text: str, context: str | None, *, base: Path) -> Access:
    """Read the text of a kubeconfig; relative paths in it are taken from ``base``."""
    config = _parsed(text)
    chosen = context or config.get("current-context")
    if not chosen:
        raise KubeconfigError("no context is chosen: the kubeconfig has no current-context, and context= was not given")
    names = _named(config, "contexts", chosen).get("context") or {}
    cluster = _named(config, "clusters", names.get("cluster")).get("cluster") or {}
    user = _named(config, "users", names.get("user")).get("user") or {}
    server = cluster.get("server")
    if not isinstance(server, str):
        raise KubeconfigError(f"cluster {names.get('cluster')!r} has no server")
    return Access(base_url=server, token=_token(user, cluster, base), verify=_tls(cluster, user, base))


def without_exec(text: str) -> str | None:
    """Return a kubeconfig without its exec plugins, or ``None`` where it has none."""
    import yaml

    config: Any = _parsed(text)
    users = [entry["user"] for entry in config.get("users") or [] if isinstance(entry.get("user"), dict)]
    if not any("exec" in user for user in users):
        return None
    for user in users:
        user.pop("exec", None)
    return str(yaml.safe_dump(config))


def in_cluster(directory: Path = SERVICE_ACCOUNT) -> Access:
    """Read the service account of the pod that this process runs in."""
    host, port = os.environ.get("KUBERNETES_SERVICE_HOST"), os.environ.get("KUBERNETES_SERVICE_PORT", "443")
    if not host:
        raise KubeconfigError("KUBERNETES_SERVICE_HOST is not set: this process runs in no pod")
    authority = f"[{host}]" if ":" in host else host
    context = ssl.create_default_context(cafile=str(directory / "ca.crt"))
    return Access(base_url=f"https://{authority}:{port}", token=_of_file(directory / "token"), verify=context)


def _parsed(text: str) -> Mapping[str, Any]:
    try:
        import yaml
    except ImportError as error:
        raise ImportError('a kubeconfig is YAML, which needs PyYAML: pip install "aks-etag[kubernetes]"') from error
    try:
        config = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise KubeconfigError("the kubeconfig is not YAML") from error
    if not isinstance(config, Mapping):
        raise KubeconfigError("the kubeconfig is not a mapping")
    return config


def _named(config: Mapping[str, Any], section: str, name: object) -> Mapping[str, Any]:
    entries = config.get(section)
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, Mapping) and entry.get("name") == name:
            return entry
    raise KubeconfigError(f"the kubeconfig has no {section[:-1]} named {name!r}")


def _token(
    user: Mapping[str, Any], cluster: Mapping[str, Any], base: Path
) -> Callable[[bool], str | None] | str | None:
    if user.get("token"):
        return str(user["token"])
    if user.get("tokenFile"):
        return _of_file(base / str(user["tokenFile"]))
    if user.get("exec"):
        return ExecToken(user["exec"], cluster)
    return None


def _of_file(path: Path) -> Callable[[bool], str | None]:
    """Read a token from a file, again after a 401: it is renewed there from outside."""
    held: list[str] = []

    def token(renew: bool) -> str | None:
        if renew or not held:
            held[:] = [path.read_text("utf-8").strip()]
        return held[0]

    return token


def _tls(cluster: Mapping[str, Any], user: Mapping[str, Any], base: Path) -> ssl.SSLContext:
    authority = _material(cluster, "certificate-authority", base)
    context = ssl.create_default_context(cadata=None if authority is None else authority.decode())
    if cluster.get("insecure-skip-tls-verify") is True:
        raise KubeconfigError("insecure-skip-tls-verify is set: a server that is not checked is not spoken to")
    certificate, key = _material(user, "client-certificate", base), _material(user, "client-key", base)
    if certificate is not None and key is not None:
        with _private(certificate + b"\n" + key) as file:
            context.load_cert_chain(file)
    return context


def _material(section: Mapping[str, Any], name: str, base: Path) -> bytes | None:
    """Return a certificate or key: inline base64, or from a file."""
    inline = section.get(f"{name}-data")
    try:
        if inline:
            return base64.b64decode(str(inline), validate=True)
        return (base / str(section[name])).read_bytes() if section.get(name) else None
    except (OSError, ValueError) as error:
        raise KubeconfigError(f"{name} cannot be read ({type(error).__name__})") from error


@contextmanager
def _private(content: bytes) -> Iterator[str]:
    """Hold bytes in a file of mode 0600 for as long as it takes to read them."""
    handle, path = tempfile.mkstemp(prefix="aks-etag-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        yield path
    finally:
        Path(path).unlink()
